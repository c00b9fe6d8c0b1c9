"""What deployments read from and write into templates."""

from copy import deepcopy
from typing import Any

from local.localize import Template, functions

# What holds data or keys of data, with the name by which CloudFormation imports it.
IDENTIFIERS = {
    "AWS::DynamoDB::Table": "TableName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::Cognito::UserPool": "UserPoolId",
    "AWS::SecretsManager::Secret": "Id",
}


def data(template: Template) -> dict[str, str]:
    """The kinds of what is kept when the stack is deleted, by logical name."""
    kept = {name: each for name, each in template["Resources"].items() if each["Type"] in IDENTIFIERS}
    return {name: each["Type"] for name, each in kept.items()}


def images(template: Template) -> set[str]:
    """The image addresses of all functions, before and after the SAM transform."""
    properties = [each.get("Properties", {}) for each in template["Resources"].values()]
    found = [each.get("ImageUri") or (each.get("Code") or {}).get("ImageUri") for each in properties if isinstance(each, dict)]
    return {each for each in found if isinstance(each, str)}


def code(template: Template) -> set[str]:
    """The S3 addresses of all functions' packages, as `sam package` writes them."""
    return {each["Properties"]["CodeUri"] for each in functions(template).values() if "CodeUri" in each["Properties"]}


def pinned(template: Template, digests: dict[str, str], version: str) -> Template:
    """The packaged template with images by digest, since a tag may be moved, and the version as an output."""
    result = deepcopy(template)
    for each in functions(result).values():
        if address := each["Properties"].get("ImageUri"):
            each["Properties"]["ImageUri"] = digests[address]
    result["Outputs"]["DocmillVersion"] = {"Description": "Release that is deployed", "Value": version}
    return result


def with_numbers(template: Template, values: dict[str, str]) -> Template:
    """The template with the values of routes' limits. CloudFormation turns a parameter of the type Number into text where it is referred
    to, and does not know that these settings are numbers: to CloudFormation, they are just JSON."""
    numbers = {name: float(values[name]) for name, each in template["Parameters"].items() if each["Type"] == "Number" and name in values}
    result = deepcopy(template)
    for each in result["Resources"].values():
        if each["Type"] != "AWS::Serverless::HttpApi":
            continue
        for limits in each["Properties"].get("RouteSettings", {}).values():
            for name, value in limits.items():
                if isinstance(value, dict) and value.get("Ref") in numbers:
                    number = numbers[value["Ref"]]
                    limits[name] = int(number) if number.is_integer() else number
    return result


def with_data_of(template: Template, present: Template) -> Template:
    """An earlier template with the tables and the like that only the present one has: their data must stay in the stack."""
    result = deepcopy(template)
    added = data(present).keys() - data(template).keys()
    result["Resources"] |= {name: deepcopy(present["Resources"][name]) for name in added}
    for part in ("Parameters", "Conditions") if added else ():
        result[part] = deepcopy(present.get(part, {})) | result.get(part, {})
    return result


def of_import(template: Template, names: dict[str, str]) -> Template:
    """A template of just these resources. An import may create nothing and have no outputs, and what it imports must be kept."""
    resources = {name: deepcopy(template["Resources"][name]) for name in names}
    for each in resources.values():
        each["DeletionPolicy"] = "Retain"
        # The relay's queue is created only afterwards.
        each.pop("DependsOn", None)
        each["Properties"].pop("NotificationConfiguration", None)
    kept = {part: deepcopy(template[part]) for part in ("AWSTemplateFormatVersion", "Parameters", "Conditions") if part in template}
    return kept | {"Description": "What an earlier stack of Docmill left", "Resources": resources}


def to_import(template: Template, names: dict[str, str]) -> list[dict[str, Any]]:
    """`ResourcesToImport` of a change set. `names`: physical by logical."""
    kinds = data(template)
    return [
        {"LogicalResourceId": name, "ResourceType": kinds[name], "ResourceIdentifier": {IDENTIFIERS[kinds[name]]: physical}}
        for name, physical in sorted(names.items())
    ]
