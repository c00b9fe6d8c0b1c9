"""`python -m smoke [--stack NAME]`: exit status 1 if something does not work. Without a stack, the service at DOCMILL_URL is tried."""

import argparse
import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

from local.settings import chosen_region

from smoke import account, checks
from smoke.checks import Jobs
from smoke.receiver import Receiver
from smoke.service import Failure, Service


class Report:
    """Runs checks, and says how each ended."""

    def __init__(self) -> None:
        self.failed = 0

    def run(self, name: str, check: Callable[[], str]) -> bool:
        began = time.monotonic()
        try:
            seen = check()
        except Failure as failure:
            self.fail(name, failure)
            return False
        except (KeyError, TypeError, ValueError) as error:
            self.fail(name, Failure(f"The answer is not as described: {error!r}.", "Compare the versions of this program and of the service."))
            return False
        print(f"ok    {name} ({time.monotonic() - began:.1f} s): {seen}", flush=True)
        return True

    def fail(self, name: str, failure: Failure) -> None:
        self.failed += 1
        print(f"FAIL  {name}: {failure.what}\n      {failure.advice}", flush=True)

    def skip(self, name: str, reason: str) -> None:
        print(f"-     {name}: {reason}", flush=True)


def try_jobs(report: Report, service: Service, resources: ExitStack) -> None:
    """One job for each queue, its webhook, its result, and its deletion."""
    jobs, receiver = Jobs(), None
    address = f"{service.url}/v1/tools"
    if urlsplit(service.url).hostname in ("localhost", "127.0.0.1"):
        receiver = Receiver()
        resources.callback(receiver.close)
        address = receiver.url
    if report.run("jobs", lambda: checks.create_jobs(service, jobs, address)):
        done = [report.run(f"{queue} queue", lambda queue=queue: checks.finished(service, jobs, queue)) for queue in checks.QUEUES]
        if all(done):
            report.run("download", lambda: checks.download(service, jobs))
        else:
            report.skip("download", "there is no result")
        report.run("webhook", lambda: checks.webhook_here(jobs, receiver) if receiver else checks.webhook_there(service, jobs))
    if jobs.ids:
        report.run("deletion", lambda: checks.deletion(service, jobs))


def outputs_of(cloudformation: Any, stack: str) -> dict[str, str]:
    return {each["OutputKey"]: each["OutputValue"] for each in cloudformation.describe_stacks(StackName=stack)["Stacks"][0]["Outputs"]}


def try_all(report: Report, url: str, outputs: dict[str, str], watch: Callable[[], str] | None) -> None:
    anonymous = Service(url, "")
    report.run("pages", lambda: checks.pages(anonymous))
    report.run("sign-in", lambda: checks.sign_in(anonymous))
    with ExitStack() as resources:
        try:
            service = Service(url, resources.enter_context(account.key(outputs)))
        except Failure as failure:
            report.fail("key", failure)
        else:
            if report.run("key", lambda: checks.key(service)):
                try_jobs(report, service, resources)
    if watch:
        report.run("alarms", watch)
    else:
        report.skip("alarms", "not on AWS")


def try_stack(report: Report, stack: str) -> None:
    """A stack on AWS."""
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        session = boto3.Session(region_name=chosen_region())
        outputs = outputs_of(session.client("cloudformation"), stack)
        cloudwatch = session.client("cloudwatch")
    except (BotoCoreError, ClientError) as error:
        report.fail("stack", Failure(f"{stack} could not be read: {error}", "Set AWS_PROFILE, or keys, and AWS_REGION; STACK= names another stack."))
        return
    print(f"{stack}, release {outputs.get('DocmillVersion', 'unknown')}, at {outputs['ApiUrl']}")
    try_all(report, outputs["ApiUrl"].rstrip("/"), outputs, lambda: checks.alarms(cloudwatch, stack))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="smoke")
    parser.add_argument("--stack")
    stack = parser.parse_args(arguments).stack
    local = os.environ.get("DOCMILL_URL") if not stack else None
    report = Report()
    began = time.monotonic()
    if local:
        try_all(report, local.rstrip("/"), {}, None)
    else:
        try_stack(report, stack or "docmill")
    verdict = "All works" if not report.failed else f"{report.failed} checks failed"
    print(f"{verdict}, in {time.monotonic() - began:.1f} s.")
    return int(report.failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
