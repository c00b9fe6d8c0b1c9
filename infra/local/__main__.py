"""The commands behind the Makefile: run, up, down, clean and with-stack, and person, which adds a user."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from local import deploy, dynamodb_local, envfile, localize, localstack, processes, proof, roles, seed
from local.errors import Problem
from local.settings import CREDENTIALS, ROOT, Settings, binaries, loopback_exceptions, user_settings
from local.stack import TEMPLATE, Stack

# Ports for sources that tests serve themselves; the workers may fetch from them.
SPARE_PORTS = 8
# Variables that the user's shell may have set for another stack or for AWS.
OF_ANOTHER_STACK = (
    "DOCMILL_URL", "DOCMILL_ACCOUNT", "DOCMILL_LIVE_KEY", "DOCMILL_TEST_KEY", "DOCMILL_DASHBOARD_URL",
    "DOCMILL_USER", "DOCMILL_USER_PASSWORD", "DOCMILL_ADMIN", "DOCMILL_ADMIN_PASSWORD",
    "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN",
)
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
USAGE = (
    "usage: python -m local run | up | down | clean | with-stack -- COMMAND… | with-storage -- COMMAND… | "
    "with-dynamodb-local JARS -- COMMAND… | with-localstack PYTHON JARS -- COMMAND… | person EMAIL PASSWORD [GROUP]"
)


def say(line: str) -> None:
    print(f"  {line}", flush=True)


def run() -> int:
    """Runs the stack in the foreground, until Ctrl-C."""
    stack = Stack(user_settings())
    if stack.is_running():
        raise Problem("The stack is already up: use it, or end it with `make down` first.")
    try:
        introduce(stack, stack.start(say))
        print("Stop with Ctrl-C; the data stays.", flush=True)
        while stack.is_running():
            time.sleep(1)
        if not stack.record.exists():
            print("Stopped by `make down`.", flush=True)
            return 0
        raise Problem(f"The emulator ended by itself: see {stack.settings.logs}/ministack.log")
    except KeyboardInterrupt:
        print("\nStopping.", flush=True)
        return 0
    finally:
        stop_undisturbed(stack)


def up() -> int:
    """Runs the stack in the background. If it is running, new builds are deployed to it."""
    stack = Stack(user_settings())
    if stack.is_running() and stack.running_port() != stack.settings.port:
        raise Problem(f"The stack is already up on port {stack.running_port()}: `make down` first to change the port.")
    was_running = stack.is_running()
    try:
        introduce(stack, stack.start(say))
    except BaseException:
        if not was_running:
            stop_undisturbed(stack)
        raise
    print("Stop with `make down`; the data stays.", flush=True)
    return 0


def introduce(stack: Stack, values: dict[str, str]) -> None:
    """Tests that the stack works, and prints how to use it."""
    settings = stack.settings
    url, key = values["DOCMILL_URL"], values["DOCMILL_LIVE_KEY"]
    if settings.may_fetch_samples():
        try:
            proof.prove(url, key, settings.samples_url, settings.home / "small.pdf", say)
        except proof.ProofFailed as failure:
            proof.live("")
            say(f"The proof failed: {failure}. The logs are in {settings.logs}.")
    else:
        say("no sample converted as proof: the samples are not among SOURCE_EXCEPTIONS")
    print(f"""
Docmill is up.
  Base URL   {url}
  Live key   {key}
  Test key   {values['DOCMILL_TEST_KEY']}
  Dashboard  {values['DOCMILL_DASHBOARD_URL']}
    user     {values['DOCMILL_USER']}  password  {values['DOCMILL_USER_PASSWORD']}
    admin    {values['DOCMILL_ADMIN']}  password  {values['DOCMILL_ADMIN_PASSWORD']}
  Samples    {settings.samples_url}/ (the folder samples/)
  Settings   {settings.env_file} (load them with: set -a; . .local/env; set +a)
  Logs       {settings.logs}

Paste this to convert a document, with the command line or with curl:

{proof.pasteable_command(url, key)}

{proof.pasteable(url, key, settings.samples_url)}
""", flush=True)


def down() -> int:
    Stack(user_settings()).stop()
    return 0


def clean() -> int:
    """Stops the stack and removes its data, keys and logs."""
    settings = user_settings()
    Stack(settings).stop()
    shutil.rmtree(settings.home, ignore_errors=True)
    return 0


def with_stack(command: list[str]) -> int:
    """Runs a command with a stack of its own, or with storage of its own on the endpoint that is given.

    The plain names (`JOBS_TABLE`, …) are storage apart; the deployed functions' are under `DEPLOYED_JOBS_TABLE`, ….
    """
    if endpoint := os.environ.get("AWS_ENDPOINT_URL"):
        return with_storage(endpoint, command)
    home = Path(tempfile.mkdtemp(prefix="docmill-test-"))
    port, samples_port, *spare = processes.free_ports(2 + SPARE_PORTS)
    settings = Settings(
        home=home, port=port, samples_port=samples_port, persistent=False,
        source_exceptions=loopback_exceptions([samples_port, *spare]),
        log_level=os.environ.get("LOG_LEVEL") or "info",
    )
    stack = Stack(settings)
    code = 1
    try:
        values = stack.start(say)
        values |= {"TEST_SOURCE_PORTS": ",".join(map(str, spare)), "STACK_LOGS": str(settings.logs)}
        values |= {"DOCMILL_ADMIN_BINARY": str(binaries() / "docmill-admin")}
        with storage_apart(settings.endpoint, localize.storage_only(localize.load(TEMPLATE))) as storage:
            deployed = {f"DEPLOYED_{name}": values[name] for name in storage if name in values}
            code = run_command(command, values | deployed | storage)
    finally:
        stop_undisturbed(stack)
        if code != 0:
            keep_logs(settings)
        shutil.rmtree(home, ignore_errors=True)
    return code


def person(email: str, password: str, group: str | None) -> int:
    """Adds a user to the stack in the environment, or else to the running one."""
    values = envfile.read(user_settings().env_file) | os.environ
    if "USER_POOL" not in values:
        raise Problem("No stack is up: start one with `make up`.")
    cognito = deploy.client("cognito-idp", values["AWS_ENDPOINT_URL"])
    seed.make_person(cognito, values["USER_POOL"], email, password, group)
    return 0


@contextmanager
def emulator() -> Iterator[str]:
    """An emulator without deployments. Yields its endpoint."""
    home = Path(tempfile.mkdtemp(prefix="docmill-test-"))
    port, samples_port = processes.free_ports(2)
    settings = Settings(home=home, port=port, samples_port=samples_port, persistent=False, source_exceptions=[])
    stack = Stack(settings)
    try:
        stack.start_processes(say)
        yield settings.endpoint
    finally:
        stop_undisturbed(stack)
        shutil.rmtree(home, ignore_errors=True)


def with_dynamodb_local(jars: Path, command: list[str]) -> int:
    """Runs a command with tables in AWS's DynamoDB Local, and bucket and queues in the emulator."""
    template = localize.load(TEMPLATE)
    with dynamodb_local.running(jars) as dynamodb, emulator() as endpoint:
        tables = dynamodb_local.create_tables(dynamodb, template)
        with storage_apart(endpoint, dynamodb_local.without_tables(template)) as storage:
            endpoints = {"AWS_ENDPOINT_URL": endpoint, "AWS_ENDPOINT_URL_DYNAMODB": dynamodb}
            return run_command(command, CREDENTIALS | endpoints | tables | storage | {"S3_PATH_STYLE": "true"})


def with_storage(endpoint: str, command: list[str]) -> int:
    """Only storage without an API. Leaves everything else at the endpoint unchanged."""
    deploy.require_answer(endpoint)
    with storage_apart(endpoint, localize.storage_only(localize.load(TEMPLATE))) as values:
        return run_command(command, CREDENTIALS | values | {"AWS_ENDPOINT_URL": endpoint, "S3_PATH_STYLE": "true"})


@contextmanager
def storage_apart(endpoint: str, template: localize.Template) -> Iterator[dict[str, str]]:
    """Separate tables, bucket and queues, so that deployed workers and sweepers never see the tests' jobs."""
    name = f"docmill-test-{uuid.uuid4().hex[:8]}"
    try:
        outputs = deploy.deploy(endpoint, name, template, {})
        values = {deploy.variable_name(key): value for key, value in outputs.items()}
        with roles_apart(endpoint, name) as credentials:
            yield values | {"TEST_BUCKETS": name} | credentials
    finally:
        deploy.delete(endpoint, name)


def roles_apart(endpoint: str, name: str) -> AbstractContextManager[dict[str, str]]:
    """The roles' credentials on buckets with this name. Other emulators than ministack have no roles."""
    try:
        urllib.request.urlopen(f"{endpoint}/_ministack/health", timeout=5).close()
    except urllib.error.HTTPError:
        return nullcontext({})
    return roles.on_buckets(endpoint, localize.load(TEMPLATE), name)


def run_command(command: list[str], values: dict[str, str]) -> int:
    """Runs the command in its own session, so that everything it started ends with it."""
    child = subprocess.Popen(command, env=os.environ | values, start_new_session=True)
    try:
        return child.wait()
    finally:
        processes.end_session(child.pid)


def keep_logs(settings: Settings) -> None:
    target = ROOT / ".local" / "test-logs"
    shutil.rmtree(target, ignore_errors=True)
    if settings.logs.is_dir():
        shutil.copytree(settings.logs, target)
        say(f"The stack's logs of the failed run are in {target}.")


def stop_undisturbed(stack: Stack) -> None:
    """Stops the stack completely: a second Ctrl-C would leave half of it running."""
    for each in ENDING_SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    stack.stop()


def interrupt(signum: int, _frame: object) -> None:
    raise KeyboardInterrupt(signum)


def shield_environment() -> None:
    """Removes user settings that would redirect us, or programs that we start, away from this stack."""
    for name in OF_ANOTHER_STACK:
        os.environ.pop(name, None)
    for name in ("NO_PROXY", "no_proxy"):
        os.environ[name] = "localhost,127.0.0.1"


def main(arguments: list[str]) -> int:
    shield_environment()
    # Whatever ends this, the stack must end with it. Background jobs of a shell would otherwise ignore Ctrl-C.
    for each in ENDING_SIGNALS:
        signal.signal(each, interrupt)
    match arguments:
        case ["run"]:
            return run()
        case ["up"]:
            return up()
        case ["down"]:
            return down()
        case ["clean"]:
            return clean()
        case ["person", email, password]:
            return person(email, password, None)
        case ["person", email, password, group]:
            return person(email, password, group)
        case ["with-stack", "--", *command] if command:
            return with_stack(command)
        case ["with-storage", "--", *command] if command:
            with emulator() as endpoint:
                return with_storage(endpoint, command)
        case ["with-localstack", python, jars, "--", *command] if command:
            with localstack.running(Path(python), Path(jars)) as endpoint:
                deploy.ensure_code_bucket(endpoint)
                return with_storage(endpoint, command)
        case ["with-dynamodb-local", jars, "--", *command] if command:
            return with_dynamodb_local(Path(jars), command)
        case _:
            raise Problem(USAGE)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Problem as problem:
        sys.exit(f"Error: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
