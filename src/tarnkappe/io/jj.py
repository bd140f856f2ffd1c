"""JJ files: tables as cells and linear relations, the exchange format of τ-ARGUS and of solvers for cell suppression.

A line ``0``; the number of cells; per cell ``index value weight status lower upper lpl upl spl``; the number of relations; per
relation ``rhs n : cell (coefficient) …``. Status: s may be suppressed, z must stay open, u is primary, m secondary.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Floats, Strings
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.relations import Relations, relations_of
from tarnkappe.data.system import System
from tarnkappe.data.table import TOLERANCE, Table
from tarnkappe.errors.files import FileUnreadable
from tarnkappe.errors.table_files import CellsUnnamed
from tarnkappe.errors.tables import JjWrong
from tarnkappe.io.paths import existing
from tarnkappe.io.patterns import Number, Said, patterned
from tarnkappe.language import Text

ENDING = ".jj"
STATUSES = "suzm"
HIDDEN = "um"
FIELDS = 9
MOST = 2_000_000
"""Empty cells are written too as long as there are not more cells than this."""
_TERM = re.compile(r"(\d+)\s*\(\s*([^()\s]+)\s*\)")
_TERMS = re.compile(r"(?:\s*\d+\s*\(\s*[^()\s]+\s*\))*\s*")
_NUMBER = Text("a number is expected", "erwartet wird eine Zahl")
_COUNT = Text("a whole number from 0 upward is expected", "erwartet wird eine ganze Zahl ab 0")
_END = Text("the file ends too early", "die Datei endet zu früh")
_MORE = Text("more lines than announced", "mehr Zeilen als angekündigt")
_CELL = Text("a cell has nine fields", "eine Zelle hat neun Felder")
_INDEX = Text("cells are numbered from 0 without gaps", "Zellen werden ab 0 lückenlos gezählt")
_STATUS = Text("the status is s, u, z or m", "der Status ist s, u, z oder m")
_BOUNDS = Text("a value must lie between its bounds", "ein Wert muss zwischen seinen Grenzen liegen")
_RELATION = Text(
    "a relation is written: rhs n : cell (coefficient) …",
    "eine Beziehung lautet: rechte Seite n : Zelle (Koeffizient) …",
)
_UNKNOWN = Text(
    "a relation names a cell that is not there", "eine Beziehung nennt eine Zelle, die es nicht gibt"
)
_TWICE = Text("a relation names a cell twice", "eine Beziehung nennt eine Zelle doppelt")
_TEXT = Text("it is not a text file.", "sie ist keine Textdatei.")


@dataclass(frozen=True, slots=True, eq=False)
class JjFile:
    """What a JJ file holds: the system, and what an optimiser needs beside it."""

    system: System
    cost: Floats
    status: Strings
    sliding: Floats


def read_jj(path: Path) -> JjFile:
    """Read a JJ file; only cells with the status u or m are hidden."""
    found = existing(path)
    try:
        text = found.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        raise FileUnreadable(file=str(path), why=_TEXT) from None
    return _Reader(path.name, text).file()


class _Reader:
    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
        self.at = 0

    def file(self) -> JjFile:
        if self._count() != 0:
            raise self._wrong(_COUNT)
        cells = self._count()
        fields, status = self._cells(cells)
        relations, rhs = self._relations(cells)
        if self.at < len(self.lines):
            self.at += 1
            raise self._wrong(_MORE)
        value, cost, low, high, lower, upper, sliding = fields.T.copy()
        labels: Strings = np.array([f"#{i}" for i in range(cells)], dtype=object)
        hidden = np.isin(status.astype(str), list(HIDDEN))
        system = System(
            Path(self.name).stem, labels, relations, rhs, value, hidden, low, high, lower, upper, span=sliding
        )
        return JjFile(system, cost, status, sliding)

    def _cells(self, count: int) -> tuple[Floats, Strings]:
        self._refuse_short(count)
        fields, status = np.empty((count, FIELDS - 2)), np.empty(count, dtype=object)
        for i in range(count):
            words = self._next().split()
            if len(words) != FIELDS:
                raise self._wrong(_CELL)
            if words[0] != str(i):
                raise self._wrong(_INDEX)
            if words[3].lower() not in STATUSES or len(words[3]) != 1:
                raise self._wrong(_STATUS)
            fields[i] = [self._number(word) for j, word in enumerate(words) if j not in (0, 3)]
            status[i] = words[3].lower()
            if not fields[i, 2] <= fields[i, 0] <= fields[i, 3]:
                raise self._wrong(_BOUNDS)
        return fields, status

    def _relations(self, cells: int) -> tuple[Relations, Floats]:
        count = self._count()
        self._refuse_short(count)
        rhs, sizes = np.zeros(count), np.zeros(count, dtype=np.int64)
        total, named, weights = np.full(count, -1, dtype=np.int64), [], []
        for r in range(count):
            rhs[r], terms = self._relation(cells)
            sizes[r] = len(terms)
            minus = [cell for cell, weight in terms if weight == -1.0]
            plain = rhs[r] == 0 and len(minus) == 1 and all(abs(weight) == 1.0 for _, weight in terms)
            total[r] = minus[0] if plain else -1
            named += [cell for cell, _ in terms]
            weights += [weight for _, weight in terms]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        along = np.full(count, -1, dtype=np.int64)
        cell = np.array(named, dtype=np.int64)
        return Relations(cells, start, cell, np.array(weights, dtype=np.float64), total, along), rhs

    def _relation(self, cells: int) -> tuple[float, list[tuple[int, float]]]:
        head, colon, tail = self._next().partition(":")
        words = head.split()
        if not colon or len(words) != 2 or not _TERMS.fullmatch(tail):
            raise self._wrong(_RELATION)
        terms = [(self._whole(cell), self._number(weight)) for cell, weight in _TERM.findall(tail)]
        if self._whole(words[1]) != len(terms):
            raise self._wrong(_RELATION)
        if any(cell >= cells for cell, _ in terms):
            raise self._wrong(_UNKNOWN)
        if len({cell for cell, _ in terms}) < len(terms):
            raise self._wrong(_TWICE)
        return self._number(words[0]), terms

    def _next(self) -> str:
        if self.at >= len(self.lines):
            raise self._wrong(_END)
        self.at += 1
        return self.lines[self.at - 1][1]

    def _refuse_short(self, count: int) -> None:
        """Before room is made for what is announced."""
        if count > len(self.lines) - self.at:
            self.at = len(self.lines)
            raise self._wrong(_END)

    def _count(self) -> int:
        return self._whole(self._next())

    def _whole(self, word: str) -> int:
        if not (word.isascii() and word.isdigit() and len(word) < 16):
            raise self._wrong(_COUNT)
        return int(word)

    def _number(self, word: str) -> float:
        try:
            number = float(word)
        except ValueError:
            raise self._wrong(_NUMBER) from None
        if not np.isfinite(number):
            raise self._wrong(_NUMBER)
        return number

    def _wrong(self, why: Text) -> JjWrong:
        line = self.lines[min(self.at, len(self.lines)) - 1][0] if self.lines else 1
        return JjWrong(file=self.name, line=line, why=why)


def jj_of(pattern: Pattern) -> JjFile:
    """A table as a JJ file: bounds that are not finite are replaced by 1.5 times the largest value, as τ-ARGUS does."""
    table = pattern.table
    far = 1.5 * float(np.abs(table.value).max(initial=0.0))
    relations = relations_of(table)
    labels: Strings = np.array([table.spelt(i) for i in range(len(table))], dtype=object)
    status: Strings = np.full(len(table), "s", dtype=object)
    status[pattern.forced_open | ((table.value == 0) & ~pattern.suppressed)] = "z"
    status[pattern.primary] = "u"
    status[pattern.status == Status.SECONDARY] = "m"
    system = System(
        table.name, labels, relations, np.zeros(len(relations)), table.value.copy(), pattern.suppressed,
        np.where(np.isfinite(pattern.low), pattern.low, -far), np.where(np.isfinite(pattern.high), pattern.high, far),
        pattern.lower, pattern.upper, span=pattern.span,
    )  # fmt: skip
    cost = np.maximum(np.abs(table.value), 1.0) if pattern.cost is None else pattern.cost
    return JjFile(system, cost, status, pattern.span)


def without_gaps(pattern: Pattern) -> Pattern:
    """The table with its empty cells as structural zeros, as τ-ARGUS writes it: then codes can be given back to a JJ file.

    A table that would grow beyond all measure stays as it is.
    """
    table, sizes = pattern.table, [len(tree) for tree in pattern.table.dimensions]
    if not len(table) < math.prod(sizes) <= MOST:
        return pattern
    nodes = np.stack(np.unravel_index(np.arange(math.prod(sizes)), sizes), axis=1).astype(np.int32)
    at = table.find(nodes)

    def spread(given: NDArray[Number], empty: float) -> NDArray[Number]:
        return np.where(at >= 0, given[at], given.dtype.type(empty))

    full = Table(
        table.name, table.dimensions, nodes, spread(table.value, 0.0), counts=table.counts, tolerance=table.tolerance,
        measure=table.measure,
    )  # fmt: skip
    return Pattern(
        full, status=spread(pattern.status, Status.OPEN), mark=spread(pattern.mark, Mark.ZERO),
        lower=spread(pattern.lower, 0.0), upper=spread(pattern.upper, 0.0), span=spread(pattern.span, 0.0), low=spread(pattern.low, 0.0),
        high=spread(pattern.high, 0.0), cost=None if pattern.cost is None else spread(pattern.cost, 1.0),
    )  # fmt: skip


def jj_bytes(file: JjFile) -> bytes:
    """The text of a JJ file; numbers are written so that they come back the same."""
    return ("\n".join(_lines(file)) + "\n").encode("ascii")


def _lines(file: JjFile) -> Iterator[str]:
    s = file.system
    yield "0"
    yield str(len(s))
    for i in range(len(s)):
        words = (s.value[i], file.cost[i], s.low[i], s.high[i], s.lower[i], s.upper[i], file.sliding[i])
        value, cost, *bounds = (_spelt(float(word)) for word in words)
        yield f"{i} {value} {cost} {file.status[i]} {' '.join(bounds)}"
    yield str(len(s.relations))
    for r in range(len(s.relations)):
        part = slice(s.relations.start[r], s.relations.start[r + 1])
        terms = zip(s.relations.cell[part], s.relations.coefficient[part], strict=True)
        spelt = " ".join(f"{cell} ({_spelt(float(weight))})" for cell, weight in terms)
        yield f"{_spelt(float(s.rhs[r]))} {part.stop - part.start} : {spelt}"


def _spelt(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


def pattern_of_jj(
    file: JjFile, hierarchies: Mapping[str, Hierarchy], tolerance: float = TOLERANCE
) -> Pattern:
    """The table behind a JJ file that numbers all its cells: the last dimension runs fastest, codes in the order of their hierarchy."""
    trees = tuple(hierarchies.values())
    sizes = [len(tree) for tree in trees]
    system = file.system
    if math.prod(sizes) != len(system):
        raise CellsUnnamed(file=f"{system.name}.jj", cells=len(system), expected=math.prod(sizes))
    nodes = np.stack(np.unravel_index(np.arange(len(system)), sizes), axis=1).astype(np.int32)
    table = Table(system.name, trees, nodes, system.value.copy(), tolerance=tolerance)
    words = file.status.astype(str)
    status = np.where(words == "u", Status.PRIMARY, np.where(words == "m", Status.SECONDARY, Status.OPEN))
    kept = np.where(system.value == 0, Mark.ZERO, Mark.KEEP)
    mark = np.where(words == "z", kept, Mark.NONE)
    low, high = _unbounded(system)
    return patterned(table, Said(
        nodes, status.astype(np.uint8), mark.astype(np.uint8), system.lower, system.upper, low, high, file.cost,
        file.sliding,
    ))  # fmt: skip


def _unbounded(system: System) -> tuple[Floats, Floats]:
    """Bounds at 1.5 times the largest value say that there are none: τ-ARGUS writes them so, and so do we."""
    far = 1.5 * float(np.abs(system.value).max(initial=0.0))
    low = np.where(np.isclose(system.low, -far, rtol=1e-9, atol=0), -np.inf, system.low)
    return low, np.where(np.isclose(system.high, far, rtol=1e-9, atol=0), np.inf, system.high)
