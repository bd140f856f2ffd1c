"""Published tables as files: some cells are suppressed and their values are not there. Ours or another program's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.system import Shown, System, system_of_published
from tarnkappe.errors.data import NotFinite, WrongKind
from tarnkappe.errors.tables import NotExact, TotalMissing
from tarnkappe.io.cells import CellColumns, CellFile, nodes_of, read_cells
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.prior_knowledge import Known
from tarnkappe.language import Text

STATUS = "status"
"""A column with this name is taken for the status of the cells unless another is named."""
HIDDEN = ("suppressed", "primary", "secondary", "x", "u", "m")
"""Words of the status of a suppressed cell; capitals do not matter."""
CHANGED = ("rounded", "perturbed")
RANGE = "range"
SIGNS = ("", "x", ".", "..", "...", "…", "*", "c", "·", "/")
"""What stands in place of a suppressed value; an empty cell is suppressed too."""
_NUMBERS = Text("numbers", "Zahlen")


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file of published cells and how it shows that a cell is suppressed."""

    path: Path
    by: tuple[str, ...]
    value: str = "value"
    status: str | None = None
    hidden: tuple[str, ...] = HIDDEN
    signed: bool = False
    """Cells can be negative, even where no published one is."""
    options: ReadOptions = field(default_factory=ReadOptions)
    prior: float | None = None
    """The attacker knows every suppressed cell up to so many percent; the file must hold the values for that."""

    def read(self) -> Microdata:
        """The rows of the file; codes are text."""
        return read_cells(CellFile(self.path, self.by, CellColumns(self.value), self.options))

    def system(self, cells: Microdata, hierarchies: Mapping[str, Hierarchy]) -> System:
        """What the attacker has: the published cells, the sums and the bounds. Totals must be there: suppressed cells cannot be added up."""
        for name, tree in hierarchies.items():
            if tree.total not in cells.column(name).distinct():
                raise TotalMissing(name=name, total=tree.total)
        return system_of_published(
            self.path.stem, tuple(hierarchies.values()), self._shown(cells, hierarchies)
        )

    def _shown(self, cells: Microdata, hierarchies: Mapping[str, Hierarchy]) -> Shown:
        value = self._values(cells)
        words = self.words(cells)
        changed = np.isin(words, CHANGED) & ~np.isnan(value)
        if changed.any():
            raise NotExact(name=self.path.stem, count=int(changed.sum()))
        ranges = words == RANGE
        given = value
        value = np.where(np.isin(words, [w.lower() for w in self.hidden]) | ranges, np.nan, value)
        lowest = -np.inf if self.signed or bool((value < 0).any()) else 0.0
        low, high = np.full(len(value), lowest), np.full(len(value), np.inf)
        low, high = _bounded(cells, ranges, low, high)
        known = Known(self.path.stem, given, np.isnan(value), self.prior)
        return Shown(
            nodes_of(cells, hierarchies), value, *known.bounds(cells, low, high), known.required(cells)
        )

    def words(self, cells: Microdata) -> NDArray[np.str_]:
        """The status of every row, in small letters."""
        name = self.status or (STATUS if STATUS in cells.columns else None)
        if name is None:
            return np.full(len(cells), "")
        return np.array([str(text or "").strip().lower() for text in cells.column(name).texts()])

    def _values(self, cells: Microdata) -> Floats:
        """The numbers; signs of suppression are taken for nothing."""
        column = cells.column(self.value)
        if column.kind.is_number:
            return cells.numbers([self.value], self.path.stem)[:, 0]
        texts = [str(text or "").strip() for text in column.texts()]
        decimal = self.options.decimal or "."
        try:
            plain = [np.nan if t.lower() in SIGNS else float(t.replace(decimal, ".")) for t in texts]
        except ValueError:
            raise WrongKind(
                name=self.value, found=column.kind.text, who=self.path.stem, needed=_NUMBERS
            ) from None
        infinite = np.flatnonzero(np.isinf(plain))
        if len(infinite):
            raise NotFinite(name=self.value, count=len(infinite), first=int(infinite[0]) + 1)
        return np.array(plain, dtype=np.float64)


def _bounded(cells: Microdata, ranges: Bools, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The published ends of ranges."""
    for name, bounds in (("low", low), ("high", high)):
        if ranges.any() and name in cells.columns:
            told = cells.numbers([name], name)[:, 0]
            use = ranges & ~np.isnan(told)
            bounds[use] = told[use]
    return low, high
