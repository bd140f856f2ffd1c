"""Microaggregation that keeps variances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.masked import Whole, equal_in, not_rounded, rounded, whole_alike, whole_valued
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.masking import MomentsTell, ResultTooLarge, SpreadTooWide
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.rim_groups import BOTH, rim_groups_within
from tarnkappe.kernels.sorted_groups import fixed_groups, optimal_groups
from tarnkappe.kernels.spread import spread_records, spread_sorted
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.methods.microdata.averaging import (
    HEAVY,
    OTHER_COLUMNS,
    PERIODS_APART,
    SIGNED,
    Cloud,
    Weighing,
    same_totals,
)
from tarnkappe.methods.microdata.sign_classes import by_sign
from tarnkappe.methods.microdata.whole_totals import FAR, WHOLE_KEPT, WHOLE_TOTALS, spread_nearly
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Maturity, Source, method
from tarnkappe.spec.conditions import given, not_given, unless, where
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import of_many


def _shown(
    m: SpreadAverage, before: Microdata, after: Microdata
) -> Iterator[tuple[Floats, Floats, Ints, Floats, float]]:
    """Per column the values still shown, before and after, on one scale, their strata and weights, and how far they may have been rounded."""
    aligned, exact = before.aligned_to(after), not_rounded(before, m.columns, m.whole)
    of, weights = strata_of(aligned, m.within).of, m.shares(aligned)
    for name in m.columns:
        x, y = aligned.column(name).numbers(), after.column(name).numbers()
        shown = ~np.isnan(y)
        scale = float(power_scale(x[shown][:, None])[0])
        most = 0.0 if name in exact else FAR[m.whole] / scale
        yield x[shown] / scale, y[shown] / scale, of[shown], weights[shown], most


def _same_variances(m: SpreadAverage, before: Microdata, after: Microdata) -> bool:
    """Sums of squares around the mean of the stratum; rounding counts against the size of the values. Of rounded columns the standard deviation."""
    for x, y, of, w, most in _shown(m, before, after):
        if most and not spread_nearly(x, y, of, w, most).all():
            return False
        if most:
            continue
        total = np.bincount(of, w)
        mean = (np.bincount(of, w * x) / np.where(total > 0, total, 1.0))[of]
        was, now = np.bincount(of, w * (x - mean) ** 2), np.bincount(of, w * (y - mean) ** 2)
        size = np.bincount(of, w * x**2)
        if not np.all(np.abs(was - now) <= 1e-9 * was + 1e-12 * np.sqrt(was * size) + 1e-24 * size + 1e-290):
            return False
    return True


def _signs_kept(m: SpreadAverage, before: Microdata, after: Microdata) -> bool:
    return all(bool(np.all(x * y >= 0)) for x, y, *_ in _shown(m, before, after))


def _in_pairs(m: SpreadAverage, before: Microdata, after: Microdata) -> bool:
    """Every shown value of a column stands in two records of its stratum or more; zeros excepted where they stay."""
    del before
    for name in m.columns:
        column = after.column(name)
        found = classes([after.column(n).codes() for n in (*m.within, name)])
        shown = column.observed & ~((column.numbers() == 0) & (m.signs == "kept"))
        if not np.all(found.sizes[found.ids[shown]] >= 2):
            return False
    return True


@method(
    "microdata.spread-average",
    family=Family.AVERAGE,
    title=Text("Average with the variance kept", "Mitteln mit Varianzerhalt"),
    does=Text(
        "In small groups of similar values the lower ones got one value and the upper ones another, so that mean and variance stayed.",
        "In kleinen Gruppen ähnlicher Werte bekamen die unteren einen Wert und die oberen einen anderen, sodass Mittelwert und Varianz blieben.",
    ),
    sources=(
        Source("hoehne2010", "3.3.2, variance-preserving microaggregation (M15, M16, M17)"),
    ),
    preserves=(
        Claim(
            Text(
                "the total and the mean of every chosen column over the records whose values are shown, in every stratum",
                "Summe und Mittelwert jeder gewählten Spalte über die Datensätze, deren Werte gezeigt werden, in jeder Schicht",
            ),
            same_totals,
            when=not_given("weighted") & where("whole", "decimals"),
        ),
        Claim(
            Text(
                "the variance of every chosen column over the same records, in every stratum",
                "die Varianz jeder gewählten Spalte über dieselben Datensätze, in jeder Schicht",
            ),
            _same_variances,
            when=not_given("weighted") & where("whole", "decimals"),
        ),
        Claim(
            Text(
                "weighted total, mean and variance of every chosen column over the records whose values are shown, in every stratum",
                "gewichtete Summe, gewichteten Mittelwert und gewichtete Varianz jeder gewählten Spalte über die Datensätze, deren Werte gezeigt werden, "
                "in jeder Schicht",
            ),
            lambda m, before, after: same_totals(m, before, after) and _same_variances(m, before, after),
            when=given("weighted") & where("whole", "decimals"),
        ),
        replace(WHOLE_TOTALS, when=where("whole", "total")),
        Claim(
            Text(
                "the variance (with weights, the weighted one) of every chosen column over the same records, in every stratum; where whole numbers are rounded, "
                "the standard deviation to within one",
                "die Varianz (mit Gewichten die gewichtete) jeder gewählten Spalte über dieselben Datensätze, in jeder Schicht; wo ganze Zahlen gerundet sind, "
                "die Standardabweichung auf eins genau",
            ),
            _same_variances,
            when=unless("whole", "decimals"),
        ),
        WHOLE_KEPT,
        Claim(
            Text("signs: no value crosses zero", "Vorzeichen: kein Wert überschreitet die Null"),
            _signs_kept,
            when=where("signs", "kept"),
        ),
    ),
    protects=(
        Claim(
            Text(
                "every shown value other than a kept zero stands in at least two records of its stratum",
                "jeder gezeigte Wert außer einer erhaltenen Null steht in mindestens zwei Datensätzen seiner Schicht",
            ),
            _in_pairs,
        ),
    ),
    does_not=(
        OTHER_COLUMNS,
        PERIODS_APART,
        ForAnalysis(
            "keep the order of values: in a skewed group the lower value can fall below values of the next group",
            "die Reihenfolge der Werte erhalten: in einer schiefen Gruppe kann der untere Wert unter Werte der nächsten Gruppe fallen",
        ),
        Text(
            "change a group of two different values, the smaller ones in the lower part and the larger ones in the upper part: they are shown as "
            "they were, as in columns of small whole numbers",
            "eine Gruppe aus zwei verschiedenen Werten ändern, deren kleinere den unteren und deren größere den oberen Teil bilden: sie werden gezeigt, "
            "wie sie waren, so in Spalten kleiner ganzer Zahlen",
        ),
        Text("hide which values are zero, with signs: kept", "mit signs: kept verbergen, welche Werte null sind"),
        HEAVY,
        Text(
            "stop one who knows the method and recognises which two values make up a group: its mean and spread are then known",
            "den aufhalten, der das Verfahren kennt und erkennt, welche zwei Werte eine Gruppe bilden: deren Mittelwert und Streuung sind dann bekannt",
        ),
        Text(
            "hide values of few decimals, such as cents, that lie close together in a group: often one set of such values only has its mean and spread",
            "Werte mit wenigen Nachkommastellen, etwa Cent, verbergen, die in einer Gruppe eng beieinanderliegen: oft hat nur eine Menge solcher Werte deren "
            "Mittelwert und Streuung",
        ),
        Text(
            "make records alike, unless records are grouped: their combination of values can be unique",
            "Datensätze gleich machen, außer bei grouping: records: ihre Kombination von Werten kann einzigartig sein",
        ),
    ),
    example={
        "columns": ("income", "employees"), "k": 6, "by": "records", "within": ("sex",), "too_small": "suppress",
        "whole": "nearest", "grouping": "optimal", "upper_part": 2, "signs": "free", "weighted": True,
    },
    maturity=Maturity.REPLICATED,
    revision=4,
)  # fmt: skip
class SpreadAverage(Weighing):
    """Replace the values of a group by two values, so that the group keeps its mean and its variance.

    Use it for files whose users need variances and models: with it and information reduction the German scientific use files of enterprises
    were made. The lower g1 of g values become the mean minus σ√((g-g1)/g1), the others the mean plus σ√(g1/(g-g1)), with σ by
    the divisor g. The bounds of individual ranking are no longer certain, since the values shown are no group means.

    `grouping: fixed` and `optimal` sort each column and form groups of k, or of the sizes that lose least; then correlations stay
    up to an error that vanishes with the number of records. `records` forms groups of similar records (MDAV), cuts each into two
    similar halves, and decides for every column apart which half is the upper one.

    With `weighted` the records count with their weights in mean and variance, and g and g1 are sums of weights. Weights that differ very much within
    a group drive its two values far apart.

    The two values of a group are rounded where a column has whole numbers (`whole`), each for all its records alike, so that mean and variance are kept up
    to rounding only: to the last digit, they would mostly be those of one set of whole numbers, which anybody could find. So
    `whole: decimals` is refused there, also where a file holds whole numbers as decimals. No value crosses zero by rounding, but small ones can become zero.

    With `signs: kept` negative and positive values are treated apart and zeros stay; where the lower value would cross zero the
    upper part is made smaller, then the group larger (columns only), and if nothing helps the step is refused. For skewed columns
    take k = 6 and `upper_part: 2`. With `free` all values are treated together and may change their sign. Missing and suppressed
    cells stay as they are; records with other gaps are grouped apart. Equal values can fall into two groups; a constant column
    stays; infinite values are refused.
    """

    k: Annotated[int, Field(ge=4)] = 4
    """Smallest group size. | Kleinste Gruppengröße."""
    grouping: Literal["fixed", "optimal", "records"] = "fixed"
    """Groups in each column, of k or of optimal size, or of whole records. | Gruppen in jeder Spalte, von k oder optimaler Größe,
    oder von ganzen Datensätzen."""
    upper_part: Annotated[int, Field(ge=2)] | None = None
    """So many values of a group get the upper value; half of them if not given. | So viele Werte einer Gruppe erhalten den oberen
    Wert; ohne Angabe die Hälfte."""
    signs: Literal["kept", "free"] = "kept"
    """Whether values may cross zero. | Ob Werte die Null überschreiten dürfen."""
    whole: Whole = "total"
    """In columns of whole numbers: round so that totals hardly move, or round; decimals are refused there. | In Spalten ganzer Zahlen: so runden, dass
    Summen kaum abweichen, oder runden; Nachkommastellen werden dort abgelehnt."""

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if self.upper_part is not None and self.grouping == "records":
            raise ValueError(Text("upper_part goes with columns only", "upper_part gehört nur zu Spalten"))
        if self.upper_part is not None and self.upper_part > self.k - 2:
            raise ValueError(
                Text("upper_part must leave two of k", "upper_part muss zwei von k übrig lassen")
            )
        return self

    def sets(self) -> tuple[tuple[str, ...], ...]:
        return (self.columns,) if self.grouping == "records" else tuple((name,) for name in self.columns)

    def together(self) -> Text:
        return SIGNED if self.signs == "kept" else super().together()

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        data.numbers(self.columns, self.id)
        self.refuse_few(data)
        self._refuse_decimals(data)
        for names in self.sets():
            data = self._spread(data, names)
        return data

    def _refuse_decimals(self, data: Microdata) -> None:
        """Mean and variance of a few whole numbers to the last digit are mostly those of one set of numbers only."""
        whole = [n for n in self.columns if whole_valued(data.column(n))]
        if whole and self.whole == "decimals":
            raise MomentsTell(who=self.id, names=", ".join(map(repr, whole)))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """Variances are kept whatever the values are; only with weights it is the weighted ones, and rounding changes them a little."""
        loose = rounded(before, self.columns, self.whole)
        if self.weighted:
            return super().tells(before, after)
        left = super().tells(before, after)["variance_kept"] if loose else {}
        kept = dict.fromkeys(self.columns, 1.0) | (
            {n: left[n] for n in loose} if isinstance(left, dict) else {}
        )
        return {"variance_kept": of_many(kept), "rounded": loose}

    def shares(self, data: Microdata) -> Floats:
        """How much each record counts, 1 at most."""
        weights = self.record_weights(data)
        return np.ones(len(data)) if weights is None else weights / weights.max(initial=1e-300)

    def _spread(self, data: Microdata, names: tuple[str, ...]) -> Microdata:
        together = strata_of(data, self.within, names)
        cloud = replace(self.cloud(data, names, together), weights=self.shares(data))
        if self.signs == "kept":
            cloud = cloud.within(by_sign(cloud.blocks, list(cloud.raw.T)))
        values, alone, of = self._records(cloud, names) if len(names) > 1 else self._column(cloud, names[0])
        for name in rounded(data, names, self.whole):
            j = names.index(name)
            parts = equal_in(of, values[:, j])
            values[:, j] = whole_alike(
                data.column(name), values[:, j], self.whole, together.of, parts, cloud.weights
            )
        return self.without(data.with_numbers(names, values), names, alone & cloud.there.any(axis=1))

    def _column(self, cloud: Cloud, name: str) -> tuple[Floats, Bools, Ints]:
        """New values, which records found no group, and where equal values are one part of a group: here in all of a block, since parts are neighbours."""
        x, kept = cloud.values[:, 0], self.signs == "kept"
        order = cloud.sorted_by(np.abs(x) if kept else x)
        who, starts = cloud.who[order], cloud.blocks.starts
        y, scale = _scaled((np.abs(x) if kept else x)[order], starts)
        labels = (
            optimal_groups(y[:, None], who, starts, self.k)
            if self.grouping == "optimal"
            else fixed_groups(who, starts, self.k)
        )
        spread, bad = spread_sorted(y, _weights(cloud)[order], labels, starts, self.upper_part or 0, kept)
        if bad:
            raise SpreadTooWide(name=name, count=bad)
        out, alone = np.empty(len(x)), np.empty(len(x), dtype=np.bool_)
        out[order], alone[order] = self._finite(spread, scale, name), (labels < 0) & ((y != 0) | (not kept))
        return (out * np.where(x < 0, -1.0, 1.0) if kept else out)[:, None], alone, cloud.blocks.of

    def _records(self, cloud: Cloud, names: tuple[str, ...]) -> tuple[Floats, Bools, Ints]:
        """The same, where equal values are one part in a group."""
        blocks = cloud.blocks
        labels = rim_groups_within(cloud.x, cloud.who, blocks.order, blocks.starts, self.k, BOTH, 0.0)
        out = spread_records(cloud.x, cloud.raw, _weights(cloud), labels)
        if self.signs == "kept":
            for j, name in enumerate(names):
                crossed = (out[:, j] * cloud.raw[:, j] < 0) & cloud.there[:, j]
                if crossed.any():
                    raise SpreadTooWide(name=name, count=int(crossed.sum()))
        scale = power_scale(cloud.values)
        made = [self._finite(out[:, j], scale[j], name) for j, name in enumerate(names)]
        return np.stack(made, axis=1), labels < 0, labels

    def _finite(self, values: Floats, scale: Floats, name: str) -> Floats:
        """Values times their scale, unless that is too large for a number."""
        with np.errstate(over="ignore"):
            out: Floats = values * scale
        if too_large := int(np.count_nonzero(np.isinf(out))):
            raise ResultTooLarge(who=self.id, count=too_large, name=name)
        return out


def _weights(cloud: Cloud) -> Floats:
    return np.ones(len(cloud.values)) if cloud.weights is None else cloud.weights


def _scaled(y: Floats, starts: Ints) -> tuple[Floats, Floats]:
    """Sorted values over a power of two that fits their block, and that power: squares are neither too large nor too small."""
    ends = np.maximum(np.abs(y[starts[:-1]]), np.abs(y[starts[1:] - 1])) if len(y) else y
    scale = np.repeat(power_scale(ends[None, :]), np.diff(starts))
    return y / scale, scale
