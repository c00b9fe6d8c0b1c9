"""LocalStack, an alternative to the emulator of `make run`, with the services for storage."""

import os
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local import processes
from local.errors import Problem
from local.settings import ROOT

READY_SECONDS = 120


@contextmanager
def running(python: Path, jars: Path) -> Iterator[str]:
    """LocalStack on a free port with data in memory. Yields its endpoint."""
    port, dynamodb_port = processes.free_ports(2)
    endpoint = f"http://localhost:{port}"
    with tempfile.TemporaryDirectory(prefix="docmill-localstack-") as home:
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": home,
            "FILESYSTEM_ROOT": home,
            "GATEWAY_LISTEN": f"127.0.0.1:{port}",
            "SERVICES": "cloudformation,dynamodb,s3,sqs,sts",
            "DYNAMODB_IN_MEMORY": "1",
            "DYNAMODB_LOCAL_JARS": str(jars),
            "DYNAMODB_LOCAL_PORT": str(dynamodb_port),
            # Queue addresses that need no name server.
            "SQS_ENDPOINT_STRATEGY": "path",
            "LOCALSTACK_HOST": f"localhost:{port}",
            # No requests to the internet.
            "DISABLE_EVENTS": "1",
            "SKIP_SSL_CERT_DOWNLOAD": "1",
            # Checks the signatures of links, like AWS.
            "S3_SKIP_SIGNATURE_VALIDATION": "0",
            "DNS_ADDRESS": "0",
        }
        log = Path(home) / "localstack.log"
        script = ROOT / "infra/localstack/server.py"
        server = processes.start("localstack", [str(python), str(script)], environment, log, Path(home))
        try:
            processes.wait_until(lambda: answers(endpoint) or not server.is_running(), READY_SECONDS)
            if not server.is_running() or not answers(endpoint):
                raise Problem(f"LocalStack did not start: {log.read_text()[-2000:]}")
            yield endpoint
        finally:
            processes.stop(server)


def answers(endpoint: str) -> bool:
    try:
        with urllib.request.urlopen(f"{endpoint}/_localstack/health", timeout=5) as response:
            return response.status == 200
    except (urllib.error.URLError, OSError):
        return False
