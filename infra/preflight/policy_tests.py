"""Compares the deployer's policy and the regions with budgets with AWS's schemas, which cfn-lint has. Run by `make check`."""

import json
import unittest

from local.template_tests import transformed

from preflight.permissions import allows
from preflight.policy import LONGEST, UNSCOPED, WRITTEN, actions, kinds, schemas, text, types_of
from preflight.verdict import budget_regions

POLICY = json.loads(WRITTEN.read_text())


class Policy(unittest.TestCase):
    def test_it_has_what_the_template_makes(self):
        self.assertEqual(text(kinds(transformed())), WRITTEN.read_text(), "run `make deployer-policy` and read the diff")

    def test_a_role_can_have_it(self):
        self.assertLessEqual(len(json.dumps(POLICY, separators=(",", ":"))), LONGEST)
        sids = [each["Sid"] for each in POLICY["Statement"]]
        self.assertEqual(len(set(sids)), len(sids))
        self.assertTrue(all(sid.isalnum() for sid in sids), sids)

    def test_every_type_of_the_template_can_be_made_changed_and_deleted(self):
        resources = {
            "AWS::DynamoDB::Table": "arn:aws:dynamodb:eu-central-1:123456789012:table/docmill-JobsTable-1ABC",
            "AWS::SQS::Queue": "arn:aws:sqs:eu-central-1:123456789012:docmill-OfficeQueue-1ABC",
            "AWS::Lambda::Function": "arn:aws:lambda:eu-central-1:123456789012:function:docmill-ListJobs-1ABC",
            "AWS::IAM::Role": "arn:aws:iam::123456789012:role/docmill-ListJobsRole-1ABC",
            "AWS::S3::Bucket": "arn:aws:s3:::docmill-filesbucket-1abc",
            "AWS::Logs::LogGroup": "arn:aws:logs:eu-central-1:123456789012:log-group:/docmill/docmill/api",
            "AWS::SecretsManager::Secret": "arn:aws:secretsmanager:eu-central-1:123456789012:secret:WebhookKey-1ABC-xyz",
        }
        for kind, resource in resources.items():
            needed = actions(kind)
            self.assertGreater(len(needed), 5, kind)
            for action in needed:
                with self.subTest(kind=kind, action=action):
                    self.assertTrue(allows(POLICY, action, "*" if UNSCOPED.fullmatch(action) else resource))

    def test_it_reaches_nothing_of_others_and_no_data(self):
        for action, resource in {
            "dynamodb:DeleteTable": "arn:aws:dynamodb:eu-central-1:123456789012:table/payroll",
            "dynamodb:GetItem": "arn:aws:dynamodb:eu-central-1:123456789012:table/docmill-JobsTable-1ABC",
            "iam:PutRolePolicy": "arn:aws:iam::123456789012:role/admin",
            "iam:PassRole": "arn:aws:iam::123456789012:role/admin",
            "iam:CreateUser": "arn:aws:iam::123456789012:user/ada",
            "s3:GetObject": "arn:aws:s3:::docmill-filesbucket-1abc/outputs/day/acc_1/job.pdf",
            "sqs:ReceiveMessage": "arn:aws:sqs:eu-central-1:123456789012:docmill-OfficeQueue-1ABC",
            "lambda:InvokeFunction": "arn:aws:lambda:eu-central-1:123456789012:function:docmill-Sweeper-1ABC",
        }.items():
            self.assertFalse(allows(POLICY, action, resource), action)


class Regions(unittest.TestCase):
    def test_a_budget_is_made_exactly_where_cloudformation_has_them(self):
        regions = [path.stem for path in (schemas() / "providers").glob("*.json") if path.stem != "sam"]
        # Other partitions have accounts and bills of their own.
        usual = {region for region in regions if not region.startswith(("cn-", "us-gov-", "us-iso", "eu-iso", "eusc-"))}
        self.assertGreater(len(usual), 20)
        self.assertEqual(budget_regions(), {region for region in usual if "AWS::Budgets::Budget" in types_of(region)})


if __name__ == "__main__":
    unittest.main()
