"""Tests the verdict on different accounts. Run by `make check`."""

import json
import unittest
from dataclasses import replace

from local import localize
from local.settings import ROOT

from preflight.__main__ import defaults, given, parameters
from preflight.concurrency import Pool, kept, of_sources
from preflight.facts import Facts
from preflight.permissions import Rights, allows, questions, rights
from preflight.policy import WRITTEN
from preflight.verdict import command, covers, judge, roles

TEMPLATE = localize.load(ROOT / "template.yaml")
USUAL = Facts("123456789012", "eu-central-1", 1000, 1000, 900, 1 << 36, None, [], 0)
NEW = replace(USUAL, concurrency=10, unreserved=10)
CERTIFICATE = "arn:aws:acm:eu-central-1:123456789012:certificate/1"


def values(facts: Facts, *arguments: str) -> dict[str, str]:
    return parameters(TEMPLATE, facts.present, given(TEMPLATE, list(arguments)))


def said(facts: Facts, *arguments: str) -> list[str]:
    """Problems that stop a deployment."""
    return [each.what for each in judge(facts, values(facts, *arguments), "docmill") if each.stops]


def noted(facts: Facts, *arguments: str) -> list[str]:
    return [each.what for each in judge(facts, values(facts, *arguments), "docmill") if not each.stops]


def advised(facts: Facts, *arguments: str, stack: str = "docmill") -> str:
    return command(facts, values(facts, *arguments), given(TEMPLATE, list(arguments)), stack, defaults(TEMPLATE))


def followed(line: str) -> list[str]:
    """The parameters of a command line."""
    return line.partition("PARAMETERS='")[2].rstrip("'").split()


class Verdicts(unittest.TestCase):
    def test_an_ordinary_account_needs_nothing(self):
        self.assertEqual(judge(USUAL, values(USUAL), "docmill"), [])
        self.assertEqual(advised(USUAL), "make deploy")
        self.assertEqual(advised(USUAL, "LogLevel=warn", stack="trial"), "make deploy STACK=trial PARAMETERS='LogLevel=warn'")

    def test_a_new_accounts_ten_environments_are_too_few_for_the_defaults(self):
        found = said(NEW)
        self.assertEqual(len(found), 2, found)
        self.assertIn("none can be kept for the sweeper", found[0])
        self.assertIn("leaves the API 0", found[1])

    def test_an_account_with_a_limit_of_10_gets_one_whole_command(self):
        line = advised(NEW, "LogLevel=warn")
        least = "OfficeConcurrency=2 HtmlConcurrency=2 PdfConcurrency=2 RunningJobs=1 DeliveryConcurrency=2 BatchConcurrency=2 RelayConcurrency=2"
        self.assertEqual(sorted(followed(line)), sorted(f"ReserveSweeper=false LogLevel=warn RequestBurst=3 AnonymousRequestsPerSecond=3 {least}".split()))
        self.assertEqual(said(NEW, *followed(line)), [], "one run is enough")
        # Even the least of everything is more than ten: two for each of seven sources.
        (note,) = noted(NEW, *followed(line))
        self.assertIn("may use 14 of 10", note)
        self.assertEqual(advised(NEW, *followed(line)), advised(NEW, *followed(line), *followed(line)), "it stays the same")

    def test_an_account_with_a_limit_of_100_gets_one_whole_command(self):
        small = replace(USUAL, concurrency=100, unreserved=100)
        line = advised(small)
        # 95 of 100 for workers, deliverers, batches and the relay, as by default.
        self.assertEqual(line, "make deploy PARAMETERS='RequestBurst=5 AnonymousRequestsPerSecond=5 ReserveSweeper=false'")
        self.assertEqual(judge(small, values(small, *followed(line)), "docmill"), [])
        # Less where more is wanted: a third stays for the API.
        more = advised(small, "OfficeConcurrency=40")
        chosen = values(small, *followed(more))
        left = 100 - of_sources(chosen) - kept(chosen)
        self.assertGreaterEqual(left, 33)
        self.assertGreater(int(chosen["OfficeConcurrency"]), 20)
        self.assertLessEqual(int(chosen["RequestBurst"]), left)
        self.assertEqual(judge(small, chosen, "docmill"), [])

    def test_an_account_with_a_limit_of_1000_needs_no_parameters(self):
        self.assertEqual(advised(USUAL), "make deploy")
        most = replace(USUAL, present={"ProvisionedCreates": "100"}, stack_status="CREATE_COMPLETE")
        self.assertIn("ProvisionedCreates=0", advised(most))

    def test_any_account_can_follow_its_command(self):
        for limit in range(10, 1200, 7):
            facts = replace(USUAL, concurrency=limit, unreserved=limit)
            for arguments in ((), ("OfficeConcurrency=300",), ("ProvisionedCreates=10", "BatchConcurrency=40")):
                with self.subTest(limit=limit, arguments=arguments):
                    self.assertEqual(said(facts, *followed(advised(facts, *arguments))), [])

    def test_every_deliverer_and_runner_counts(self):
        # Two event sources have the deliverers' limit.
        self.assertEqual(of_sources(values(USUAL)), 3 * 20 + 2 * 10 + 5 + 10)
        self.assertEqual(kept(values(USUAL, "ProvisionedCreates=2")), 1 + 2 * 4)
        busy = replace(USUAL, concurrency=180, unreserved=180)
        self.assertEqual(said(busy, "RequestBurst=80", "AnonymousRequestsPerSecond=80"), [])
        self.assertEqual(len(said(busy, "DeliveryConcurrency=51", "RequestBurst=50")), 1)
        self.assertEqual(len(said(busy, "BatchConcurrency=90", "RequestBurst=50")), 1)

    def test_an_upgrade_is_judged_by_what_the_stack_has(self):
        lowered = dict(each.split("=") for each in followed(advised(replace(USUAL, concurrency=100, unreserved=100), "OfficeConcurrency=40")))
        stack = replace(USUAL, concurrency=100, unreserved=100, stack_status="UPDATE_COMPLETE", present={**lowered, "OidcClientSecret": "****", "Gone": "1"})
        self.assertEqual(judge(stack, values(stack), "docmill"), [])
        self.assertEqual(advised(stack), "make deploy")
        self.assertEqual(advised(stack, "LogLevel=warn"), "make deploy PARAMETERS='LogLevel=warn'")
        self.assertEqual(len(said(stack, "OfficeConcurrency=80")), 1, "what is given counts more")
        # Its own reservation is not taken from it a second time.
        reserved = replace(USUAL, concurrency=196, unreserved=195, stack_status="UPDATE_COMPLETE", present={"ReserveSweeper": "true"})
        self.assertEqual(Pool(196).left(values(reserved)), 100)
        self.assertEqual(said(reserved), [])

    def test_no_secret_is_in_the_command(self):
        self.assertEqual(advised(USUAL, "OidcClientSecret=hidden"), "make deploy PARAMETERS='OidcClientSecret=…'")

    def test_an_account_that_may_occupy_all_workers_is_noted(self):
        found = noted(USUAL, "HtmlConcurrency=15")
        self.assertEqual(len(found), 1, found)
        self.assertIn("15 jobs of a queue at once, and a queue has 15 workers", found[0])
        self.assertEqual(noted(USUAL, "HtmlConcurrency=15", "RunningJobs=14"), [])

    def test_a_burst_beyond_what_the_workers_leave_is_noted(self):
        self.assertIn("burst of 250", noted(replace(USUAL, concurrency=300, unreserved=300))[0])
        self.assertIn("RequestBurst=204", advised(replace(USUAL, concurrency=300, unreserved=300)))

    def test_a_stack_that_cannot_be_updated_is_named_with_the_way_out(self):
        for status in ("ROLLBACK_COMPLETE", "DELETE_FAILED", "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_FAILED"):
            self.assertIn(status, said(replace(USUAL, stack_status=status))[0])
        for status in ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"):
            self.assertEqual(said(replace(USUAL, stack_status=status)), [])

    def test_what_an_earlier_stack_left_stops_a_first_deployment(self):
        self.assertIn("/docmill/docmill/api", said(replace(USUAL, leftovers=["the log group /docmill/docmill/api"]))[0])

    def test_quotas_are_compared_with_what_the_stack_makes(self):
        self.assertIn("IAM roles", said(replace(USUAL, roles_left=roles() - 1))[0])
        self.assertEqual(said(replace(USUAL, roles_left=roles())), [])
        # The transform would make another role for a function without one.
        functions = [each for each in TEMPLATE["Resources"].values() if each["Type"] == "AWS::Serverless::Function"]
        self.assertTrue(all("Role" in each["Properties"] for each in functions))
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
            given(TEMPLATE, ["OfficeConcurency=3"])

    def test_what_the_credentials_may_not_is_named(self):
        refused = replace(USUAL, rights=Rights(True, ["sqs:CreateQueue"], ["iam:PassRole"]))
        self.assertIn("sqs:CreateQueue", said(refused)[0])
        self.assertIn("iam:PassRole", noted(refused)[0])

    def test_a_region_without_budgets_is_noted_only_for_whom_wants_one(self):
        north = replace(USUAL, region="eu-north-1")
        self.assertEqual(noted(north), [])
        self.assertIn("eu-north-1", noted(north, "BudgetEmail=a@docmill.example")[0])
        self.assertEqual(noted(USUAL, "BudgetEmail=a@docmill.example"), [])


class Iam:
    """An IAM that evaluates this policy."""

    def __init__(self, policy: dict, missing: dict[str, list[str]] | None = None):
        self.policy, self.missing, self.asked = policy, missing or {}, []

    def get_role(self, RoleName: str) -> dict:
        return {"Role": {"Arn": f"arn:aws:iam::123456789012:role/teams/{RoleName}"}}

    def get_paginator(self, operation: str) -> "Iam":
        assert operation == "simulate_principal_policy"
        return self

    def paginate(self, PolicySourceArn: str, ActionNames: list[str], ResourceArns: list[str], ContextEntries: list[dict]) -> list[dict]:
        self.asked.append(PolicySourceArn)
        results = [
            {
                "EvalActionName": action,
                "EvalDecision": "allowed" if all(allows(self.policy, action, each) for each in ResourceArns) else "implicitDeny",
                "MissingContextValues": self.missing.get(action, []),
            }
            for action in ActionNames
        ]
        return [{"EvaluationResults": results}]


class Permissions(unittest.TestCase):
    POLICY = json.loads(WRITTEN.read_text())
    SESSION = "arn:aws:sts::123456789012:assumed-role/deployer/ada"

    def test_the_policy_that_is_written_down_is_enough_for_its_stack(self):
        iam = Iam(self.POLICY)
        self.assertEqual(rights(iam, self.SESSION, "123456789012", "eu-central-1", "docmill"), Rights(True))
        self.assertEqual(set(iam.asked), {"arn:aws:iam::123456789012:role/teams/deployer"}, "the role with its path")
        others = rights(iam, "arn:aws:iam::123456789012:user/ada", "123456789012", "eu-central-1", "trial")
        self.assertIn("dynamodb:CreateTable", others.denied, "the policy is for a stack called docmill")

    def test_each_missing_action_is_found(self):
        for gone in ("dynamodb:CreateTable", "iam:PassRole", "cloudformation:CreateChangeSet", "ecr:PutImage", "s3:PutLifecycleConfiguration"):
            less = {"Statement": [each | {"Action": [action for action in each["Action"] if action != gone]} for each in self.POLICY["Statement"]]}
            found = rights(Iam(less), self.SESSION, "123456789012", "eu-central-1", "docmill")
            self.assertEqual(found.denied, [gone])
            unsure = rights(Iam(less, {gone: ["aws:SourceIp"]}), self.SESSION, "123456789012", "eu-central-1", "docmill")
            self.assertEqual((unsure.denied, unsure.uncertain), ([], [gone]))

    def test_the_accounts_root_is_not_asked_about(self):
        self.assertEqual(rights(None, "arn:aws:iam::123456789012:root", "123456789012", "eu-central-1", "docmill"), Rights(True))

    def test_questions_are_about_the_stacks_own_resources(self):
        asked = questions("123456789012", "eu-central-1", "trial")
        resources = {each for question in asked for each in question["ResourceArns"]}
        self.assertIn("arn:aws:dynamodb:eu-central-1:123456789012:table/trial-Some", resources)
        self.assertIn("arn:aws:logs:eu-central-1:123456789012:log-group:/docmill/trial/Some", resources)
        self.assertIn("arn:aws:iam::123456789012:role/trial-Some", resources)
        self.assertFalse([each for each in resources if "docmill-" in each and "docmill-deployments-" not in each])
        self.assertFalse([action for question in asked for action in question["ActionNames"] if "*" in action])
        (passing,) = [question for question in asked if question["ActionNames"] == ["iam:PassRole"]]
        self.assertEqual(passing["ContextEntries"][0]["ContextKeyValues"], ["lambda.amazonaws.com"])


if __name__ == "__main__":
    unittest.main()
