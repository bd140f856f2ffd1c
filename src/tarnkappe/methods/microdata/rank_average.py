"""Individual ranking: microaggregation of every column on its own."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.kernels.rising import never_falls
from tarnkappe.kernels.sorted_groups import fixed_groups, optimal_groups
from tarnkappe.language import Text
from tarnkappe.methods.microdata.averaging import (
    HEAVY,
    INSIDERS,
    OTHER_COLUMNS,
    PERIODS_APART,
    SMALLER_VARIANCES,
    TOTALS,
    VALUES,
    WEIGHTED_TOTALS,
    Averaging,
    Cloud,
)
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT, WHOLE_TOTALS
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Maturity, Source, method


def neighbours(cloud: Cloud, axis: Floats, x: Floats, k: int, sizes: str) -> Ints:
    """Groups of neighbours along an axis; with optimal sizes those that lose least of the columns `x`."""
    order = cloud.sorted_by(axis)
    who, starts = cloud.who[order], cloud.blocks.starts
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = (
        fixed_groups(who, starts, k) if sizes == "fixed" else optimal_groups(x[order], who, starts, k)
    )
    return labels


def _order_kept(m: RankAverage, before: Microdata, after: Microdata) -> bool:
    """In the order of the old values the new ones never fall, within a stratum."""
    aligned = before.aligned_to(after)
    strata = strata_of(aligned, m.within)

    def kept(name: str) -> bool:
        old, new = aligned.column(name).numbers(), after.column(name).numbers()
        shown = np.flatnonzero(~np.isnan(new))
        here = strata.among(shown)
        order = here.sorted_by(old[shown])
        return never_falls(old[shown[order]], new[shown[order]], here.starts)

    return all(on_cores(kept, m.columns, len(after)))


@method(
    "microdata.rank-average",
    family=Family.AVERAGE,
    title=Text("Average neighbours in rank (individual ranking)", "Nachbarn im Rang mitteln (unabhängige Mikroaggregation)"),
    does=Text(
        "In every column neighbouring values were replaced by the mean or median of their group.",
        "In jeder Spalte wurden benachbarte Werte durch Mittelwert oder Median ihrer Gruppe ersetzt.",
    ),
    sources=(
        Source("hoehne2010", "2.2.6, independent one-dimensional microaggregation (M05); appendix 1, Hansen and Mukherjee (M06)"),
        Source("hansen2003", "optimal one-dimensional microaggregation by shortest paths"),
        Source("gottschalk2002", "4.3, microaggregation (G-M20)"),
        Source("dav2025", "3.3.4, microaggregation, individual ranking (blurring)"),
    ),
    preserves=(
        TOTALS,
        WEIGHTED_TOTALS,
        WHOLE_TOTALS,
        WHOLE_KEPT,
        Claim(
            Text(
                "the order of the values of a column in a stratum: a larger one never becomes the smaller one",
                "die Reihenfolge der Werte einer Spalte in einer Schicht: ein größerer wird nie zum kleineren",
            ),
            _order_kept,
        ),
    ),
    protects=(VALUES,),
    does_not=(
        OTHER_COLUMNS,
        PERIODS_APART,
        Text(
            "hide values well: the means of the neighbouring groups bound every original with certainty; use microdata.safe-average "
            "or microdata.spread-average against that",
            "Werte gut verbergen: die Mittelwerte der Nachbargruppen begrenzen jedes Original mit Sicherheit; dagegen helfen "
            "microdata.safe-average und microdata.spread-average",
        ),
        Text(
            "make records alike: each column is treated apart, so their combination can be unique",
            "Datensätze gleich machen: jede Spalte wird für sich behandelt, ihre Kombination kann einzigartig bleiben",
        ),
        SMALLER_VARIANCES,
        INSIDERS,
        HEAVY,
    ),
    example={
        "columns": ("income", "employees"), "k": 4, "by": "records", "within": ("sex",), "too_small": "suppress",
        "aggregate": "median", "whole": "total", "weighted": True, "sizes": "fixed",
    },
    maturity=Maturity.REPLICATED,
    revision=2,
)  # fmt: skip
class RankAverage(Averaging):
    """Sort each column, and replace neighbouring values by the mean or the median of their group.

    Use it where analyses matter most and protection comes from other steps: values change very little, correlations hardly at all.
    With `sizes: optimal` the groups are those of the least possible sum of squares (dynamic programming over groups of k to 2k-1
    values); with `fixed` there are k values in each, and the last group takes the rest.

    Each column has its own groups, among the values observed in the stratum; missing and suppressed cells stay as they are. Equal
    values can fall into two groups, the earlier record into the lower one. Where an owner has very many neighbouring records the
    optimum is sought among the 256 nearest starts of a group. `too_small` says what happens to a stratum with fewer than k
    contributors. Zeros and negative values are values like others, a constant column stays, infinite values are refused.
    """

    sizes: Literal["optimal", "fixed"] = "optimal"
    """Sizes of groups: those that lose least, or k each. | Gruppengrößen: die mit dem kleinsten Verlust, oder je k."""

    def sets(self) -> tuple[tuple[str, ...], ...]:
        return tuple((name,) for name in self.columns)

    def groups(self, cloud: Cloud, stream: Stream) -> Ints:
        del stream
        return neighbours(cloud, cloud.values[:, 0], cloud.raw, self.k, self.sizes)
