"""Tests of deployments without CloudFormation: what is asked of it, and what is refused. Run by `make check`."""

import json
import os
import unittest
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import boto3
from botocore.exceptions import ClientError
from local import localize
from local.errors import Problem
from local.settings import ROOT, chosen_region

from deployment import __main__ as commands
from deployment import build, changes, deploy, records, teardown, templates
from deployment.changes import Wanted
from deployment.places import KEPT_IMAGES, LIFECYCLE, Places
from deployment.records import Record

TEMPLATE = localize.load(ROOT / "template.yaml")
PLACES = Places("123456789012", "eu-central-1", "Docmill")


def record(id: str, version: str, **more: Any) -> Record:
    return Record(id, version, "key", {}, {}, **more)


class Records(unittest.TestCase):
    def test_a_rollback_goes_to_the_release_before_and_from_there_further_back(self):
        first, second = record("1", "0.1.0"), record("2", "0.2.0")
        changed, third = record("3", "0.2.0"), record("4", "0.3.0")
        self.assertIsNone(records.before([]))
        self.assertIsNone(records.before([first]))
        self.assertEqual(records.before([first, second]), first)
        self.assertEqual(records.before([first, second, changed]), first, "the same release with other parameters is not the one before")
        self.assertEqual(records.before([second, changed]), second, "but there is no other")
        self.assertEqual(records.before([first, second, changed, third]), changed, "with the parameters that it had last")
        back = record("5", "0.2.0", repeats="3")
        self.assertEqual(records.before([first, second, changed, third, back]), first)

    def test_a_version_or_a_time_can_be_named(self):
        known = [record("1", "0.1.0"), record("2", "0.2.0"), record("3", "0.2.0"), record("4", "0.1.0", repeats="1")]
        self.assertEqual(records.before(known, "0.2.0"), known[2])
        self.assertEqual(records.before(known, "2"), known[1])
        self.assertIsNone(records.before(known, "0.9.0"))

    def test_times_sort(self):
        self.assertLessEqual(records.now(), records.now())


class Templates(unittest.TestCase):
    def test_the_limits_of_routes_are_numbers(self):
        # CloudFormation knows the types of the default's settings, but not of single routes'.
        typed = templates.with_numbers(TEMPLATE, {"AnonymousRequestsPerSecond": "70", "RequestsPerSecond": "500", "LogLevel": "info"})
        api, before = (each["Resources"]["Api"]["Properties"] for each in (typed, TEMPLATE))
        self.assertEqual(api["RouteSettings"].keys(), before["RouteSettings"].keys())
        for route, limits in api["RouteSettings"].items():
            self.assertEqual(limits, {"ThrottlingRateLimit": 70, "ThrottlingBurstLimit": 70}, route)
            self.assertEqual({type(each) for each in limits.values()}, {int})
        self.assertEqual(api["DefaultRouteSettings"], before["DefaultRouteSettings"])
        self.assertEqual(before["RouteSettings"]["GET /"]["ThrottlingRateLimit"], {"Ref": "AnonymousRequestsPerSecond"}, "a copy was changed")

    def packaged(self) -> localize.Template:
        template = deepcopy(TEMPLATE)
        for each in localize.functions(template).values():
            if each["Properties"].get("PackageType") == "Image":
                each["Properties"]["ImageUri"] = "1.dkr.ecr.eu-central-1.amazonaws.com/docmill/docmill:worker"
        return template

    def test_images_are_named_by_digest(self):
        asked = []

        def describe_images(**request: Any) -> dict[str, Any]:
            asked.append(request)
            return {"imageDetails": [{"imageDigest": "sha256:abc"}]}

        template = build.release(SimpleNamespace(describe_images=describe_images), self.packaged(), "0.1.0").template
        self.assertEqual(templates.images(template), {"1.dkr.ecr.eu-central-1.amazonaws.com/docmill/docmill@sha256:abc"})
        self.assertEqual(asked, [{"repositoryName": "docmill/docmill", "imageIds": [{"imageTag": "worker"}]}])
        self.assertEqual(template["Outputs"]["DocmillVersion"]["Value"], "0.1.0")

    def test_all_that_is_kept_of_a_deleted_stack_can_be_imported(self):
        kept = {name for name, each in TEMPLATE["Resources"].items() if each.get("DeletionPolicy") == "RetainExceptOnCreate"}
        self.assertEqual(set(templates.data(TEMPLATE)), kept)

    def test_an_import_names_what_is_left_and_nothing_else(self):
        names = {name: f"physical-{name}" for name in templates.data(TEMPLATE)}
        template = templates.of_import(TEMPLATE, names)
        self.assertEqual(set(template["Resources"]), set(names))
        self.assertEqual({each["DeletionPolicy"] for each in template["Resources"].values()}, {"Retain"})
        # Neither is allowed in an import.
        self.assertNotIn("Outputs", template)
        self.assertNotIn("Transform", template)
        # Nothing refers to what is created only afterwards.
        known = set(template["Resources"]) | set(template["Parameters"])
        self.assertEqual({each for each in references(template["Resources"]) if not each.startswith("AWS::")} - known, set())
        imports = {each["LogicalResourceId"]: each for each in templates.to_import(TEMPLATE, names)}
        self.assertEqual(imports["JobsTable"], {
            "LogicalResourceId": "JobsTable", "ResourceType": "AWS::DynamoDB::Table", "ResourceIdentifier": {"TableName": "physical-JobsTable"},
        })
        self.assertEqual(imports["WebhookKey"]["ResourceIdentifier"], {"Id": "physical-WebhookKey"})
        self.assertEqual(imports["FilesBucket"]["ResourceIdentifier"], {"BucketName": "physical-FilesBucket"})
        self.assertEqual(imports["UserPool"]["ResourceIdentifier"], {"UserPoolId": "physical-UserPool"})

    def test_an_earlier_release_keeps_the_tables_of_a_later_one(self):
        later = deepcopy(TEMPLATE)
        later["Resources"]["NotesTable"] = {"Type": "AWS::DynamoDB::Table", "Condition": "HasNotes"}
        later["Resources"]["Extra"] = {"Type": "AWS::SQS::Queue"}
        later["Conditions"]["HasNotes"] = {"Fn::Equals": [{"Ref": "Notes"}, "true"]}
        later["Parameters"]["Notes"] = {"Type": "String", "Default": "true"}
        result = templates.with_data_of(TEMPLATE, later)
        self.assertEqual(result["Resources"].keys() - TEMPLATE["Resources"].keys(), {"NotesTable"})
        self.assertIn("HasNotes", result["Conditions"])
        self.assertIn("Notes", result["Parameters"])
        self.assertEqual(templates.with_data_of(TEMPLATE, TEMPLATE), TEMPLATE)


def references(value: Any) -> set[str]:
    match value:
        case {"Ref": str(name)}:
            return {name}
        case {"Fn::GetAtt": [str(name), *_]}:
            return {name}
        case dict():
            return set().union(*map(references, value.values())) if value else set()
        case list():
            return set().union(*map(references, value)) if value else set()
        case _:
            return set()


class FakeStacks:
    """CloudFormation that carries out each change set at once, and protects stacks."""

    def __init__(self, exists: bool = False, changed: list[dict[str, Any]] | None = None):
        self.asked: list[dict[str, Any]] = []
        self.executed: list[str] = []
        self.status = "CREATE_COMPLETE" if exists else None
        self.protected = False
        self.changed = changed or [{"Action": "Add", "LogicalResourceId": "Api", "ResourceType": "AWS::ApiGatewayV2::Api"}]

    def describe_stacks(self, StackName: str) -> dict[str, Any]:
        if self.status is None:
            raise ClientError({"Error": {"Code": "ValidationError", "Message": f"{StackName} does not exist"}}, "DescribeStacks")
        values = self.asked[-1]["Parameters"] if self.asked else []
        shown = [{"ParameterKey": each["ParameterKey"], "ParameterValue": each.get("ParameterValue", "")} for each in values]
        return {"Stacks": [{"StackStatus": self.status, "EnableTerminationProtection": self.protected, "Parameters": shown}]}

    def create_change_set(self, **request: Any) -> None:
        self.asked.append(request)

    def describe_change_set(self, **_: Any) -> dict[str, Any]:
        return {"Status": "CREATE_COMPLETE", "StackId": "arn:of-the-stack", "Changes": [{"ResourceChange": each} for each in self.changed]}

    def delete_change_set(self, **_: Any) -> None:
        self.asked.pop()

    def execute_change_set(self, **_: Any) -> None:
        self.executed.append(self.asked[-1]["ChangeSetType"])
        self.status = {"CREATE": "CREATE_COMPLETE", "UPDATE": "UPDATE_COMPLETE", "IMPORT": "IMPORT_COMPLETE"}[self.executed[-1]]

    def update_termination_protection(self, StackName: str, EnableTerminationProtection: bool) -> None:
        self.protected = EnableTerminationProtection

    def get_paginator(self, name: str) -> Any:
        if name == "describe_change_set":
            return SimpleNamespace(paginate=lambda **_: [self.describe_change_set()])
        made = [{"LogicalResourceId": each, "PhysicalResourceId": f"physical-{each}"} for each in TEMPLATE["Resources"]]
        return SimpleNamespace(paginate=lambda **_: [{"StackResourceSummaries": made}])


class FakeFiles(dict):
    """A bucket."""

    def put_object(self, Key: str, Body: bytes, **_: Any) -> None:
        self[Key] = Body

    def get_object(self, Key: str, **_: Any) -> dict[str, Any]:
        return {"Body": SimpleNamespace(read=lambda: self[Key])}

    def get_paginator(self, _: str) -> Any:
        return SimpleNamespace(paginate=lambda Prefix, **_: [{"Contents": [{"Key": key} for key in self if key.startswith(Prefix)]}])


class Deployments(unittest.TestCase):
    def setUp(self):
        self.stacks, self.files = FakeStacks(), FakeFiles()
        self.clients = deploy.Clients(self.stacks, self.files, SimpleNamespace())
        self.said: list[str] = []

    def deploy(self, answer: bool = True, **given: str) -> bool:
        release = deploy.Release("0.1.0", TEMPLATE)
        return deploy.deploy(self.clients, PLACES, release, given, lambda question: answer, self.said.append, 0)

    def test_a_first_deployment_is_created_deleted_if_it_fails_and_protected_once_it_has_succeeded(self):
        self.assertTrue(self.deploy(LogLevel="warn"))
        (asked,) = self.stacks.asked
        self.assertEqual((asked["ChangeSetType"], asked["OnStackFailure"]), ("CREATE", "DELETE"))
        self.assertIn({"ParameterKey": "LogLevel", "ParameterValue": "warn"}, asked["Parameters"])
        self.assertTrue(self.stacks.protected)
        (written,) = records.read_all(self.files, PLACES)
        self.assertEqual((written.version, written.parameters["LogLevel"]), ("0.1.0", "warn"))
        self.assertNotIn("OidcClientSecret", written.parameters)
        self.assertEqual(written.data["JobsTable"], "physical-JobsTable")

    def test_the_template_is_one_that_cloudformation_takes(self):
        self.deploy()
        (stored,) = [body for key, body in self.files.items() if "/templates/" in key]
        defaults = {name: str(each.get("Default", "")) for name, each in TEMPLATE["Parameters"].items()}
        self.assertEqual(json.loads(stored), templates.with_numbers(TEMPLATE, defaults))
        self.assertLess(len(stored), 1024 * 1024)
        self.assertTrue(self.stacks.asked[0]["TemplateURL"].startswith("https://docmill-deployments-123456789012-eu-central-1.s3.eu-central-1.amazonaws.com/"))

    def test_nothing_happens_after_a_no(self):
        self.assertFalse(self.deploy(answer=False))
        self.assertEqual((self.stacks.executed, self.stacks.asked, records.read_all(self.files, PLACES)), ([], [], []))

    def test_what_a_removed_stack_left_is_imported_before_the_rest_is_created(self):
        self.deploy(LogLevel="warn")
        self.stacks.status, self.stacks.asked, self.stacks.executed = None, [], []
        with patch.object(deploy, "exists", lambda session, kind, physical: True):
            self.assertTrue(self.deploy())
        self.assertEqual(self.stacks.executed, ["IMPORT", "UPDATE"])
        imported, updated = self.stacks.asked
        self.assertEqual(len(imported["ResourcesToImport"]), len(templates.data(TEMPLATE)))
        self.assertNotIn("OnStackFailure", imported)
        self.assertIn({"ParameterKey": "LogLevel", "ParameterValue": "warn"}, imported["Parameters"])
        self.assertNotIn("ResourcesToImport", updated)
        self.assertIn({"ParameterKey": "LogLevel", "UsePreviousValue": True}, updated["Parameters"])

    def test_what_only_a_rollback_needed_is_set_again_where_the_release_knows_it(self):
        self.deploy()
        (first,) = records.read_all(self.files, PLACES)
        records.write(self.files, PLACES, Record("9", "0.0.1", first.template, {}, first.data, first.id, {"GradualDeployments": "true", "Gone": "x"}))
        self.deploy()
        self.assertIn({"ParameterKey": "GradualDeployments", "ParameterValue": "true"}, self.stacks.asked[-1]["Parameters"])

    def test_a_return_without_a_key_is_refused(self):
        self.deploy()
        self.stacks.status, self.stacks.executed = None, []
        with patch.object(deploy, "exists", lambda session, kind, physical: physical != "physical-WebhookKey"):
            with self.assertRaisesRegex(Problem, "WebhookKey is gone: restore it"):
                self.deploy()
        self.assertEqual(self.stacks.executed, [])
        # With nothing left, it is a first deployment.
        with patch.object(deploy, "exists", lambda session, kind, physical: False):
            self.deploy()
        self.assertEqual(self.stacks.executed, ["CREATE"])

    def test_a_deployment_that_would_lose_data_is_refused(self):
        for change in ({"Action": "Modify", "Replacement": "True"}, {"Action": "Remove"}):
            self.stacks.changed = [change | {"LogicalResourceId": "JobsTable", "ResourceType": "AWS::DynamoDB::Table"}]
            with self.assertRaisesRegex(Problem, "JobsTable would be (replaced in|removed from) the stack"):
                self.deploy()
        self.assertEqual(self.stacks.executed, [])

    def test_values_are_kept_and_unknown_ones_refused(self):
        wanted = changes.parameters(TEMPLATE, {"LogLevel": "warn"}, {"LogLevel": "info", "PdfMemory": "4096"})
        by_name = {each["ParameterKey"]: each for each in wanted}
        self.assertEqual(by_name["LogLevel"]["ParameterValue"], "warn")
        self.assertTrue(by_name["PdfMemory"]["UsePreviousValue"])
        self.assertEqual(by_name["HtmlMemory"]["ParameterValue"], str(TEMPLATE["Parameters"]["HtmlMemory"]["Default"]))
        with self.assertRaisesRegex(Problem, "LogLevl is not a parameter"):
            changes.parameters(TEMPLATE, {"LogLevl": "warn"}, {})

    def test_the_first_failure_since_the_last_operation_began_is_told(self):
        def event(name: str, status: str, reason: str = "", kind: str = "AWS::Lambda::Function") -> dict[str, str]:
            return {"LogicalResourceId": name, "ResourceStatus": status, "ResourceStatusReason": reason, "ResourceType": kind}

        events = [
            event("Second", "UPDATE_FAILED", "Resource update cancelled"), event("First", "UPDATE_FAILED", "no such image"),
            event("docmill", "UPDATE_IN_PROGRESS", kind="AWS::CloudFormation::Stack"), event("Old", "CREATE_FAILED", "long ago"),
        ]
        pages = [{"StackEvents": events[:1]}, {"StackEvents": events[1:]}]
        stacks = SimpleNamespace(get_paginator=lambda name: SimpleNamespace(paginate=lambda StackName: pages))
        self.assertEqual(changes.cause(stacks, "docmill"), "First: no such image")

    def test_a_new_stack_is_waited_for_until_it_has_begun_and_a_failed_one_is_explained_after_it_was_deleted(self):
        states = iter(["REVIEW_IN_PROGRESS", "CREATE_IN_PROGRESS", "CREATE_COMPLETE"])
        stacks = SimpleNamespace(describe_stacks=lambda StackName: {"Stacks": [{"StackStatus": next(states)}]})
        changes.wait(stacks, "arn:of-the-stack", ("CREATE_COMPLETE",), 0)
        events = [{"LogicalResourceId": "Api", "ResourceStatus": "CREATE_FAILED", "ResourceStatusReason": "a limit", "ResourceType": "AWS::ApiGatewayV2::Api"}]
        stacks.describe_stacks = lambda StackName: {"Stacks": [{"StackStatus": "DELETE_COMPLETE"}]}
        stacks.get_paginator = lambda name: SimpleNamespace(paginate=lambda StackName: [{"StackEvents": events}])
        with self.assertRaisesRegex(Problem, "DELETE_COMPLETE. Api: a limit"):
            changes.wait(stacks, "arn:of-the-stack", ("CREATE_COMPLETE",), 0)

    def test_nothing_to_change_is_no_failure(self):
        reason = "The submitted information didn't contain changes. Submit different information to create a change set."
        stacks = FakeStacks(exists=True)
        stacks.describe_change_set = lambda **_: {"Status": "FAILED", "StatusReason": reason}
        wanted = Wanted("docmill", "https://example.com", [], "name")
        self.assertFalse(changes.apply(stacks, wanted, lambda question: True, self.said.append, 0))
        self.assertEqual(self.said, ["Nothing has changed."])


class Teardowns(unittest.TestCase):
    def test_keys_are_deleted_after_all_data_is_gone(self):
        kinds = templates.data(TEMPLATE)
        there = {f"physical-{name}": kind for name, kind in kinds.items()}
        deleted: list[str] = []

        def delete(clients: Any, kind: str, physical: str) -> None:
            if kind == "AWS::SecretsManager::Secret":
                self.assertEqual(set(there.values()), {kind})
            deleted.append(there.pop(physical))

        with patch.object(teardown, "delete", delete), patch.object(deploy, "exists", lambda session, kind, physical: physical in there):
            teardown.delete_data(SimpleNamespace(session=None), kinds, {name: f"physical-{name}" for name in kinds}, lambda line: None, 0)
        self.assertEqual((there, len(deleted)), ({}, len(kinds)))

    def test_every_kind_has_its_turn(self):
        self.assertEqual(set(teardown.ORDER), set(templates.IDENTIFIERS))
        self.assertEqual(teardown.ORDER[-1], "AWS::SecretsManager::Secret")


class Commands(unittest.TestCase):
    def test_parameters_are_read_as_a_shell_reads_them(self):
        with patch.dict(os.environ, {"STAMPED": "Architecture=arm64 OidcScopes='email groups' CorsOrigins=https://a.example?b=c"}):
            self.assertEqual(commands.given(), {"Architecture": "arm64", "OidcScopes": "email groups", "CorsOrigins": "https://a.example?b=c"})
        with patch.dict(os.environ, {"STAMPED": "LogLevel"}), self.assertRaisesRegex(Problem, "LogLevel"):
            commands.given()

    def test_the_region_is_read_as_aws_programs_read_it(self):
        for variables, region in [({"AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "us-east-1"}, "eu-west-1"), ({"AWS_DEFAULT_REGION": "us-east-1"}, "us-east-1")]:
            with patch.dict(os.environ, variables):
                if "AWS_REGION" not in variables:
                    os.environ.pop("AWS_REGION", None)
                self.assertEqual(boto3.Session(region_name=chosen_region()).region_name, region)

    def test_a_release_archive_names_its_version(self):
        version = build.version(ROOT)
        number = next(line.split('"')[1] for line in (ROOT / "Cargo.toml").read_text().splitlines() if line.startswith("version"))
        self.assertTrue(version.startswith(number), version)
        with patch.object(Path, "is_file", lambda path: path.name == "VERSION"), patch.object(Path, "read_text", lambda path: "0.3.0\n"):
            self.assertEqual(build.version(Path("/archive")), "0.3.0")

    def test_as_many_images_are_kept_as_promised(self):
        (rule,) = LIFECYCLE["rules"]
        self.assertEqual(rule["selection"]["countNumber"], KEPT_IMAGES)
        self.assertEqual(PLACES.repository, "docmill/docmill")
        self.assertIn(f"the last {KEPT_IMAGES} images", " ".join((ROOT / "infra/OPERATIONS.md").read_text().split()))

    def test_no_secret_is_in_a_command_line(self):
        rules = (ROOT / "infra/deploy.mk").read_text()
        (deploying,) = [line for line in rules.splitlines() if "$(DEPLOYMENT) deploy " in line]
        self.assertNotIn("PARAMETERS", deploying)
        self.assertNotIn("set -x", rules)
        self.assertNotIn("GIVEN", json.dumps([line for line in rules.splitlines() if "sam" in line]))


if __name__ == "__main__":
    unittest.main()
