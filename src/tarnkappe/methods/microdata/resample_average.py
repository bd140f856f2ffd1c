"""Averages of order statistics over bootstrap samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.contributors import contributors_by, several_records
from tarnkappe.data.masked import Whole, rounded, whole_alike
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.errors.masking import NothingChanged
from tarnkappe.kernels.sampling import add_sorted_sample
from tarnkappe.language import Text
from tarnkappe.methods.microdata.averaging import OTHER_COLUMNS, PERIODS_APART, SMALLER_VARIANCES
from tarnkappe.methods.microdata.limits import STRATUM, too_few
from tarnkappe.methods.microdata.stratum_claims import enough_in_strata
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Holds, Json, Method, Source, method
from tarnkappe.spec.fields import Columns


def _shown(m: ResampleAverage, before: Microdata, after: Microdata, name: str) -> tuple[Floats, Floats, Ints]:
    """What is still shown of a column before and after, and the strata of these records."""
    aligned = before.aligned_to(after)
    shown = after.column(name).observed
    was, now = aligned.column(name).numbers()[shown], after.column(name).numbers()[shown]
    return was, now, strata_of(aligned, m.within).of[shown]


def _order_kept(m: ResampleAverage, before: Microdata, after: Microdata) -> bool:
    for name in m.columns:
        was, now, stratum = _shown(m, before, after, name)
        order = np.argsort(was)
        order = order[np.argsort(stratum[order], kind="stable")] if m.within else order
        x, y, of = was[order], now[order], stratum[order]
        begins = np.flatnonzero(np.append(len(x) > 0, (x[1:] != x[:-1]) | (np.diff(of) != 0)))
        if not len(begins):
            continue
        low, high = (
            ends.reduceat(y / 2, begins) for ends in (np.minimum, np.maximum)
        )  # halves never overflow
        fell = low[1:] - high[:-1] < -1e-12 * np.abs(low[1:])
        if (fell & (of[begins][1:] == of[begins][:-1])).any():
            return False
    return True


def _range_kept(m: ResampleAverage, before: Microdata, after: Microdata) -> bool:
    for name in m.columns:
        was, now, _ = _shown(m, before, after, name)
        if len(was) and (now.max() > was.max() or now.min() < was.min()):
            return False
    return True


def _mean_near(m: ResampleAverage, before: Microdata, after: Microdata) -> bool:
    """Within six standard errors of the mean of all samples together; where whole numbers are rounded, and as far as that may move it."""
    loose = rounded(before, m.columns, m.whole)
    for name in m.columns:
        was, now, of = _shown(m, before, after, name)
        if not len(was):
            continue
        moved = 0.5 * (len(np.unique(of)) / len(was) if m.whole == "total" else 1.0) * (name in loose)
        if abs(now.mean() - was.mean()) > 6 * was.std() / np.sqrt(m.samples * len(was)) + moved:
            return False
    return True


def _changed(m: ResampleAverage, before: Microdata, after: Microdata) -> bool:
    for name in m.columns:
        was, now, stratum = _shown(m, before, after, name)
        if np.array_equal(was, now) and _varies(was, stratum):
            return False
    return True


def _of_many(m: ResampleAverage, before: Microdata, after: Microdata) -> bool:
    was = before.aligned_to(after)
    of = strata_of(was, m.within).of
    return all(enough_in_strata(was, after.column(n).observed, of, m.at_least) for n in m.columns)


def _varies(values: Floats, stratum: Ints) -> bool:
    """Does any stratum hold two different values?"""
    one = np.empty(int(stratum.max(initial=-1)) + 1)
    one[stratum] = values
    return bool((values != one[stratum]).any())


@method(
    "microdata.resample-average",
    family=Family.AVERAGE,
    title=Text("Average order statistics of samples", "Ordnungsstatistiken von Stichproben mitteln"),
    does=Text(
        "Values were replaced by averages of the values of their rank in random samples from their column.",
        "Werte wurden durch Mittelwerte der Werte ihres Rangs in Zufallsstichproben aus ihrer Spalte ersetzt.",
    ),
    sources=(Source("dav2025", "3.3.6, resampling (D-M13)"), Source("hundepool2012", "chapter 3, perturbative masking: resampling")),
    preserves=(
        Claim(Text("the order of the values of a column in a stratum", "die Reihenfolge der Werte einer Spalte in einer Schicht"), _order_kept),
        Claim(Text("the limits of a column: no value lies beyond them", "die Grenzen einer Spalte: kein Wert liegt jenseits"), _range_kept),
        Claim(
            Text(
                "the mean of a column; where it is rounded to the nearest whole numbers, to one half",
                "den Mittelwert einer Spalte; wo sie auf die nächsten ganzen Zahlen gerundet ist, auf ein halb genau",
            ),
            _mean_near,
            Holds.ON_AVERAGE,
        ),
        WHOLE_KEPT,
    ),
    protects=(
        Claim(
            Text("no column that varies is left as it was", "keine Spalte, die variiert, bleibt, wie sie war"),
            _changed,
        ),
        Claim(
            Text(
                "the values shown of a stratum are averages of draws from those of at least `at_least` contributors",
                "die gezeigten Werte einer Schicht sind Mittel aus Ziehungen unter denen von mindestens `at_least` Beitragenden",
            ),
            _of_many,
        ),
    ),
    does_not=(
        OTHER_COLUMNS,
        PERIODS_APART,
        SMALLER_VARIANCES,
        Text(
            "change every value: frequent values, such as zeros, mostly stay, and with whole, where values lie close together, many rounded ones are the originals",
            "jeden Wert ändern: häufige Werte wie Nullen bleiben meist, und mit whole sind viele gerundete die Originale, wo Werte dicht liegen",
        ),
        Text(
            "invent values, with samples: 1: each shown one is an original, and the largest stays as it was in nearly two of three cases; with ten samples in one of a hundred",
            "bei samples: 1 neue Werte bilden: jeder gezeigte ist ein Original, und der größte bleibt in knapp zwei von drei Fällen, wie er war; bei zehn Stichproben in einem von hundert",
        ),
        Text(
            "hide ranks: the largest unit still has the largest value, and with many samples its value comes near to the original",
            "Ränge verbergen: die größte Einheit hat weiter den größten Wert, und bei vielen Stichproben kommt er dem Original nahe",
        ),
    ),
    example={
        "columns": ("income", "employees"), "samples": 5, "within": ("sex",), "at_least": 4, "too_small": "suppress", "whole": "total",
    },
    random=True,
    revision=2,
)  # fmt: skip
class ResampleAverage(Method):
    """Give every value the average value of its rank over bootstrap samples from its column.

    From the observed values of a column and stratum as many values are drawn with replacement as there are; they are sorted; and
    the record of rank j gets the mean of the j-th values of all samples. Values in the middle hardly change, those at the ends, where
    values lie far apart, change much. More samples mean smaller changes. Columns are treated apart, so correlations weaken a little.

    With `whole` the averages of whole numbers are rounded; with `total` so that the total of a stratum is, to one half, that before rounding. The order of
    values stays. A column that comes back as it was by that is refused.

    Equal values get values by the order of the file. Missing and suppressed cells stay as they are. A stratum with values of fewer than
    `at_least` contributors cannot be protected so: `too_small` says what happens to it. Records of one owner count once. Zeros and negative
    values are values like others, a constant column stays, infinite values are refused.
    """

    columns: Columns
    """Numeric columns to treat. | Numerische Spalten, die behandelt werden."""
    samples: Annotated[int, Field(ge=1, le=1000)] = 10
    """Samples that are averaged. | Stichproben, die gemittelt werden."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
    at_least: Annotated[int, Field(ge=3)] = 10
    """Smallest number of contributors in a stratum. | Kleinste Zahl von Beitragenden in einer Schicht."""
    too_small: Literal["refuse", "suppress"] = "refuse"
    """What happens to smaller strata. | Was mit kleineren Schichten geschieht."""
    whole: Whole = "decimals"
    """In columns of whole numbers: leave decimals, round, or round so that totals hardly move. | In Spalten ganzer Zahlen:
    Nachkommastellen lassen, runden, oder so runden, dass Summen kaum abweichen."""

    def named_columns(self) -> tuple[str, ...]:
        return (*self.columns, *self.within)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        data.numbers(self.columns, self.id)
        for name in self.columns:
            data = self._resampled(data, name, stream)
        return data

    def _resampled(self, data: Microdata, name: str, stream: Stream) -> Microdata:
        x = data.numbers((name,), self.id)[:, 0]
        strata = strata_of(data, self.within, (name,))
        people = contributors_by(data, np.ones(len(data), dtype=np.bool_), strata.of)
        few = (people < self.at_least)[strata.of] & ~np.isnan(x)
        if few.any() and self.too_small == "refuse":
            raise too_few(self.id, self.at_least, STRATUM, owners=several_records(data))
        new = self._averages(data.column(name), np.where(np.isnan(x), 0.0, x), strata, stream)
        there = ~np.isnan(x) & ~few
        if there.any() and np.array_equal(new[there], x[there]) and _varies(x[there], strata.of[there]):
            raise NothingChanged(who=self.id, name=name)
        done = data.with_numbers((name,), new[:, None])
        return done.with_columns({name: done.column(name).suppress(few)}) if few.any() else done

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        del after
        return {"rounded": rounded(before, self.columns, self.whole)}

    def _averages(self, column: Column, x: Floats, strata: Strata, stream: Stream) -> Floats:
        """A sorted sample is the sorted values, each as often as it was drawn: nothing is sorted but the values themselves."""
        order = np.argsort(x, kind="stable")
        order = order[np.argsort(strata.of[order], kind="stable")] if len(strata) > 1 else order
        y = x[order]
        first, size = np.repeat(strata.starts[:-1], strata.sizes), np.repeat(strata.sizes, strata.sizes)
        total, share = np.zeros(len(x)), y / self.samples
        for _ in range(self.samples):
            add_sorted_sample(stream.generator.random(len(x)), first, size, share, total)
        low, high = (
            np.repeat(y[strata.starts[:-1]], strata.sizes),
            np.repeat(y[strata.starts[1:] - 1], strata.sizes),
        )
        out = np.empty(len(x))
        out[order] = whole_alike(
            column, np.clip(total, low, high), self.whole, strata.of[order], np.arange(len(x))
        )
        return out
