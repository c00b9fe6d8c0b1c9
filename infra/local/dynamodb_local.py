"""AWS's own DynamoDB Local for tables, next to the emulator for bucket and queues."""

import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from botocore.exceptions import ClientError, ConnectionError

from local import deploy, localize, processes
from local.errors import Problem
from local.localize import Template

MAIN = "software.amazon.dynamodb.services.local.main.ServerRunner"
TABLE = "AWS::DynamoDB::Table"
READY_SECONDS = 60
# Properties that it does not support.
UNKNOWN = ("PointInTimeRecoverySpecification", "DeletionProtectionEnabled", "TimeToLiveSpecification")


@contextmanager
def running(jars: Path) -> Iterator[str]:
    """DynamoDB Local on a free port with data in memory. Yields its endpoint."""
    (port,) = processes.free_ports(1)
    endpoint = f"http://localhost:{port}"
    with tempfile.TemporaryDirectory(prefix="docmill-dynamodb-") as home:
        command = [
            "java", f"-Djava.library.path={jars}", "-cp", f"{jars}/*", MAIN,
            "-port", str(port), "-inMemory", "-sharedDb", "-disableTelemetry",
        ]  # fmt: skip
        log = Path(home) / "dynamodb.log"
        server = processes.start("dynamodb-local", command, {"PATH": "/usr/bin:/bin", "HOME": home}, log, Path(home))
        try:
            processes.wait_until(lambda: answers(endpoint) or not server.is_running(), READY_SECONDS)
            if not server.is_running() or not answers(endpoint):
                raise Problem(f"DynamoDB Local did not start: {log.read_text()[-2000:]}")
            yield endpoint
        finally:
            processes.stop(server)


def answers(endpoint: str) -> bool:
    try:
        deploy.client("dynamodb", endpoint).list_tables()
    except (ClientError, ConnectionError):
        return False
    return True


def create_tables(endpoint: str, template: Template) -> dict[str, str]:
    """Creates the template's tables, and returns the environment that names them."""
    dynamodb = deploy.client("dynamodb", endpoint)
    # The emulator has no tables of these names, so a request to the wrong endpoint would fail.
    prefix = f"dynamodb-local-{uuid.uuid4().hex[:8]}"
    made = {}
    for name, resource in template["Resources"].items():
        if resource["Type"] == TABLE:
            properties = {key: value for key, value in resource["Properties"].items() if key not in UNKNOWN}
            dynamodb.create_table(TableName=f"{prefix}-{name}", **properties)
            made[deploy.variable_name(name)] = f"{prefix}-{name}"
    return made


def without_tables(template: Template) -> Template:
    """Storage without tables: bucket and queues."""
    storage = localize.storage_only(template)
    tables = {name for name, each in storage["Resources"].items() if each["Type"] == TABLE}
    kept = {name: each for name, each in storage["Resources"].items() if name not in tables}
    outputs = {name: each for name, each in storage["Outputs"].items() if localize.referenced(each["Value"]) not in tables}
    return storage | {"Resources": kept, "Outputs": outputs}
