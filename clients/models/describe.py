"""The types of the clients in Go and Rust, as plain schemas: what the API's description says, without what only a server checks.

Generators read few of JSON Schema's words well. So each object and each enumeration gets a name, what is checked on the server (sizes,
patterns, combinations) is left out, and a value of several types is any value. Defaults become text: what a request leaves out is not sent.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Schema = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
DESCRIPTION = ROOT / "functions/api-docs/openapi.json"

# Written by hand in each language: requests that create jobs, and their sources.
BY_HAND = re.compile(r"^(JobRequest|ToolJobRequest|\w+(Input|Sources|Source|Job)|One\w+|StoredTemplate)$")
# Errors are a type of the client. Webhooks and the list of events have one type: a webhook's id is in its headers.
RENAMED = {"Error": "ErrorBody", "ListedEvent": "Event", "Step": "CompletedStep"}
LEFT_OUT = {"Event", "ErrorResponse"}
# A job in an event has no request.
NOT_ALWAYS_THERE = {"Job": {"input", "options"}}
# Better names than those of places, and one for types that are the same in several places.
NAMES = {
    "ErrorBodyCode": "ErrorCode",
    "ErrorBodyDetail": "ErrorDetail",
    "JobThenItem": "RequestedStep",
    "UsageByToolItem": "UsageOfTool",
    **{f"UsageOfDays{each}Jobs": "UsageJobs" for each in ("Row", "Total")},
    **{f"UsageOfDays{each}Credits": "CreditsOfDays" for each in ("Row", "Total")},
    **{f"Webhook{each}Signature": "WebhookSignature" for each in ("Change", "Request")},
    **{f"Webhook{each}Status": "WebhookStatus" for each in ("Change", "Request")},
    "HtmlToImageOptionsEmulateItem": "EmulatedFeature",
    "HtmlToPdfOptionsEmulateItem": "EmulatedFeature",
}

# Never shown when a program prints them: passwords, secrets and signed links.
SECRETS = {"password", "ownerPassword", "userPassword", "secret", "Download.url", "Upload.url", "JobOutput.putUrl"}


def models() -> dict[str, Schema]:
    """All types by name, in the order of their names."""
    schemas = json.loads(DESCRIPTION.read_text())["components"]["schemas"]
    for name, absent in NOT_ALWAYS_THERE.items():
        schemas[name]["required"] = [each for each in schemas[name]["required"] if each not in absent]
    found: dict[str, Schema] = {}
    for name, schema in schemas.items():
        if name == "Job" or not BY_HAND.match(name):
            if name not in LEFT_OUT:
                Simplifier(schemas, found).named(RENAMED.get(name, name), schema)
    for name, schema in schemas.items():
        if name != "Job" and name.endswith("Job"):
            Simplifier(schemas, found).named(name.removesuffix("Job") + "Options", schema["properties"]["options"])
    if "JobWebhookRequest" not in found:
        Simplifier(schemas, found).named("JobWebhookRequest", schemas["OfficeToPdfJob"]["properties"]["webhook"])
    return {name: found[name] for name in sorted(found) if name in reachable(found)}


def reachable(found: dict[str, Schema]) -> set[str]:
    """The types that a caller meets: objects, and what these refer to."""
    names = {name for name, schema in found.items() if schema.get("properties")}
    return names | {reference.rsplit("/", 1)[1] for name in names for reference in references(found[name])}


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


class Simplifier:
    """Adds simple schemas to `found`."""

    def __init__(self, schemas: dict[str, Schema], found: dict[str, Schema]) -> None:
        self.schemas = schemas
        self.found = found

    def named(self, name: str, schema: Schema) -> None:
        simple = self.simple(name, schema, inline=True)
        if simple.get("properties"):
            self.found[name] = simple

    def simple(self, name: str, schema: Schema, inline: bool = False) -> Schema:
        """`name` is that of the type, if it gets one; `inline`: return it, instead of a reference to it."""
        if "$ref" in schema:
            referred = schema["$ref"].rsplit("/", 1)[1]
            described = {**self.schemas[referred], **{key: value for key, value in schema.items() if key != "$ref"}}
            return self.simple(RENAMED.get(referred, referred), described)
        text = describe(schema)
        kind = schema.get("type")
        if isinstance(kind, list) and len(kind) == 2 and "null" in kind:
            other = next(each for each in kind if each != "null")
            return {**self.simple(name, {**schema, "type": other}), "nullable": True}
        if kind == "object" and schema.get("properties"):
            simple = {"type": "object", **text, "required": list(schema.get("required", []))}
            simple["properties"] = {
                key: self.simple(name + key[0].upper() + key[1:], value) for key, value in schema["properties"].items()
            }
            for key, value in simple["properties"].items():
                if {key, f"{name}.{key}"} & SECRETS:
                    value["x-secret"] = True
            if not simple["required"]:
                del simple["required"]
            return simple if inline else self.add(name, simple, text)
        if kind == "object":
            values = schema.get("additionalProperties")
            simple = self.simple(name + "Value", values) if isinstance(values, dict) else {}
            return {"type": "object", **text, "additionalProperties": simple or True}
        if kind == "array":
            item = name if name.endswith("Item") else name + "Item"
            return {"type": "array", **text, "items": self.simple(singular(item), schema["items"])}
        if kind == "string" and "enum" in schema:
            return self.add(name, {"type": "string", **text, "enum": schema["enum"]}, text)
        if kind == "string":
            return {"type": "string", **text, **({"format": "date-time"} if schema.get("format") == "date-time" else {})}
        if kind == "integer":
            return {"type": "integer", **text, "format": "int64"}
        if kind == "number":
            return {"type": "number", **text, "format": "double"}
        if kind == "boolean":
            return {"type": "boolean", **text}
        return text

    def add(self, name: str, simple: Schema, text: Schema) -> Schema:
        """The same enumeration or object at several places is one type."""
        name = NAMES.get(name, name)
        known = self.found.setdefault(name, simple)
        if {**known, "description": ""} != {**simple, "description": ""}:
            raise ValueError(f"two different types are called {name}")
        return {"allOf": [{"$ref": f"#/components/schemas/{name}"}], **text}


def singular(name: str) -> str:
    """`UsageRowsItem` is a `UsageRow`."""
    stem = name.removesuffix("Item")
    return stem[:-1] if stem.endswith("s") else name


def describe(schema: Schema) -> Schema:
    sentences = [schema["description"]] if "description" in schema else []
    default = schema.get("default")
    if default is not None and default not in ([], {}):
        sentences.append(f"By default: {json.dumps(default, ensure_ascii=False)}.")
    return {"description": " ".join(sentences)} if sentences else {}
