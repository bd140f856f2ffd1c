"""Univariate microaggregation with safety intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.masked import not_rounded, whole_alike
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.kernels.averages import group_averages
from tarnkappe.kernels.sorted_groups import distant_groups
from tarnkappe.language import Text
from tarnkappe.methods.microdata.averaging import (
    OTHER_COLUMNS,
    PERIODS_APART,
    SIGNED,
    SMALLER_VARIANCES,
    Grouping,
    groups_of_k,
    same_totals,
)
from tarnkappe.methods.microdata.sign_classes import by_sign
from tarnkappe.methods.microdata.whole_totals import FAR, WHOLE_KEPT, WHOLE_TOTALS
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Maturity, Source, method
from tarnkappe.spec.conditions import where
from tarnkappe.spec.limits import ForAnalysis

ROUNDING = 1e-9


def _ladders(m: SafeAverage, before: Microdata, after: Microdata) -> Iterator[tuple[Floats, Ints, float]]:
    """What is shown of one sign in a stratum: sizes of values, falling, how often each stands, and how far off rounding may have put it."""
    exact = not_rounded(before, m.columns, m.whole)
    for name in m.columns:
        y = after.column(name).numbers()
        shown = ~np.isnan(y) & (y != 0)
        strata = by_sign(strata_of(after, m.within), [np.where(shown, y, 0.0)])
        for rows in strata.blocks():
            if shown[rows[0]]:
                values, counts = np.unique(-np.abs(y[rows]), return_counts=True)
                yield -values, counts, 0.0 if name in exact else FAR[m.whole]


def _apart(m: SafeAverage, before: Microdata, after: Microdata) -> bool:
    return all(
        bool(np.all(values[:-1] + off >= (values[1:] - off) * m.ratio * (1 - ROUNDING)))
        for values, _, off in _ladders(m, before, after)
    )


def _wide_enough(m: SafeAverage, before: Microdata, after: Microdata) -> bool:
    """The interval in which an original lies for certain, from the means around it, is as wide as was asked for.

    With own mean v of g values, the mean a above and b below: at most min(a, g v - (g-1) b), at least max(b, g v - (g-1) a). A rounded mean stands for all
    that it may have been.
    """
    for values, g, off in _ladders(m, before, after):
        with np.errstate(over="ignore", invalid="ignore"):
            v, e = values / values[0], off / values[0]
            below, above = np.append(v[1:] - e, 0.0), np.append(np.inf, v[:-1] + e)
            high = np.minimum(above, g * (v + e) - (g - 1) * below)
            low = np.maximum(below, np.where(np.isinf(above), -np.inf, g * (v - e) - (g - 1) * above))
        if not np.all(high - low >= m.safety / 100 * high * (1 - ROUNDING)):
            return False
    return True


def _signs_kept(m: SafeAverage, before: Microdata, after: Microdata) -> bool:
    x, y = before.aligned_to(after).numbers(m.columns), after.numbers(m.columns)
    shown = ~np.isnan(y)
    return np.array_equal(np.sign(x[shown]), np.sign(y[shown]))


@method(
    "microdata.safe-average",
    family=Family.AVERAGE,
    title=Text("Average with safety intervals", "Mitteln mit Sicherheitsintervall"),
    does=Text(
        "In every column neighbouring values were replaced by their mean, with means so far apart that no original is bounded tightly.",
        "In jeder Spalte wurden benachbarte Werte durch ihren Mittelwert ersetzt; die Mittelwerte liegen so weit auseinander, dass kein "
        "Original eng begrenzt ist.",
    ),
    sources=(
        Source("hoehne2010", "3.2, univariate microaggregation with safety interval (M12; metric part of SAFE2A)"),
    ),
    preserves=(
        Claim(
            Text(
                "the total and the mean of every chosen column over the records whose values are shown, in every stratum",
                "Summe und Mittelwert jeder gewählten Spalte über die Datensätze, deren Werte gezeigt werden, in jeder Schicht",
            ),
            same_totals,
            when=where("whole", "decimals"),
        ),
        replace(WHOLE_TOTALS, when=where("whole", "total")),
        WHOLE_KEPT,
        Claim(Text("signs and zeros", "Vorzeichen und Nullen"), _signs_kept),
    ),
    protects=(
        Claim(
            Text(
                "every shown value but zero stands in records of at least k contributors of its stratum",
                "jeder gezeigte Wert außer null steht in Datensätzen von mindestens k Beitragenden seiner Schicht",
            ),
            groups_of_k,
        ),
        Claim(
            Text(
                "neighbouring means of one sign differ at least by the factor that the safety asks for (those that are rounded, up to rounding)",
                "benachbarte Mittelwerte eines Vorzeichens unterscheiden sich mindestens um den Faktor, den die Sicherheit verlangt (gerundete bis auf die "
                "Rundung)",
            ),
            _apart,
        ),
        Claim(
            Text(
                "every original lies, as far as the means tell, in an interval of at least the required width",
                "jedes Original liegt, soweit die Mittelwerte es verraten, in einem Intervall von mindestens der verlangten Breite",
            ),
            _wide_enough,
            when=where("mode", "safe"),
        ),
    ),
    does_not=(
        OTHER_COLUMNS,
        PERIODS_APART,
        SMALLER_VARIANCES,
        Text(
            "change every value by a minimum: a value can equal its mean, and very large units stay exposed",
            "jeden Wert um ein Mindestmaß ändern: ein Wert kann gleich seinem Mittelwert sein, und sehr große Einheiten bleiben gefährdet",
        ),
        Text("hide which values are zero", "verbergen, welche Werte null sind"),
        ForAnalysis(
            "keep fine differences in dense data: the whole range holds few means that are far enough apart",
            "feine Unterschiede in dichten Daten erhalten: in die Spannweite passen nur wenige Mittelwerte mit diesem Abstand",
        ),
        Text(
            "make records alike: each column is treated apart",
            "Datensätze gleich machen: jede Spalte wird für sich behandelt",
        ),
    ),
    example={
        "columns": ("income", "employees"), "k": 4, "by": "records", "within": ("sex",), "too_small": "suppress",
        "whole": "total", "safety": 8.0, "mode": "strict",
    },
    maturity=Maturity.REPLICATED,
)  # fmt: skip
class SafeAverage(Grouping):
    """Average neighbouring values so that the means around a group do not bound its values tightly.

    In individual ranking every original lies for certain between the means of the neighbouring groups, often within a per cent. Here
    groups are formed from the largest value down, and a group takes more values until its mean is smaller than the last one by a
    factor. Use it instead of microdata.rank-average where values themselves are confidential.

    `mode: book` takes the factor k/(k-S) of the book (S is `safety` as a share), `strict` the larger one of its two inequalities:
    the book names the wrong one as stricter. Both look at a pair of neighbouring groups only; for a group between two others the certain
    interval is then only two thirds as wide. `safe` takes the factor 1/√(1-S) as well, with which every interval is S of its
    upper end or wider, and that is checked.

    Records do not count with their weights: a weighted mean would bound a record that has most of the weight of its group tightly.

    Means of whole numbers can be rounded (`whole`). Rounded means tell less than the means themselves, so no interval becomes narrower; means that come to
    be equal form one larger group; and since a mean of whole numbers of one sign is at least 1 in size, none is rounded to zero.

    Negative and positive values are treated apart by their size, zeros stay zero. A stratum and sign with fewer than k contributors
    is treated as `too_small` says. Missing and suppressed cells stay as they are. A constant column stays; infinite values are
    refused.
    """

    safety: Annotated[float, Field(gt=0, lt=100)] = 5.0
    """Least width of the interval of a value, in percent of its upper end. | Mindestbreite des Intervalls eines Werts, in Prozent
    des oberen Endes."""
    mode: Literal["safe", "strict", "book"] = "safe"
    """The factor between means: one that keeps the promise for all groups, or one of the book. | Der Faktor zwischen Mittelwerten:
    einer, der das Versprechen für alle Gruppen hält, oder einer des Buchs."""

    @property
    def ratio(self) -> float:
        """The factor by which neighbouring means differ at least; source: hoehne2010, (3.2-4) and (3.2-5), for groups of k."""
        k, s = self.k, self.safety / 100
        lower, upper = k / (k - s), (k - (k - 1) * s) / (k * (1 - s))
        return {"book": lower, "strict": max(lower, upper), "safe": max(lower, upper, 1 / sqrt(1 - s))}[
            self.mode
        ]

    def sets(self) -> tuple[tuple[str, ...], ...]:
        return tuple((name,) for name in self.columns)

    def together(self) -> Text:
        return SIGNED

    def counted(self, after: Microdata, names: tuple[str, ...]) -> Bools:
        counted: Bools = super().counted(after, names) & (after.numbers(names)[:, 0] != 0)
        return counted

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        data.numbers(self.columns, self.id)
        self.refuse_few(data)
        for name in self.columns:
            data = self._averaged(data, name)
        return data

    def _averaged(self, data: Microdata, name: str) -> Microdata:
        together = strata_of(data, self.within, (name,))
        cloud = self.cloud(data, (name,), together)
        x = cloud.values[:, 0]
        cloud = cloud.within(by_sign(cloud.blocks, [x]))
        order = cloud.sorted_by(-np.abs(x))
        labels = np.empty(len(order), dtype=np.int64)
        labels[order] = distant_groups(
            np.abs(x)[order], cloud.who[order], cloud.blocks.starts, self.k, self.ratio
        )
        means = group_averages(cloud.values, labels)
        means[:, 0] = whole_alike(data.column(name), means[:, 0], self.whole, together.of, labels)
        alone = (labels < 0) & (x != 0) & cloud.there[:, 0]
        return self.without(data.with_numbers((name,), means), (name,), alone)
