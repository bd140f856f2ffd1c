"""Sullivan's masking of numbers and categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.data.units import units_of
from tarnkappe.errors.masking import Collinear, ResultTooLarge, StillRecognised, TooFewComplete
from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.kernels.ranks import mid_ranks, normal_scores
from tarnkappe.kernels.white_noise import RunningCovariance, collinear
from tarnkappe.language import Text, listed
from tarnkappe.methods.microdata.limits import refuse_few_in_strata
from tarnkappe.methods.microdata.noise_remarks import averaged_away
from tarnkappe.methods.microdata.stratum_claims import enough_in_strata
from tarnkappe.methods.microdata.sullivan_attack import Attacker, shown_in
from tarnkappe.methods.microdata.sullivan_draws import Aim, Draws, Part, Released, UnitWhite
from tarnkappe.methods.microdata.sullivan_scores import (
    Scores,
    scores_of,
    seen,
    with_categories,
    with_category,
)
from tarnkappe.methods.microdata.unit_noise import NoiseInUnits, alike_in_units
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Holds, Json, Source, method
from tarnkappe.spec.conditions import given, where
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import of_many

Marginals = Literal["smooth", "exact"]
SMALLEST = 3
"""The distribution of a stratum is kept: where one or two contributors have all of it, it tells what each of them has."""
IN_COMMON = 0.75
"""Draws that are made anew, and values that are given by rank, take a little of what the noise of a unit has in common."""


def _alone(data: Microdata, names: Sequence[str], rows: Ints) -> Microdata:
    """Some columns of a stratum; nothing is copied where it is the file."""
    only = Microdata({name: data.column(name) for name in names}, rows=data.rows)
    return only if len(rows) == len(data) else only.take(rows)


def _spread(strata: Sequence[Ints], parts: Sequence[NDArray[Any]], size: int) -> NDArray[Any]:
    """What was found in every stratum, in the order of the file."""
    if len(parts) == 1:
        return parts[0]
    out = np.empty(size, parts[0].dtype if parts else np.float64)
    for rows, part in zip(strata, parts, strict=True):
        out[rows] = part
    return out


def _nobody_recognised(m: Sullivan, before: Microdata, after: Microdata) -> bool:
    """In every stratum, no shown record is among the nearest to its original."""
    for rows in strata_of(before, m.within).blocks():
        scores, numbers = scores_of(_alone(before, m.columns, rows), m.columns, m.id)
        attacker = Attacker.of(scores, numbers, m.aim.kim_a)
        places = attacker.places(seen(scores, shown_in(_alone(after, m.columns, rows), scores)))
        if attacker.recognises(places, m.rank_limit).any():
            return False
    return True


def _of_many(m: Sullivan, before: Microdata, after: Microdata) -> bool:
    """In every stratum, the numbers of a column are those of enough contributors."""
    was = before.aligned_to(after)
    of = strata_of(was, m.within).of
    return all(enough_in_strata(was, was.column(name).observed, of, SMALLEST) for name in m.numbers_in(was))


def _alike(m: Sullivan, before: Microdata, after: Microdata) -> bool:
    """On the normal scores of ranks in every stratum; suppressed records do not count."""
    names, was = m.numbers_in(before), before.aligned_to(after)
    strata = strata_of(was, m.within)
    x, y = (_rank_scores(data.numbers(names), strata) for data in (was, after))
    return alike_in_units(x, y, units_of(was, m.unit)[0], strata, IN_COMMON * m.common)


def _rank_scores(x: Floats, strata: Strata) -> Floats:
    out = np.full_like(x, np.nan)
    for rows in strata.blocks():
        for j in range(x.shape[1]):
            there = rows[~np.isnan(x[rows, j])]
            out[there, j] = normal_scores(mid_ranks(x[there, j]), len(there))
    return out


def _same_values(m: Sullivan, before: Microdata, after: Microdata) -> bool:
    """Every stratum has the same values as before, whoever has them."""
    names = m.numbers_in(before)
    x, y = before.numbers(names), after.numbers(names)
    return all(
        np.array_equal(np.sort(x[rows], axis=0), np.sort(y[rows], axis=0), equal_nan=True)
        for rows in strata_of(before, m.within).blocks()
    )


def _nearly_same_distribution(m: Sullivan, before: Microdata, after: Microdata) -> bool:
    """Kolmogorov-Smirnov distance below 2.2/√n: more than twice the 5 % point for two samples of n is not called near."""
    for name in m.numbers_in(before):
        x, y = (
            np.sort(v[~np.isnan(v)]) for v in (before.column(name).numbers(), after.column(name).numbers())
        )
        at = np.concatenate([x, y])
        apart = np.searchsorted(x, at, side="right") / max(len(x), 1) - np.searchsorted(
            y, at, side="right"
        ) / max(len(y), 1)
        if np.abs(apart).max(initial=0.0) > 2.2 / np.sqrt(max(len(x), 1)):
            return False
    return True


@method(
    "microdata.sullivan",
    family=Family.NOISE,
    title=Text("Sullivan's masking", "Überlagerung nach Sullivan"),
    does=Text(
        "Numbers and categories were turned into normal scores, noise was added until no record was near its original, and they were "
        "turned back.",
        "Zahlen und Kategorien wurden in Normalwerte umgerechnet, überlagert, bis kein Datensatz seinem Original nahe war, und "
        "zurückgerechnet.",
    ),
    sources=(
        Source("gottschalk2002", "4.3, Sullivan's procedure with protection test (G-M17)"),
        Source("hoehne2010", "2.2.1, transformation of categories (C-f) and masking with it (N07)"),
    ),
    preserves=(
        Claim(
            Text(
                "the values of every numeric column in every stratum: other records have them",
                "die Werte jeder numerischen Spalte in jeder Schicht: andere Datensätze haben sie",
            ),
            _same_values,
            when=where("marginals", "exact") & where("unprotected", "refuse"),
        ),
        Claim(
            Text("the distribution of every numeric column", "die Verteilung jeder numerischen Spalte"),
            _nearly_same_distribution,
            Holds.ON_AVERAGE,
        ),
    ),
    protects=(
        Claim(
            Text(
                "for every shown record, at least rank_limit other originals of its stratum are nearer to it than its own",
                "zu jedem gezeigten Datensatz sind mindestens rank_limit andere Originale seiner Schicht näher als das eigene",
            ),
            _nobody_recognised,
        ),
        Claim(
            Text(
                "every distribution that is kept is that of three contributors or more",
                "jede erhaltene Verteilung ist die von drei oder mehr Beitragenden",
            ),
            _of_many,
        ),
        Claim(
            Text(
                "the records of a unit have three quarters of the part `common` of their noise or more in common: its mean over periods does not come "
                "near the truth",
                "die Datensätze einer Einheit haben drei Viertel des Teils `common` ihrer Überlagerung oder mehr gemeinsam: ihr Mittel über Perioden "
                "nähert sich nicht der Wahrheit",
            ),
            _alike,
            Holds.ON_AVERAGE,
            when=given("unit"),
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep frequencies of categories exactly, nor rule out impossible combinations",
            "Häufigkeiten von Kategorien genau erhalten, noch unmögliche Kombinationen ausschließen",
        ),
        ForAnalysis(
            "keep relations that are not monotonic",
            "Beziehungen erhalten, die nicht monoton sind",
        ),
        Text(
            "work with categories of many values: each becomes a column",
            "mit Kategorien vieler Ausprägungen gut gehen: jede wird zu einer Spalte",
        ),
        Text(
            "withstand attackers who weigh columns otherwise than the test, or know more columns than were chosen",
            "Angreifern standhalten, die Spalten anders gewichten als der Test oder mehr Spalten kennen als gewählt wurden",
        ),
    ),
    words={
        "distributions": Text("distributions", "Verteilungen"),
        "exactly as in the original": Text("exactly as in the original", "genau wie im Original"),
        "nearly as in the original": Text("nearly as in the original", "fast wie im Original"),
    },
    example={
        "columns": ("income", "wealth", "sex"),
        "variance_ratio": 1.5,
        "marginals": "exact",
        "rank_limit": 1,
        "redraws": 30,
        "unprotected": "suppress",
        "unit": ("household",),
        "common": 0.3,
        "within": ("year",),
    },
    random=True,
    revision=5,
)
class Sullivan(NoiseInUnits):
    """Mask numbers and categories together, on the scale of normal scores, and test the protection while doing so.

    A number becomes the normal score of its smoothed distribution function; a category becomes one uniform column for every category but
    the most frequent. To these scores noise with their covariance times `variance_ratio` is added, Kim's constant takes the growth back, and a
    linear map restores the covariance. Turned back, numbers have almost their old distribution (`smooth`), or exactly (`exact`: the old values, in
    the order of the new scores). A category is the one whose column lies highest in its range, the most frequent one where none does.

    Then every record is tested: an attacker takes the originals of the stratum and looks for the nearest, by scores freed from their
    correlation (1 for a standard deviation) and 1 for a category that differs. If fewer than `rank_limit` others are nearer than its own
    original, noise is drawn anew, up to `redraws` times; records that are still recognised are refused or suppressed.

    In a panel, noise drawn anew in every period averages out. With `unit` the records of a unit have the part `common` of their noise in common, on
    the scale of scores; only the rest is drawn anew for records that are recognised. Records without a unit have noise of their own.

    Missing and suppressed cells stay and count as a value of their own in the test. Columns that do not vary, that follow from each
    other, or strata with fewer records than columns of scores + 2, or of fewer than three contributors, are refused; records of one owner count once. Zeros, negative and tied values are values like
    others; infinite values are refused. Whole numbers get decimals with `smooth` and stay whole, with their total, with `exact`.
    """

    columns: Columns
    """Numeric and categorical columns that are masked together. | Numerische und kategoriale Spalten, die gemeinsam überlagert werden."""
    variance_ratio: Annotated[float, Field(gt=0)] = 0.5
    """Variance of the noise as part of that of the scores. | Varianz der Überlagerung als Teil der Varianz der Normalwerte."""
    marginals: Marginals = "smooth"
    """Whether numbers lie between the old ones or are the old ones. | Ob Zahlen zwischen den alten liegen oder die alten sind."""
    rank_limit: Annotated[int, Field(ge=1)] = 2
    """So many other originals must be nearer than its own. | So viele andere Originale müssen näher sein als das eigene."""
    redraws: Annotated[int, Field(ge=1, le=10_000)] = 50
    """How often noise is drawn anew for records that are recognised. | Wie oft für erkannte Datensätze neu gezogen wird."""
    unprotected: Literal["refuse", "suppress"] = "refuse"
    """What becomes of records that are still recognised. | Was aus weiterhin erkannten Datensätzen wird."""

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        of = strata_of(data, self.within)
        for name in self.numbers_in(data):
            refuse_few_in_strata(data, data.column(name).observed, of.of, SMALLEST, self.id)
        strata = list(of.blocks())
        units = self._of_units(data, stream.generator)
        own = zip(strata, stream.generator.spawn(len(strata)), strict=True)
        masked = on_cores(
            lambda one: self._masked(
                _alone(data, self.columns, one[0]), one[1], units.at(one[0]) if units else None
            ),
            own,
            len(data) // max(len(strata), 1),
        )
        values = {
            name: _spread(strata, [released[j] for released, _ in masked], len(data))
            for j, name in enumerate(self.columns)
        }
        bad = _spread(strata, [found for _, found in masked], len(data)).astype(np.bool_)
        if bad.any() and self.unprotected == "refuse":
            count, limit = int(np.count_nonzero(bad)), self.rank_limit
            raise StillRecognised(who=self.id, redraws=self.redraws, count=count, rank_limit=limit)
        return self._with(data, values, bad)

    def _of_units(self, data: Microdata, generator: np.random.Generator) -> UnitWhite | None:
        """White noise of the units, for every score that some stratum may have."""
        if not self.unit:
            return None
        widths = [1 if c.kind.is_number else max(c.codes()[1], 1) for c in map(data.column, self.columns)]
        of, units = units_of(data, self.unit)
        white = np.sqrt(self.common) * generator.standard_normal((units, sum(widths)))
        return UnitWhite(of, white, np.cumsum([0, *widths]), float(np.sqrt(1 - self.common)))

    def _masked(
        self, data: Microdata, generator: np.random.Generator, units: UnitWhite | None
    ) -> tuple[Released, Bools]:
        """New values of a stratum, and the records that are still recognised."""
        scores, numbers = scores_of(data, self.columns, self.id)
        part = self._part(scores, numbers, generator)
        if units is not None:
            part = replace(part, common=units.in_common(scores))
        attacker = Attacker.of(scores, numbers, self.aim.kim_a)
        released, bad = Draws(part, attacker, self.aim, generator).released()
        for name, new in zip(self.columns, released, strict=True):
            if count := int(np.count_nonzero(np.isinf(new))):
                raise ResultTooLarge(who=self.id, name=name, count=count)
        return released, bad

    def _part(self, scores: list[Scores], numbers: Floats, generator: np.random.Generator) -> Part:
        v = with_categories(scores, numbers, generator)
        if len(v) < v.shape[1] + 2:
            raise TooFewComplete(who=self.id, needed=v.shape[1] + 2, found=len(v))
        c = RunningCovariance(v).now
        alike = collinear(c.r)
        if len(alike) or not c.sd.all():
            places = np.repeat(np.arange(len(scores)), [s.width for s in scores])
            taking = sorted(set(places[alike]) | set(places[c.sd == 0]))
            raise Collinear(who=self.id, names=listed([self.columns[j] for j in taking]))
        return Part(scores, v, c)

    def numbers_in(self, data: Microdata) -> tuple[str, ...]:
        """The numeric ones of the columns."""
        return tuple(name for name in self.columns if data.column(name).kind.is_number)

    @property
    def aim(self) -> Aim:
        return Aim(self.variance_ratio, self.marginals == "exact", self.rank_limit, self.redraws)

    def _with(self, data: Microdata, values: Mapping[str, NDArray[Any]], bad: Bools) -> Microdata:
        new = {}
        for name in self.columns:
            column = data.column(name)
            changed = (
                column.with_numbers(values[name])
                if column.kind.is_number
                else with_category(column, values[name])
            )
            new[name] = changed.suppress(bad) if bad.any() else changed
        return data.with_columns(new)

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        del after
        return tuple(averaged_away(before, self.unit))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """Kim's constant for covariances with columns that were not masked; it shows no draw."""
        del before, after
        return {
            "columns": list(self.columns),
            "noise": "added to normal scores, covariance proportional to theirs",
            "variance_ratio": self.variance_ratio,
            "kim_a": of_many(round(self.aim.kim_a, 6)),
            "distributions": "exactly as in the original"
            if self.marginals == "exact"
            else "nearly as in the original",
            "within": list(self.within),
            **self.told_of_units(),
        }
