"""Tests of the smoke test, against a small service of its own that can be broken in one place. Run by `make check`."""

import hashlib
import io
import json
import os
import threading
import unittest
from contextlib import redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from smoke import __main__ as smoke
from smoke import account, checks, receiver
from smoke.service import Failure, Service, fetch

RESULT = b"Small doc\n\nSmoketest\n"
KEY = "dm_live_good"


class FakeService:
    """Answers as Docmill does. `broken` names what does not work."""

    def __init__(self, broken: str = "") -> None:
        self.broken, self.deleted, self.webhook = broken, set[str](), {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.answer(self, "GET")

            def do_POST(self) -> None:
                outer.answer(self, "POST")

            def do_PUT(self) -> None:
                outer.answer(self, "PUT")

            def do_DELETE(self) -> None:
                outer.answer(self, "DELETE")

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler, method: str) -> None:
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        status, headers, content = self.respond(method, handler.path.partition("?")[0], handler.headers, body)
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def respond(self, method: str, path: str, headers: Any, body: bytes) -> tuple[int, dict[str, str], bytes]:
        match method, path.split("/")[1:]:
            case "GET", ["" | "docs" | "openapi.json"]:
                return 200, {}, b"parked domain" if self.broken == "pages" else b"Docmill"
            case "GET", ["app", "sign-in"]:
                return_to = "https://elsewhere.example" if self.broken == "return" else self.url
                return 303, {"location": f"{self.url}/issuer?client_id=a&redirect_uri={return_to}/app/callback"}, b""
            case "GET", ["issuer"]:
                return (400, {}, b"redirect_mismatch") if self.broken == "issuer" else (200, {}, b"<form>")
            case "PUT", ["bucket"]:
                return (403 if self.broken == "upload" else 200), {}, b""
            case "GET", ["result"]:
                gone = len(self.deleted) == 3 and self.broken != "kept"
                return (404, {}, b"") if gone else (200, {}, b"changed" if self.broken == "download" else self.result())
        if headers.get("authorization") != f"Bearer {KEY}":
            return 401, {}, b'{"error": {"code": "invalid_api_key"}}'
        status, answer = self.api(method, path.split("/")[2:], json.loads(body or b"{}"))
        return status, {}, b"" if status == 204 else json.dumps(answer).encode()

    def result(self) -> bytes:
        return b"\xef\xbf\xbd" if self.broken == "text" else RESULT

    def api(self, method: str, path: list[str], body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        match method, path:
            case "GET", ["tools"]:
                return 200, {"tools": [{}, {}]}
            case "POST", ["uploads"]:
                return 200, {"upload": {"id": "upl_1", "url": f"{self.url}/bucket", "method": "PUT", "headers": {}}}
            case "POST", ["convert" | "tools", kind, *_]:
                job = {"office-to-pdf": "office", "html-to-pdf": "html"}.get(kind, "pdf")
                self.webhook = body.get("webhook", self.webhook)
                return 202, {"job": {"id": job, "status": "queued"}}
            case "GET", ["jobs", job]:
                return 200, {"job": self.job(job)}
            case "GET", ["jobs", _, "download"]:
                return 200, {"download": {"url": f"{self.url}/result", "sha256": hashlib.sha256(self.result()).hexdigest()}}
            case "DELETE", ["jobs", job]:
                self.deleted.add(job)
                return 204, {}
            case "GET", ["webhooks", _, "deliveries"]:
                attempt = {"error": "timeout"} if self.broken == "network" else {"status": 405}
                return 200, {"deliveries": [{"attempts": [attempt]}]}
        return 404, {"error": {"code": "not_found"}}

    def job(self, job: str) -> dict[str, Any]:
        if job in self.deleted:
            return {"status": "completed" if self.broken == "deletion" else "deleted", "input": {}}
        if job == "office" and self.broken != "webhook":
            self.deliver(job)
        if job == self.broken:
            return {"id": job, "status": "failed", "error": {"code": "internal", "message": "Something broke."}}
        return {"id": job, "status": "completed", "webhook": {"id": "wh_1"}}

    def deliver(self, job: str) -> None:
        """Sends the event as the deliverer does, signed with the job's secret, or with another one."""
        import base64
        import hmac
        import time

        body = json.dumps({"type": "job.completed", "data": {"job": {"id": job}}}).encode()
        sent_at = str(int(time.time()))
        secret = receiver.new_secret() if self.broken == "signature" else self.webhook["secret"]
        signed = b".".join([b"evt_1", sent_at.encode(), body])
        digest = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
        headers = {"webhook-id": "evt_1", "webhook-timestamp": sent_at, "webhook-signature": "v1," + base64.b64encode(digest).decode()}
        fetch(self.webhook["url"], "POST", body, headers)


class Runs(unittest.TestCase):
    def run_against(self, broken: str = "", outputs: dict[str, str] | None = None, watch: Any = None, key: str = KEY) -> tuple[smoke.Report, str]:
        service = FakeService(broken)
        self.addCleanup(service.close)
        report, said = smoke.Report(), io.StringIO()
        with redirect_stdout(said), patch.dict(os.environ, {"DOCMILL_KEY": key}), patch.object(checks, "WEBHOOK_SECONDS", 0.2):
            smoke.try_all(report, service.url, outputs or {}, watch)
        return report, said.getvalue()

    def test_a_service_that_works_passes(self):
        report, said = self.run_against()
        self.assertEqual(report.failed, 0, said)
        for name in ("pages", "sign-in", "key", "jobs", "office queue", "html queue", "pdf queue", "download", "webhook", "deletion"):
            self.assertIn(f"ok    {name} (", said)

    def test_each_thing_that_breaks_is_named_with_what_to_do(self):
        for broken, name, what, advice in [
            ("pages", "pages", "is not the service's page", "record may point elsewhere"),
            ("return", "sign-in", "return people to https://elsewhere.example/app/callback", "DashboardUrl"),
            ("issuer", "sign-in", "answered 400", "Allow this redirect address"),
            ("upload", "jobs", "answered an upload with 403", "bucket's policy"),
            ("office", "office queue", "Job office failed: internal, Something broke.", "/office-worker"),
            ("pdf", "pdf queue", "Job pdf failed", "/pdf-worker"),
            ("download", "download", "not the one that the job names", "without a proxy"),
            ("text", "download", "lacks “Small doc”", "make test-image"),
            ("webhook", "webhook", "No webhook arrived", "WebhooksStalledAlarm"),
            ("signature", "webhook", "wrong signature", "ReplacedWebhookKeys"),
            ("deletion", "deletion", "is completed after its deletion", "log group"),
            ("kept", "deletion", "can still be downloaded", "sweeper"),
        ]:
            with self.subTest(broken=broken):
                report, said = self.run_against(broken)
                self.assertEqual(report.failed, 1, said)
                (failure,) = [part for part in said.split("FAIL  ")[1:]]
                self.assertTrue(failure.startswith(f"{name}: "), failure)
                lines = failure.splitlines()
                self.assertIn(what, lines[0])
                self.assertIn(advice, lines[1])

    def test_a_wrong_key_ends_the_jobs_and_not_the_rest(self):
        report, said = self.run_against(key="dm_live_old", watch=lambda: "all quiet")
        self.assertEqual(report.failed, 1)
        self.assertIn("FAIL  key: GET /v1/tools answered 401 invalid_api_key", said)
        self.assertIn("ok    alarms", said)
        self.assertNotIn("office", said)
        self.assertNotIn("dm_live_old", said)

    def test_where_nobody_reaches_this_machine_the_log_of_deliveries_counts(self):
        service = FakeService()
        self.addCleanup(service.close)
        api, jobs = Service(service.url, KEY), checks.Jobs(ids={"office": "office"}, ended={"office": {"webhook": {"id": "wh_1"}}})
        self.assertIn("answered 405", checks.webhook_there(api, jobs))
        service.broken = "network"
        with self.assertRaises(Failure) as caught:
            checks.webhook_there(api, jobs)
        self.assertIn("timeout", caught.exception.what)
        self.assertIn("internet", caught.exception.advice)

    def test_a_service_that_does_not_answer_is_a_failure_with_advice(self):
        service = FakeService()
        service.close()
        with self.assertRaises(Failure) as caught:
            checks.pages(Service(service.url, ""))
        self.assertIn("does not answer", caught.exception.what)
        self.assertIn("certificate", caught.exception.advice)


class Alarms(unittest.TestCase):
    def seen(self, **states: str) -> str:
        found = [{"AlarmName": name, "StateValue": state} for name, state in states.items()]
        cloudwatch = SimpleNamespace(get_paginator=lambda _: SimpleNamespace(paginate=lambda AlarmNamePrefix: [{"MetricAlarms": found}]))
        return checks.alarms(cloudwatch, "docmill")

    def test_all_must_be_quiet(self):
        self.assertEqual(self.seen(a="OK", b="INSUFFICIENT_DATA"), "all 2 are quiet")
        with self.assertRaisesRegex(Failure, "on: b, c"):
            self.seen(c="ALARM", a="OK", b="ALARM")
        with self.assertRaisesRegex(Failure, "no alarms"):
            self.seen()


class Accounts(unittest.TestCase):
    OUTPUTS = {"KeysTable": "keys", "OfficeQueueUrl": "https://queue"}

    def admin(self, folder: Path, exists: bool) -> Path:
        """A docmill-admin that writes down how it was called."""
        log = folder / "calls"
        show = '{"account": {"granted": 3}}' if exists else ""
        program = folder / "docmill-admin"
        program.write_text(
            f'#!/bin/sh\necho "$KEYS_TABLE $*" >>{log}\ncase "$2 $3" in\n'
            f'"account show") {f"echo {show!r}" if exists else "echo Error: there is no account >&2; exit 1"} ;;\n'
            '"key create") echo \'{"key": {"id": "key_1", "secret": "dm_live_new"}}\' ;;\n*) echo "{}" ;;\nesac\n'
        )
        program.chmod(0o755)
        return program

    def calls(self, exists: bool) -> list[str]:
        import tempfile

        with tempfile.TemporaryDirectory() as name, patch.dict(os.environ, {"DOCMILL_LIVE_KEY": "of another stack"}):
            os.environ.pop("DOCMILL_KEY", None)
            os.environ["DOCMILL_ADMIN_BINARY"] = str(self.admin(Path(name), exists))
            with account.key(self.OUTPUTS) as made:
                self.assertEqual(made, "dm_live_new")
            return (Path(name) / "calls").read_text().splitlines()

    def test_a_key_is_made_for_the_stack_and_revoked(self):
        calls = self.calls(exists=False)
        self.assertEqual([each.split()[2:4] for each in calls], [["account", "show"], ["account", "create"], ["key", "create"], ["key", "revoke"]])
        self.assertTrue(all(each.startswith("keys --json ") for each in calls))
        self.assertTrue(calls[-1].endswith(f"--account {account.ACCOUNT} key_1"))

    def test_an_account_that_runs_out_of_credits_gets_more(self):
        self.assertIn("account grant", self.calls(exists=True)[1])

    def test_variables_are_those_of_the_functions(self):
        self.assertEqual(account.variable("OfficeQueueUrl"), "OFFICE_QUEUE_URL")


class Receivers(unittest.TestCase):
    def test_a_signature_counts_for_its_bytes_and_its_time_only(self):
        # From the description of Standard Webhooks: the key, an id, a time and a body.
        secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        headers = {"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330"}
        signed = headers | {"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}
        body = b'{"test": 2432232314}'
        with patch.object(receiver.time, "time", lambda: 1614265331):
            self.assertTrue(receiver.is_signed(secret, signed, body))
            self.assertFalse(receiver.is_signed(secret, signed, body + b" "))
            self.assertFalse(receiver.is_signed(receiver.new_secret(), signed, body))
        self.assertFalse(receiver.is_signed(secret, signed, body), "it is old")


if __name__ == "__main__":
    unittest.main()
