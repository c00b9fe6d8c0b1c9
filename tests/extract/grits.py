"""GriTS of contents (Smock et al.): how much of the cells of two tables is alike, where rows and columns are left out of either so that most is.

Rows are aligned by what their cells have in common, and columns alike: the sum over both is a lower bound of the best substructure. A cell over several rows or
columns has its text in each. Tables of a document are paired by their words, and those without a pair count as wrong.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from rapidfuzz import fuzz

from . import scores

Grid = list[list[str]]


def score(truth: str, read: str) -> float | None:
    """F of the tables in two texts with HTML. `None` if the truth has none."""
    wanted, found = grids(truth), grids(read)
    if not wanted:
        return None
    alike = 0.0
    left = list(found)
    for table in sorted(wanted, key=_size, reverse=True):
        best = max(left, key=lambda other: _common(table, other), default=None)
        if best is not None and _common(table, best):
            left.remove(best)
            alike += similar(table, best)
    return 2 * alike / max(1, sum(map(_size, wanted)) + sum(map(_size, found)))


def grids(text: str) -> list[Grid]:
    return [_grid(table) for table in scores._tables(text).children]


def _grid(table: scores.Node) -> Grid:
    cells: dict[tuple[int, int], str] = {}
    rows = [child for child in table.children if child.tag == "tr"]
    for row, of_row in enumerate(rows):
        column = 0
        for cell in of_row.children:
            while (row, column) in cells:
                column += 1
            wide, high = cell.spans
            for down in range(min(high, len(rows) - row)):
                cells.update({(row + down, column + right): cell.text for right in range(wide)})
            column += wide
    width = max((column + 1 for _, column in cells), default=0)
    return [[cells.get((row, column), "") for column in range(width)] for row in range(len(rows))]


def _size(grid: Grid) -> int:
    return sum(map(len, grid))


def _common(one: Grid, other: Grid) -> int:
    words = [Counter(word for row in grid for cell in row for word in cell.split()) for grid in (one, other)]
    return (words[0] & words[1]).total()


@lru_cache(1 << 16)
def _alike(one: str, other: str) -> float:
    return fuzz.ratio(one, other) / 100 if one or other else 1.0


def similar(one: Grid, other: Grid) -> float:
    rows = _aligned(one, other, lambda a, b: _sum(_aligned(a, b, _alike), a, b))
    columns = _aligned(list(zip(*one)), list(zip(*other)), lambda a, b: _sum(_aligned(a, b, _alike), a, b))
    return sum(_alike(one[row][column], other[row2][column2]) for row, row2 in rows for column, column2 in columns)


def _sum(pairs: list[tuple[int, int]], one: Sequence[str], other: Sequence[str]) -> float:
    return sum(_alike(one[a], other[b]) for a, b in pairs)


def _aligned(one: Sequence, other: Sequence, alike: Callable) -> list[tuple[int, int]]:
    """The pairs in order whose likeness adds up to most."""
    best = [[0.0] * (len(other) + 1) for _ in range(len(one) + 1)]
    likeness = [[alike(a, b) for b in other] for a in one]
    for a in range(len(one)):
        for b in range(len(other)):
            best[a + 1][b + 1] = max(best[a][b] + likeness[a][b], best[a][b + 1], best[a + 1][b])
    pairs, a, b = [], len(one), len(other)
    while a and b:
        if best[a][b] == best[a - 1][b]:
            a -= 1
        elif best[a][b] == best[a][b - 1]:
            b -= 1
        else:
            a, b = a - 1, b - 1
            pairs.append((a, b))
    return pairs[::-1]
