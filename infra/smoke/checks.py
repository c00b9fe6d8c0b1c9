"""The checks, in their order. Each returns what it saw, or raises `Failure`."""

import hashlib
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from local.settings import ROOT

from smoke.receiver import Receiver, is_signed, new_secret
from smoke.service import LOGS, Failure, Service, fetch

SAMPLE = ROOT / "samples/small.docx"
# The first start of a worker takes some seconds, and that of a whole image more.
JOB_SECONDS, WEBHOOK_SECONDS = 180, 60
WORDS_OF_SAMPLE, WORD_OF_PAGE = "Small doc", "Smoketest"
QUEUES = {"office": "office", "html": "html", "pdf": "pdf"}


@dataclass
class Jobs:
    """What one check hands on to the next."""

    ids: dict[str, str] = field(default_factory=dict)
    ended: dict[str, dict[str, Any]] = field(default_factory=dict)
    secret: str = field(default_factory=new_secret)
    link: str = ""


def pages(service: Service) -> str:
    for path in ("/", "/docs", "/openapi.json"):
        answer = fetch(service.url + path)
        if answer.status != 200 or b"Docmill" not in answer.body:
            raise Failure(f"{path} answered {answer.status} and is not the service's page.", f"{LOGS} DomainName's record may point elsewhere.")
    return "homepage, documentation and description"


def sign_in(service: Service) -> str:
    """Follows the sign-in to the issuer's page, where a person would enter a password."""
    began = fetch(f"{service.url}/app/sign-in")
    target = began.headers.get("location", "")
    query = parse_qs(urlsplit(target).query)
    if began.status not in (302, 303, 307) or "client_id" not in query:
        advice = "The dashboard could not read the issuer's settings: check OidcIssuer, and the log group …/dashboard."
        raise Failure(f"/app/sign-in answered {began.status} and leads to no issuer.", advice)
    if not query["redirect_uri"][0].startswith(service.url):
        raise Failure(f"The issuer would return people to {query['redirect_uri'][0]}.", "Set DomainName or DashboardUrl to the address that people use.")
    page = fetch(target, follow=True)
    if page.status != 200 or b"<form" not in page.body.lower() and b"<script" not in page.body.lower():
        advice = "Allow this redirect address at the issuer, and check OidcClientId. A new Cognito domain takes a minute."
        raise Failure(f"The sign-in page at {urlsplit(target).netloc} answered {page.status}.", advice)
    return f"leads to {urlsplit(target).netloc}"


def key(service: Service) -> str:
    wrong = Service(service.url, "dm_live_not_a_key").call("GET", "/v1/tools")
    if wrong.status != 401:
        raise Failure(f"A wrong key was answered {wrong.status} instead of 401.", LOGS)
    tools = service.ask("GET", "/v1/tools", advice="The key may be revoked or of another stack. 503: look at the Keys table.")["tools"]
    return f"{len(tools)} tools"


def create_jobs(service: Service, jobs: Jobs, receiver: str) -> str:
    """A job of each queue, of which the last waits for the others and reads what they have made."""
    content = SAMPLE.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    announced = {"contentType": "application/octet-stream", "bytes": len(content), "filename": SAMPLE.name, "sha256": digest}
    link = service.ask("POST", "/v1/uploads", announced)["upload"]
    stored = fetch(link["url"], link["method"], content, link["headers"])
    if stored.status != 200:
        raise Failure(f"The bucket answered an upload with {stored.status}.", "Check the bucket's policy, and that the clock of this machine is right.")
    page = f"<h1>{WORD_OF_PAGE}</h1>"
    webhook = {"url": receiver, "secret": jobs.secret}
    jobs.ids["office"] = made(service, "/v1/convert/office-to-pdf", {"uploadId": link["id"], "webhook": webhook})
    jobs.ids["html"] = made(service, "/v1/convert/html-to-pdf", {"html": page})
    chain = {"sources": [{"jobId": jobs.ids["office"]}, {"jobId": jobs.ids["html"]}], "then": [{"toolSlug": "pdf-to-text"}]}
    jobs.ids["pdf"] = made(service, "/v1/tools/merge-pdf/jobs", chain)
    return "uploaded, and created three"


def made(service: Service, path: str, body: dict[str, Any]) -> str:
    return service.ask("POST", path, body, "402: give the account credits. 503: look at CreateErrorsAlarm in infra/RUNBOOK.md.")["job"]["id"]


def finished(service: Service, jobs: Jobs, queue: str) -> str:
    job = wait(service, jobs.ids[queue], queue)
    jobs.ended[queue] = job
    if job["status"] != "completed":
        error = job.get("error") or {}
        advice = f"Search for the job's id in the log group …/{queue}-worker. If a child could not be confined: infra/RUNBOOK.md, WorkerErrorsAlarm."
        raise Failure(f"Job {job['id']} {job['status']}: {error.get('code')}, {error.get('message')}", advice)
    return f"job {job['id']}"


def wait(service: Service, job: str, queue: str) -> dict[str, Any]:
    until = time.monotonic() + JOB_SECONDS
    while True:
        found = service.ask("GET", f"/v1/jobs/{job}?wait=20")["job"]
        if found["status"] not in ("queued", "processing"):
            return found
        if time.monotonic() > until:
            advice = f"If the log group …/{queue}-worker has no lines, its event source is off or throttled: check the account's concurrency (`make deploy-check`)."
            raise Failure(f"Job {job} is still {found['status']} after {JOB_SECONDS} s.", advice)
        time.sleep(0.2)


def download(service: Service, jobs: Jobs) -> str:
    """The result's bytes are those that the service says, and hold the text of both sources."""
    link = service.ask("GET", f"/v1/jobs/{jobs.ids['pdf']}/download")["download"]
    jobs.link = link["url"]
    answer = fetch(link["url"])
    if answer.status != 200:
        raise Failure(f"The bucket answered a download with {answer.status}.", "Check the bucket's policy, and GetJobDownload's permissions.")
    if hashlib.sha256(answer.body).hexdigest() != link["sha256"]:
        raise Failure("The downloaded file is not the one that the job names.", "Something between here and the bucket changes files: try without a proxy.")
    text = answer.body.decode("utf-8", "replace")
    missing = [words for words in (WORDS_OF_SAMPLE, WORD_OF_PAGE) if words not in text]
    if missing:
        raise Failure(f"The text of the result lacks “{missing[0]}”.", "Fonts or engines of the image are broken: `make test-image` tries them one by one.")
    return f"{len(answer.body)} bytes with the text of both documents"


def webhook_here(jobs: Jobs, receiver: Receiver) -> str:
    """The event of the office job arrives at this machine, signed."""
    if not receiver.arrived.wait(WEBHOOK_SECONDS):
        raise Failure(f"No webhook arrived within {WEBHOOK_SECONDS} s.", WEBHOOKS)
    headers, body = receiver.received[0]
    if not is_signed(jobs.secret, headers, body):
        raise Failure("A webhook arrived with a wrong signature.", "WebhookKey was changed without ReplacedWebhookKeys=true (infra/OPERATIONS.md).")
    if jobs.ids["office"].encode() not in body:
        raise Failure("A webhook arrived, but not that of the job.", WEBHOOKS)
    return f"event {headers['webhook-id']} arrived, signed"


WEBHOOKS = "Look at WebhooksStalledAlarm in infra/RUNBOOK.md, and whether delivery is on: `docmill-admin service set --webhook-delivery on`."


def webhook_there(service: Service, jobs: Jobs) -> str:
    """Nothing can reach this machine, so the event went to the service's own address, which refuses it. The log has the answer."""
    webhook = jobs.ended.get("office", {}).get("webhook") or service.ask("GET", f"/v1/jobs/{jobs.ids['office']}")["job"]["webhook"]
    until = time.monotonic() + WEBHOOK_SECONDS
    while time.monotonic() < until:
        deliveries = service.ask("GET", f"/v1/webhooks/{webhook['id']}/deliveries")["deliveries"]
        attempts = [attempt for each in deliveries for attempt in each.get("attempts", [])]
        if attempts:
            return judged(attempts[0])
        time.sleep(0.5)
    raise Failure(f"No delivery was tried within {WEBHOOK_SECONDS} s.", WEBHOOKS)


def judged(attempt: dict[str, Any]) -> str:
    status = attempt.get("status")
    if status is None:
        raise Failure(f"The deliverer got no answer: {attempt.get('error')}.", "Requests of functions don't reach the internet: check the deliverer's network (VPC, NAT).")
    return f"sent, and answered {status} by the service itself"


def deletion(service: Service, jobs: Jobs) -> str:
    for job in reversed(list(jobs.ids.values())):
        deleted = service.call("DELETE", f"/v1/jobs/{job}").status
        if deleted != 204:
            raise Failure(f"Deleting the job {job} was answered with {deleted}.", LOGS)
        left = service.ask("GET", f"/v1/jobs/{job}")["job"]
        if left["status"] != "deleted" or left["input"]:
            raise Failure(f"The job {job} is {left['status']} after its deletion.", LOGS)
    if jobs.link and fetch(jobs.link).status not in (403, 404):
        raise Failure("The result of a deleted job can still be downloaded.", "Look at DeleteJob's lines in the group …/endpoints, and at the sweeper's: it deletes what others leave.")
    return f"{len(jobs.ids)} jobs and their files"


def alarms(cloudwatch: Any, stack: str) -> str:
    pages = cloudwatch.get_paginator("describe_alarms").paginate(AlarmNamePrefix=f"{stack}-")
    found = [each for page in pages for each in page["MetricAlarms"]]
    ringing = sorted(each["AlarmName"] for each in found if each["StateValue"] == "ALARM")
    if not found:
        raise Failure(f"The stack {stack} has no alarms.", "They are part of template.yaml: was another template deployed?")
    if ringing:
        raise Failure(f"These alarms are on: {', '.join(ringing)}.", "infra/RUNBOOK.md has a section for each. SweeperStalledAlarm rings until the first sweeps have run.")
    return f"all {len(found)} are quiet"
