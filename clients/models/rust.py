"""Types in Rust, by typify. Enumerations are written here: typify's would refuse values that are added later."""

import copy
import json
import re
from pathlib import Path

from models.describe import Schema, references
from models.tools import installed, run

ORIGIN = "Generated from the API's description by clients/models."
OPTIONS = ["--no-builder", "--unknown-crates", "allow", "--map-type", "::std::collections::BTreeMap", "--additional-attr", "#[non_exhaustive]"]


# What a caller makes. All of it is optional in Rust, so that each type has a default to begin with; the API checks the rest.
REQUESTS = re.compile(r"\w+(Options|Request)|JobOutput|WebhookChange")

# Types are named as people write them.
SHORTER = {
    "::crate::models::": "super::",
    ":: std :: collections :: BTreeMap": "std::collections::BTreeMap",
    "::std::collections::BTreeMap": "std::collections::BTreeMap",
    "::std::option::Option": "Option",
    "::std::string::String": "String",
    "::std::vec::Vec": "Vec",
    "::chrono::DateTime<::chrono::offset::Utc>": "jiff::Timestamp",
    "::serde_json::": "serde_json::",
    ":: serde :: Deserialize, :: serde :: Serialize": "serde::Deserialize, serde::Serialize",
}


def write_types(models: dict[str, Schema], folder: Path) -> str:
    definitions = {name: definition(copy.deepcopy(schema), models) for name, schema in models.items() if "enum" not in schema}
    for name in requested(models):
        definitions[name].pop("required", None)
    (folder / "definitions.json").write_text(json.dumps({"definitions": definitions}))
    text = run([installed("typify"), "typify", str(folder / "definitions.json"), "--output", "-", *OPTIONS], "")
    text = re.sub(r"^#!\[.*\]\n", "", text, flags=re.MULTILINE)
    # typify's own error, which nothing uses.
    text = re.split(r'(?:///|#\[doc = r?") Error types\.', text)[0]
    for path, short in SHORTER.items():
        text = text.replace(path, short)
    return formatted(f"//! {ORIGIN}\n\n{text}")


def requested(models: dict[str, Schema]) -> set[str]:
    """The types of `REQUESTS` and those that they contain."""
    found: set[str] = set()
    waiting = [name for name in models if REQUESTS.fullmatch(name)]
    while waiting:
        name = waiting.pop()
        if name not in found and "enum" not in models[name]:
            found.add(name)
            waiting += [reference.rsplit("/", 1)[1] for reference in references(models[name])]
    return found


def definition(schema: Schema, models: dict[str, Schema]) -> Schema:
    """As JSON Schema, with the enumerations of `write_names`."""
    if "properties" in schema:
        # An absent list is an empty one.
        schema["required"] = [key for key in schema.get("required", []) if not may_be_empty(schema["properties"][key])]
        schema["properties"] = {key: definition(value, models) for key, value in schema["properties"].items()}
    if "items" in schema:
        schema["items"] = definition(schema["items"], models)
    if schema.get("format") in ("int64", "double"):
        schema["minimum"] = 0 if schema.pop("format") == "int64" else -1e9
    if schema.pop("nullable", False):
        schema["type"] = [schema["type"], "null"]
    if schema.pop("x-secret", False):
        return named_type(schema, "Secret")
    if "allOf" not in schema:
        return schema
    name = schema["allOf"][0]["$ref"].rsplit("/", 1)[1]
    if "enum" in models[name]:
        return named_type(schema, name)
    schema["allOf"] = [{"$ref": f"#/definitions/{name}"}]
    return schema


def may_be_empty(schema: Schema) -> bool:
    return schema.get("type") == "array" or (schema.get("type") == "object" and "properties" not in schema)


def named_type(schema: Schema, name: str) -> Schema:
    """A type that is not typify's."""
    text = {"description": schema["description"]} if "description" in schema else {}
    return {"type": "string", **text, "x-rust-type": {"crate": "crate", "version": "*", "path": f"crate::models::{name}"}}


def write_names(models: dict[str, Schema]) -> str:
    """Lists of names that may grow: `open_enums!` makes an enumeration of each."""
    parts = [f"//! {ORIGIN}", "", "super::open_enums! {"]
    for name, schema in models.items():
        if "enum" in schema:
            parts += [f"    /// {schema.get('description', 'One of the names that the API lists, or one that was added later.')}"]
            parts += [f"    {name} {{"]
            parts += [f"        {variant(value)} = {json.dumps(value)}," for value in schema["enum"]]
            parts += ["    }"]
    return formatted("\n".join([*parts, "}", ""]))


def variant(value: str) -> str:
    words = re.split(r"[^A-Za-z0-9]+", value)
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name if name[0].isalpha() else f"V{name}"


def formatted(text: str) -> str:
    return run(["rustfmt", "--edition", "2024", "--config-path", "rustfmt.toml"], text)
