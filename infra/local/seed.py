"""The demo account and its two keys, made with `docmill-admin` as on any other deployment."""

import json
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from local.errors import Problem

NAMES = ("DOCMILL_ACCOUNT", "DOCMILL_LIVE_KEY", "DOCMILL_TEST_KEY")
# So that trying the service out is not throttled; the test key keeps the default limits.
LIVE_LIMITS = ["--create-limit", "3000", "--create-burst", "300", "--read-limit", "3000", "--read-burst", "300"]


def seed(admin: Path, environment: dict[str, str]) -> dict[str, str]:
    """Makes a plan, an account on it and a key of each mode. Returns what goes into the env file."""

    def run(*arguments: str) -> dict:
        return run_admin(admin, list(arguments), environment)

    run("plan", "set", "demo", "--included-credits", "10000")
    run("service", "set", "--test-mode", "on")
    account = run("account", "create", "--name", "Demo", "--plan", "demo")["account"]["id"]
    create_key = ["key", "create", "--account", account]
    live = run(*create_key, "--name", "Demo live key", "--mode", "live", *LIVE_LIMITS)
    test = run(*create_key, "--name", "Demo test key", "--mode", "test")
    return {
        "DOCMILL_ACCOUNT": account,
        "DOCMILL_LIVE_KEY": live["key"]["secret"],
        "DOCMILL_TEST_KEY": test["key"]["secret"],
    }


def run_admin(admin: Path, arguments: list[str], environment: dict[str, str]) -> dict:
    done = subprocess.run(
        [admin, "--json", *arguments], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode != 0:
        reason = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise Problem(f"docmill-admin {' '.join(arguments[:2])} failed: {reason}")
    return json.loads(done.stdout or "{}")


def is_known(url: str, key: str) -> bool:
    """Whether the deployed service still accepts this key."""
    request = urllib.request.Request(f"{url}/v1/tools", headers={"authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status == 200
    except urllib.error.HTTPError:
        return False
