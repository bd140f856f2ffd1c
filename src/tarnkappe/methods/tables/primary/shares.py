"""Shares of 0 and of 100 percent."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tarnkappe.data.pattern import Sensitivity
from tarnkappe.data.table import Table
from tarnkappe.language import Text
from tarnkappe.methods.tables.primary.counted import RowRule
from tarnkappe.spec import Source, rule


@rule(
    "rule.shares",
    title=Text("shares of 0 and 100%", "Anteile von 0 und 100 %"),
    does=Text(
        "Counts that hold all or none of their total are confidential.",
        "Anzahlen, die alle oder keine Einheiten ihrer Summe enthalten, sind vertraulich.",
    ),
    sources=(
        Source("schenker2019", "share of foreigners in small areas: at 100 % everybody is known"),
        Source("hundepool2012", "ch. 5, attribute disclosure"),
    ),
    flags=Text(
        "Counts that are equal to the total of their row or column, and zeros in rows and columns that are not empty.",
        "Anzahlen, die gleich der Summe ihrer Zeile oder Spalte sind, und Nullen in Zeilen und Spalten, die nicht leer sind.",
    ),
    does_not=(
        Text(
            "see categories that the table does not list: say empty: listed for a table of records, or give zeros as cells",
            "erkennt keine Kategorien, die die Tabelle nicht aufführt: bei Tabellen aus Datensätzen empty: listed setzen, sonst Nullen als Zellen angeben",
        ),
        Text(
            "mark shares that are only nearly 0 or 100%: see group disclosure",
            "markiert keine Anteile, die nur fast 0 oder 100 % sind: siehe Gruppenaufdeckung",
        ),
    ),
    example={"along": ("occupation",), "side": "all"},
    revision=2,
)
class Shares(RowRule):
    """Mark cells that hold all or none of the units of their row or column.

    If everybody in a region has one citizenship, a table tells the citizenship of each of them. A cell that holds all must be
    able to be lower by 1, one that holds none higher by 1; nothing is asked for on the other side, where the total or 0 is known.
    Sums with a single part are left out: there it is no news.
    """

    side: Literal["both", "all", "none"] = "both"
    """Whether shares of 100 %, of 0 % or both are marked. | Ob Anteile von 100 %, von 0 % oder beide markiert werden."""

    def mark(self, table: Table) -> Sensitivity:
        everything, nothing = (np.zeros(len(table), dtype=np.bool_) for _ in range(2))
        for parts, total in self.rows(table):
            filled = parts & (total > 0)
            everything |= filled & (table.told.value == total) & (self.side != "none")
            nothing |= filled & (table.told.value == 0) & (self.side != "all")
        one = self.stands_for(table)
        return Sensitivity(everything | nothing, everything * one, nothing * one, self.title)
