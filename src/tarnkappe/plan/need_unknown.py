"""What a decision about a table rests on where nobody says it: counts are recognised, all else is named as missing.

Unknown is never harmless: a table of which something is not known is published only if the worst it could be would be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tarnkappe.data.table import Table
from tarnkappe.language import Text
from tarnkappe.plan.naming import topic_of, words_of
from tarnkappe.plan.need_facts import Fact, Facts
from tarnkappe.plan.words import COUNT

_COUNTS = frozenset({
    "n", "freq", "persons", "personen", "einheiten", "units", "befragte", "respondents", "contributors", "beitragende",
})  # fmt: skip
"""Words that name a number of units when they are the whole name of a column, beside those of the topic *count*."""

COUNTS = Text(
    "how many stand behind every cell: name the column of contributors (--count COLUMN, in a plan columns: {count: COLUMN}); "
    "where the values are counts themselves, name their column there as well",
    "wie viele hinter jeder Zelle stehen: nennen Sie die Spalte der Beitragenden (--count SPALTE, im Plan columns: {count: SPALTE}); "
    "sind die Werte selbst Anzahlen, nennen Sie dort auch deren Spalte",
)  # fmt: skip
LARGEST = Text(
    "the two largest contributions to every cell (--largest COLUMN, in a plan columns: {largest: [COLUMN, COLUMN]}), or the word "
    "of the office that no rule of dominance marks cells (--fact dominated=false)",
    "die zwei größten Beiträge zu jeder Zelle (--largest SPALTE, im Plan columns: {largest: [SPALTE, SPALTE]}) oder die Auskunft "
    "des Amts, dass keine Dominanzregel Zellen markiert (--fact dominated=false)",
)  # fmt: skip
TAKEN_FOR_COUNTS = Text(
    "The values are whole numbers and are judged as counts.",
    "Die Werte sind ganze Zahlen und werden als Anzahlen beurteilt.",
)
_ATTRIBUTE = Text(
    "Nothing is said of the attribute; it is taken for an ordinary one (--fact attribute=…).",
    "Über das Merkmal ist nichts gesagt; es gilt als gewöhnlich (--fact attribute=…).",
)
_AREA = Text(
    "No dimension of areas is named, so small areas were not looked for (--fact area=…).",
    "Es ist keine Dimension der Gebiete genannt; kleine Gebiete wurden nicht gesucht (--fact area=…).",
)
_SHARE = Text(
    "No shares are named, so shares near 0 or 100 per cent were not looked for (--fact share=… with share_of).",
    "Es sind keine Anteile genannt; Anteile nahe 0 oder 100 Prozent wurden nicht gesucht (--fact share=… mit share_of).",
)


@dataclass(frozen=True, slots=True)
class Recognised:
    """A table as it is judged."""

    table: Table
    assumed: bool = False
    """Its values are whole and judged as counts, but nothing says that they are."""
    remark: Text | None = None


def recognised(table: Table) -> Recognised:
    """The table, as one of counts where its values are counts; whole values of another name may be some."""
    kept = table.contributions
    if table.counts or not _whole(table):
        return Recognised(table)
    if kept is not None:
        same = np.array_equal(kept.count, table.value)
        return Recognised(replace(table, counts=True)) if same else Recognised(table)
    return Recognised(replace(table, counts=True), not is_count(table.measure), TAKEN_FOR_COUNTS)


def is_count(name: str) -> bool:
    """Whether a column of this name holds counts."""
    words = words_of(name)
    return topic_of(name) is COUNT or (len(words) == 1 and words[0] in _COUNTS)


def _whole(table: Table) -> bool:
    value = table.value
    return bool(np.all((value >= 0) & (value == np.rint(value)) & (value < 2**53)))


def missing(read: Recognised, told: Facts) -> tuple[Text, ...]:
    """What would have to be known for the table to be published."""
    table = read.table
    if table.counts:
        return (COUNTS,) if read.assumed else ()
    kept = table.contributions
    lacking = () if kept is not None else (COUNTS,)
    known = "dominated" in told.model_fields_set or (kept is not None and kept.largest.shape[1] > 1)
    return lacking if known else (*lacking, LARGEST)


def at_worst(known: Mapping[str, Fact], lacking: tuple[Text, ...]) -> dict[str, Fact]:
    """The facts as bad as they could be, given what is missing."""
    worst = dict(known)
    if COUNTS in lacking:
        worst |= {"smallest_cell": 1, "extremes": True}
        worst |= {"near_all": True} if known.get("share") else {}
        worst |= {"smallest_class": 1} if known.get("classes") else {}
        worst |= {"smallest_area": 1} if known.get("area") else {}
    if LARGEST in lacking or COUNTS in lacking:
        worst["dominated"] = True
    return worst


def remarks(read: Recognised, told: Facts) -> tuple[Text, ...]:
    """What was taken for granted or not looked at, because nothing was said of it."""
    if not told.personal:
        return ()
    said = told.model_fields_set
    found = [read.remark] if read.remark else []
    found += [_ATTRIBUTE] if "attribute" not in said else []
    found += [_AREA] if told.area is None else []
    found += [_SHARE] if told.share is None and read.table.counts and len(read.table.dimensions) > 1 else []
    return tuple(found)
