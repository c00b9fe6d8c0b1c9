"""Tests the verdict on different accounts. Run by `make check`."""

import unittest
from dataclasses import replace

from local import localize
from local.settings import ROOT

from preflight.__main__ import parameters
from preflight.facts import Facts
from preflight.verdict import ROLES, covers, judge

TEMPLATE = localize.load(ROOT / "template.yaml")
USUAL = Facts("123456789012", "eu-central-1", 1000, 1000, 900, 1 << 36, None, [], 0)
NEW = replace(USUAL, concurrency=10, unreserved=10)
CERTIFICATE = "arn:aws:acm:eu-central-1:123456789012:certificate/1"


def said(facts: Facts, *given: str) -> list[str]:
    """Problems that stop a deployment."""
    return [each.what for each in judge(facts, parameters(TEMPLATE, list(given)), "docmill") if each.stops]


def noted(facts: Facts, *given: str) -> list[str]:
    return [each.what for each in judge(facts, parameters(TEMPLATE, list(given)), "docmill") if not each.stops]


class Verdicts(unittest.TestCase):
    def test_an_ordinary_account_needs_nothing(self):
        self.assertEqual(judge(USUAL, parameters(TEMPLATE, []), "docmill"), [])

    def test_a_new_accounts_ten_environments_are_too_few_for_the_defaults(self):
        found = said(NEW)
        self.assertEqual(len(found), 2, found)
        self.assertIn("none can be kept for the sweeper", found[0])
        self.assertIn("leaves the API 0", found[1])
        workers = [f"{name}=2" for name in TEMPLATE["Parameters"] if name.endswith("Concurrency")]
        self.assertEqual(said(NEW, "ReserveSweeper=false", *workers), [])

    def test_the_advice_for_a_new_account_is_followed_by_silence(self):
        advice = " ".join(each.advice for each in judge(NEW, parameters(TEMPLATE, []), "docmill"))
        for name in ("ReserveSweeper=false", "OfficeConcurrency=2", "HtmlConcurrency=2"):
            self.assertIn(name, advice)

    def test_an_account_that_may_occupy_all_workers_is_noted(self):
        found = noted(USUAL, "HtmlConcurrency=15")
        self.assertEqual(len(found), 1, found)
        self.assertIn("15 jobs of a queue at once, and a queue has 15 workers", found[0])
        self.assertEqual(noted(USUAL, "HtmlConcurrency=15", "RunningJobs=14"), [])

    def test_a_burst_beyond_what_the_workers_leave_is_noted(self):
        self.assertIn("burst of 250", noted(replace(USUAL, concurrency=280, unreserved=280))[0])

    def test_a_stack_that_cannot_be_updated_is_named_with_the_way_out(self):
        for status in ("ROLLBACK_COMPLETE", "DELETE_FAILED", "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_FAILED"):
            self.assertIn(status, said(replace(USUAL, stack_status=status))[0])
        for status in ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"):
            self.assertEqual(said(replace(USUAL, stack_status=status)), [])

    def test_what_an_earlier_stack_left_stops_a_first_deployment(self):
        self.assertIn("/docmill/docmill/api", said(replace(USUAL, leftovers=["the log group /docmill/docmill/api"]))[0])

    def test_quotas_are_compared_with_what_the_stack_makes(self):
        roles = sum(each["Type"] in ("AWS::Serverless::Function", "AWS::IAM::Role") for each in TEMPLATE["Resources"].values())
        self.assertLessEqual(roles, ROLES)
        self.assertIn("IAM roles", said(replace(USUAL, roles_left=3))[0])
        self.assertIn("functions' code", said(replace(USUAL, code_bytes_left=1))[0])
        self.assertIn("USD 3", noted(replace(USUAL, dashboards=3))[0])
        self.assertIn("3008", noted(USUAL, "OfficeMemory=4096")[0])

    def test_names_that_lead_elsewhere(self):
        self.assertIn("another region", said(USUAL, "AlarmTopicArn=arn:aws:sns:us-east-1:1:t")[0])
        gone = replace(USUAL, topic_found=False)
        self.assertIn("no topic", said(gone, "AlarmTopicArn=arn:aws:sns:eu-central-1:1:t")[0])
        self.assertIn("OidcClientId", said(USUAL, "OidcIssuer=https://issuer.example")[0])
        self.assertIn("CertificateArn", said(USUAL, "DomainName=docmill.example")[0])
        self.assertIn("another region", said(USUAL, "DomainName=docmill.example", "CertificateArn=arn:aws:acm:us-east-1:1:c/1")[0])
        pending = replace(USUAL, certificate_status="PENDING_VALIDATION")
        self.assertIn("PENDING", said(pending, "DomainName=docmill.example", f"CertificateArn={CERTIFICATE}")[0])
        other = replace(USUAL, certificate_status="ISSUED", certificate_names=["other.example"])
        self.assertIn("cover", said(other, "DomainName=docmill.example", f"CertificateArn={CERTIFICATE}")[0])
        own = replace(other, certificate_names=["*.example.org"])
        self.assertEqual(said(own, "DomainName=docmill.example.org", f"CertificateArn={CERTIFICATE}"), [])

    def test_a_wildcard_covers_one_label(self):
        self.assertTrue(covers("*.example.org", "docs.example.org"))
        self.assertFalse(covers("*.example.org", "example.org"))
        self.assertFalse(covers("*.example.org", "a.b.example.org"))

    def test_what_could_not_be_read_stops_nothing(self):
        unknown = Facts("123456789012", "eu-central-1", unread=["IAM's limits: AccessDenied"])
        self.assertEqual(said(unknown), [])
        self.assertEqual(len(noted(unknown)), 1)

    def test_a_parameter_that_does_not_exist_is_refused(self):
        with self.assertRaises(SystemExit):
            parameters(TEMPLATE, ["OfficeConcurency=3"])


if __name__ == "__main__":
    unittest.main()
