"""A function whose converter is taken over by its document, and asks the Runtime API for everything that it could want.

Run by AWS's emulator. Each answer holds what the converter got: a status and text for each attempt."""

import http.client
import json
import os
import subprocess
import sys

RUNTIME, UNKNOWN = "/2018-06-01/runtime", "00000000-0000-0000-0000-000000000000"
ATTEMPTS = {
    "event": ("GET", f"{RUNTIME}/invocation/next", None),
    "answer": ("POST", f"{RUNTIME}/invocation/{UNKNOWN}/response", '"false"'),
    "failure": ("POST", f"{RUNTIME}/invocation/{UNKNOWN}/error", "{}"),
    "failed start": ("POST", f"{RUNTIME}/init/error", "{}"),
    "credentials": ("GET", "/2021-04-23/credentials", None),
}


def ask(method: str, path: str, body: str | None = None, patience: float | None = None) -> tuple[int, str, str]:
    """Status, text, and the id of an invocation."""
    connection = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"], timeout=patience)
    connection.request(method, path, body)
    response = connection.getresponse()
    return response.status, response.read().decode(), response.headers.get("lambda-runtime-aws-request-id", "")


def take_over(falsely_answers: bool) -> None:
    got = {name: ask(*attempt)[:2] for name, attempt in ATTEMPTS.items()}
    if falsely_answers:
        # The id comes with the event, so a converter can answer in the worker's place.
        invocation = ask("GET", f"{RUNTIME}/invocation/next")[2]
        got["answer with the id"] = ask("POST", f"{RUNTIME}/invocation/{invocation}/response", '"false"')[:2]
        try:
            # Ends the invocation, and would be given the next document's event.
            got["next event"] = ask("GET", f"{RUNTIME}/invocation/next", patience=1)[:2]
        except TimeoutError:
            pass
    print(json.dumps(got))


def serve() -> None:
    while True:
        _, event, invocation = ask("GET", f"{RUNTIME}/invocation/next")
        document = json.loads(event)
        kind = ["answering"] if document.get("answers") else []
        # As the worker starts its children: without its environment, but at the same address.
        child = subprocess.run(
            [sys.executable, __file__, "converter", *kind], capture_output=True, text=True, check=True,
            env={"AWS_LAMBDA_RUNTIME_API": os.environ["AWS_LAMBDA_RUNTIME_API"]},
        )
        status, _, _ = ask("POST", f"{RUNTIME}/invocation/{invocation}/response", child.stdout)
        if status != 202:
            print("the answer was refused", flush=True)
            # As the worker does.
            os.execv(sys.executable, [sys.executable, __file__])


if __name__ == "__main__":
    take_over("answering" in sys.argv) if "converter" in sys.argv else serve()
