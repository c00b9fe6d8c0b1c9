"""Converts a document with Docmill, with nothing but Python's standard library.

Usage: python3 convert.py SOURCE TARGET.pdf [IDEMPOTENCY_KEY], with DOCMILL_URL and DOCMILL_KEY in the environment.
SOURCE is a public URL, or a file, which is uploaded.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

# A request that waits for a job takes up to 25 seconds.
TIMEOUT_SECONDS = 40
JOB_SECONDS = 180


class Refused(Exception):
    """An error answer of the service. `str()` of it has no secrets and names the request."""


def call(method: str, path: str, body: dict | None = None, headers: dict[str, str] | None = None) -> tuple[int, dict]:
    """Status and body. Repeats what may go away by itself, as the same request with the same Idempotency-Key."""
    request = urllib.request.Request(
        os.environ["DOCMILL_URL"] + path, method=method, data=json.dumps(body).encode() if body is not None else None
    )
    request.add_header("authorization", f"Bearer {os.environ['DOCMILL_KEY']}")
    request.add_header("content-type", "application/json")
    for name, value in (headers or {}).items():
        request.add_header(name, value)
    for pause in (1, 2, 4, None):
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            if pause is None or error.code not in (429, 500, 503):
                raise Refused(describe(error)) from None
            pause = int(error.headers.get("retry-after", pause))
        except (urllib.error.URLError, TimeoutError):
            if pause is None:
                raise
        time.sleep(pause)
    raise AssertionError("the last attempt returns or raises")


def describe(error: urllib.error.HTTPError) -> str:
    try:
        answer = json.load(error)
        # A failed job knows better than its answer what went wrong.
        fault = answer.get("job", {}).get("error") or answer["error"]
        return f"{fault['code']}: {fault['message']} (request {answer['requestId']})"
    except (ValueError, KeyError):
        return f"HTTP status {error.code}"


def convert(source: str, idempotency_key: str) -> bytes:
    """The PDF made of the document at `source`, a URL or a file."""
    body = {"uploadId": upload(source)} if os.path.isfile(source) else {"sourceUrl": source}
    headers = {"idempotency-key": idempotency_key, "prefer": "wait=25"}
    _, created = call("POST", "/v1/convert/office-to-pdf", body, headers)
    link = created.get("download") or wait_for_download(created["job"]["id"])
    # The link is signed: it needs no key, and must not get one.
    with urllib.request.urlopen(link["url"], timeout=TIMEOUT_SECONDS) as response:
        pdf = response.read()
    if hashlib.sha256(pdf).hexdigest() != link["sha256"]:
        raise ValueError("the download is not what the job says it is")
    return pdf


def upload(path: str) -> str:
    """Announces a file, puts it to the link of the answer, and returns the id by which a job names it."""
    with open(path, "rb") as file:
        content = file.read()
    announced = {
        "contentType": "application/octet-stream",
        "bytes": len(content),
        "filename": os.path.basename(path),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    _, answer = call("POST", "/v1/uploads", announced)
    link = answer["upload"]
    # The link is signed: it needs no key, and must not get one. The headers are part of the signature.
    request = urllib.request.Request(link["url"], method=link["method"], data=content, headers=link["headers"])
    urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS).close()
    return link["id"]


def wait_for_download(job_id: str) -> dict:
    deadline = time.monotonic() + JOB_SECONDS
    pause = 1.0
    while time.monotonic() < deadline:
        status, answer = call("GET", f"/v1/jobs/{job_id}/download")
        if status == 200:
            return answer["download"]
        time.sleep(pause)
        pause = min(pause * 1.5, 10)
    raise TimeoutError(f"job {job_id} has not ended in time")


def verify(secret: str, headers: dict[str, str], body: bytes, tolerance_seconds: int = 300) -> None:
    """Raises unless `body` is, byte for byte, what was signed with `secret`, and was signed lately."""
    sent_at = headers["webhook-timestamp"]
    if abs(time.time() - int(sent_at)) > tolerance_seconds:
        raise ValueError("the timestamp is too old")
    signed = b".".join([headers["webhook-id"].encode(), sent_at.encode(), body])
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = headers["webhook-signature"].encode().split(b" ")
    if not any(hmac.compare_digest(expected, each) for each in given):
        raise ValueError("the signature does not fit")


def try_receiver() -> None:
    """Gets a signed sample and shows that the receiver's check accepts it, and nothing else."""
    _, answer = call("POST", "/v1/webhooks/test", {"url": "https://hooks.example.com/docmill"})
    sample = answer["webhookTest"]["sample"]
    body = sample["body"].encode()
    verify(sample["secret"], sample["headers"], body)
    for headers, forged in [(sample["headers"], body + b" "), (sample["headers"] | {"webhook-timestamp": "1"}, body)]:
        try:
            verify(sample["secret"], headers, forged)
        except ValueError:
            continue
        raise AssertionError("a forged event was accepted")


def main(source: str, target: str, idempotency_key: str) -> None:
    pdf = convert(source, idempotency_key)
    with open(target, "wb") as file:
        file.write(pdf)
    print(f"{target}: {len(pdf)} bytes")
    try_receiver()
    print("webhook verified")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) == 4 else str(uuid.uuid4()))
    except (Refused, TimeoutError) as failure:
        sys.exit(f"Error: {failure}")
