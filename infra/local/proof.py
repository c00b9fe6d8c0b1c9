"""Converts a sample through the running service like a client, to show that everything works."""

import json
import shlex
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from local.settings import ROOT, binaries

# Well above a cold start of the worker and LibreOffice on a busy machine.
PROOF_SECONDS = 60
SAMPLE = "small.docx"


class ProofFailed(Exception):
    """The service did not convert the sample; the text says which step failed."""


def prove(url: str, key: str, samples_url: str, target: Path, progress: Callable[[str], None]) -> None:
    """Converts the sample. All errors become `ProofFailed`."""
    try:
        convert_sample(url, key, samples_url, target, progress)
    except KeyError as missing:
        raise ProofFailed(f"an answer of the service lacks {missing}") from missing
    except OSError as error:
        raise ProofFailed(f"the service does not answer: {error}") from error


def convert_sample(url: str, key: str, samples_url: str, target: Path, progress: Callable[[str], None]) -> None:
    """Creates a job, waits for it, downloads the PDF to `target`."""
    began = time.monotonic()
    body = {"sourceUrl": f"{samples_url}/{SAMPLE}"}
    job = call(url, key, "POST", "/v1/convert/office-to-pdf", body)["job"]
    while job["status"] in ("queued", "processing"):
        live(f"  {SAMPLE}: {job['status']}, {time.monotonic() - began:.1f} s")
        if time.monotonic() - began > PROOF_SECONDS:
            raise ProofFailed(f"job {job['id']} is still {job['status']} after {PROOF_SECONDS} s")
        time.sleep(0.1)
        job = call(url, key, "GET", f"/v1/jobs/{job['id']}")["job"]
    if job["status"] != "completed":
        raise ProofFailed(f"job {job['id']} ended as {job['status']}: {job.get('error', {}).get('code')}")
    download = call(url, key, "GET", f"/v1/jobs/{job['id']}/download")["download"]
    with urllib.request.urlopen(download["url"], timeout=30) as response:
        pdf = response.read()
    if not pdf.startswith(b"%PDF-"):
        raise ProofFailed(f"the download of job {job['id']} is no PDF")
    live("")
    target.write_bytes(pdf)
    progress(f"{SAMPLE}: converted in {time.monotonic() - began:.1f} s to {target} ({len(pdf):,} bytes)")


def live(line: str) -> None:
    """A line that the next one replaces. Only for terminals: logs get none."""
    if sys.stdout.isatty():
        print(f"\r\033[K{line}", end="", flush=True)


def call(url: str, key: str, method: str, path: str, body: dict | None = None) -> dict:
    request = urllib.request.Request(
        url + path, method=method, data=json.dumps(body).encode() if body else None,
        headers={"authorization": f"Bearer {key}", "content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        code = error_code(error.read())
        raise ProofFailed(f"{method} {path} answered {error.code} {code}") from error


def error_code(body: bytes) -> str:
    try:
        return json.loads(body)["error"]["code"]
    except (ValueError, KeyError, TypeError):
        return "without an error envelope"


def pasteable_command(url: str, key: str) -> str:
    """A line for the command line, which uploads the sample."""
    program = shlex.quote(str(binaries() / "docmill"))
    return f"DOCMILL_URL={url} DOCMILL_KEY={key} {program} convert {shlex.quote(str(ROOT / 'samples' / SAMPLE))} -o small.pdf"


def pasteable(url: str, key: str, samples_url: str) -> str:
    """A curl command that converts the sample: it sends the file, waits and follows the link to the PDF."""
    return f"""\
curl -f -L -o small.pdf {url}/v1/convert/office-to-pdf -H 'Authorization: Bearer {key}' \\
  -H 'Prefer: wait=25' -H 'Accept: application/pdf' -F file=@{shlex.quote(str(ROOT / 'samples' / SAMPLE))} && ls -l small.pdf"""
