"""What a document says and how: its blocks in reading order. The truth that everything is measured against."""

import html
import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path


class Role(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    TABLE = "table"
    CAPTION = "caption"
    CODE = "code"
    FOOTNOTE = "footnote"
    FIELD = "field"


# Page from 1; left, top, right and bottom in points from the page's upper left corner.
Box = tuple[int, float, float, float, float]


@dataclass
class Cell:
    """`columns` and `rows`: how many it spans."""

    text: str
    columns: int = 1
    rows: int = 1
    header: bool = False


@dataclass
class Block:
    """`level`: of a heading, from 1. `depth`: of an item, from 0. `number`: of an item in an ordered list. `boxes`: one a page, where
    they are known."""

    role: Role
    text: str = ""
    level: int = 0
    depth: int = 0
    number: int | None = None
    rows: list[list[Cell]] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)


@dataclass
class Document:
    """`kind`: the class of documents that it belongs to. `header` and `footer` repeat on each page, and are no blocks."""

    name: str
    kind: str
    language: str = "en"
    blocks: list[Block] = field(default_factory=list)
    header: str = ""
    footer: str = ""
    # Settings of the page that the kind asks for, such as columns: see `styles`.
    layout: dict = field(default_factory=dict)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), ensure_ascii=False, indent=1))

    @classmethod
    def load(cls, path: Path) -> "Document":
        data = json.loads(path.read_text())
        blocks = [Block(**{**block, "role": Role(block["role"]), "rows": _rows(block["rows"])}) for block in data.pop("blocks")]
        return cls(**data, blocks=blocks)

    def markdown(self) -> str:
        """As the published evaluator's truth is written: plain text, tables in HTML."""
        return "\n\n".join(_markdown(block) for block in self.blocks) + "\n"


def _rows(rows: list) -> list[list[Cell]]:
    return [[Cell(**cell) for cell in row] for row in rows]


def _markdown(block: Block) -> str:
    match block.role:
        case Role.HEADING:
            return f"{'#' * block.level} {block.text}"
        case Role.ITEM:
            marker = "-" if block.number is None else f"{block.number}."
            return f"{'    ' * block.depth}{marker} {block.text}"
        case Role.TABLE:
            return table(block.rows)
        case Role.CODE:
            return f"```\n{block.text}\n```"
        case Role.PARAGRAPH | Role.CAPTION | Role.FOOTNOTE | Role.FIELD:
            return block.text


def table(rows: list[list[Cell]]) -> str:
    written = ("".join(_cell(cell) for cell in row) for row in rows)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in written)}</table>"


def _cell(cell: Cell) -> str:
    name = "th" if cell.header else "td"
    spans = f' colspan="{cell.columns}"' if cell.columns > 1 else ""
    spans += f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
    return f"<{name}{spans}>{html.escape(cell.text, quote=False)}</{name}>"
