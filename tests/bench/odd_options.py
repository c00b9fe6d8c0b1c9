"""Valid options that nobody chooses: any text for each text, and the ends of each range. Made from the schemas that are enforced."""

import json
import random
from functools import cache
from pathlib import Path

from jsonschema import Draft202012Validator

TOOLS = Path(__file__).parents[2] / "shared/tools"
TEXTS = [
    "🍺 👨‍👩‍👧‍👦 🇨🇭 👍🏽",
    "שלום עולם 123 مرحبا بالعالم",
    "日本語 한국어 中文 Ελλάδα Привет",
    "हिन्दी ไทย தமிழ் ខ្មែរ မြန်မာ",
    "Z̸̢͝a̷̛͘l̶̕g̵o e\u0301\u0323 \u202eturned\u202c",
    "\U0010fffd\ue000 \ufffd \U000e0041 \u2028",
    "<b>&amp;</b> {page}{{x}} %s ${y} ../../etc (\\) \"'",
    "a" * 300,
    " ",
]
# Formats that only the service checks.
FORMED = {"page-range": ["1", "r1", "z-1", "1,z"], "filename": TEXTS[:4]}
# What redact-pdf looks for: much of a page, or nothing.
PATTERNS = [r"\w+", ".", r"(?i)the|\d", r"[a-e]{2,}", r"\p{L}\p{M}*", "🍺|\u202e", r"\S+ \S+"]
# What the tools need beside their options: a second source, templates' data, addresses.
WITHOUT = {"compare-documents", "render-template", "merge-pdf", "html-to-image", "fill-form"}


@cache
def for_kind(kind: str) -> list[str]:
    """The tools that take files of this kind, which is a format or a family."""
    definitions = [json.loads(path.read_text()) for path in sorted(TOOLS.glob("*.json")) if "." not in path.stem]
    return [each["slug"] for each in definitions if kind in each["sources"]["formats"] and each["slug"] not in WITHOUT]


def odd(tool: str, seed: str) -> dict:
    """Options of a tool, the same for the same seed."""
    chance = random.Random(f"{tool} {seed}")
    validator = _validator(tool)
    schema = validator.schema
    for share in (0.9, 0.6, 0.3, 0.3, 0.2):
        named = schema["properties"].items()
        options = {name: _value(part, chance, 0) for name, part in named if chance.random() < share or name in schema.get("required", [])}
        options = {name: value for name, value in options.items() if validator.evolve(schema=schema["properties"][name]).is_valid(value)}
        # Few documents have a last possible page.
        options |= {"page": 1} if "page" in options else {}
        if tool == "watermark-pdf" and "stamps" not in options:
            options["text"] = chance.choice(TEXTS[:-1])
        if tool == "redact-pdf":
            _aim(options, chance)
        if validator.is_valid(options):
            return options
    return _least(tool)


@cache
def _validator(tool: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((TOOLS / f"{tool}.options.json").read_text()) | {"type": "object"})


def _aim(options: dict, chance: random.Random) -> None:
    """Makes regions that are on a page and not empty, and patterns that find something: others are refused before the file is read."""
    for region in options.get("regions", []):
        (left, right), (top, bottom) = (sorted(chance.choice([(0, 14400), (-14400, 200), (90, 91.5)])) for _ in "xy")
        region |= {"page": 1, "box": [left, top, right, bottom]}
    if not options.get("regions") or chance.random() < 0.6:
        sought = [{"pattern": chance.choice(PATTERNS)}, {"literal": chance.choice(TEXTS[:-1])}, chance.choice(TEXTS[:-1])]
        options["text"] = chance.sample(sought, chance.randint(1, len(sought)))


def _least(tool: str) -> dict:
    """What a tool can't do without."""
    return {"watermark-pdf": {"text": TEXTS[0]}, "redact-pdf": {"text": TEXTS[:2]}, "protect-pdf": {"userPassword": TEXTS[0]}}.get(tool, {})


def _value(schema: dict, chance: random.Random, depth: int) -> object:
    for choices in ("oneOf", "anyOf"):
        if "properties" not in schema and isinstance(schema.get(choices), list):
            return _value(chance.choice(schema[choices]), chance, depth)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "boolean":
            return chance.random() < 0.5
        case "integer" | "number":
            ends = [schema.get("minimum", -1_000_000), schema.get("maximum", 1_000_000)]
            return chance.choice(ends)
        case "array":
            most = min(schema.get("maxItems", 3), 3)
            return [_value(schema.get("items", {}), chance, depth + 1) for _ in range(max(most, schema.get("minItems", 0)))]
        case "object":
            named = schema.get("properties", {}).items()
            chosen = [(name, part) for name, part in named if chance.random() < 0.5 or name in schema.get("required", [])]
            return {name: _value(part, chance, depth + 1) for name, part in chosen} if depth < 4 else {}
        case _:
            given = schema.get("examples", []) + ([schema["default"]] if "default" in schema else [])
            formed = "pattern" in schema or "format" in schema
            choices = FORMED.get(schema.get("format", ""), given if formed else TEXTS)
            return chance.choice(choices)[: schema.get("maxLength", 300)] if choices else None
