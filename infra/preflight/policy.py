"""The permissions that a deployer needs: `make deployer-policy` writes `infra/deployer-policy.json`, for a stack called docmill.

CloudFormation acts with the deployer's permissions, and AWS publishes for each type of resource which actions its handlers take. The
policy has these for the types that the template makes, on resources with the stack's name, and what SAM and these scripts do
themselves. cfn-lint, which comes with SAM, has AWS's schemas.
"""

import fnmatch
import json
import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from local import localize
from local.settings import ROOT

WRITTEN = ROOT / "infra/deployer-policy.json"
# The longest policy of a role, without blanks.
LONGEST = 10_240

# The resources of each type, or of several that begin alike, as the stack names them.
RESOURCES: dict[str, list[str]] = {
    "AWS::ApiGatewayV2::": ["arn:aws:apigateway:*::/apis", "arn:aws:apigateway:*::/apis/*", "arn:aws:apigateway:*::/domainnames*", "arn:aws:apigateway:*::/tags/*"],
    "AWS::Budgets::Budget": ["arn:aws:budgets::*:budget/docmill-*"],
    "AWS::CloudWatch::Alarm": ["arn:aws:cloudwatch:*:*:alarm:docmill-*"],
    "AWS::CloudWatch::Dashboard": ["arn:aws:cloudwatch::*:dashboard/docmill-*"],
    "AWS::CodeDeploy::Application": ["arn:aws:codedeploy:*:*:application:docmill-*"],
    "AWS::CodeDeploy::DeploymentGroup": ["arn:aws:codedeploy:*:*:deploymentgroup:docmill-*/docmill-*", "arn:aws:codedeploy:*:*:deploymentconfig:*"],
    "AWS::Cognito::": ["arn:aws:cognito-idp:*:*:userpool/*"],
    "AWS::DynamoDB::Table": ["arn:aws:dynamodb:*:*:table/docmill-*"],
    "AWS::EC2::": ["*"],
    "AWS::Events::Rule": ["arn:aws:events:*:*:rule/docmill-*"],
    "AWS::IAM::ManagedPolicy": ["arn:aws:iam::*:policy/docmill-*"],
    "AWS::IAM::Role": ["arn:aws:iam::*:role/docmill-*"],
    "AWS::Lambda::EventSourceMapping": ["arn:aws:lambda:*:*:event-source-mapping:*"],
    "AWS::Lambda::": ["arn:aws:lambda:*:*:function:docmill-*"],
    "AWS::Logs::LogGroup": ["arn:aws:logs:*:*:log-group:/docmill/docmill/*"],
    "AWS::Route53Resolver::": ["arn:aws:route53resolver:*:*:firewall-*/*"],
    "AWS::Route53::": ["arn:aws:route53:::hostedzone/*"],
    "AWS::S3::": ["arn:aws:s3:::docmill-*"],
    "AWS::SQS::Queue": ["arn:aws:sqs:*:*:docmill-*"],
    "AWS::SecretsManager::Secret": ["arn:aws:secretsmanager:*:*:secret:*Key-*"],
}  # fmt: skip

# Types whose actions AWS's schemas do not name.
UNPUBLISHED = {
    "AWS::Budgets::Budget": ["budgets:ModifyBudget", "budgets:ViewBudget"],
    "AWS::Route53::RecordSetGroup": ["route53:ChangeResourceRecordSets", "route53:ListResourceRecordSets"],
}

# Of no resource in particular: lists, and what makes resources whose names AWS chooses.
UNSCOPED = re.compile(
    r"\w[\w-]*:List(Tables|Functions|EventSourceMappings|Roles|Policies|Dashboards|Secrets|AllMyBuckets|Rules|Applications|DeploymentGroups|Deployments)"
    r"|cloudwatch:DescribeAlarms|cognito-idp:(CreateUserPool|DescribeUserPoolDomain)|lambda:CreateEventSourceMapping"
    r"|logs:DescribeLogGroups|secretsmanager:GetRandomPassword"
)

# What handlers may do with the content of tables and buckets, or for features that the template does not use.
UNUSED = re.compile(
    r"dynamodb:(.*Item|Query|Scan|ImportTable|DescribeImport|.*Replica|(En|Dis)ableKinesis.*|Update(Kinesis|Contributor).*|(Put|Delete)ResourcePolicy)"
    r"|s3:((Create|Update|Put|Delete).*(Metadata|Inventory|Analytics|Replication|IntelligentTiering|Metrics|Website|Accelerate|ObjectLock|Abac|Logging|Versioning|Acl).*"
    r"|.*Object|REST.*|ListTagsForResource|(Un)?[tT]agResource|.*MetadataTable.*|DeleteBucket(Cors|Lifecycle|Encryption))"
    r"|ec2:(.*SubnetCidrBlock|CreateVpcEncryptionControl|ModifyVpcTenancy|UpdateSecurityGroupRule.*|.*SecurityGroupIngress|ReplaceRoute.*)"
    r"|logs:(.*(DataProtection|Index|BearerToken|KmsKey|DeletionProtection|LogDelivery|ResourcePolic).*|PutLogEvents|CreateLogStream)"
    r"|lambda:.*(CodeSigning|ScalingConfig|Layer|Capacity|RuntimeManagement).*"
    r"|codedeploy:(Register.*|GetApplicationRevision)"
    r"|iam:(.*(Group|User)Policy|CreateServiceLinkedRole|PassRole|UpdateRoleDescription)"
    r"|cognito-idp:(AddCustomAttributes|ListUserPools)|secretsmanager:.*Replicat.*|sqs:ListQueues"
)

# Written shorter: reading of settings, of which none reads what a table, bucket or secret contains, and the firewalls of resolvers.
SHORTER = [
    "route53resolver:*",
    "codedeploy:Get*", "ec2:Describe*", "iam:Get*", "iam:List*", "lambda:Get*", "lambda:List*", "s3:GetBucket*", "s3:Get*Configuration",
]  # fmt: skip

# What SAM, CloudFormation and the scripts of this folder do beside the handlers.
OF_TOOLS: list[dict[str, Any]] = [
    {
        "Sid": "Stacks",
        "Action": [
            "cloudformation:CancelUpdateStack", "cloudformation:ContinueUpdateRollback", "cloudformation:CreateChangeSet", "cloudformation:CreateStack",
            "cloudformation:DeleteChangeSet", "cloudformation:DeleteStack", "cloudformation:DescribeChangeSet", "cloudformation:DescribeStackEvents",
            "cloudformation:DescribeStackResource", "cloudformation:DescribeStacks", "cloudformation:ExecuteChangeSet", "cloudformation:GetTemplate",
            "cloudformation:GetTemplateSummary", "cloudformation:ListStackResources", "cloudformation:RollbackStack", "cloudformation:UpdateStack",
            "cloudformation:UpdateTerminationProtection",
        ],
        "Resource": [
            "arn:aws:cloudformation:*:*:stack/docmill/*", "arn:aws:cloudformation:*:aws:transform/Serverless-2016-10-31",
        ],
    },
    {
        "Sid": "Uploads",
        "Action": [
            "s3:AbortMultipartUpload", "s3:CreateBucket", "s3:GetBucketLocation", "s3:GetObject", "s3:ListBucket", "s3:PutBucketPublicAccessBlock", "s3:PutObject",
            # DynamoDB's exports.
            "s3:PutObjectAcl",
        ],
        "Resource": ["arn:aws:s3:::docmill-deployments-*"],
    },
    {
        # `make teardown` exports tables before the stack is deleted.
        "Sid": "Exports",
        "Action": ["dynamodb:DescribeExport", "dynamodb:ExportTableToPointInTime"],
        "Resource": ["arn:aws:dynamodb:*:*:table/docmill-*"],
    },
    {
        "Sid": "Images",
        "Action": [
            "ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:CompleteLayerUpload", "ecr:CreateRepository", "ecr:DescribeImages",
            "ecr:DescribeRepositories", "ecr:GetDownloadUrlForLayer", "ecr:GetRepositoryPolicy", "ecr:InitiateLayerUpload", "ecr:PutImage",
            "ecr:PutLifecyclePolicy", "ecr:SetRepositoryPolicy", "ecr:UploadLayerPart",
        ],
        "Resource": ["arn:aws:ecr:*:*:repository/docmill/docmill"],
    },
    {
        "Sid": "RolesOfFunctions",
        "Action": ["iam:PassRole"],
        "Resource": ["arn:aws:iam::*:role/docmill-*"],
        "Condition": {"StringEquals": {"iam:PassedToService": ["lambda.amazonaws.com", "codedeploy.amazonaws.com"]}},
    },
    {
        "Sid": "RoleOfApiGateway",
        "Action": ["iam:CreateServiceLinkedRole"],
        "Resource": ["arn:aws:iam::*:role/aws-service-role/ops.apigateway.amazonaws.com/*"],
    },
    {
        "Sid": "Questions",
        "Action": [
            "acm:DescribeCertificate", "cloudformation:ListStacks", "cloudformation:ValidateTemplate", "ecr:GetAuthorizationToken",
            "iam:GetAccountSummary", "iam:GetRole", "iam:SimulatePrincipalPolicy", "lambda:GetAccountSettings", "sns:GetTopicAttributes",
            # The API's access log.
            "logs:CreateLogDelivery", "logs:DeleteLogDelivery", "logs:DescribeResourcePolicies", "logs:GetLogDelivery", "logs:ListLogDeliveries",
            "logs:PutResourcePolicy", "logs:UpdateLogDelivery",
        ],
        "Resource": ["*"],
    },
]  # fmt: skip


@cache
def schemas() -> Path:
    import cfnlint

    return Path(cfnlint.__file__).parent / "data/schemas"


@cache
def types_of(region: str) -> dict[str, str]:
    """The types of resources that CloudFormation has in a region, with their schemas' names."""
    return json.loads((schemas() / f"providers/{region}.json").read_text())


def service(kind: str) -> str:
    """The prefix of the actions on a type: `cognito-idp`."""
    name = kind.split("::")[1].lower()
    return {"apigatewayv2": "apigateway", "cognito": "cognito-idp"}.get(name, name)


def actions(kind: str) -> set[str]:
    """What CloudFormation does to make, change, read and delete a resource of this type."""
    if kind in UNPUBLISHED:
        return set(UNPUBLISHED[kind])
    schema = json.loads((schemas() / f"resources/{types_of('us-east-1')[kind]}.json").read_text())
    found = {action for handler in schema["handlers"].values() for action in handler["permissions"]}
    return {action for action in found if action.startswith(f"{service(kind)}:") and not UNUSED.fullmatch(action)}


def policy(kinds: Iterable[str]) -> dict[str, Any]:
    """For a template with resources of these types."""
    by_resource: dict[str, set[str]] = {}
    unscoped: set[str] = set()
    for kind in kinds:
        needed = actions(kind)
        anywhere = {action for action in needed if UNSCOPED.fullmatch(action)}
        unscoped |= anywhere
        by_resource.setdefault(group(kind), set()).update(needed - anywhere)
    statements = [
        {"Sid": re.sub("^AWS|:", "", name), "Action": shortened(allowed), "Resource": RESOURCES[name]} for name, allowed in sorted(by_resource.items())
    ]
    statements.append({"Sid": "Unnamed", "Action": sorted(unscoped), "Resource": ["*"]})
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow"} | each for each in [*statements, *OF_TOOLS]]}


def shortened(allowed: set[str]) -> list[str]:
    reads = {each for each in SHORTER if len(fnmatch.filter(allowed, each)) > 1}
    return sorted({action for action in allowed if not any(fnmatch.fnmatchcase(action, each) for each in reads)} | reads)


def group(kind: str) -> str:
    fitting = [each for each in RESOURCES if kind.startswith(each)]
    if not fitting:
        raise SystemExit(f"Error: preflight/policy.py does not say which resources of the type {kind} a deployer makes.")
    return max(fitting, key=len)


def kinds(template: localize.Template) -> set[str]:
    """The types of a template after the SAM transform."""
    return {each["Type"] for each in template["Resources"].values()}


def text(made: Iterable[str]) -> str:
    return json.dumps(policy(made), indent=2) + "\n"


def main() -> int:
    from local.template_tests import transformed

    WRITTEN.write_text(text(kinds(transformed())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
