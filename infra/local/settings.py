"""Paths and ports, from the environment that the Makefile sets."""

import os
from dataclasses import dataclass
from pathlib import Path

from local.errors import Problem

ROOT = Path(__file__).resolve().parents[2]
REGION = "us-east-1"
# The emulator accepts any credentials, but the SDKs require some.
# Both names are needed: SDKs read the first, and version 1 of the AWS command line only the second.
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": REGION,
    "AWS_DEFAULT_REGION": REGION,
}
# 8001 serves the samples; 8000 is for the user's own files.
USER_PORT = 8000


def chosen_region() -> str | None:
    """The region that AWS_REGION names, as AWS's own programs read it. boto3 reads only AWS_DEFAULT_REGION and profiles by itself."""
    return os.environ.get("AWS_REGION") or None


@dataclass(frozen=True)
class Settings:
    """A stack. `home` contains its data, logs and environment file; `scratch` is deleted when it stops."""

    home: Path
    port: int
    samples_port: int
    source_exceptions: list[str]
    log_level: str = "info"
    persistent: bool = True

    @property
    def endpoint(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def samples_url(self) -> str:
        return f"http://127.0.0.1:{self.samples_port}"

    def may_fetch_samples(self) -> bool:
        return f"127.0.0.1:{self.samples_port}" in self.source_exceptions

    @property
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def env_file(self) -> Path:
        return self.home / "env"


def loopback_exceptions(ports: list[int]) -> list[str]:
    """The `host:port` pairs that allow workers to fetch from these local ports."""
    return [f"{host}:{port}" for port in ports for host in ("127.0.0.1", "localhost")]


def binaries() -> Path:
    """The directory of the debug binaries from `make build`."""
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    return target / "debug"


def user_settings() -> Settings:
    """The stack of `make run` and `make up`, in `.local` of the working tree."""
    samples_port = port_from_environment("SAMPLES_PORT", 8001)
    listed = os.environ.get("SOURCE_EXCEPTIONS")
    exceptions = loopback_exceptions([USER_PORT, samples_port]) if listed is None else listed.split(",")
    return Settings(
        home=ROOT / ".local",
        port=port_from_environment("PORT", 4566),
        samples_port=samples_port,
        source_exceptions=[entry.strip() for entry in exceptions if entry.strip()],
        log_level=os.environ.get("LOG_LEVEL") or "info",
    )


def port_from_environment(name: str, default: int) -> int:
    text = os.environ.get(name) or str(default)
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise Problem(f"{name}={text} is no port number; choose one between 1 and 65535.")
    return int(text)
