"""A-priori files of τ-ARGUS (`.hst`): one line per decision about a cell, its codes first.

    North,Small,u            unsafe: must be suppressed
    North,Large,pl,100,200   how far below and above the attacker's interval must reach
    South,Large,c,1          cost (also w)

`s` makes a cell safe whatever a rule says, `p` and `z` keep it open, `m` and `ml` make it cheap to suppress a secondary cell of an
earlier run again, `ab` gives what an attacker knows beforehand. Several lines may concern one cell; of two statuses the last one holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.last_period import USUAL
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.errors.files import FileEmpty
from tarnkappe.errors.table_files import ArgusWrong
from tarnkappe.io.hierarchies import text_of
from tarnkappe.language import Text

SEPARATORS = (";", ",", "\t", "|")
STATUSES = {"u": "suppress", "s": "safe", "p": "keep", "z": "keep"}
AGAIN = ("m", "ml")
NUMBERS = {
    "c": ("cost",), "w": ("cost",), "pl": ("required_low", "required_high"), "ab": ("low", "high"),
}  # fmt: skip
_COLUMNS = ("mark", "low", "high", "required_low", "required_high", "cost", "again")
_SPLIT = Text(
    "no separator gives the codes of the dimensions and a word such as u, s, p, c or pl",
    "kein Trennzeichen ergibt die Codes der Dimensionen und ein Wort wie u, s, p, c oder pl",
)
_ACTION = Text(
    "the word after the codes is none of u, m, ml, s, p, z, c, w, pl, ab",
    "das Wort nach den Codes ist keines von u, m, ml, s, p, z, c, w, pl, ab",
)
_NUMBER = Text("numbers from 0 upward are expected", "erwartet werden Zahlen ab 0")
_FEW = Text("it has too few fields", "sie hat zu wenige Felder")

Row = dict[str, str | float]


def read_history(path: Path, by: Sequence[str]) -> Microdata:
    """The decisions of an a-priori file as rows of a file of marks, one per cell."""
    text = text_of(path)
    if not text.strip():
        raise FileEmpty(file=path.name)
    rows: dict[tuple[str, ...], Row] = {}
    for number, fields in _lines(text, _separator(text, len(by), path)):
        if len(fields) <= len(by):
            raise _wrong(path, number, _FEW)
        told = _told(path, number, fields[len(by) :])
        rows.setdefault(tuple(fields[: len(by)]), {}).update(told)
    return _rows(rows, by)


def _lines(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(StringIO(text, newline=None), 1):
        if line.strip() and not line.lstrip().startswith("//"):
            yield number, [field.strip().strip('"').strip() for field in line.split(separator)]


def _separator(text: str, dimensions: int, path: Path) -> str:
    """The first sign that gives the first line a known word after the codes."""
    for sign in SEPARATORS:
        first = next(_lines(text, sign), (1, []))[1]
        if len(first) > dimensions and first[dimensions].lower() in (*STATUSES, *AGAIN, *NUMBERS):
            return sign
    raise _wrong(path, next(_lines(text, ";"), (1, []))[0], _SPLIT)


def _told(path: Path, number: int, fields: list[str]) -> Row:
    word = fields[0].lower()
    if word in STATUSES:
        return {"mark": STATUSES[word]}
    if word in AGAIN:
        return {"again": USUAL}
    if word not in NUMBERS:
        raise _wrong(path, number, _ACTION)
    names = NUMBERS[word]
    if len(fields) <= len(names):
        raise _wrong(path, number, _FEW)
    told: Row = {
        name: _number(path, number, field, signed=word == "ab")
        for name, field in zip(names, fields[1:], strict=False)
    }
    return told


def _number(path: Path, line: int, field: str, *, signed: bool) -> float:
    try:
        number = float(field.replace(",", "."))
    except ValueError:
        raise _wrong(path, line, _NUMBER) from None
    if not np.isfinite(number) or (number < 0 and not signed):
        raise _wrong(path, line, _NUMBER)
    return number


def _wrong(path: Path, line: int, why: Text) -> ArgusWrong:
    return ArgusWrong(file=path.name, line=line, why=why)


def _rows(rows: dict[tuple[str, ...], Row], by: Sequence[str]) -> Microdata:
    codes = {name: Column.texts_of([cell[j] for cell in rows]) for j, name in enumerate(by)}
    return Microdata(
        codes | {name: _column(rows, name) for name in _COLUMNS if any(name in row for row in rows.values())}
    )


def _column(rows: dict[tuple[str, ...], Row], name: str) -> Column:
    if name == "mark":
        return Column.texts_of(
            [None if (word := row.get(name)) is None else str(word) for row in rows.values()]
        )
    return Column.numbers_of(np.array([float(row.get(name, np.nan)) for row in rows.values()]))


def history_text(pattern: Pattern, separator: str = ";") -> str:
    """What is decided about the cells of a table, in the words of τ-ARGUS."""
    return "".join(f"{separator.join(line)}\n" for line in _decisions(pattern))


def _decisions(pattern: Pattern) -> Iterator[list[str]]:
    table = pattern.table
    codes = [table.codes(j) for j in range(len(table.dimensions))]
    for cell in range(len(table)):
        named = [str(code[cell]) for code in codes]
        word = _status(pattern, cell)
        if word:
            yield [*named, word]
        if word == "u" and (pattern.lower[cell] or pattern.upper[cell]):
            yield [*named, "pl", repr(float(pattern.lower[cell])), repr(float(pattern.upper[cell]))]
        if pattern.cost is not None:
            yield [*named, "c", repr(float(pattern.cost[cell]))]


def _status(pattern: Pattern, cell: int) -> str:
    mark = Mark(int(pattern.mark[cell]))
    if pattern.status[cell] == Status.PRIMARY or mark is Mark.SUPPRESS:
        return "u"
    if pattern.status[cell] == Status.SECONDARY:
        return "ml"
    return "" if mark is Mark.NONE else "s" if mark is Mark.SAFE else "p"
