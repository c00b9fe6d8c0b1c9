"""The demo account, its two keys and two users, created with `docmill-admin` and Cognito like on any deployment."""

import json
import secrets
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from local.errors import Problem

NAMES = ("DOCMILL_ACCOUNT", "DOCMILL_LIVE_KEY", "DOCMILL_TEST_KEY")
USER, ADMIN = "user@docmill.test", "admin@docmill.test"
ADMIN_GROUP = "admin"
# High enough for trying the service out; the test key keeps the default limits.
LIVE_LIMITS = ["--create-limit", "3000", "--create-burst", "300", "--read-limit", "3000", "--read-burst", "300"]


def seed(admin: Path, environment: dict[str, str]) -> dict[str, str]:
    """Creates a plan, an account on it and a key of each mode. Returns their lines for the env file."""

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


def people(cognito: Any, pool: str, earlier: dict[str, str]) -> dict[str, str]:
    """Creates a user and an administrator for the dashboard. Restarts keep their passwords."""
    values = {}
    for name, email, group in (("DOCMILL_USER", USER, None), ("DOCMILL_ADMIN", ADMIN, ADMIN_GROUP)):
        password = earlier.get(f"{name}_PASSWORD") or secrets.token_urlsafe(12)
        make_person(cognito, pool, email, password, group)
        values |= {name: email, f"{name}_PASSWORD": password}
    return values


def make_person(cognito: Any, pool: str, email: str, password: str, group: str | None) -> None:
    """A user with a verified address. An existing one gets the password and group."""
    attributes = [{"Name": "email", "Value": email}, {"Name": "email_verified", "Value": "true"}]
    try:
        cognito.admin_create_user(
            UserPoolId=pool, Username=email, UserAttributes=attributes, MessageAction="SUPPRESS",
            TemporaryPassword=password,
        )
    except cognito.exceptions.UsernameExistsException:
        pass
    cognito.admin_set_user_password(UserPoolId=pool, Username=email, Password=password, Permanent=True)
    if group:
        cognito.admin_add_user_to_group(UserPoolId=pool, Username=email, GroupName=group)


def link(admin: Path, account: str, environment: dict[str, str]) -> None:
    """The user belongs to the demo account; the administrator gets their own at the first sign-in."""
    run_admin(admin, ["user", "link", "--email", USER, "--account", account], environment)


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
