"""Writes src/docmill/models.py from the API's description. Usage: generate_models.py OPENAPI_JSON TARGET

A type tells which properties there are. Which of them go together is for the API to say, so conditions are left out.
"""

import json
import re
import sys
import warnings
from pathlib import Path
from typing import Any

from datamodel_code_generator import Formatter, InputFileType, LiteralType, generate
from datamodel_code_generator.enums import DataModelType
from datamodel_code_generator.format import PythonVersion

CONDITIONS = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas")
ROOTS = ("Response", "Request", "Change", "Options", "Event", "FurtherSteps", "JobOutput")
REFERENCE = re.compile(r"#/components/schemas/(\w+)")
HEADER = '"""Generated from the API\'s description by scripts/generate_models.py: objects of the API, with its names."""\n'
Schema = dict[str, Any]


def schemas(description: Schema) -> dict[str, Schema]:
    """What clients read and write, without request bodies of jobs; the options of each tool have a type of their own."""
    described: dict[str, Schema] = description["components"]["schemas"]
    jobs = {name: schema for name, schema in described.items() if name.endswith("Job") and name != "Job"}
    bodies = {*jobs, "JobRequest", "ToolJobRequest"}
    kept = {name: schema for name, schema in described.items() if name not in bodies}
    for name, schema in jobs.items():
        options = schema["properties"].get("options", {"type": "object"})
        kept[name.removesuffix("Job") + "Options"] = {"description": f"Options of `{schema['title'].split()[0]}`."} | options
    return reachable({name: plain(schema, name) for name, schema in kept.items()})


def reachable(schemas: dict[str, Schema]) -> dict[str, Schema]:
    """What responses, requests and options consist of. Sources are given as paths and URLs, or as plain objects."""
    left = [name for name in schemas if name.endswith(ROOTS)]
    found: set[str] = set()
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += REFERENCE.findall(json.dumps(schemas[name]))
    return {name: schema for name, schema in schemas.items() if name in found}


def plain(schema: Any, name: str) -> Any:
    """Without conditions, and with a title for each object in it, which becomes the name of its type."""
    if isinstance(schema, list):
        return [plain(each, name) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in ("additionalProperties", "$schema", "title", "examples", "default")}
    if "properties" in schema:
        kept = {key: value for key, value in kept.items() if key not in CONDITIONS}
        kept["title"] = name
        kept["properties"] = {key: plain(value, name + capital(key)) for key, value in schema["properties"].items()}
    for key in ("items", "anyOf", "oneOf", "allOf"):
        if key in kept:
            kept[key] = numbered(kept[key], name) if key != "items" else plain(kept[key], singular(name))
    extra = schema.get("additionalProperties")
    if isinstance(extra, dict) or (extra is True and "properties" not in schema):
        kept["additionalProperties"] = plain(extra, name + "Value")
    return kept


def numbered(alternatives: list[Any], name: str) -> list[Any]:
    return [plain(each, f"{name}{number}" if len(alternatives) > 1 else name) for number, each in enumerate(alternatives, 1)]


def capital(name: str) -> str:
    return name[0].upper() + name[1:]


def singular(name: str) -> str:
    return name.removesuffix("s") if name.endswith("s") else name + "Item"


def main(source: str, target: str) -> None:
    # The API has formats of its own, which are checked there.
    warnings.simplefilter("ignore", UserWarning)
    description = json.loads(Path(source).read_text())
    document = {"openapi": "3.1.0", "info": {"title": "Docmill", "version": "1"}, "paths": {}, "components": {"schemas": schemas(description)}}
    written = Path(target)
    generate(
        json.dumps(document),
        input_file_type=InputFileType.OpenAPI,
        output=written,
        output_model_type=DataModelType.TypingTypedDict,
        target_python_version=PythonVersion.PY_310,
        enum_field_as_literal=LiteralType.All,
        use_title_as_name=True,
        use_double_quotes=True,
        use_schema_description=True,
        use_field_description=True,
        use_union_operator=False,
        disable_timestamp=True,
        formatters=[Formatter.BUILTIN],
    )
    text = re.sub(r"\A(#.*\n)+\n?", "", written.read_text())
    # Python 3.9 has it only there.
    text = text.replace(", TypeAlias", "").replace("from typing_extensions import", "from typing_extensions import TypeAlias,")
    written.write_text(HEADER + text)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
