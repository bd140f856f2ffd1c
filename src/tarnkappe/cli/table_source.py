"""Table files of any kind as the command line names them: files of cells, of τ-ARGUS and JJ files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.cli.short import file_of, hierarchies
from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import TOLERANCE
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.tables import DimensionTwice, DimensionUnknown, NoDimension
from tarnkappe.io.argus import ENDING, ArgusFile, read_argus
from tarnkappe.io.cells import CellColumns, CellFile, read_cells
from tarnkappe.io.jj import pattern_of_jj, read_jj
from tarnkappe.io.marks import read_marks, with_marks
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.patterns import pattern_of
from tarnkappe.io.read import read_with
from tarnkappe.plan.hierarchies import (
    HierarchyDescription,
    build_hierarchy,
    code_columns,
    placed,
)
from tarnkappe.spec.parameters import fit_or_raise


@dataclass(frozen=True, slots=True)
class Cells:
    """A file of cells as the command line describes it."""

    file: Path
    by: tuple[str, ...] = ()
    hierarchies: tuple[str, ...] = ()
    columns: CellColumns = field(default_factory=CellColumns)
    marks: Path | None = None
    meta: Path | None = None
    """The metadata of a file of τ-ARGUS."""
    tolerance: float = TOLERANCE
    options: ReadOptions = field(default_factory=ReadOptions)
    also: tuple[Path, ...] = ()
    """Further files that share cells; each has those of the dimensions that are its columns."""
    published: tuple[Path, ...] = ()
    """Files of cells and folders of releases that are out already."""
    last: Path | None = None
    """The release, or a file, of the last period."""
    prior: float | None = None
    """The attacker knows every cell up to so many percent."""
    insiders: str | None = None
    """Who attacks from inside; None: as the audit and the method have it."""
    exact: bool | None = None
    """Whether every interval is told to its end; None: where few cells are hidden."""

    @property
    def ending(self) -> str:
        return self.file.suffix.lower()

    @property
    def argus(self) -> ArgusFile:
        return ArgusFile(self.file, self.meta, self.columns.value, self.options.encoding, self.tolerance)


def pattern_of_file(cells: Cells) -> Pattern:
    """The table of a file with all that the file, and a file of marks, say of its cells."""
    pattern = _pattern(cells)
    if cells.marks is None:
        return pattern
    names = [tree.name for tree in pattern.table.dimensions]
    return with_marks(pattern, read_marks(cells.marks, names, cells.options.encoding))


def _pattern(cells: Cells) -> Pattern:
    if cells.ending == ENDING:
        return read_argus(cells.argus)
    refuse_dimensions(cells.by)
    if cells.ending == ".jj":
        return pattern_of_jj(read_jj(cells.file), dict(_trees(cells)), cells.tolerance)
    rows, trees = with_dimensions(cells, rows_of_file(cells))
    return pattern_of(rows, trees, cells.columns, cells.file.stem, cells.tolerance)


def each_file(cells: Cells) -> Iterator[Cells]:
    """The file and the further ones, each with its own dimensions."""
    if not (cells.also or cells.published):
        yield cells
        return
    for file in (cells.file, *cells.also):
        here = set(read_with(file, cells.options).names) if file.suffix.lower() != ENDING else set(cells.by)
        said = {name: one for name, one, _ in described(cells) if one is not None}
        by = tuple(name for name in cells.by if set(code_columns(said, (name,))) <= here)
        here |= set(by)
        trees = tuple(
            said for said in cells.hierarchies if said.partition("=")[0].strip() not in set(cells.by) - here
        )
        yield replace(cells, file=file, by=by, hierarchies=trees, also=(), published=())


def rows_of_file(cells: Cells) -> Microdata:
    """The rows of a file of cells; codes are text."""
    return read_cells(CellFile(cells.file, columns_of_codes(cells), cells.columns, cells.options))


def refuse_dimensions(by: tuple[str, ...]) -> None:
    if not by:
        raise NoDimension
    for name in by:
        if by.count(name) > 1:
            raise DimensionTwice(name=name)


def described(cells: Cells) -> Iterator[tuple[str, HierarchyDescription | None, Path]]:
    """What is said of every dimension, and the folder its file lies in."""
    given = hierarchies(cells.hierarchies)
    for name in given:
        if name not in cells.by:
            raise DimensionUnknown(name=cells.file.name, dimension=name, hint=did_you_mean(name, cells.by))
    for name in cells.by:
        said = given.get(name)
        file = None if said is None else file_of(said, cells.file.parent)
        file = file if file is None else file.resolve()
        words: dict[str, Any] = said if isinstance(said, dict) else {}
        if file is not None:
            yield name, fit_or_raise(HierarchyDescription, {**words, "file": file.name}, name), file.parent
        else:
            yield (
                name,
                None if said is None else fit_or_raise(HierarchyDescription, words, name),
                cells.file.parent,
            )


def with_dimensions(cells: Cells, rows: Microdata) -> tuple[Microdata, dict[str, Hierarchy]]:
    """The rows of a file with a column per dimension, and the hierarchy of every dimension."""
    trees = {}
    for name, said, folder in described(cells):
        rows, trees[name] = placed(said, name, rows, folder)
    return rows, trees


def columns_of_codes(cells: Cells) -> tuple[str, ...]:
    """The columns that hold codes."""
    said = {name: one for name, one, _ in described(cells) if one is not None}
    return code_columns(said, cells.by)


def _trees(cells: Cells) -> Iterator[tuple[str, Hierarchy]]:
    """The hierarchies of a file without codes."""
    nothing = Column.texts_of([]) if not cells.by else Column.texts_of([None])
    for name, said, folder in described(cells):
        yield name, build_hierarchy(said or HierarchyDescription(tree=[]), name, nothing, folder)


def own_bounds(pattern: Pattern) -> int:
    """How many cells have prior bounds of their own."""
    usual = Pattern(pattern.table)
    return int(np.count_nonzero((pattern.low != usual.low) | (pattern.high != usual.high)))
