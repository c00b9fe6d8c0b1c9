"""Writes a document as a page of HTML. Each text is a link, whose place in the printed file tells where its block is."""

import html

from .styles import style
from .truth import Block, Document, Role

# Followed by the number of the block.
ADDRESS = "https://block.invalid/"
FIGURE = '<figure><svg width="240" height="90"><rect x="10" y="20" width="60" height="60" fill="#9ab"/><circle cx="140" cy="50" r="36" fill="#cba"/></svg></figure>'


def page(document: Document) -> str:
    layout = document.layout
    look = style(document.name, layout.get("columns", 1), layout.get("tables", "any"), landscape=layout.get("landscape", False))
    body = "\n".join(_Writer(document).lines())
    direction = ' dir="rtl"' if document.language in ("ar", "he") else ""
    css = look.replace("text-align: left", "text-align: start")
    return f'<!DOCTYPE html><html lang="{document.language}"{direction}><meta charset="utf-8"><style>\n{css}\n</style><body>\n{body}\n</body></html>'


class _Writer:
    def __init__(self, document: Document):
        self.document = document
        # The tags of the lists that are open.
        self.open: list[str] = []
        self.in_notes = False

    def lines(self):
        columns = self.document.layout.get("columns", 1) > 1
        for index, block in enumerate(self.document.blocks):
            yield from self.between(block, index)
            if columns and index > 0 and block.role == Role.HEADING and block.level == 2:
                yield '<div class="columns">'
                columns = False
            yield self.block(index, block)
        yield from self.close_lists(0)
        yield "</div>"

    def between(self, block: Block, index: int):
        """Ends of lists and pages."""
        depth = block.depth + 1 if block.role == Role.ITEM else 0
        yield from self.close_lists(depth)
        is_note = block.role == Role.FOOTNOTE
        if is_note and not self.in_notes:
            yield '<div class="footnotes">'
        if self.in_notes and not is_note:
            yield "</div>"
        self.in_notes = is_note
        if self.document.layout.get("breaks") and block.role == Role.HEADING:
            yield ("</section>" if index else "") + '<section class="page">'

    def close_lists(self, depth: int):
        while len(self.open) > depth:
            yield f"</{self.open.pop()}>"

    def block(self, index: int, block: Block) -> str:
        text = self.link(index, block.text)
        match block.role:
            case Role.HEADING:
                return f"<h{block.level}>{text}</h{block.level}>"
            case Role.PARAGRAPH | Role.FOOTNOTE:
                return f"<p>{text}</p>"
            case Role.CAPTION:
                return (FIGURE if block.text.startswith("Figure") else "") + f'<p class="caption">{text}</p>'
            case Role.CODE:
                return f"<pre>{text}</pre>"
            case Role.FIELD:
                label, value = block.text.split(": ", 1)
                return f'<p class="field"><b>{self.link(index, label + ":")}</b><i>{self.link(index, value)}</i></p>'
            case Role.ITEM:
                return self.item(text, block)
            case Role.TABLE:
                return self.table(index, block)

    def item(self, text: str, block: Block) -> str:
        tag = "ul" if block.number is None else "ol"
        start = ""
        if len(self.open) == block.depth + 1 and self.open[-1] != tag:
            start = f"</{self.open.pop()}>"
        while len(self.open) < block.depth + 1:
            self.open.append(tag)
            start += f"<{tag}>"
        value = f' value="{block.number}"' if block.number else ""
        return f"{start}<li{value}>{text}</li>"

    def table(self, index: int, block: Block) -> str:
        heads = 2 if any(cell.header for cell in block.rows[1]) else 1
        rows = []
        for row in block.rows:
            cells = []
            for cell in row:
                tag = "th" if cell.header else "td"
                spans = f' colspan="{cell.columns}" rowspan="{cell.rows}"'
                name = ' class="number"' if cell.text[:1].isdigit() else ""
                cells.append(f"<{tag}{spans}{name}>{self.link(index, cell.text)}</{tag}>")
            rows.append(f"<tr>{''.join(cells)}</tr>")
        return f"<table><thead>{''.join(rows[:heads])}</thead><tbody>{''.join(rows[heads:])}</tbody></table>"

    def link(self, index: int, text: str) -> str:
        """A note's mark is raised."""
        block = self.document.blocks[index]
        written = html.escape(text)
        if block.role == Role.PARAGRAPH and self.document.kind == "footnotes":
            base = text.rstrip("0123456789")
            if base.endswith((".", "?")) and base != text:
                written = f"{html.escape(base)}<sup>{text[len(base):]}</sup>"
        return f'<a href="{ADDRESS}{index}">{written}</a>' if text else ""
