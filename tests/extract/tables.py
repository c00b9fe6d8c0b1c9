"""Tables of each shape: plain, with merged cells, long, with text that wraps."""

from .prose import Prose
from .truth import Block, Cell, Role

# A column's values, and whether they are set as numbers.
KINDS = {
    "name": lambda prose: prose.label(),
    "text": lambda prose: prose.phrase(3, 11),
    "number": lambda prose: f"{prose.random.randint(1, 99999):,}",
    "amount": lambda prose: f"{prose.random.uniform(1, 5000):,.2f}",
    "share": lambda prose: f"{prose.random.uniform(0, 100):.1f}%",
    "date": lambda prose: prose.date(),
    "code": lambda prose: f"{prose.random.choice('ABKX')}-{prose.random.randint(100, 999)}",
}
NUMBERS = ("number", "amount", "share")


def plain(prose: Prose, columns: int | None = None, rows: int | None = None, text: bool = True) -> Block:
    """A row of headers and rows of cells, a few of them empty."""
    kinds = _kinds(prose, columns or prose.random.randint(2, 6), text)
    head = [Cell(prose.label(), header=True) for _ in kinds]
    return Block(Role.TABLE, rows=[head, *_rows(prose, kinds, rows or prose.random.randint(3, 9))])


def merged(prose: Prose) -> Block:
    """Headers over several columns, names over several rows, and a total."""
    groups = prose.random.randint(2, 3)
    kinds = ["name", *(prose.random.choice(NUMBERS) for _ in range(2 * groups))]
    head = [Cell(prose.label(), rows=2, header=True)]
    head += [Cell(prose.label(), columns=2, header=True) for _ in range(groups)]
    below = [Cell(prose.label(), header=True) for _ in range(2 * groups)]
    body = _rows(prose, kinds, prose.random.randint(3, 6))
    table = [head, below, *body]
    if prose.random.random() < 0.5:
        total = [Cell(prose.label(), columns=3), *(Cell(KINDS["amount"](prose)) for _ in range(2 * groups - 2))]
        table.append(total)
    return Block(Role.TABLE, rows=table)


def grouped(prose: Prose) -> Block:
    """Names over several rows in the first column."""
    kinds = _kinds(prose, prose.random.randint(2, 4), text=True)
    table = [[Cell(prose.label(), header=True) for _ in range(len(kinds) + 1)]]
    for _ in range(prose.random.randint(2, 3)):
        rows = _rows(prose, kinds, prose.random.randint(2, 4))
        rows[0].insert(0, Cell(prose.label(), rows=len(rows)))
        table += rows
    return Block(Role.TABLE, rows=table)


def _kinds(prose: Prose, columns: int, text: bool) -> list[str]:
    others = [kind for kind in KINDS if text or kind != "text"]
    chosen = ["name", *(prose.random.choice(others) for _ in range(columns - 1))]
    # At most two columns of long text fit on a page.
    long = [at for at, kind in enumerate(chosen) if kind == "text"]
    for at in long[2:]:
        chosen[at] = "number"
    return chosen


def _rows(prose: Prose, kinds: list[str], count: int) -> list[list[Cell]]:
    def cell(at: int, kind: str) -> Cell:
        is_empty = at > 0 and prose.random.random() < 0.05
        return Cell("" if is_empty else KINDS[kind](prose))

    return [[cell(at, kind) for at, kind in enumerate(kinds)] for _ in range(count)]
