"""A table laid out for the screen: one dimension down, one across, the others held at a code; kinds of cells as letters."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.language import Lang, Text
from tarnkappe.report.grids import measure_of, named
from tarnkappe.report.numbers import decimals_of, shown
from tarnkappe.studio.tasks.table import MarkedTable

MOST = 300_000
"""Places of a view; finer levels beyond that are left out."""
NO_CELL = "-"
KINDS: dict[str, Text] = {
    "o": Text("open", "offen"),
    "p": Text("primary: needs protection itself", "primär: selbst schutzbedürftig"),
    "s": Text("secondary: protects others", "sekundär: schützt andere"),
    "k": Text("kept open", "bleibt offen"),
    "r": Text("rounded", "gerundet"),
    "n": Text("with noise", "überlagert"),
    "i": Text("as a range", "als Spanne"),
    "z": Text("zero", "Null"),
}
SIGNS = {"p": "■", "s": "□", "k": "◇", "r": "≈", "n": "~", "i": "↔"}
LEAKS = Text("an attacker finds out too much", "ein Angreifer erfährt zu viel")
_STATUS = {
    Status.OPEN: "o", Status.PRIMARY: "p", Status.SECONDARY: "s", Status.ROUNDED: "r", Status.PERTURBED: "n", Status.RANGE: "i",
}  # fmt: skip
_OPENED = 200
"""Rows that are shown at first."""
_ACROSS = 24
"""Columns that are shown at first."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which dimension goes where."""

    down: int
    across: int | None
    """None for a table of one dimension."""
    held: tuple[tuple[int, int], ...] = ()
    """(dimension, position of the code) of the others."""

    @classmethod
    def of(cls, dimensions: int, down: int = 0, across: int = 1) -> Layout:
        """The first dimensions down and across, the others at their totals."""
        if dimensions == 1:
            return cls(0, None)
        down = min(max(down, 0), dimensions - 1)
        across = across if 0 <= across < dimensions and across != down else int(down == 0)
        return cls(down, across, tuple((j, 0) for j in range(dimensions) if j not in (down, across)))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What the grid in the browser is given, and which cell stands where."""

    cells: Ints
    """(rows, columns) number of the cell; -1 where there is none."""
    content: dict[str, Any]
    levels: tuple[int, int]
    """Levels that can be opened, down and across."""
    left_out: int
    """Codes of finer levels that did not fit."""


def kinds_of(table: MarkedTable) -> NDArray[np.uint8]:
    """The letter of every cell; a capital where it leaks."""
    pattern = table.pattern
    letters = np.zeros(len(Status), dtype=np.uint8)
    for status, letter in _STATUS.items():
        letters[status] = ord(letter)
    out = letters[pattern.status]
    is_open = pattern.status == Status.OPEN
    value = pattern.table.value if pattern.shown is None else pattern.shown
    out[is_open & (value == 0)] = ord("z")
    out[is_open & np.isin(pattern.mark, (Mark.KEEP, Mark.PUBLISHED, Mark.SAFE))] = ord("k")
    return np.where(leaking(table), out - 32, out).astype(np.uint8)


def leaking(table: MarkedTable) -> Bools:
    """Cells of which an attacker finds out too much: those that need protection, and the others that are known exactly."""
    found = table.audit.per_cell.get("leaks") if table.audit else None
    return np.zeros(len(table.pattern.table), dtype=np.bool_) if found is None else np.asarray(found)


def counts_of(table: MarkedTable) -> dict[str, int]:
    """How many cells of each kind the table has."""
    counts = np.bincount(kinds_of(table) | 32, minlength=128)
    return {letter: int(counts[ord(letter)]) for letter in KINDS if counts[ord(letter)]}


def view_of(table: MarkedTable, layout: Layout, lang: Lang, *, reveal: bool = False) -> View:
    """Lay out a table; values under suppressed cells are left out unless asked for."""
    pattern, dimensions = table.pattern, table.pattern.table.dimensions
    across = None if layout.across is None else dimensions[layout.across]
    columns = np.zeros(1, np.int64) if layout.across is None else _present(pattern, layout.across)
    columns, gone = _fitting(across, columns, MOST // 20) if across else (columns, 0)
    rows, lost = _fitting(
        dimensions[layout.down], _present(pattern, layout.down), MOST // max(len(columns), 1)
    )
    cells = _cells(pattern, layout, rows, columns)
    down_tree = _tree(dimensions[layout.down], rows)
    across_tree = _tree(across, columns) if across else _single(pattern, lang)
    content = {
        "rows": down_tree, "cols": across_tree, **_filled(table, cells, lang, reveal=reveal),
        "open": [_first_level(down_tree, _OPENED), _first_level(across_tree, _ACROSS)],
        "corner": [f"{across.name} →" if across else "", f"{dimensions[layout.down].name} ↓"],
        "signs": SIGNS, "words": _words(lang), "lang": lang, "wide": _first_width(down_tree),
    }  # fmt: skip
    levels = (max(down_tree["depth"]), max(across_tree["depth"]))
    return View(cells, content, levels, gone + lost)


def _words(lang: Lang) -> dict[str, str]:
    said = {letter: text.in_(lang) for letter, text in KINDS.items() if letter not in "oz"}
    leaks = {letter.upper(): f"{text.in_(lang)}; {LEAKS.in_(lang)}" for letter, text in KINDS.items()}
    return said | leaks


# -- codes ----------------------------------------------------------------------------------------------------------


def _present(pattern: Pattern, dimension: int) -> Ints:
    """The codes that some cell has, and all above them."""
    tree = pattern.table.dimensions[dimension]
    used = np.bincount(pattern.table.cells[:, dimension], minlength=len(tree)) > 0
    for level in range(tree.depth, 0, -1):
        here = np.flatnonzero(used & (tree.level == level))
        used[tree.parent[here]] = True
    return np.flatnonzero(used)


def _fitting(tree: Hierarchy, nodes: Ints, most: int) -> tuple[Ints, int]:
    """Whole levels from above as far as they fit, and how many codes are left out."""
    kept = nodes
    for level in range(tree.depth, 0, -1):
        kept = nodes[tree.level[nodes] <= level]
        if len(kept) <= most:
            break
    kept = kept[: max(most, 1)]
    return kept, len(nodes) - len(kept)


def _tree(tree: Hierarchy, nodes: Ints) -> dict[str, list[Any]]:
    """Codes with depth and number of codes below, in preorder."""
    place = {int(node): i for i, node in enumerate(nodes)}
    above = [place.get(int(tree.parent[node]), -1) for node in nodes]
    depth: list[int] = []
    for up in above:
        depth.append(depth[up] + 1 if up >= 0 else 0)
    size = [0] * len(nodes)
    for i in range(len(nodes) - 1, 0, -1):
        if above[i] >= 0:
            size[above[i]] += size[i] + 1
    return {"text": [named(tree, int(node)) for node in nodes], "depth": depth, "size": size}


def _single(pattern: Pattern, lang: Lang) -> dict[str, list[Any]]:
    return {"text": [measure_of(pattern.table.measure or None).in_(lang)], "depth": [0], "size": [0]}


def _first_level(tree: dict[str, list[Any]], most: int) -> int:
    """The deepest level that can be opened at first without swamping the screen."""
    depths = np.bincount(tree["depth"]).cumsum()
    fitting = np.flatnonzero(depths <= most)
    return max(1, int(fitting[-1])) if len(fitting) else 1


def _first_width(tree: dict[str, list[Any]]) -> int:
    longest = max(
        len(text) * 7.2 + 16 * depth for text, depth in zip(tree["text"], tree["depth"], strict=True)
    )
    return int(min(max(longest + 48, 180), 340))


# -- cells ----------------------------------------------------------------------------------------------------------


def _cells(pattern: Pattern, layout: Layout, rows: Ints, columns: Ints) -> Ints:
    nodes = np.zeros((len(rows) * len(columns), len(pattern.table.dimensions)), dtype=np.int32)
    nodes[:, layout.down] = np.repeat(rows, len(columns))
    if layout.across is not None:
        nodes[:, layout.across] = np.tile(columns, len(rows))
    for dimension, node in layout.held:
        nodes[:, dimension] = node
    return pattern.table.find(nodes).reshape(len(rows), len(columns))


def _filled(table: MarkedTable, cells: Ints, lang: Lang, *, reveal: bool) -> dict[str, Any]:
    """Values (eight bytes each, not a number where none is shown), letters, and words for what is shown as a range."""
    pattern, flat = table.pattern, cells.ravel()
    there = flat >= 0
    value = np.where(pattern.suppressed, pattern.table.value, _shown(pattern))
    decimals = decimals_of(value)
    letters = np.where(there, kinds_of(table)[flat], ord(NO_CELL)).astype(np.uint8)
    bare = pattern.status == Status.RANGE
    if not reveal:
        bare |= pattern.suppressed
    values = np.round(value[flat], decimals)
    values[~there | bare[flat]] = np.nan
    ranges = np.flatnonzero(there & (pattern.status[flat] == Status.RANGE))
    return {
        "values": base64.b64encode(values.astype("<f8").tobytes()).decode("ascii"),
        "kinds": letters.tobytes().decode("ascii"),
        "texts": {str(place): range_of(pattern, int(flat[place])).in_(lang) for place in ranges},
        "decimals": decimals,
    }


def _shown(pattern: Pattern) -> NDArray[np.float64]:
    return pattern.table.value if pattern.shown is None else pattern.shown


def range_of(pattern: Pattern, cell: int) -> Text:
    """The published interval of a cell."""
    assert pattern.shown_low is not None, "cells with the status RANGE have intervals"
    assert pattern.shown_high is not None, "cells with the status RANGE have intervals"
    low, high = shown(float(pattern.shown_low[cell]), 4), shown(float(pattern.shown_high[cell]), 4)
    return low if low == high else Text(f"{low.en}–{high.en}", f"{low.de}–{high.de}")


def codes_of(pattern: Pattern, cell: int) -> tuple[str, ...]:
    """The codes of a cell, one per dimension."""
    nodes: Sequence[int] = pattern.table.cells[cell].tolist()
    return tuple(str(h.codes[n]) for h, n in zip(pattern.table.dimensions, nodes, strict=True))
