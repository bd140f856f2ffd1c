"""Microaggregation of groups drawn by chance."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.moments import pearson
from tarnkappe.kernels.random_groups import drawn_rows
from tarnkappe.kernels.sorted_groups import fixed_groups
from tarnkappe.language import Text
from tarnkappe.methods.microdata.averaging import (
    COMBINATIONS,
    HEAVY,
    INSIDERS,
    OTHER_COLUMNS,
    SERIES,
    SMALLER_VARIANCES,
    TOTALS,
    WEIGHTED_TOTALS,
    Cloud,
)
from tarnkappe.methods.microdata.series_claims import SERIES_OF_K
from tarnkappe.methods.microdata.step_remarks import periods_counted_apart
from tarnkappe.methods.microdata.unit_averaging import UNIT_WORDS, UnitAveraging
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT, WHOLE_TOTALS
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Holds, Source, method
from tarnkappe.spec.conditions import Condition, not_given, where
from tarnkappe.spec.limits import ForAnalysis


def correlations_near(m: RandomAverage, before: Microdata, after: Microdata) -> bool:
    """Correlations within six standard errors of a sample of as many records as there are groups."""
    was, now = pearson(before.numbers(m.columns)), pearson(after.numbers(m.columns))
    groups = max(len(after) / m.k, 4)
    known = ~np.isnan(was) & ~np.isnan(now) & (np.abs(was) < 1)
    apart = np.arctanh(np.clip(was[known], -0.999, 0.999)) - np.arctanh(np.clip(now[known], -0.999, 0.999))
    return bool(np.all(np.abs(apart) <= 6 / np.sqrt(groups - 3)))


_IN_PARTS = Condition(
    Text("with `within` or `unit`", "mit `within` oder `unit`"), lambda m: bool(m.within or m.unit)
)


@method(
    "microdata.random-average",
    family=Family.AVERAGE,
    title=Text("Average random groups (stochastic microaggregation)", "Zufällige Gruppen mitteln (stochastische Mikroaggregation)"),
    does=Text(
        "Values were replaced by the mean or median of a group of records drawn by chance.",
        "Werte wurden durch Mittelwert oder Median einer zufällig gezogenen Gruppe von Datensätzen ersetzt.",
    ),
    sources=(Source("hoehne2010", "2.2.6, stochastic microaggregation (M10) and bootstrap (M11)"),),
    preserves=(
        TOTALS.only(not_given("replacement")),
        WEIGHTED_TOTALS.only(not_given("replacement")),
        WHOLE_TOTALS.only(not_given("replacement")),
        WHOLE_KEPT,
        Claim(
            Text(
                "correlations between the chosen columns, up to the error of a sample with a k-th of the records",
                "Korrelationen zwischen den gewählten Spalten, bis auf den Fehler einer Stichprobe mit einem k-tel der Datensätze",
            ),
            correlations_near,
            Holds.ON_AVERAGE,
            when=where("aggregate", "mean") & not_given("weighted") & not_given("within") & not_given("unit"),
        ),
    ),
    protects=(COMBINATIONS, SERIES_OF_K),
    does_not=(
        OTHER_COLUMNS,
        SMALLER_VARIANCES,
        ForAnalysis("keep correlations over the whole file where records were drawn together in parts of it: only those inside a part stay, and differences between the parts weigh more", "Korrelationen über die ganze Datei erhalten, wo Datensätze in Teilen von ihr zusammengeführt wurden: nur die innerhalb eines Teils bleiben, und Unterschiede zwischen den Teilen wiegen schwerer", _IN_PARTS),
        ForAnalysis("keep a record near its own values, nor its relation to other columns", "einen Datensatz in der Nähe seiner eigenen Werte lassen, noch seinen Zusammenhang mit anderen Spalten erhalten"),
        SERIES,
        INSIDERS,
        HEAVY,
    ),
    words=UNIT_WORDS,
    example={
        "columns": ("income", "wealth"), "k": 4, "by": "records", "within": ("year",), "unit": ("household", "occupation"), "too_small": "suppress",
        "aggregate": "median", "whole": "nearest", "weighted": True, "replacement": True,
    },
    random=True,
    revision=2,
)  # fmt: skip
class RandomAverage(UnitAveraging):
    """Replace values by the mean of a group of records drawn by chance.

    Because groups do not depend on the values, correlations and regressions among the chosen columns stay unbiased, while
    all variances shrink to a k-th; with `within`, inside every stratum. Single records lose their meaning: use it for files on which only models of the chosen columns
    are fitted, and protect strongly.

    Without `replacement` the records of a stratum are dealt into groups of k, the last one takes the rest; with it, every group is
    drawn anew from the stratum (bootstrap), so that a record can be in several groups or in none, and no record belongs to its
    values any more. No contributor is drawn twice for one group. Missing, suppressed, zero, negative, constant and tied values,
    strata, owners and units are treated as in microdata.mdav; infinite values are refused. With `unit` whole units are dealt or drawn, among those that
    are there in the same strata and periods.
    """

    replacement: bool = False
    """Draw every group anew from all records of the stratum. | Jede Gruppe neu aus allen Datensätzen der Schicht ziehen."""

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        """Groups drawn by chance need no columns that agree."""
        del after
        return tuple(periods_counted_apart(before, self.within, self.unit_columns()))

    def groups(self, cloud: Cloud, stream: Stream) -> Ints:
        order = cloud.sorted_by(stream.generator.random(len(cloud.who)))
        labels = np.empty(len(order), dtype=np.int64)
        labels[order] = fixed_groups(cloud.who[order], cloud.blocks.starts, self.k)
        return labels

    def drawn(self, labels: Ints, cloud: Cloud, stream: Stream) -> Ints | None:
        if not self.replacement or labels.max(initial=-1) < 0:
            return None
        first = np.zeros(int(labels.max()) + 1, dtype=np.int64)
        first[labels[labels >= 0]] = np.flatnonzero(labels >= 0)
        groups = np.bincount(cloud.blocks.of[first], minlength=len(cloud.blocks))
        rows: Ints = drawn_rows(
            stream.generator, cloud.who, cloud.blocks.order, cloud.blocks.starts, groups, self.k
        )
        return rows
