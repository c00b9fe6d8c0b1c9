"""Types in Go, by oapi-codegen."""

import copy
import json
from pathlib import Path

from models.describe import Schema
from models.tools import installed, run

CONFIGURATION = {
    "package": "docmill",
    "generate": {"models": True},
    "compatibility": {"always-prefix-enum-values": True},
    "output-options": {"skip-prune": True, "name-normalizer": "ToCamelCaseWithInitialisms", "additional-initialisms": ["PDF"]},
}
# Zero stands for their absence, so that they need no pointer.
NO_POINTER = {"string", "array"}


def write(models: dict[str, Schema], folder: Path) -> str:
    schemas = copy.deepcopy(models)
    for schema in schemas.values():
        for value in schema.get("properties", {}).values():
            if needs_no_pointer(value, models):
                value["x-go-type-skip-optional-pointer"] = True
            if value.get("x-secret"):
                value["x-go-type"] = "Secret"
    description = {"openapi": "3.0.3", "info": {"title": "Docmill", "version": "1"}, "paths": {}, "components": {"schemas": schemas}}
    (folder / "models.json").write_text(json.dumps(description))
    (folder / "configuration.yaml").write_text(json.dumps(CONFIGURATION))
    tool = installed("oapi-codegen")
    text = run([tool, "-config", str(folder / "configuration.yaml"), str(folder / "models.json")], "")
    # What the package is for is said in doc.go.
    return "// Code generated" + text.split("// Code generated", 1)[1]


def needs_no_pointer(value: Schema, models: dict[str, Schema]) -> bool:
    if "allOf" in value:
        referred = models[value["allOf"][0]["$ref"].rsplit("/", 1)[1]]
        return "enum" in referred
    if value.get("type") == "object":
        return not value.get("properties")
    return value.get("format") != "date-time" and (value.get("type") in NO_POINTER or "type" not in value) and not value.get("nullable")
