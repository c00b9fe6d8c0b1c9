"""What each function may do: its own role and the policies that it shares, in one table. `make rights` writes `rights.txt`."""

from pathlib import Path
from typing import Any

from local import localize
from local.settings import ROOT

WRITTEN = Path(__file__).with_name("rights.txt")
HEAD = """\
# What each function may do: its own role and the policies that it shares with others. `make rights` writes this file, and
# `make check` compares it with template.yaml. Every function also writes its own log group.
"""


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def statements(template: localize.Template, function: localize.Template) -> list[localize.Template]:
    """A function's permissions: first those of its own role, then those that it shares with others."""
    resources = template["Resources"]
    role = resources[function["Properties"]["Role"]["Fn::GetAtt"][0]]["Properties"]
    shared = [resources[policy["Ref"]]["Properties"] for policy in role.get("ManagedPolicyArns", [])]
    return [each for policy in [*role["Policies"], *shared] for each in policy["PolicyDocument"]["Statement"]]


def named(resource: localize.Template) -> str:
    """`JobsTable/index/open` or `FilesBucket/uploads/*`."""
    match resource:
        case "*":
            return "everything"
        case {"Fn::GetAtt": [str(name), "Arn"]}:
            return name
        # A list that a parameter has, or nothing.
        case {"Fn::Split": [",", {"Fn::If": [_, {"Ref": str(name)}, _]}]}:
            return name
        case {"Fn::Sub": str(text)}:
            return text.replace("${", "").replace(".Arn}", "")
        case _:
            raise ValueError(f"a resource that is not one of this stack: {resource}")


def of_function(template: localize.Template, function: localize.Template) -> list[str]:
    allowed: dict[str, set[str]] = {}
    for statement in statements(template, function)[1:]:
        condition = f" if {statement['Condition']}" if "Condition" in statement else ""
        condition += ", denied" if statement["Effect"] == "Deny" else ""
        for resource in listed(statement["Resource"]):
            actions = {action.split(":")[1] for action in listed(statement["Action"])}
            allowed.setdefault(named(resource) + condition, set()).update(actions)
    return [f"  {resource}: {' '.join(sorted(actions))}" for resource, actions in sorted(allowed.items())]


def table(template: localize.Template) -> str:
    parts = [[name, *of_function(template, each)] for name, each in localize.functions(template).items()]
    return "\n".join([HEAD, *("\n".join(part) + "\n" for part in parts)])


if __name__ == "__main__":
    WRITTEN.write_text(table(localize.load(ROOT / "template.yaml")))
