"""The key of the smoke test: a given one, or one of an account of its own, which `docmill-admin` creates and revokes."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.settings import ROOT

from smoke.service import Failure

ACCOUNT = "acc_smoke_test"
CREDITS, FEWEST = 200, 20
ADVICE = "Set DOCMILL_KEY to a live key, or DOCMILL_ADMIN_BINARY to docmill-admin (`cargo build --release --package docmill-admin`)."


def variable(output: str) -> str:
    """`OfficeQueueUrl` becomes `OFFICE_QUEUE_URL`, the functions' name for it."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", output).upper()


def program() -> Path:
    """`docmill-admin` of a release's archive, or a compiled one."""
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    places = [Path(each) for each in [os.environ.get("DOCMILL_ADMIN_BINARY")] if each]
    places += [ROOT / "bin/docmill-admin", *(target / profile / "docmill-admin" for profile in ("small", "release", "debug"))]
    found = next((each for each in places if each.is_file()), None)
    if found is None:
        raise Failure("There is no key, and no docmill-admin to create one.", ADVICE)
    return found


@contextmanager
def key(outputs: dict[str, str]) -> Iterator[str]:
    """A live key. A created one is revoked at the end."""
    given = os.environ.get("DOCMILL_KEY") or (None if outputs else os.environ.get("DOCMILL_LIVE_KEY"))
    if given:
        yield given
        return
    if not outputs:
        raise Failure("There is no key.", ADVICE)
    admin = Admin(program(), {variable(name): value for name, value in outputs.items()})
    admin.ensure_account()
    made = admin.run("key", "create", "--account", ACCOUNT, "--name", "Smoke test", "--mode", "live")["key"]
    try:
        yield made["secret"]
    finally:
        admin.run("key", "revoke", "--account", ACCOUNT, made["id"])


class Admin:
    def __init__(self, binary: Path, environment: dict[str, str]):
        self.binary, self.environment = binary, os.environ | environment

    def ensure_account(self) -> None:
        """The account, with enough credits."""
        try:
            shown = self.run("account", "show", ACCOUNT)["account"]
        except Failure as failure:
            if "there is no account" not in failure.what:
                raise
            self.run("account", "create", "--id", ACCOUNT, "--name", "Smoke test", "--plan", "free", "--credits", str(CREDITS))
            return
        if shown["granted"] < FEWEST:
            self.run("account", "grant", ACCOUNT, str(CREDITS), "--reason", "smoke test")

    def run(self, *arguments: str) -> dict:
        done = subprocess.run([self.binary, "--json", *arguments], env=self.environment, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            reason = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            raise Failure(f"docmill-admin {' '.join(arguments[:2])} failed: {' '.join(reason)}", "Its credentials must be able to write the stack's tables.")
        return json.loads(done.stdout or "{}")
