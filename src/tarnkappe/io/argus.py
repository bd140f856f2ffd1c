"""Tables of τ-ARGUS: a file of cells without a header (`.tab`) and its metadata (`.rda`), with hierarchies in `.hrc` files.

Statuses are those of τ-ARGUS: safe, unsafe and protected with the letters that the metadata name, M for secondary, E or
nothing for a cell that is empty. An empty cell is a structural zero here, a protected one must stay open.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Column, Floats
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.hierarchy_builders import from_digits
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.table import TOLERANCE
from tarnkappe.data.tabulate import below_total
from tarnkappe.errors.table_files import ArgusWrong, MetadataMisfit
from tarnkappe.errors.tables import TotalMissing
from tarnkappe.io.argus_metadata import Metadata, Part, Variable, metadata_for
from tarnkappe.io.cells import CellColumns, nodes_of, table_of
from tarnkappe.io.hierarchies import read_hierarchy, text_of
from tarnkappe.io.parsing import parse, unfit
from tarnkappe.io.patterns import Said, patterned
from tarnkappe.io.read_text import split_text
from tarnkappe.language import Text
from tarnkappe.vocab import Kind

ENDING, RECORDS = ".tab", ".asc"
EMPTY, SECONDARY = "E", "M"
_NUMBER = Text("a number is expected", "erwartet wird eine Zahl")
_STATUS = Text("the status is not known", "der Status ist unbekannt")
_HIDDEN = Text("a cell without a value cannot be unsafe", "eine Zelle ohne Wert kann nicht unsicher sein")
_FULL = Text("an empty cell has a value", "eine leere Zelle hat einen Wert")
_NO_DIMENSION = Text("no dimension", "keine Dimension")
_NO_VALUE = Text("neither a value nor a count", "weder Wert noch Anzahl")
_SEVERAL = Text("several values; name one", "mehrere Werte; nennen Sie einen")
_TWO = Text("a part stands there twice", "ein Teil steht doppelt da")


@dataclass(frozen=True, slots=True)
class ArgusFile:
    """A table file and what is said of it."""

    path: Path
    metadata: Path | None = None
    """The `.rda` file of the same name if not given."""
    value: str | None = None
    """The variable that is the value, where the metadata describe several."""
    encoding: str | None = None
    tolerance: float = TOLERANCE


def read_argus(file: ArgusFile) -> Pattern:
    """The table with its statuses, required protection and costs."""
    return _Reader(file, metadata_for(file.path, file.metadata)).pattern()


def dimensions_of(path: Path, metadata: Path | None = None) -> tuple[str, ...]:
    """The dimensions that the metadata of a table file name."""
    return tuple(v.name for v in metadata_for(path, metadata).having(Part.CODE))


def files_beside(path: Path, metadata: Path | None = None) -> list[Path]:
    """The metadata of a table file and the hierarchies that they name."""
    meta = metadata_for(path, metadata)
    return [meta.file, *(meta.beside(v.hierarchy) for v in meta.variables if v.hierarchy)]


class _Reader:
    def __init__(self, file: ArgusFile, meta: Metadata) -> None:
        self.file, self.meta = file, meta
        self.by = meta.having(Part.CODE)
        self.count = self._only(Part.COUNT)
        self.value = self._value()
        if not self.by:
            raise self._misfit(_NO_DIMENSION)
        self.fields = self._fields()

    def _value(self) -> Variable:
        found = self.meta.having(Part.VALUE)
        named = [v for v in found if v.name == self.file.value]
        if named or len(found) == 1:
            return (named or found)[0]
        if found:
            raise self._misfit(_SEVERAL)
        if self.count is None:
            raise self._misfit(_NO_VALUE)
        return self.count

    def _only(self, part: Part) -> Variable | None:
        found = self.meta.having(part)
        if len(found) > 1:
            raise self._misfit(_TWO)
        return found[0] if found else None

    def _misfit(self, why: Text) -> MetadataMisfit:
        return MetadataMisfit(file=self.meta.file.name, why=why)

    def _wrong(self, rows: Bools, why: Text) -> ArgusWrong:
        return ArgusWrong(file=self.file.path.name, line=int(np.argmax(rows)) + 1, why=why)

    def _fields(self) -> dict[str, pl.Series]:
        frame = split_text(self.file.path, self.meta.separator or ",", self.file.encoding)
        names = [v.name for v in self.meta.variables]
        if frame.width != len(names):
            says = Text(
                f"it has {frame.width} fields, the metadata describe {len(names)}",
                f"sie hat {frame.width} Felder, die Metadaten beschreiben {len(names)}",
            )
            raise ArgusWrong(file=self.file.path.name, line=1, why=says)
        texts = (frame.to_series(i).fill_null("").str.strip_chars() for i in range(frame.width))
        return dict(zip(names, texts, strict=True))

    def pattern(self) -> Pattern:
        value = self._numbers(self.value)
        words = self._statuses()
        empty = np.isnan(value) | (words == EMPTY)
        self._refuse(value, words, empty)
        value = np.where(empty, 0.0, value)
        trees = {v.name: self._hierarchy(v) for v in self.by}
        cells, columns = self._cells(value, empty)
        table = table_of(cells, trees, columns, self.file.path.stem, self.file.tolerance)
        return patterned(table, self._said(nodes_of(cells, trees), words, empty, value))

    def _refuse(self, value: Floats, words: NDArray[np.str_], empty: Bools) -> None:
        hidden = np.isnan(value) & np.isin(words, (self.meta.unsafe, SECONDARY))
        if hidden.any():
            raise self._wrong(hidden, _HIDDEN)
        full = empty & (np.nan_to_num(value) != 0)
        if full.any():
            raise self._wrong(full, _FULL)

    def _cells(self, value: Floats, empty: Bools) -> tuple[Microdata, CellColumns]:
        """The rows as a file of cells."""
        largest = self.meta.having(Part.LARGEST) if self.count else []
        columns = {v.name: Column.texts_of(self._codes(v).to_list()) for v in self.by}
        columns[self.value.name] = Column.numbers_of(value)
        if self.count is not None:
            columns[self.count.name] = Column.numbers_of(np.where(empty, 0, self._numbers(self.count)))
        for v in largest:
            columns[v.name] = Column.numbers_of(np.where(empty, 0, self._numbers(v)))
        size = self._shadow(value)
        if size is not None:
            columns[size] = Column.numbers_of(np.where(empty, 0, self._numbers(self._named(size))))
        counted = self.count.name if self.count else None
        return Microdata(columns), CellColumns(
            self.value.name, counted, tuple(v.name for v in largest), size=size
        )

    def _shadow(self, value: Floats) -> str | None:
        """The variable whose contributions are judged, where it is another one than the value."""
        shadow = self._only(Part.SHADOW)
        if shadow is None or np.array_equal(np.nan_to_num(self._numbers(shadow)), value):
            return None
        return shadow.name

    def _named(self, name: str) -> Variable:
        return next(v for v in self.meta.variables if v.name == name)

    def _said(self, nodes: NDArray[np.int32], words: NDArray[np.str_], empty: Bools, value: Floats) -> Said:
        status = np.where(
            words == self.meta.unsafe,
            Status.PRIMARY,
            np.where(words == SECONDARY, Status.SECONDARY, Status.OPEN),
        )
        mark = np.where(empty, Mark.ZERO, np.where(words == self.meta.protect, Mark.KEEP, Mark.NONE))
        nothing = np.full(len(value), np.nan)
        lowest = nothing if (value < 0).any() else np.zeros(len(value))
        cost = self._only(Part.COST)
        # τ-ARGUS fills the levels of safe cells with something small.
        lower, upper = (
            np.where(status == Status.OPEN, 0.0, self._optional(part)) for part in (Part.LOWER, Part.UPPER)
        )
        return Said(
            nodes, status.astype(np.uint8), mark.astype(np.uint8), lower, upper, lowest, nothing,
            self._numbers(cost) if cost else None,
        )  # fmt: skip

    def _optional(self, part: Part) -> Floats:
        found = self._only(part)
        return np.full(len(self.fields[self.value.name]), np.nan) if found is None else self._numbers(found)

    def _statuses(self) -> NDArray[np.str_]:
        """The status of every cell in capitals; safe where the file has none."""
        found = self._only(Part.STATUS)
        if found is None:
            return np.full(len(self.fields[self.value.name]), self.meta.safe)
        upper = self.fields[found.name].str.to_uppercase()
        words: NDArray[np.str_] = upper.set(upper == "", EMPTY).to_numpy().astype(str)
        known = (EMPTY, SECONDARY, self.meta.safe, self.meta.unsafe, self.meta.protect)
        unknown = ~np.isin(words, known)
        if unknown.any():
            raise self._wrong(unknown, _STATUS)
        return words

    def _numbers(self, variable: Variable) -> Floats:
        """The numbers of a variable; nothing, or a hyphen, is no number. The decimal sign may be a comma."""
        texts = self.fields[variable.name]
        texts = texts.set(texts == "-", "")
        comma = self.meta.separator != "," and bool(texts.str.contains(",", literal=True).any())
        numbers = parse(texts, Kind.NUMBER, "," if comma else ".")
        wrong = (unfit(texts, numbers) | (numbers.is_not_null() & ~numbers.is_finite())).fill_null(
            value=False
        )
        if wrong.any():
            raise self._wrong(wrong.to_numpy(), _NUMBER)
        return numbers.fill_null(np.nan).to_numpy().astype(np.float64)

    def _codes(self, variable: Variable) -> pl.Series:
        """The codes of a dimension; a field without one is the total."""
        texts = self.fields[variable.name]
        return texts.set(texts == "", variable.total.strip())

    # -- hierarchies --------------------------------------------------------------------------------------

    def _hierarchy(self, variable: Variable) -> Hierarchy:
        codes = self._codes(variable).unique(maintain_order=True).to_list()
        total = variable.total.strip()
        if total not in codes:
            raise TotalMissing(name=variable.name, total=total)
        missing = [word.strip() for word in variable.words]
        plain = [code for code in codes if code not in missing]
        tree = hierarchy_of(self.meta, variable, plain)
        tree = _with_codes(tree, [c for c in codes if c in missing and c not in tree.codes])
        return tree if variable.code_list is None else labelled(tree, self.meta.beside(variable.code_list))


def hierarchy_of(meta: Metadata, variable: Variable, codes: list[str]) -> Hierarchy:
    """The hierarchy of a dimension: from its file, from the signs of its codes, or all codes below the total."""
    total = variable.total.strip()
    if variable.hierarchy is not None:
        return read_hierarchy(meta.beside(variable.hierarchy), variable.name, variable.leading, total)
    if variable.levels:
        lengths = list(accumulate(variable.levels))
        return from_digits(variable.name, np.array(codes, dtype=object), lengths, total)
    return below_total(variable.name, codes, total)


def _with_codes(tree: Hierarchy, codes: list[str]) -> Hierarchy:
    """With codes of missing values right below the total, where τ-ARGUS adds them up."""
    if not codes:
        return tree
    names = tree.level_names
    return Hierarchy(
        tree.name, np.append(tree.codes, np.array(codes, dtype=object)), np.append(tree.parent, [0] * len(codes)),
        np.append(tree.labels, [""] * len(codes)), np.append(tree.level, [1] * len(codes)), names if len(names) > 1 else (),
    )  # fmt: skip


def labelled(tree: Hierarchy, file: Path) -> Hierarchy:
    """With the labels of a code list (`code,label` per line); a list that is not there labels nothing."""
    if not file.is_file():
        return tree
    pairs = (line.partition(",") for line in text_of(file).splitlines())
    return tree.worded(tree.level_names, {code.strip(): label.strip() for code, _, label in pairs})
