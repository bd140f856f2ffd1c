"""Swaps undone: exchanged values are looked for in the window of ranks they cannot have left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.kernels.proportions import share_of
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.values_learnt import OnValues, Sides
from tarnkappe.spec import Finding, Goal, Json, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats, Ints
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.kernels.rank_windows import Ranks

MOST = 2_000_000_000
"""Pairs that are compared at most; of a larger file, records at equal distances are looked for."""
_SAMPLED = Text(
    "Records at equal distances in the file were looked for, not all.",
    "Gesucht wurden Datensätze in gleichen Abständen der Datei, nicht alle.",
)


@measure(
    "risk.swaps-undone",
    title=Text("Swaps undone by rank", "Über Ränge rückgängig gemachte Vertauschungen"),
    does=Text(
        "Looks for every record among the released ones that lie in all columns within the window of ranks, and counts those found.",
        "Sucht jeden Datensatz unter den freigegebenen, die in allen Spalten im Fenster der Ränge liegen, und zählt die gefundenen.",
    ),
    sources=(
        Source("nin2008", "rank swapping record linkage: intersection of the windows of all columns"),
        Source("hoehne2010", "2.2.3, rank swapping (S02)"),
        Source("moore1996", "rank swapping"),
    ),
    reads=Text(
        "A share of {value} of the records is found again by rank.",
        "Ein Anteil von {value} der Datensätze wird über die Ränge wiedergefunden.",
    ),
    knows=Text(
        "The attacker knows the true values of a record in all columns, the strata, and how far values were moved by rank.",
        "Der Angreifer kennt die wahren Werte eines Datensatzes in allen Spalten, die Schichten und wie weit Werte im Rang verschoben wurden.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "use columns that were not named: every column that stayed as it was finds more",
            "Spalten nutzen, die nicht genannt sind: Jede unveränderte Spalte findet mehr",
        ),
        Text(
            "undo an exchange over all ranks: the window is then the whole stratum",
            "eine Vertauschung über alle Ränge rückgängig machen: Das Fenster ist dann die ganze Schicht",
        ),
    ),
    words={
        "any_fitting": Text("any of the fitting records", "irgendein passender Datensatz"),
        "largest_move": Text("largest move as a part of the ranks", "größte Bewegung als Teil der Ränge"),
        "median_fitting": Text(
            "median of the number of fitting records", "Median der Zahl passender Datensätze"
        ),
        "nearest_fitting": Text("the nearest fitting record", "der nächste passende Datensatz"),
        "only_fitting": Text("records that alone fit", "Datensätze, die als einzige passen"),
        "own_among_fitting": Text(
            "own record is among the fitting ones", "der eigene Datensatz ist unter den passenden"
        ),
        "window": Text("window as a part of the ranks", "Fenster als Teil der Ränge"),
    },
    example={"columns": ["income", "wealth"], "within": ["region"], "weighted": True, "window": 0.2},
)
class SwapsUndone(OnValues):
    """The share of records that an attacker finds again who intersects the windows of all columns.

    Ranks are those of the released values in the stratum; ties share all their ranks. A released record fits when it lies in every column
    at most the window away from the true value. The attacker takes one of the fitting records at random, or the nearest of
    them (least sum of squared moves in parts of the window, ties at random); what finds more counts. Without `window`
    he knows the largest move of every column and stratum, as somebody does who was told the parameter.

    A true value that is missing restricts nothing, a released one that is not shown fits everything. The naive attacker takes any
    record of the stratum. Where more than two thousand million pairs would have to be compared, a part of the records is looked for.
    """

    window: Annotated[float, Field(gt=0, le=1)] | None = None
    """How far a value may have moved, as a part of the ranks of the stratum; without it, the largest move. | Wie weit ein Wert sich
    bewegt haben kann, als Teil der Ränge der Schicht; ohne Angabe die größte Bewegung."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        from tarnkappe.kernels.rank_windows import fitting  # noqa: PLC0415 -- numba is loaded when first used

        sides = self.sides(after, before)
        strata = strata_of(after.take(sides.place), self.within)
        found = np.full((len(sides.x), 4), np.nan)
        moved: dict[str, float] = dict.fromkeys(sides.names, 0.0)
        for block in strata.blocks():
            by_rank, windows = self._ranked(sides, block)
            for j, name in enumerate(sides.names):
                moved[name] = max(moved[name], float(by_rank[j].moved.max(initial=0)) / len(block))
            targets = _targets(sides, block, int(windows.min()), strata)
            if len(targets):
                seen = fitting(by_rank, windows, targets)
                found[block[targets]] = np.column_stack([a.astype(np.float64) for a in seen])
        return self._finding(after, sides, strata, found, moved)

    def _ranked(self, sides: Sides, block: Ints) -> tuple[list[Ranks], Ints]:
        from tarnkappe.kernels.rank_windows import ranks  # noqa: PLC0415

        found = [ranks(sides.x[block, j], sides.y[block, j]) for j in range(len(sides.names))]
        if self.window is None:
            return found, np.array([r.moved.max(initial=0) for r in found], dtype=np.int64)
        return found, np.full(len(found), int(np.floor(self.window * len(block) + 1e-9)), dtype=np.int64)

    def _finding(
        self, after: Microdata, sides: Sides, strata: Strata, found: Floats, moved: dict[str, float]
    ) -> Finding:
        cases = ~np.isnan(found[:, 0])
        fitting, fits, nearest, is_nearest = np.where(cases[:, None], found, 0.0).T
        ways = {
            "any_fitting": np.divide(fits, fitting, out=np.zeros_like(fits), where=fitting > 0),
            "nearest_fitting": np.divide(is_nearest, nearest, out=np.zeros_like(fits), where=nearest > 0),
        }
        counts = cases.astype(np.float64)
        shares = {way: share_of(hits, counts, sides.weights) for way, hits in ways.items()}
        best = max(shares, key=lambda way: np.nan_to_num(shares[way], nan=-1.0))
        chance = share_of(counts / strata.sizes[strata.of], counts, sides.weights)
        alone = (fitting == 1) & (fits == 1)
        details: dict[str, Json] = {
            "window": self.window, "largest_move": moved, "best_way": best, "ways": shares,
            "only_fitting": share_of(alone.astype(np.float64), counts, sides.weights),
            "own_among_fitting": share_of(fits, counts, sides.weights),
            "median_fitting": float(np.median(fitting[cases])) if cases.any() else None,
        }  # fmt: skip
        sampled = _SAMPLED if (~cases & sides.there.any(axis=1)).any() else NOTHING
        return self.finding(after, sides, (ways[best], counts), chance, details, sampled)


def _targets(sides: Sides, block: Ints, window: int, strata: Strata) -> Ints:
    """Records of the block with something known of them; at equal distances where there are too many pairs."""
    known = np.flatnonzero(sides.there[block].any(axis=1))
    pairs = len(known) * min(len(block), 2 * window + 1)
    share = MOST * len(block) / strata.sizes.sum() / max(pairs, 1)
    if share >= 1:
        return known
    return known[np.linspace(0, len(known) - 1, max(1, int(share * len(known)))).astype(np.int64)]
