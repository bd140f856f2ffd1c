"""Group disclosure."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.pattern import Sensitivity
from tarnkappe.data.table import Table
from tarnkappe.language import Text
from tarnkappe.methods.tables.primary.counted import RowRule
from tarnkappe.spec import Source, rule


@rule(
    "rule.group-disclosure",
    title=Text("group disclosure", "Gruppenaufdeckung"),
    does=Text(
        "Counts are confidential where a group falls into one category altogether or nearly so.",
        "Anzahlen sind vertraulich, wo eine Gruppe ganz oder fast ganz in eine Kategorie fällt.",
    ),
    sources=(
        Source("schenker2019", "share of foreigners in small areas; classes that hold a whole group"),
        Source("hundepool2012", "ch. 5, group disclosure"),
    ),
    flags=Text(
        "Counts that hold all units of their row or column but at most a few who act together.",
        "Anzahlen, die alle Einheiten ihrer Zeile oder Spalte bis auf höchstens einige gemeinsam handelnde enthalten.",
    ),
    does_not=(
        Text(
            "see categories that the table does not list: say empty: listed for a table of records, or give zeros as cells",
            "erkennt keine Kategorien, die die Tabelle nicht aufführt: bei Tabellen aus Datensätzen empty: listed setzen, sonst Nullen als Zellen angeben",
        ),
        Text("mark small counts as such", "markiert kleine Anzahlen nicht als solche"),
    ),
    example={"along": ("occupation",), "coalition": 1},
    revision=2,
)
class GroupDisclosure(RowRule):
    """Mark cells into which a whole group falls: its row or column has only one open category.

    With `coalition` = 0 the category holds all units of the row. With 1, a single unit elsewhere, who knows where it stands itself, sees that
    all others are of this category; and so on for several who act together. So many units outside the category must be possible that
    they cannot conclude this: the cell must be able to be lower by `coalition` + 1 minus the units outside. Sums with a single part are
    left out.
    """

    coalition: Annotated[int, Field(ge=0)] = 0
    """So many units outside the category act together. | So viele Einheiten außerhalb der Kategorie handeln gemeinsam."""

    def mark(self, table: Table) -> Sensitivity:
        lower, inside = np.zeros(len(table)), table.told.value
        for parts, total in self.rows(table):
            outside = total - inside
            found = parts & (inside > 0) & (outside <= self.coalition)
            lower = np.maximum(lower, np.where(found, np.minimum(self.coalition + 1 - outside, inside), 0.0))
        return Sensitivity(lower > 0, lower * self.stands_for(table), np.zeros(len(table)), self.title)
