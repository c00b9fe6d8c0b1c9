"""The classes of documents. Each writes a document of its class from a seed."""

from collections.abc import Callable, Iterator

from . import tables
from .prose import Prose
from .truth import Block, Document, Role

Blocks = Iterator[Block]


def heading(prose: Prose, level: int) -> Block:
    return Block(Role.HEADING, prose.title(), level=level)


def paragraph(prose: Prose, least: int = 2, most: int = 6) -> Block:
    return Block(Role.PARAGRAPH, prose.paragraph(least, most))


def sections(prose: Prose, count: int, paragraphs: int = 3, deepest: int = 3) -> Blocks:
    for _ in range(count):
        yield heading(prose, 2)
        for _ in range(prose.random.randint(1, paragraphs)):
            yield paragraph(prose)
        if deepest > 2 and prose.random.random() < 0.4:
            yield heading(prose, 3)
            yield paragraph(prose)


def caption(prose: Prose, kind: str, number: int) -> Block:
    return Block(Role.CAPTION, f"{kind} {number}: {prose.phrase(3, 9)}")


def items(prose: Prose, ordered: bool, depth: int = 0) -> Blocks:
    for number in range(1, prose.random.randint(3, 5) + 1):
        text = prose.phrase(3, 8) if prose.random.random() < 0.6 else prose.paragraph(1, 2)
        yield Block(Role.ITEM, text, depth=depth, number=number if ordered else None)
        if depth < 2 and prose.random.random() < 0.35:
            yield from items(prose, prose.random.random() < 0.4, depth + 1)


CODE = [
    "def total(rows):\n    result = 0\n    for row in rows:\n        result += row.amount\n    return result",
    "$ make setup\n$ make run\nlistening on port 8080",
    "{\n  \"name\": \"report\",\n  \"pages\": [1, 2, 3]\n}",
    "fn main() {\n    let words = read();\n    println!(\"{}\", words.len());\n}",
    "SELECT name, sum(amount)\nFROM orders\nWHERE year = 2026\nGROUP BY name;",
]


def article(prose: Prose) -> Blocks:
    yield heading(prose, 1)
    yield from sections(prose, prose.random.randint(3, 6))


def two_columns(prose: Prose) -> Blocks:
    yield heading(prose, 1)
    yield paragraph(prose, 1, 2)
    yield from sections(prose, prose.random.randint(5, 8))


def three_columns(prose: Prose) -> Blocks:
    yield heading(prose, 1)
    yield from sections(prose, prose.random.randint(6, 9), deepest=2)


def some_tables(make: Callable[[Prose], Block]) -> Callable[[Prose], Blocks]:
    def blocks(prose: Prose) -> Blocks:
        yield heading(prose, 1)
        yield paragraph(prose)
        for number in range(1, prose.random.randint(2, 3) + 1):
            if prose.random.random() < 0.6:
                yield heading(prose, 2)
                yield paragraph(prose, 1, 3)
            with_caption = prose.random.random() < 0.6
            above = prose.random.random() < 0.5
            if with_caption and above:
                yield caption(prose, "Table", number)
            yield make(prose)
            if with_caption and not above:
                yield caption(prose, "Table", number)
            yield paragraph(prose, 1, 3)

    return blocks


def any_merged(prose: Prose) -> Block:
    return (tables.merged if prose.random.random() < 0.6 else tables.grouped)(prose)


def long_table(prose: Prose) -> Blocks:
    yield heading(prose, 1)
    yield paragraph(prose)
    yield tables.plain(prose, columns=prose.random.randint(3, 5), rows=prose.random.randint(38, 52), text=False)
    yield paragraph(prose, 1, 3)


def running(prose: Prose) -> Blocks:
    """Sections of several pages, some of which begin a page."""
    yield heading(prose, 1)
    yield from sections(prose, prose.random.randint(9, 13))


def chapters(prose: Prose) -> Blocks:
    """A heading on top of each page, which differs by its number only."""
    word = prose.label()
    for number in range(1, 5):
        yield Block(Role.HEADING, f"{word} {number}", level=1)
        for _ in range(prose.random.randint(2, 4)):
            yield paragraph(prose)


def footnotes(prose: Prose) -> Blocks:
    """Pages that end with their notes. The mark is the last character of a sentence."""
    number = 0
    for page in range(prose.random.randint(2, 3)):
        yield heading(prose, 1 if page == 0 else 2)
        notes = []
        for _ in range(prose.random.randint(3, 4)):
            block = paragraph(prose)
            if prose.random.random() < 0.7:
                number += 1
                block.text += str(number)
                notes.append(Block(Role.FOOTNOTE, f"{number} {prose.sentence()}"))
            yield block
        yield from notes


def lists(prose: Prose) -> Blocks:
    yield heading(prose, 1)
    for _ in range(prose.random.randint(2, 4)):
        yield heading(prose, 2)
        yield paragraph(prose, 1, 2)
        yield from items(prose, prose.random.random() < 0.5)
        yield paragraph(prose, 1, 2)


def manual(prose: Prose) -> Blocks:
    """Code, figures and captions between the text."""
    yield heading(prose, 1)
    for number in range(1, prose.random.randint(3, 4) + 1):
        yield heading(prose, 2)
        yield paragraph(prose)
        yield Block(Role.CODE, prose.random.choice(CODE))
        yield paragraph(prose, 1, 3)
        if prose.random.random() < 0.6:
            yield caption(prose, "Figure", number)


def form(prose: Prose) -> Blocks:
    yield heading(prose, 1)
    yield paragraph(prose, 1, 2)
    for _ in range(prose.random.randint(2, 4)):
        yield heading(prose, 2)
        for _ in range(prose.random.randint(3, 6)):
            yield Block(Role.FIELD, f"{prose.label()}: {prose.phrase(1, 4)}")


def invoice(prose: Prose) -> Blocks:
    yield Block(Role.PARAGRAPH, f"{prose.phrase(2, 3)} {prose.random.randint(1, 99)}")
    yield Block(Role.PARAGRAPH, prose.date())
    yield Block(Role.HEADING, f"{prose.label()} {prose.random.randint(100, 99999)}", level=1)
    yield paragraph(prose, 1, 2)
    yield tables.plain(prose, columns=prose.random.randint(4, 5), rows=prose.random.randint(3, 8))
    yield paragraph(prose, 1, 2)
    yield Block(Role.PARAGRAPH, prose.phrase(2, 3))


def mixed(prose: Prose) -> Blocks:
    """Two columns with everything in them."""
    yield heading(prose, 1)
    yield paragraph(prose, 1, 2)
    for number in range(1, prose.random.randint(3, 4) + 1):
        yield from sections(prose, 1)
        chance = prose.random.random()
        if chance < 0.5:
            yield caption(prose, "Table", number)
            yield tables.plain(prose, columns=3, rows=prose.random.randint(3, 6), text=False)
        elif chance < 0.75:
            yield from items(prose, False)
        else:
            yield Block(Role.CODE, prose.random.choice(CODE[1:2]))
        yield paragraph(prose)


# A class: what writes its blocks, its layout and its languages. `breaks`: a page begins at each heading of level 1 or after notes.
KINDS: dict[str, tuple[Callable[[Prose], Blocks], dict, tuple[str, ...]]] = {
    "article": (article, {}, ("en", "de")),
    "two columns": (two_columns, {"columns": 2}, ("en", "de")),
    "three columns": (three_columns, {"columns": 3}, ("en",)),
    "ruled tables": (some_tables(tables.plain), {"tables": "ruled"}, ("en", "de")),
    "bare tables": (some_tables(tables.plain), {"tables": "bare"}, ("en", "de")),
    "merged cells": (some_tables(any_merged), {}, ("en",)),
    "long tables": (long_table, {}, ("en",)),
    "running heads": (running, {"heads": True}, ("en", "de")),
    "chapters": (chapters, {"breaks": True}, ("en",)),
    "footnotes": (footnotes, {"breaks": True}, ("en", "de")),
    "lists": (lists, {}, ("en", "de")),
    "manual": (manual, {}, ("en",)),
    "rotated": (some_tables(tables.plain), {"landscape": True, "turned": True}, ("en",)),
    "right to left": (article, {}, ("ar", "he")),
    "CJK": (article, {}, ("zh", "ja", "ko")),
    "forms": (form, {}, ("en", "de")),
    "invoices": (invoice, {}, ("en", "de")),
    "mixed": (mixed, {"columns": 2, "heads": True}, ("en",)),
}


def write(kind: str, number: int) -> Document:
    make, layout, languages = KINDS[kind]
    name = f"{kind.lower().replace(' ', '-')}-{number}"
    language = languages[number % len(languages)]
    prose = Prose(name, language)
    document = Document(name, kind, language, list(make(prose)), layout=layout)
    if layout.get("heads"):
        document.header = prose.title()
        document.footer = prose.random.choice(["", prose.phrase(2, 4)])
    if prose.random.random() < 0.3 and not layout.get("breaks"):
        number_headings(document)
    return document


def number_headings(document: Document) -> None:
    """1, 1.1, 2 … below the title."""
    sections = [0, 0]
    for block in document.blocks:
        if block.role == Role.HEADING and block.level > 1:
            at = block.level - 2
            sections[at] += 1
            sections[at + 1 :] = [0] * (1 - at)
            block.text = f"{'.'.join(map(str, sections[: at + 1]))} {block.text}"
