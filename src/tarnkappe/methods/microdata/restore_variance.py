"""Another step with variances brought back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.contributors import contributor_codes, contributors_by
from tarnkappe.data.masked import Whole, not_rounded, rounded, whole_alike
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.masking import NothingChanged, NotRestored, ResultTooLarge, StepUnfit
from tarnkappe.kernels.kim import LEAST, kim_corrected
from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.methods.microdata.inner_step import UNFIT, in_kind, inner_step
from tarnkappe.methods.microdata.limits import only_treated
from tarnkappe.methods.microdata.whole_totals import FAR, WHOLE_KEPT, near_totals, spread_nearly
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Maturity, Method, Reach, Source, method
from tarnkappe.spec.conditions import not_given, unless, where
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.step import apply_step

LEAST_WHOLE = 10
"""Contributors behind a mean and a variance of whole numbers, or of the values that a step changed among others: of fewer, only few numbers fit both."""
_SIGNS = Text(
    "The correction changed the sign of {count} values in {name}.",
    "Die Korrektur änderte das Vorzeichen von {count} Werten in {name}.",
)
_LEFT = Text(
    "In {name}, blocks of {count} strata were left as the first step made them: the correction would have brought the originals back, or too few "
    "contributors stand behind them. Variances there are not restored.",
    "In {name} blieben Blöcke in {count} Schichten so, wie der erste Schritt sie machte: Die Korrektur hätte die Originale zurückgebracht, oder zu wenige "
    "Beitragende stehen dahinter. Varianzen sind dort nicht wiederhergestellt.",
)


def _shown(
    m: RestoreVariance, before: Microdata, after: Microdata
) -> Iterator[tuple[Floats, Floats, Ints, float]]:
    """Per column what is shown before and after, on one scale, the strata, and how far values may have been rounded."""
    aligned, exact = before.aligned_to(after), not_rounded(before, m.columns, m.whole)
    of = strata_of(aligned, m.within).of
    for name in m.columns:
        x, y = aligned.numbers((name,))[:, 0], after.numbers((name,))[:, 0]
        both = ~np.isnan(x) & ~np.isnan(y)
        scale = float(power_scale(x[both][:, None])[0])
        most = 0.0 if name in exact else FAR[m.whole] / scale
        yield x[both] / scale, y[both] / scale, of[both].astype(np.int64), most


def _same_moments(m: RestoreVariance, before: Microdata, after: Microdata) -> bool:
    """Mean and variance of every stratum; where values are rounded, mean and standard deviation as far as that may move them."""
    return all(bool(_restored(*shown).all()) for shown in _shown(m, before, after))


def _same_totals(m: RestoreVariance, before: Microdata, after: Microdata) -> bool:
    aligned, loose = before.aligned_to(after), rounded(before, m.columns, m.whole)
    of = strata_of(aligned, m.within).of
    for name in m.columns:
        x, y = aligned.column(name).numbers(), after.column(name).numbers()
        unit = float(name in loose)
        if not near_totals(x, np.where(np.isnan(x), np.nan, y), of, after.column(name).codes(), unit):
            return False
    return True


def _restored(x: Floats, y: Floats, of: Ints, most: float) -> Bools:
    """The strata that have their mean and variance again; rounding counts against the size of the values."""
    count = np.maximum(np.bincount(of), 1)
    centre = (np.bincount(of, x) / count)[of]
    size = np.bincount(of, x**2)
    off = np.abs(np.bincount(of, y - centre))
    mean: Bools = off <= most * count + 1e-9 * np.sqrt(size * count) + 1e-290
    if most:
        return mean & spread_nearly(x, y, of, np.ones(len(x)), most)
    was, now = np.bincount(of, (x - centre) ** 2), np.bincount(of, (y - centre) ** 2)
    spread: Bools = np.abs(was - now) <= 1e-8 * was + 1e-11 * np.sqrt(was * size) + 1e-20 * size + 1e-290
    return mean & spread


def _not_given_back(m: RestoreVariance, before: Microdata, after: Microdata) -> bool:
    return all(
        len(x) == 0 or bool(np.all(x == x[0])) or not np.array_equal(x, y)
        for x, y, *_ in _shown(m, before, after)
    )


def _of_four(m: RestoreVariance, before: Microdata, after: Microdata) -> bool:
    """Strata whose values vary belong to enough contributors."""
    aligned = before.aligned_to(after)
    of = strata_of(aligned, m.within).of.astype(np.int64)
    for name in m.columns:
        x = aligned.numbers((name,))[:, 0]
        shown = ~np.isnan(x) & after.column(name).observed
        varies = _varying(x[shown], of[shown], int(of.max(initial=-1)) + 1)[of]
        if np.any(contributors_by(aligned, shown & varies, of) < LEAST):
            return False
    return True


@method(
    "microdata.restore-variance",
    family=Family.AVERAGE,
    title=Text("Restore variances (Kim's correction)", "Varianzen wiederherstellen (Korrektur nach Kim)"),
    does=Text(
        "After another step values were stretched or drawn together around their mean, so that means and variances came back.",
        "Nach einem anderen Schritt wurden Werte um ihren Mittelwert gestreckt oder gestaucht, sodass Mittelwerte und Varianzen "
        "wiederkamen.",
    ),
    sources=(
        Source("hoehne2010", "3.3.1, variance correction after Kim, for all records (M13) and in blocks (M14)"),
    ),
    preserves=(
        Claim(
            Text(
                "mean and variance of every chosen column over the records whose values are shown, in every stratum",
                "Mittelwert und Varianz jeder gewählten Spalte über die Datensätze, deren Werte gezeigt werden, in jeder Schicht",
            ),
            _same_moments,
            when=not_given("block") & where("whole", "decimals"),
        ),
        Claim(
            Text(
                "mean and variance of every chosen column over the records whose values are shown, in every stratum; where whole numbers are rounded, mean and "
                "standard deviation to within one",
                "Mittelwert und Varianz jeder gewählten Spalte über die Datensätze, deren Werte gezeigt werden, in jeder Schicht; wo ganze Zahlen gerundet sind, "
                "Mittelwert und Standardabweichung auf eins genau",
            ),
            _same_moments,
            when=not_given("block") & unless("whole", "decimals"),
        ),
        Claim(
            Text(
                "the total of every chosen column over the same records, in every stratum; of whole numbers, up to half the records that share a value",
                "die Summe jeder gewählten Spalte über dieselben Datensätze, in jeder Schicht; bei ganzen Zahlen bis auf die Hälfte der Datensätze, die einen "
                "Wert teilen",
            ),
            _same_totals,
            when=not_given("block") & where("whole", "total"),
        ),
        WHOLE_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "no chosen column that varies is given back as it was", "keine gewählte Spalte, die variiert, kommt zurück, wie sie war"
            ),
            _not_given_back,
        ),
        Claim(
            Text(
                "mean and variance of a stratum come back only where its values are those of at least four contributors",
                "Mittelwert und Varianz einer Schicht kommen nur wieder, wo ihre Werte die von mindestens vier Beitragenden sind",
            ),
            _of_four,
            when=not_given("block"),
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep signs: after averaging values are pushed away from the mean, small ones below zero",
            "Vorzeichen erhalten: nach einer Mittelung werden Werte vom Mittelwert weggeschoben, kleine unter null",
        ),
        ForAnalysis("suit small units: they are distorted most", "zu kleinen Einheiten passen: sie werden am stärksten verzerrt", not_given("block")), Text("choose blocks: size classes should be made from the originals", "Blöcke wählen: Größenklassen sollten aus den Originalen gebildet werden"),
        Text(
            "protect more than the step it follows: values come nearer to the originals",
            "mehr schützen als der Schritt, dem sie folgt: Werte kommen den Originalen wieder näher",
        ),
        Text(
            "hide small whole numbers, with whole: where the correction comes near to the originals, rounding brings many of them back",
            "bei whole kleine ganze Zahlen verbergen: wo die Korrektur den Originalen nahekommt, bringt die Rundung viele zurück",
        ),
    ),
    words={
        "in_blocks": Text("block by block", "blockweise"),
        "within": Text("treated separately within", "getrennt behandelt innerhalb von"),
        "step": Text("done first", "zuerst getan"),
        "restored": Text("variances restored in", "Varianzen wiederhergestellt in"),
    },
    example={
        "columns": ("income", "employees"), "within": ("sex",), "block": 10, "whole": "total",
        "step": {"use": "microdata.random-average", "columns": ["income", "employees"], "too_small": "suppress"},
    },
    random=True,
    maturity=Maturity.REPLICATED,
    revision=3,
)  # fmt: skip
class RestoreVariance(Method):
    """Do another step, then bring back the means and variances of some columns.

    Every value y after the step becomes σ(x)/σ(y) · (y - mean y) + mean x, with x the originals and the divisor n. It works after noise
    (values are drawn together) and after averaging (they are pushed apart), and keeps the correlations that the step left, without
    blocks exactly. Values that were equal stay equal, so groups of k stay groups of k.

    With `block` the records of each stratum are sorted by their value after the step and corrected in blocks of that size, 100 in
    the book; that distorts much less. A block is left as the step made it where the correction would bring nine tenths of the change
    back to the originals, for example where all originals are equal, and where fewer than four contributors stand behind it: with mean and
    variance, each of three could work out the two others. Of whole numbers (or cents) only few have a given sum and sum of squares, and where the step changed some
    values only, as top coding does, those of the others can be taken off: there it takes ten contributors whose values the step changed. Without `block` the
    step is refused there. Records of one owner count once.

    With `whole` the corrected columns that had whole numbers are rounded, equal values of a stratum alike; mean and variance then come back up to rounding only. A
    column that comes back as it was by that is refused.

    Units over periods are treated as the step treats them, with its `unit`: name the period under `within`, and every period gets its own variance back.

    The step must keep all records. Missing and suppressed cells stay as they are. Zeros, negative and equal values are corrected
    like others; a column that is constant, and that the step leaves so, stays. Infinite values are refused.
    """

    columns: Columns
    """Numeric columns whose variance is restored. | Numerische Spalten, deren Varianz wiederhergestellt wird."""
    step: Mapping[str, Any]
    """The step that is done first, as in a plan. | Der Schritt, der zuerst getan wird, wie in einem Plan."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are corrected apart (strata). | Spalten, deren Kombinationen getrennt korrigiert werden (Schichten)."""
    block: Annotated[int, Field(ge=10)] | None = None
    """So many records of neighbouring size are corrected together. | So viele Datensätze ähnlicher Größe werden gemeinsam korrigiert."""
    whole: Whole = "decimals"
    """In columns of whole numbers: leave decimals, round, or round so that totals hardly move. | In Spalten ganzer Zahlen:
    Nachkommastellen lassen, runden, oder so runden, dass Summen kaum abweichen."""

    @model_validator(mode="after")
    def _step_fits(self) -> Self:
        first = self.first()
        if first.id == self.id:
            raise ValueError(UNFIT)
        only_treated("columns", self.columns, first.treated_columns() or self.columns)
        return self

    def first(self) -> Method:
        """The step as an object."""
        return inner_step(self.step)

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.within, *self.first().named_columns())))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """What was restored, and the step in kind: its kind of noise still holds, its ratios, constants and what it kept no longer do."""
        return {
            "restored": list(self.columns),
            "in_blocks": self.block is not None,
            "within": list(self.within),
            "rounded": rounded(before, self.columns, self.whole),
            "step": in_kind(self.first(), before, after),
        }

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        """How many values changed their sign, the known weakness of the correction, and where blocks were left as they were."""
        signs = {name: changed for name, _, changed in self._signs(before, after) if changed != "0"}
        shown = zip(self.columns, _shown(self, before, after), strict=True)
        left = {name: int(np.count_nonzero(~_restored(*values))) for name, values in shown}
        return (
            *(_SIGNS.filled(name=name, count=count) for name, count in signs.items()),
            *(_LEFT.filled(name=name, count=count) for name, count in left.items() if count),
        )

    def keeps(
        self, before: Microdata, after: Microdata
    ) -> Mapping[str, tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        """How many values changed their sign, column by column."""
        counts: list[tuple[str, ...]] = list(self._signs(before, after))
        return {"restored_variance.csv": (("column", "values", "signs_changed"), counts)}

    def _signs(self, before: Microdata, after: Microdata) -> Iterator[tuple[str, str, str]]:
        for name, (x, y, *_) in zip(self.columns, _shown(self, before, after), strict=True):
            yield name, str(len(x)), str(int(np.count_nonzero(np.sign(x) * np.sign(y) < 0)))

    def masks(self) -> tuple[str, ...]:
        """Also the numbers that the step inside masks beside these columns."""
        return tuple(dict.fromkeys((*super().masks(), *self.first().masks())))

    def reach(self, data: Microdata) -> Reach:
        first = self.first().reach(data)
        return first._replace(changed=(*first.changed, *self.columns))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        data.numbers(self.columns, self.id)
        first = self.first()
        done = apply_step(first, data, stream)
        if not np.array_equal(done.rows, data.rows) or not set(self.columns) <= set(done.names):
            why = Text(
                "records or columns are gone or moved", "Datensätze oder Spalten fehlen oder stehen anders"
            )
            raise StepUnfit(who=self.id, step=first.id, why=why)
        who = contributor_codes(data)
        restored = on_cores(lambda name: self._restored(name, data, done, who), self.columns, len(data))
        return done.with_columns(dict(zip(self.columns, restored, strict=True)))

    def _restored(self, name: str, before: Microdata, after: Microdata, who: Ints) -> Column:
        x, y = before.numbers((name,))[:, 0], after.numbers((name,), self.id)[:, 0]
        there = np.flatnonzero(~np.isnan(x) & ~np.isnan(y))
        strata = strata_of(before, self.within).among(there)
        at = there[strata.sorted_by(-y[there])]
        scale = float(power_scale(np.maximum(np.abs(x[at]), np.abs(y[at]))[:, None])[0])
        blocks = _block_starts(y[at], strata.starts, self.block or len(at) + 1)
        enough = _enough_changed(x[at], y[at], who[at], blocks, whole=_on_a_grid(x[there]))
        new, stayed = kim_corrected(x[at] / scale, y[at] / scale, who[at], blocks, 0)
        new = np.where(np.repeat(enough, np.diff(blocks)), new, y[at] / scale)
        left = np.zeros(len(strata.starts) - 1, dtype=np.bool_)
        np.logical_or.at(
            left, np.searchsorted(strata.starts, blocks[:-1], side="right") - 1, stayed | ~enough
        )
        with np.errstate(over="ignore"):
            y[at] = new * scale
        if too_large := int(np.count_nonzero(np.isinf(y))):
            raise ResultTooLarge(who=self.id, count=too_large, name=name)
        self._refuse_left(name, (x[there], y[there]), left, strata.of)
        column = after.column(name)
        if rounded(before, (name,), self.whole):
            column = replace(column, kind=before.column(name).kind, values=before.column(name).values)
            y = np.where(np.isnan(x), np.rint(y), y)  # what the step filled in
            y[there] = whole_alike(column, y[there], self.whole, strata.of)
        if len(there) and (x[there] != x[there[0]]).any() and np.array_equal(x[there], y[there]):
            raise NothingChanged(who=self.id, name=name)
        return column.with_numbers(y)

    def _refuse_left(self, name: str, values: tuple[Floats, Floats], left: Bools, of: Ints) -> None:
        """Without blocks every stratum that varied, varies now or was changed must have been corrected."""
        x, y = values
        if self.block is None and left.any():
            varying = _varying(x, of, len(left)) | _varying(y, of, len(left))
            varying[of[x != y]] = True
            if count := int((left & varying).sum()):
                raise NotRestored(name=name, count=count)


def _block_starts(y: Floats, starts: Ints, block: int) -> Ints:
    """Where blocks of falling values begin, equal values together, the last of a stratum with the rest; one more entry than there are blocks."""
    ends = np.append(np.flatnonzero(y[1:] != y[:-1]) + 1, len(y)) if len(y) else np.zeros(1, dtype=np.int64)
    found = [0]
    for first, last in pairwise(starts.tolist()):
        at = first
        while at < last:
            stop = last if last - at < 2 * block else at + block
            at = min(int(ends[np.searchsorted(ends, stop)]), last)
            found.append(at)
    return np.array(found, dtype=np.int64)


def _enough_changed(x: Floats, y: Floats, who: Ints, blocks: Ints, *, whole: bool) -> Bools:
    """Whether enough contributors stand behind the values of a block that the first step changed.

    Values that it left alone can be recognised in the corrected ones, so that what mean and variance tell is the sum and the sum of squares of the others.
    """
    of, changed = np.repeat(np.arange(len(blocks) - 1), np.diff(blocks)), x != y
    pairs = np.unique(np.stack([of[changed], who[changed]]), axis=1)[0]
    people = np.bincount(pairs, minlength=len(blocks) - 1)
    all_of_it = np.bincount(of[~changed], minlength=len(blocks) - 1) == 0
    return people >= np.where(all_of_it & (not whole), LEAST, LEAST_WHOLE)


def _on_a_grid(x: Floats) -> bool:
    """Whether all values are whole numbers of cents or more: then few numbers have a given mean and variance."""
    with np.errstate(over="ignore"):
        cents = 100 * x
    return bool(np.all((cents == np.rint(cents)) & (np.abs(cents) < 2.0**53)))


def _varying(x: Floats, of: Ints, strata: int) -> Bools:
    low, high = np.full(strata, np.inf), np.full(strata, -np.inf)
    np.minimum.at(low, of, x)
    np.maximum.at(high, of, x)
    return high > low
