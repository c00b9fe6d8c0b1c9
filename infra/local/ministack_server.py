"""Starts ministack with five repairs. They reach into its insides, which its pinned version allows.

Two take a wait of about 50 ms each off every invocation of a function. The third hands OPTIONS requests to the
`$default` route, as API Gateway does for an API without CORS (the local one has none); ministack would answer itself. The fourth allows
SQS's `SendMessageBatch` to whoever may send messages, as AWS does: there is no permission of that name. The fifth remembers how
expressions of DynamoDB are read: ministack would read a query's condition anew for each item of the partition.

Searches through the endpoints' log group find what they have logged to files (local.log_lines).
"""

import os
import socketserver
from functools import lru_cache
from pathlib import Path
from typing import Any

from local.log_lines import LogLines

from ministack.app import main
from ministack.core import iam_actions
from ministack.core.lambda_runtime import Worker
from ministack.services import apigateway, cloudwatch_logs, dynamodb

answer = apigateway.handle_execute
action_of = iam_actions.extract_iam_action
# Ours are a few hundred. Those of a test's own making come and go.
remembered = lru_cache(maxsize=2000)
tokens_of = remembered(dynamodb._tokenize)


def no_output(_worker: Worker, **_waits: float) -> str:
    """Functions log to files here, so there is no output to wait for after each invocation."""
    return ""


async def answer_options_too(api_id: str, stage: str, path: str, method: str, *rest: Any, **named: Any) -> Any:
    """ministack only treats upper-case `OPTIONS` specially, so it is changed to lower case."""
    return await answer(api_id, stage, path, "options" if method == "OPTIONS" else method, *rest, **named)


def action_without_batches(*request: Any) -> str | None:
    action = action_of(*request)
    return "sqs:SendMessage" if action == "sqs:SendMessageBatch" else action


def tokens(expression: str) -> list[tuple[str, str]]:
    """A list of its own for each caller."""
    return list(tokens_of(expression))


if __name__ == "__main__":
    # Runtime API responses are written in two parts: the second would wait for the first one's delayed ACK.
    socketserver.StreamRequestHandler.disable_nagle_algorithm = True
    Worker._drain_stderr_bounded = no_output
    apigateway.handle_execute = answer_options_too
    iam_actions.extract_iam_action = action_without_batches
    dynamodb._tokenize = tokens
    dynamodb._condition_syntax_error = remembered(dynamodb._condition_syntax_error)
    lines = LogLines(Path(os.environ["FUNCTION_LOGS"]))
    lines.follow()
    cloudwatch_logs._filter_log_events = lines.search(cloudwatch_logs._filter_log_events)
    main()
