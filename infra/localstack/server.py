"""Starts LocalStack without Docker, with the DynamoDB Local that is here instead of one that it would download.

It runs in LocalStack's own Python environment, and reaches into its insides, which its pinned version allows.
"""

import os
from typing import Any

from localstack.runtime.main import main
from localstack.services.dynamodb.packages import DynamoDBLocalPackageInstaller
from localstack.services.dynamodb.server import DynamodbServer

JARS = os.environ["DYNAMODB_LOCAL_JARS"]
# As in local/dynamodb_local.py, whose packages are missing in this environment.
MAIN = "software.amazon.dynamodb.services.local.main.ServerRunner"


def command(server: DynamodbServer) -> list[str]:
    return ["java", f"-Djava.library.path={JARS}", "-cp", f"{JARS}/*", MAIN, "-port", str(server.port), "-inMemory"]


def nothing(*_arguments: Any, **_named: Any) -> None:
    """It is installed."""


def path_alone(_installer: DynamoDBLocalPackageInstaller) -> dict[str, str]:
    return {"PATH": os.environ["PATH"]}


if __name__ == "__main__":
    DynamoDBLocalPackageInstaller.install = nothing
    DynamoDBLocalPackageInstaller.get_java_env_vars = path_alone
    DynamodbServer._create_shell_command = command
    main()
