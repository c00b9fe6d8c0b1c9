"""Real documents of public licences, whose structure their Markdown tells: the project's guides, and pages of pinned packages."""

from importlib import metadata
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from .truth import Block, Cell, Document, Role

GUIDES = Path(__file__).resolve().parents[2] / "functions/api-docs/guides"
# Apache-2.0, like the project.
OUR_OWN = ["chains", "fonts", "idempotency", "limits", "uploads", "waiting", "webhooks", "authentication", "archives", "versions"]
# The descriptions of packages of the benchmark's environment, with their licences.
PACKAGES = {
    "rich": "MIT",
    "weasyprint": "BSD-3-Clause",
    "python-docx": "MIT",
    "xlsxwriter": "BSD-2-Clause",
    "markdown-it-py": "MIT",
    "fonttools": "MIT",
    "pydantic": "MIT",
    "attrs": "MIT",
    "img2pdf": "LGPL-3.0, only printed",
    "uharfbuzz": "Apache-2.0",
}
MOST_BLOCKS = 60


def texts() -> dict[str, str]:
    """By the name of the document."""
    found = {f"guide-{name}": (GUIDES / f"{name}.md").read_text() for name in OUR_OWN}
    for name in PACKAGES:
        described = metadata.metadata(name)
        if described.get("Description-Content-Type", "").startswith("text/markdown"):
            found[f"package-{name}"] = described.get_payload() or described["Description"]
    return found


def real() -> list[Document]:
    documents = [Document(f"real-{name}", "real", blocks=blocks(text)[:MOST_BLOCKS]) for name, text in texts().items()]
    return [document for document in documents if document.blocks]


def blocks(markdown: str) -> list[Block]:
    root = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(markdown))
    return [block for node in root.children for block in _blocks(node, 0)]


def _blocks(node: SyntaxTreeNode, depth: int) -> list[Block]:
    match node.type:
        case "heading":
            return _with_text(Block(Role.HEADING, _text(node), level=int(node.tag[1])))
        case "paragraph":
            return _with_text(Block(Role.PARAGRAPH, _text(node)))
        case "fence" | "code_block":
            return _with_text(Block(Role.CODE, node.content.rstrip("\n").replace("\t", "    ")))
        case "bullet_list" | "ordered_list":
            return _items(node, depth)
        case "table":
            return [Block(Role.TABLE, rows=_rows(node))]
        case "blockquote":
            return [block for child in node.children for block in _blocks(child, depth)]
        case _:
            # Rules and HTML say nothing.
            return []


def _items(node: SyntaxTreeNode, depth: int) -> list[Block]:
    found = []
    first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
    for index, item in enumerate(node.children):
        number = None if first is None else first + index
        for child in item.children:
            if child.type == "paragraph" and child is item.children[0]:
                found += _with_text(Block(Role.ITEM, _text(child), depth=depth, number=number))
            else:
                found += _blocks(child, depth + 1)
    return found


def _rows(node: SyntaxTreeNode) -> list[list[Cell]]:
    return [[Cell(_text(cell), header=cell.type == "th") for cell in row.children] for part in node.children for row in part.children]


def _with_text(block: Block) -> list[Block]:
    return [block] if block.text else []


def _text(node: SyntaxTreeNode) -> str:
    """Without markup. Pictures say nothing."""
    if node.type in ("text", "code_inline"):
        return node.content
    if node.type in ("softbreak", "hardbreak"):
        return " "
    if node.type in ("image", "html_inline"):
        return ""
    return "".join(_text(child) for child in node.children).strip() if node.type != "inline" else "".join(map(_text, node.children)).strip()
