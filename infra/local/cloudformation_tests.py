"""The whole template in another CloudFormation than the emulator's: moto's, which comes with LocalStack and runs in this process.

Run by `make test-cloudformation`, in LocalStack's Python environment. moto knows neither HTTP APIs nor Cognito, CodeDeploy or budgets:
what refers to those gets a name that stands for them. It makes alarms and dashboards of nothing.
"""

import io
import json
import os
import unittest
import zipfile
from copy import deepcopy
from dataclasses import replace
from typing import Any
from unittest.mock import patch

os.environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}

import boto3
from local import localize
from local.template_tests import TEMPLATE, transformed
from moto import mock_aws
from moto.cloudformation.models import cloudformation_backends
from moto.iam.access_control import IAMPolicy, PermissionResult
from preflight import facts
from preflight.__main__ import parameters
from preflight.permissions import Rights
from preflight.policy import WRITTEN
from preflight.verdict import judge

STACK = "docmill"
# The kinds that are created; all others are left out.
MADE = {
    "AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::Lambda::Function", "AWS::Lambda::Version",
    "AWS::Lambda::Permission", "AWS::Lambda::EventSourceMapping", "AWS::IAM::Role", "AWS::IAM::ManagedPolicy",
    "AWS::Logs::LogGroup", "AWS::Events::Rule",
}  # fmt: skip


def packaged() -> localize.Template:
    """The output of `sam package` and the SAM transform. Resources that moto does not support are replaced by their names."""
    template = deepcopy(transformed())
    template.pop("Rules", None)
    resources = template["Resources"]
    unknown = {name for name, each in resources.items() if each["Type"] not in MADE}
    for name, each in resources.items():
        # moto only supports permissions and event sources of functions, not of aliases.
        if each["Type"] in ("AWS::Lambda::Permission", "AWS::Lambda::EventSourceMapping"):
            function = each["Properties"]["FunctionName"]["Ref"] if "Ref" in each["Properties"]["FunctionName"] else None
            if function and function.endswith("Aliaslive"):
                each["Properties"]["FunctionName"] = {"Ref": function.removesuffix("Aliaslive")}
    kept = {name: named(each, unknown) for name, each in resources.items() if name not in unknown}
    outputs = {name: each for name, each in template["Outputs"].items() if localize.referenced(each["Value"]) in kept}
    return template | {"Resources": kept, "Outputs": outputs}


def named(value: Any, unknown: set[str]) -> Any:
    match value:
        case {"Ref": str(name)} if name in unknown:
            return name
        case {"Fn::GetAtt": [str(name), str(attribute)]} if name in unknown:
            return f"{name}.{attribute}"
        case {"Fn::Sub": str(text)}:
            for name in unknown:
                text = text.replace(f"${{{name}}}", name)
            return {"Fn::Sub": text}
        case dict():
            return {key: named(each, unknown) for key, each in value.items()}
        case list():
            return [named(each, unknown) for each in value]
        case _:
            return value


def put_package(s3: Any) -> None:
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w") as archive:
        archive.writestr("bootstrap", "#!/bin/sh\n")
    s3.create_bucket(Bucket="code")
    for binary in {localize.binary_of(each) for each in localize.functions(TEMPLATE).values()}:
        s3.put_object(Bucket="code", Key=f"{binary}.zip", Body=package.getvalue())


class Stack(unittest.TestCase):
    def test_the_stack_is_made_and_then_updated(self):
        with mock_aws(config={"lambda": {"use_docker": False}}):
            s3, cloudformation = boto3.client("s3"), boto3.client("cloudformation")
            put_package(s3)
            template = packaged()
            s3.put_object(Bucket="code", Key="template.json", Body=json.dumps(template).encode())
            request = {"StackName": STACK, "TemplateURL": "https://code.s3.amazonaws.com/template.json", "Capabilities": ["CAPABILITY_IAM"]}
            cloudformation.create_stack(**request, Parameters=given(LogLevel="info"))
            self.assertEqual(status(cloudformation), "CREATE_COMPLETE")
            made = physical(cloudformation)
            self.assertEqual(made.keys(), template["Resources"].keys())
            first = variables("CreateJob")
            self.assertEqual(first["LOG_LEVEL"], "info")
            self.assertEqual(first["JOBS_TABLE"], made["JobsTable"])
            self.assertEqual(first["PDF_QUEUE_URL"], made["PdfQueue"])

            self.assert_checks_know_the_stack()
            self.assert_a_deployer_may_remove(made)
            cloudformation.update_stack(**request, Parameters=given(LogLevel="debug", CorsOrigins="https://a.example,https://b.example"))
            self.assertEqual(status(cloudformation), "UPDATE_COMPLETE")
            self.assertEqual(kept(physical(cloudformation)), kept(made), "an update replaces nothing that holds data")
            self.assertEqual(variables("CreateJob")["LOG_LEVEL"], "debug")


    def assert_checks_know_the_stack(self):
        """`make deploy-check` before an upgrade: with the values that the stack has, as far as moto tells the rest."""
        with patch.object(facts, "rights", return_value=Rights()):
            known = facts.read(boto3.Session(), STACK, lambda present: parameters(TEMPLATE, present, {}))
        self.assertEqual((known.account, known.stack_status, known.present["LogLevel"]), ("123456789012", "CREATE_COMPLETE", "info"))
        self.assertEqual(known.leftovers, [], "its log groups are its own")
        self.assertEqual(known.present.keys(), TEMPLATE["Parameters"].keys())
        small = replace(known, concurrency=50, unreserved=50, docker=True)
        self.assertTrue([each for each in judge(small, parameters(TEMPLATE, small.present, {}), STACK) if each.stops])
        lowered = parameters(TEMPLATE, {**small.present, "ReserveSweeper": "false", "OfficeConcurrency": "2", "HtmlConcurrency": "2", "PdfConcurrency": "2"}, {})
        self.assertEqual([each for each in judge(small, lowered, STACK) if each.stops], [])


    def assert_a_deployer_may_remove(self, made: dict[str, str]):
        """By moto's evaluation of the policy that is written down, with the names that CloudFormation gave."""
        policy = IAMPolicy(WRITTEN.read_text())
        kinds = {
            "AWS::DynamoDB::Table": ("dynamodb:DeleteTable", "arn:aws:dynamodb:us-east-1:123456789012:table/{}"),
            "AWS::Lambda::Function": ("lambda:DeleteFunction", "arn:aws:lambda:us-east-1:123456789012:function:{}"),
            "AWS::IAM::Role": ("iam:DeleteRole", "arn:aws:iam::123456789012:role/{}"),
            "AWS::IAM::ManagedPolicy": ("iam:DeletePolicy", "{}"),
            "AWS::SQS::Queue": ("sqs:DeleteQueue", "arn:aws:sqs:us-east-1:123456789012:{}"),
            "AWS::S3::Bucket": ("s3:DeleteBucket", "arn:aws:s3:::{}"),
            "AWS::Logs::LogGroup": ("logs:DeleteLogGroup", "arn:aws:logs:us-east-1:123456789012:log-group:{}"),
            "AWS::Events::Rule": ("events:DeleteRule", "arn:aws:events:us-east-1:123456789012:rule/{}"),
        }
        asked = 0
        for name, each in packaged()["Resources"].items():
            if each["Type"] in kinds:
                action, arn = kinds[each["Type"]]
                resource = arn.format(made[name].rpartition("/")[2] if each["Type"] == "AWS::SQS::Queue" else made[name])
                self.assertEqual(policy.is_action_permitted(action, resource), PermissionResult.PERMITTED, resource)
                asked += 1
        self.assertGreater(asked, 120)
        for action, resource in (("iam:DeleteRole", "arn:aws:iam::123456789012:role/admin"), ("s3:DeleteBucket", "arn:aws:s3:::payroll")):
            self.assertNotEqual(policy.is_action_permitted(action, resource), PermissionResult.PERMITTED)


def given(**parameters: str) -> list[dict[str, str]]:
    return [{"ParameterKey": name, "ParameterValue": value} for name, value in parameters.items()]


def status(cloudformation: Any) -> str:
    return cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]["StackStatus"]


def physical(cloudformation: Any) -> dict[str, str]:
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=STACK)
    return {each["LogicalResourceId"]: each["PhysicalResourceId"] for page in pages for each in page["StackResourceSummaries"]}


def variables(name: str) -> dict[str, str]:
    """A function's environment, from moto's own record: moto in LocalStack can't be asked about functions."""
    (stack,) = cloudformation_backends["123456789012"]["us-east-1"].stacks.values()
    return stack.resource_map[name].environment_vars


def kept(made: dict[str, str]) -> dict[str, str]:
    return {name: made[name] for name in made if name.endswith(("Table", "Bucket", "Queue", "DeadLetters"))}


if __name__ == "__main__":
    unittest.main()
