"""What rules that look at contributions have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.pattern import Sensitivity
from tarnkappe.data.sums import Sums, sums_of
from tarnkappe.data.table import Contributions, Table
from tarnkappe.errors.tables import ContributionsFew, ContributionsMissing
from tarnkappe.kernels.dominance import Measure, Sensitive, sensitive
from tarnkappe.methods.tables.primary.protection import protected
from tarnkappe.spec import Rule


class Contributed(Rule):
    """Looks at who contributes to a cell."""

    by: Literal["owner", "contributor"] = "owner"
    """Who counts as one: owners, where the table knows them, or every contributor for himself. | Wer als einer zählt: Eigentümer, wo die Tabelle sie kennt, oder jeder Beitragende für sich."""

    weighted: bool = False
    """Where records have weights, let the units count that they stand for; a cell with too few respondents is marked all the same. | Wo Datensätze Gewichte haben, die Einheiten zählen lassen, für die sie stehen; eine Zelle mit zu wenigen Befragten wird trotzdem markiert."""

    def held(self, sums: Sums) -> Contributions | None:
        """The contributions by owner or by contributor; without known owners every contributor is his own."""
        return sums.contributions if self.by == "contributor" or sums.owners is None else sums.owners


class SensitivityRule(Contributed):
    """Marks cells whose linear sensitivity measure is above 0.

    Contributions count without their sign, owners' after adding up what they contribute to the cell. Where records have weights,
    contributions are what the respondents told, and the required protection grows as the weights let the cell grow. With `weighted`
    they are the units that records stand for, and cells with so few respondents that the rule always marks them stay marked.
    """

    @abstractmethod
    def weights_of(self) -> Measure:
        """The weights of the measure."""

    @property
    def looks_at(self) -> int:
        return len(self.weights_of().weights)

    def mark(self, table: Table) -> Sensitivity:
        found = self._applied(sums_of(table))
        return protected(table, found.cells, found.level, self.title)

    def sensitive(self, sums: Sums) -> Bools:
        return self._applied(sums).cells

    def _applied(self, sums: Sums) -> Sensitive:
        kept = self._known(sums)
        if sums.unweighted is None:
            return self._judged(sums)
        told = self._judged(sums.unweighted)
        size, without = _size(kept, sums.value), _size(self._known(sums.unweighted), sums.unweighted.value)
        growth = np.divide(size, without, out=np.ones(len(sums)), where=without > 0)
        told = Sensitive(told.cells, told.level * growth)
        if not self.weighted:
            return told
        units, few = self._judged(sums), told.cells & (kept.count <= self._always())
        return Sensitive(units.cells | few, np.where(few, np.maximum(units.level, told.level), units.level))

    def _judged(self, sums: Sums) -> Sensitive:
        kept = self._known(sums)
        return sensitive(np.abs(kept.largest), _size(kept, sums.value), self.weights_of())

    def _known(self, sums: Sums) -> Contributions:
        """The contributions, as many of the largest as the rule looks at."""
        kept, needed = self.held(sums), self.looks_at
        if kept is None:
            raise ContributionsMissing(rule=self.title, name=sums.name, needed=needed)
        if kept.largest.shape[1] < needed and (_units(kept) > kept.largest.shape[1]).any():
            raise ContributionsFew(rule=self.title, name=sums.name, needed=needed, kept=kept.largest.shape[1])
        return kept

    def _always(self) -> int:
        """With so few contributors the rule marks every cell: all of them have a place among the weights that are not negative."""
        return sum(weight >= 0 for weight in self.weights_of().weights)


def _units(kept: Contributions) -> Ints | Floats:
    """At most so many contributions are behind a cell."""
    return kept.count if kept.weight is None else kept.count + np.ceil(kept.weight)


def _size(kept: Contributions, value: Floats) -> Floats:
    """The sum of the contributions without their signs; where negative ones come without it, at least so much.

    Too small a sum makes a rule stricter, so the bound is safe.
    """
    if kept.size is not None:
        return kept.size
    shown = np.abs(kept.largest)
    signed = (value < 0) | (kept.largest < 0).any(axis=1)
    return np.where(signed, np.maximum(np.abs(value), shown.sum(axis=1)), value)
