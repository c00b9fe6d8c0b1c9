"""The scores of opendataloader-bench, from its definitions: reading order (NID), tables (TEDS) and headings (MHS).

All compare Markdown, in which tables may be pipe tables or HTML. All are from 0 to 1. The levels of headings make no difference to MHS.
"""

import html
import re
from dataclasses import dataclass, field

from apted import APTED, Config
from lxml import etree
from lxml import html as documents
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

HEADING = re.compile(r"#{1,6}\s+(.*)")
TABLE = re.compile(r"<table[^>]*>.*?</table>", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Scores:
    """`None` where the truth has no table or no heading."""

    order: float
    tables: float | None
    headings: float | None

    @property
    def overall(self) -> float:
        known = [score for score in (self.order, self.tables, self.headings) if score is not None]
        return sum(known) / len(known)


def score(truth: str, read: str) -> Scores:
    truth, read = (html_tables(text) for text in (truth, read))
    return Scores(order(truth, read), tables(truth, read), headings(truth, read))


def order(truth: str, read: str) -> float:
    """The share of characters that two texts have in common, in the same order: twice the longest common subsequence to both lengths."""
    return fuzz.ratio(_normal(truth), _normal(read)) / 100


@dataclass
class Node:
    """`tag` is the kind, and `spans` must be equal. `text` is compared by its edit distance."""

    tag: str
    text: str = ""
    spans: tuple[int, int] = (1, 1)
    children: list["Node"] = field(default_factory=list)

    def count(self) -> int:
        return 1 + sum(child.count() for child in self.children)


class Costs(Config):
    """An edit costs 1, and other text as much as the share of it that differs."""

    def rename(self, node1: Node, node2: Node) -> float:
        if (node1.tag, node1.spans) != (node2.tag, node2.spans):
            return 1.0
        longest = max(len(node1.text), len(node2.text))
        return Levenshtein.distance(node1.text, node2.text) / longest if longest else 0.0


def tables(truth: str, read: str) -> float | None:
    """All tables of a document, compared as the children of one root."""
    expected, found = _tables(truth), _tables(read)
    if not expected.children:
        return None
    if not found.children:
        return 0.0
    # The root is not counted, as in the publication.
    most = max(expected.count(), found.count()) - 1
    return max(0.0, 1.0 - _distance(expected, found) / most)


def headings(truth: str, read: str) -> float | None:
    """Headings of any level, each with the text below it."""
    expected, found = _sections(truth), _sections(read)
    if not _has_headings(expected):
        return None
    if not _has_headings(found):
        return 0.0
    return max(0.0, 1.0 - _distance(expected, found) / max(expected.count(), found.count()))


def _distance(a: Node, b: Node) -> float:
    return APTED(a, b, Costs()).compute_edit_distance()


def _has_headings(sections: Node) -> bool:
    return any(child.tag == "heading" for child in sections.children)


def _tables(markdown: str) -> Node:
    root = Node("tables")
    for match in TABLE.findall(markdown):
        root.children.append(_tree(documents.fromstring(match)))
    return root


def _tree(element: etree._Element) -> Node:
    if element.tag in ("td", "th"):
        spans = tuple(int(element.get(name, "1")) for name in ("colspan", "rowspan"))
        return Node("td", _normal(" ".join(element.itertext())), spans)
    children = [child for part in element for child in (part if part.tag in ("thead", "tbody", "tfoot") else [part])]
    return Node(element.tag, children=[_tree(child) for child in children if isinstance(child.tag, str)])


def _sections(markdown: str) -> Node:
    root = Node("document")
    section, lines = root, []

    def flush() -> None:
        if text := _normal(" ".join(lines)):
            section.children.append(Node("content", text))
        lines.clear()

    for line in markdown.splitlines():
        if match := HEADING.fullmatch(line):
            flush()
            section = Node("heading", _normal(match[1]))
            root.children.append(section)
        else:
            lines.append(line)
    flush()
    return root


def html_tables(markdown: str) -> str:
    """The Markdown with its pipe tables as HTML."""
    lines, written, at = markdown.splitlines(), [], 0
    while at < len(lines):
        head, rule = _row(lines[at]), _row(lines[at + 1]) if at + 1 < len(lines) else []
        if not head or not rule or not all(re.fullmatch(r"[\s:-]*[:-][\s:-]*", cell) for cell in rule):
            written.append(lines[at])
            at += 1
            continue
        width = max(len(head), len(rule))
        rows, at = [head], at + 2
        while at < len(lines) and (row := _row(lines[at])):
            rows.append(row)
            at += 1
        rows = [_of_width(row, width) for row in rows]
        if not any(rows[0]) and len(rows) > 1:
            rows.pop(0)
        written.append(_html(rows))
    return "\n".join(written)


def _row(line: str) -> list[str]:
    """The cells of a line of a pipe table. None without a pipe."""
    line = line.strip()
    if "|" not in line:
        return []
    return [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]


def _of_width(row: list[str], width: int) -> list[str]:
    if len(row) == 3 and width > 3:
        # The middle one spans the others, as in the publication.
        return [row[0], *[row[1]] * (width - 2), row[2]]
    return (row + [""] * width)[:width]


def _html(rows: list[list[str]]) -> str:
    cells = (("th" if index == 0 else "td", row) for index, row in enumerate(rows))
    written = ("".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) for tag, row in cells)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in written)}</table>"


def _normal(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
