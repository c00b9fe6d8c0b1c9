"""Starts ministack with three repairs. They reach into its insides, which its pinned version allows.

Two take a wait of about 50 ms each off every invocation of a function. The third hands OPTIONS requests to the
`$default` route, as API Gateway does for an API without CORS (the local one has none); ministack would answer itself.
"""

import socketserver
from typing import Any

from ministack.app import main
from ministack.core.lambda_runtime import Worker
from ministack.services import apigateway

answer = apigateway.handle_execute


def no_output(_worker: Worker, **_waits: float) -> str:
    """Functions log to files here, so there is no output to wait for after each invocation."""
    return ""


async def answer_options_too(api_id: str, stage: str, path: str, method: str, *rest: Any, **named: Any) -> Any:
    """ministack only treats upper-case `OPTIONS` specially, so it is changed to lower case."""
    return await answer(api_id, stage, path, "options" if method == "OPTIONS" else method, *rest, **named)


if __name__ == "__main__":
    # Runtime API responses are written in two parts: the second would wait for the first one's delayed ACK.
    socketserver.StreamRequestHandler.disable_nagle_algorithm = True
    Worker._drain_stderr_bounded = no_output
    apigateway.handle_execute = answer_options_too
    main()
