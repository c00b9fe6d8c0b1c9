"""Makes of `template.yaml` what the emulator can deploy. The template itself knows nothing of it.

What changes, and why:
- `HttpApi` events become plain ApiGatewayV2 routes: ministack makes an HTTP API but does not import the OpenAPI body
  that the SAM transform puts the routes into.
- Aliases and gradual deployments go: each deployment here replaces everything at once.
- Image functions become zip functions: there is no container runtime here.
- The API's own address is the emulator's, since its gateway has no hosts of their own.
- Stage variables go to the pages' environments: ministack leaves them out of what it hands to functions.
- The pages ask the emulator for what Cognito says of itself: the issuer's own address is the real one's.
- Functions get the local settings (path-style S3, loopback sources), which a deployed stack never has.
- Workers run one per core, as a number: ministack compares what a parameter gives, which is text.
- The workers' own network goes, since the emulator has none, and they are told so, unless the starting command says that they are
  to work as if they had it (CONVERTER_NETWORK=isolated). The relay stays, for whoever asks it.
- Nothing is retained on deletion, and the TLS-only bucket policy goes: the emulator speaks plain HTTP.
- Alarms, budget and the metrics' dashboard go: the emulator has no metric math, and nobody watches it.
- The domain goes, and the rules for parameters, of which none is given here but the log level.
"""

import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

FUNCTION = "AWS::Serverless::Function"
EVENT_SOURCE = "AWS::Lambda::EventSourceMapping"
# Resource types that are not useful here.
LEFT_OUT = {
    "AWS::S3::BucketPolicy", "AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard", "AWS::Budgets::Budget",
    "AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::EC2::RouteTable", "AWS::EC2::SubnetRouteTableAssociation", "AWS::EC2::SecurityGroup",
    "AWS::EC2::VPCEndpoint", "AWS::Route53Resolver::FirewallDomainList", "AWS::Route53Resolver::FirewallRuleGroup",
    "AWS::Route53Resolver::FirewallRuleGroupAssociation", "AWS::ApiGatewayV2::DomainName", "AWS::ApiGatewayV2::ApiMapping", "AWS::Route53::RecordSetGroup",
}  # fmt: skip
# Settings of versions and gradual deployments.
GRADUAL = ("AutoPublishAlias", "AutoPublishAliasAllProperties", "DeploymentPreference", "ProvisionedConcurrencyConfig")
# What workers are told that reach any network (ConverterNetwork).
OPEN = "open"
STORAGE = {"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SQS::Queue"}

Template = dict[str, Any]


class TemplateLoader(yaml.SafeLoader):
    """Reads CloudFormation's short forms (`!Ref x`) as long ones (`{"Ref": "x"}`), which JSON can express."""


def long_form(loader: TemplateLoader, name: str, node: yaml.Node) -> dict[str, Any]:
    match node:
        case yaml.ScalarNode():
            value: Any = loader.construct_scalar(node)
        case yaml.SequenceNode():
            value = loader.construct_sequence(node, deep=True)
        case _:
            value = loader.construct_mapping(node, deep=True)
    if name == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {name if name in ("Ref", "Condition") else f"Fn::{name}": value}


TemplateLoader.add_multi_constructor("!", long_form)


def load(path: Path) -> Template:
    return unshared(yaml.load(path.read_text(), TemplateLoader))


def unshared(value: Any) -> Any:
    """A copy in which a part that the template names in several places (`*alias`) is one of its own in each."""
    match value:
        case dict():
            return {name: unshared(each) for name, each in value.items()}
        case list():
            return [unshared(each) for each in value]
        case _:
            return value


def binary_of(function: Template) -> str:
    """The binary that a function runs: the last part of its `CodeUri`, or the worker for images."""
    code = function["Properties"].get("CodeUri")
    return Path(code).name if code else "worker"


def functions(template: Template) -> dict[str, Template]:
    return {name: each for name, each in template["Resources"].items() if each["Type"] == FUNCTION}


def localize(template: Template, endpoint: str, code: dict[str, str], environment: dict[str, str], network: str = OPEN) -> Template:
    """The template for the emulator. `code` has the zip addresses by function, and `environment` is added to each function. `network`
    is what those workers are told that have a network of their own on AWS."""
    local = with_address(without_protection(template), endpoint)
    resources = local["Resources"]
    stage_variables = resources["Api"]["Properties"].pop("StageVariables")
    for name, function in functions(local).items():
        use_zip(function, code[name], network)
        variables = function["Properties"].setdefault("Environment", {}).setdefault("Variables", {})
        variables.update(environment)
        if "OIDC_ISSUER" in variables:
            variables.update(stage_variables)
            variables["OIDC_DISCOVERY_URL"] = {"Fn::Sub": f"{endpoint}/${{UserPool}}/.well-known/openid-configuration"}
        resources.update(plain_routes(name, function))
    for each in resources.values():
        if each["Type"] == EVENT_SOURCE:
            function = each["Properties"]["FunctionName"]["Ref"].removesuffix(".Alias")
            each["Properties"]["FunctionName"] = {"Ref": function}
            each["Properties"]["ScalingConfig"]["MaximumConcurrency"] = max(2, os.cpu_count() or 2)
    return local


def limit_workers(local: Template, seconds: int) -> None:
    """Shortens each worker invocation and so each lease, so that a killed worker's job is free sooner."""
    for function in functions(local).values():
        if "ENGINES" in function["Properties"]["Environment"]["Variables"]:
            function["Properties"]["Timeout"] = seconds


def storage_only(template: Template) -> Template:
    """Only tables, bucket and queues, for tests with their own endpoint."""
    local = without_protection(template)
    resources = {name: each for name, each in local["Resources"].items() if each["Type"] in STORAGE}
    # No relay is there to be called.
    resources["FilesBucket"].pop("DependsOn")
    resources["FilesBucket"]["Properties"].pop("NotificationConfiguration")
    outputs = {name: each for name, each in local["Outputs"].items() if referenced(each["Value"]) in resources}
    kept = {name: local[name] for name in ("AWSTemplateFormatVersion", "Parameters", "Conditions")}
    return kept | {"Resources": resources, "Outputs": outputs}


def referenced(value: Template) -> str | None:
    """The resource in a `Ref` or `Fn::GetAtt`."""
    return value.get("Ref") or value.get("Fn::GetAtt", [None])[0]


def without_protection(template: Template) -> Template:
    local = deepcopy(template)
    local.pop("Rules", None)
    resources = local["Resources"]
    for name, each in list(resources.items()):
        for protection in ("DeletionPolicy", "UpdateReplacePolicy"):
            each.pop(protection, None)
        for protection in ("DeletionProtection", "DeletionProtectionEnabled"):
            each.get("Properties", {}).pop(protection, None)
        if each["Type"] in LEFT_OUT:
            del resources[name]
    outputs = local["Outputs"]
    local["Outputs"] = {name: each for name, each in outputs.items() if each.get("Condition") != "HasDomain"}
    return local


def with_address(value: Any, endpoint: str) -> Any:
    """Replaces the address that API Gateway would give the API."""
    match value:
        case {"Fn::GetAtt": ["Api", "ApiEndpoint"]}:
            return {"Fn::Sub": f"{endpoint}/_aws/execute-api/${{Api}}"}
        case dict():
            return {name: with_address(each, endpoint) for name, each in value.items()}
        case list():
            return [with_address(each, endpoint) for each in value]
        case _:
            return value


def use_zip(function: Template, code: str, network: str) -> None:
    function.pop("Metadata", None)
    properties = function["Properties"]
    if properties.pop("VpcConfig", None):
        properties["Environment"]["Variables"]["CONVERTER_NETWORK"] = network
    for name in ("PackageType", *GRADUAL):
        properties.pop(name, None)
    properties.update(CodeUri=code, Handler="bootstrap", Runtime="provided.al2023")


def plain_routes(name: str, function: Template) -> Template:
    """Removes a function's `HttpApi` events and returns equivalent resources."""
    events = function["Properties"].get("Events", {})
    routes: Template = {}
    for key in [key for key, event in events.items() if event["Type"] == "HttpApi"]:
        event = events.pop(key)["Properties"]
        integration = f"{name}{key}Integration"
        routes[integration] = {
            "Type": "AWS::ApiGatewayV2::Integration",
            "Properties": {
                "ApiId": event["ApiId"],
                "IntegrationType": "AWS_PROXY",
                "PayloadFormatVersion": "2.0",
                "IntegrationUri": {"Fn::GetAtt": [name, "Arn"]},
            },
        }
        routes[f"{name}{key}Route"] = {
            "Type": "AWS::ApiGatewayV2::Route",
            "Properties": {
                "ApiId": event["ApiId"],
                "RouteKey": f"{event['Method']} {event['Path']}" if "Path" in event else "$default",
                "Target": {"Fn::Sub": f"integrations/${{{integration}}}"},
            },
        }
    return routes
