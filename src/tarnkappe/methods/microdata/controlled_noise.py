"""Controlled multiplicative noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Self

import numpy as np
from pydantic import model_validator

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.households import first_members, homes_of, moving_together, shared_in_homes
from tarnkappe.data.masked import Whole, not_rounded, refuse_infinite, rounded, side_by_side, with_masked
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.data.units import units_of
from tarnkappe.errors.masking import GapsInControl, MembersApart, UnitInSeveralStrata
from tarnkappe.kernels.moments import pearson
from tarnkappe.kernels.standard import power_scale
from tarnkappe.kernels.unlike import unlike_with_sign
from tarnkappe.language import Text, listed
from tarnkappe.methods.microdata.advice import FACTORS
from tarnkappe.methods.microdata.controls import AllColumns, BestOf, Control, Exchange, OneColumn
from tarnkappe.methods.microdata.directions import (
    Noise,
    Undirected,
    best_of,
    by_all_columns,
    by_exchange,
    by_one_column,
    directions,
)
from tarnkappe.methods.microdata.drawn_factors import DrawnFactors
from tarnkappe.methods.microdata.factor_laws import MixtureFactors
from tarnkappe.methods.microdata.noise_claims import ONE_WAY, no_value_as_it_was, sign_and_zero_kept
from tarnkappe.methods.microdata.noise_remarks import averaged_away, found_by_trying
from tarnkappe.methods.microdata.probable_error import OF_FACTORS, of_factors
from tarnkappe.methods.microdata.unit_noise import FAR, told_of_homes
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Goal, Holds, Json, Measure, Method, Source, catalogue, method
from tarnkappe.spec.conditions import Condition, not_given
from tarnkappe.spec.fields import Columns, Unit
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import of_many


def _moved_enough(m: ControlledNoise, before: Microdata, after: Microdata) -> bool:
    x, y = side_by_side(before, after, not_rounded(before, m.columns, m.whole))
    room = 4 * np.spacing(np.fmax(np.abs(x), np.abs(y)))
    return bool(np.all((np.abs(y - x) >= m.factors.least * np.abs(x) - room) | np.isnan(x)))


def _steered(m: ControlledNoise, before: Microdata, after: Microdata) -> bool:
    """The total of the steering column moves by no more than the value that moves most, or the values of the household."""
    name = m.steering(before)
    if name not in not_rounded(before, m.columns, m.whole):
        return True
    x, y = (np.nan_to_num(v[:, 0]) for v in side_by_side(before, after, (name,)))
    strata = strata_of(before, m.within)
    moved = np.bincount(strata.of, y - x, len(strata))
    most, (ids, count) = np.zeros(len(strata)), moving_together(before, (), m.columns)
    np.maximum.at(most, strata.of, np.bincount(ids, np.abs(y - x), count)[ids])
    return bool(np.all(np.abs(moved) <= most * (1 + 1e-9) + 1e-12 * np.abs(x).sum()))


def _means_near(m: ControlledNoise, before: Microdata, after: Microdata) -> bool:
    """Never worse than six standard errors of noise without control."""
    x, y = (np.nan_to_num(v) for v in side_by_side(before, after, m.columns))
    ids, count = moving_together(before, m.unit, m.columns)
    for j in range(x.shape[1]):
        size = np.bincount(ids, x[:, j], count)
        if abs((y[:, j] - x[:, j]).sum()) > FAR * np.sqrt(m.factors.variance * (size**2).sum()):
            return False
    return True


_ONE_COLUMN = Condition(
    Text("with `by: one-column` in `control`", "mit `by: one-column` in `control`"),
    lambda m: isinstance(m.control, OneColumn),
)
_MOVES_ALL = Condition(
    Text("with `smallest` above 0 in `factors`", "mit `smallest` über 0 in `factors`"),
    lambda m: m.factors.smallest > 0,
)
_SPREAD_KEPT = Condition(
    Text("with `alpha` below 1 in `control`", "mit `alpha` unter 1 in `control`"),
    lambda m: getattr(m.control, "alpha", 1.0) < 1,
)
_KEEPS_DIRECTION = Condition(
    Text(
        "with `factors` that never cross 1 (`s: 0` or `smallest` above 0)",
        "mit `factors`, die nie über die 1 hinweg gehen (`s: 0` oder `smallest` über 0)",
    ),
    lambda m: m.factors.keeps_direction,
)


@method(
    "microdata.controlled-noise",
    family=Family.NOISE,
    title=Text("Controlled multiplicative noise", "Kontrollierte multiplikative Überlagerung"),
    does=Text(
        "Values were multiplied by random factors; which units go up and which down was chosen so that totals hardly move.",
        "Werte wurden mit Zufallsfaktoren multipliziert; welche Einheiten steigen und welche fallen, wurde so gewählt, dass sich "
        "Summen kaum ändern.",
    ),
    sources=(
        Source(
            "hoehne2010",
            "4.2.3, best of many seeds (N14); 4.2.4, by optimisation (N15), one-dimensional (N16) and multi-dimensional ranking (N17)",
        ),
    ),
    preserves=(
        Claim(
            Text("signs and zeros", "Vorzeichen und Nullen"),
            lambda m, before, after: sign_and_zero_kept(
                before, after, not_rounded(before, m.columns, m.whole)
            ),
        ),
        Claim(
            Text(
                "the total of the steering column in every stratum, to within the change of one value",
                "die Summe der steuernden Spalte in jeder Schicht, bis auf die Änderung eines Wertes",
            ),
            _steered,
            when=_ONE_COLUMN & not_given("unit") & _MOVES_ALL,
        ),
        Claim(Text("the mean of every column", "den Mittelwert jeder Spalte"), _means_near, Holds.ON_AVERAGE),
        WHOLE_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "no value but zero is shown as it was (whole numbers that are rounded again excepted)",
                "kein Wert außer null wird gezeigt, wie er war (ausgenommen wieder gerundete ganze Zahlen)",
            ),
            lambda m, before, after: no_value_as_it_was(
                before, after, not_rounded(before, m.columns, m.whole)
            ),
        ),
        Claim(
            Text(
                "every value changes by at least the smallest relative change (rounded columns excepted)",
                "jeder Wert ändert sich mindestens um die kleinste relative Änderung (ausgenommen gerundete Spalten)",
            ),
            _moved_enough,
            when=_MOVES_ALL,
        ),
        replace(
            ONE_WAY,
            when=_KEEPS_DIRECTION,
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep the totals of sub-populations other than those it was controlled for",
            "Summen anderer Teilmassen erhalten als derer, für die kontrolliert wurde",
        ),
        Text("hide zeros", "Nullen verbergen"),
        Text(
            "hide values where s is 0: whoever tries both factors finds whole numbers again",
            "Werte verbergen, wo s 0 ist: wer beide Faktoren probiert, findet ganze Zahlen wieder",
        ),
        ForAnalysis(
            "allow corrected models: standard deviations stay, and the noise depends on the values",
            "korrigierte Modelle erlauben: Standardabweichungen bleiben, und die Überlagerung hängt von den Werten ab",
            _SPREAD_KEPT,
        ),
        Text(
            "change values as much as noise without control does, unless control is by one column: directions are chosen to make up for "
            "the rest of the noise too; say smallest to be sure of a change",
            "Werte so stark ändern wie eine Überlagerung ohne Kontrolle, außer bei control by one-column: Richtungen gleichen auch den "
            "Rest der Überlagerung aus; mit smallest ist eine Änderung sicher",
        ),
        Text(
            "withstand an attacker who has found a record and knows one of its values as well as without: the values of a unit move "
            "together, and with f 0.11 and s 0.03 three in four of its other values can then be guessed to within 5 percent",
            "einem Angreifer so gut standhalten, der einen Datensatz gefunden hat und einen Wert daraus kennt: die Werte einer Einheit "
            "bewegen sich gemeinsam, und bei f 0,11 und s 0,03 lassen sich dann drei von vier anderen auf 5 Prozent genau raten",
        ),
    ),
    nearness=OF_FACTORS,
    advice=FACTORS,
    words={
        "means_kept_within": Text("means are kept within", "Mittelwerte bleiben erhalten innerhalb von"),
        "standard_deviations_kept": Text(
            "standard deviations are kept nearly", "Standardabweichungen bleiben fast erhalten"
        ),
    },
    example={
        "columns": ("income", "wealth", "employees"),
        "factors": {"law": "mixture", "f": 0.15, "s": 0.04, "smallest": 0.05},
        "control": {"by": "exchange", "alpha": 0.7, "rounds": 5},
        "unit": ("household",),
        "within": ("year",),
        "whole": "nearest",
    },
    random=True,
    revision=5,
)
class ControlledNoise(Method):
    """Multiply values by random factors 1 ± f + w and choose the directions so that totals hardly move.

    Noise on very skewed data makes means and standard deviations jump: a few giants decide. Here the part w of the noise (normal,
    standard deviation s) is drawn first for every value; then each unit goes up or down as a whole so that errors make each other
    good. `all-columns` goes through the units from the largest to the smallest and takes the direction that leaves all columns
    nearest to their means (with `alpha` below 1 their standard deviations too); `one-column` looks at one column without gaps;
    `exchange` searches for the best balanced choice (all of them up to 16 units, otherwise by exchanging pairs); `best-of` keeps the best of many
    draws (by any measure, if `criterion` names one); in files of 2000 records and more several of them, up to 64, have the same parts w, dealt out anew and with new signs. The
    largest unit goes up or down at random; with `first: down`, as printed in the book, anybody knows that it was made smaller.

    Where a column has the role household, what all members of a household have in common they have in common afterwards: the noise is
    drawn once for them. Where exact moments or chosen directions do not allow that beside other columns, the step is refused.

    A unit is a record, or all records that agree on the columns `unit`; it moves in one direction in all of them. What is kept are
    the means in every stratum of `within`: for a panel, name the firm as unit and the year under within; entries and exits are
    firms without a record in some years. Missing and suppressed cells stay and count for nothing, negative values count with their
    size, zeros stay. Equal values of different units move apart, also where a column is constant. Infinite values are refused.
    """

    columns: Columns
    """Numeric columns that are multiplied. | Numerische Spalten, die multipliziert werden."""
    factors: MixtureFactors = MixtureFactors()
    """Shift, spread and smallest change of the factors. | Verschiebung, Streuung und kleinste Änderung der Faktoren."""
    control: Control = AllColumns()
    """How the directions are chosen. | Wie die Richtungen gewählt werden."""
    unit: Unit = ()
    """Columns that name the unit; without them, each record is one. | Spalten, die die Einheit nennen; ohne sie ist jeder
    Datensatz eine."""
    within: tuple[str, ...] = ()
    """Columns in whose combinations means are kept, such as the year. | Spalten, in deren Kombinationen Mittelwerte erhalten
    bleiben, etwa das Jahr."""
    whole: Whole = "decimals"
    """What becomes of whole numbers: decimals, nearest or total (rounded with the total of the stratum kept to one half). | Was aus ganzen Zahlen wird: Nachkommastellen (decimals), gerundet (nearest) oder gerundet mit auf ein halb erhaltener
    Schichtsumme (total)."""

    @model_validator(mode="after")
    def _steered_by_its_own(self) -> Self:
        if isinstance(self.control, OneColumn) and self.control.column not in (None, *self.columns):
            raise ValueError(
                Text("control: column must be one of columns", "control: column muss unter columns stehen")
            )
        return self

    def shares_draws(self) -> bool:
        return len(self.columns) > 1 or bool(self.unit)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        data.numbers(self.columns, self.id)
        if not len(data):
            return data
        criterion = self._criterion()
        if criterion is None or not isinstance(self.control, BestOf):
            return self._masked(data, stream.generator)
        best, least = None, np.inf
        for own in stream.generator.spawn(self.control.runs):
            draw = self._masked(data, own)
            loss = criterion(draw, data)
            if best is None or loss < least:
                best, least = draw, loss
        return data if best is None else best

    def probable_error(self, before: Microdata) -> Mapping[str, Floats]:
        share = of_factors(self.factors.nodes())
        names = not_rounded(before, self.columns, self.whole)
        return {name: share * np.abs(before.column(name).numbers()) for name in names}

    def _criterion(self) -> Callable[[Microdata, Microdata], float] | None:
        """What a draw loses by the measure that decides, the less the better; draws it cannot judge come last."""
        if not isinstance(self.control, BestOf) or not self.control.criterion:
            return None
        cls = catalogue[self.control.criterion]
        judge = cls(**({"columns": self.columns} if "columns" in cls.__pydantic_fields__ else {}))
        if not isinstance(judge, Measure):
            return None
        sign, size = (-1.0 if judge.goal is Goal.HIGH else 1.0), judge.goal is Goal.NEAR_ZERO

        def loss(draw: Microdata, data: Microdata) -> float:
            value = judge.measure(draw, before=data).value
            return np.inf if np.isnan(value) else abs(value) if size else sign * value

        return loss

    def _masked(self, data: Microdata, generator: np.random.Generator) -> Microdata:
        """One choice of directions."""
        x = data.numbers(self.columns)
        unit, units = units_of(data, self.unit)
        strata = strata_of(data, self.within)
        if isinstance(self.control, OneColumn):
            self._refuse_unfit(data, unit, strata.of)
        if shared_in_homes(data, self.columns):
            y = self._of_homes(data, x / power_scale(x), generator)
        else:
            y = self._multiplied(Undirected(x / power_scale(x), unit, units, strata, self.factors), generator)
        with np.errstate(over="ignore"):
            y *= x
        y = unlike_with_sign(y, x)
        refuse_infinite(data, self.columns, y, self.id)
        return with_masked(data, self.columns, y, self.whole, strata)

    def _multiplied(self, u: Undirected, generator: np.random.Generator) -> Floats:
        """The factor of every value."""
        y, signs = self._directed(u, generator)
        y += (1 + self.factors.f * signs)[u.unit][:, None]
        return y

    def _of_homes(self, data: Microdata, z: Floats, generator: np.random.Generator) -> Floats:
        """The factors of every household, for all its members: a household counts with what its members have together."""
        shared, (homes, count) = shared_in_homes(data, self.columns), homes_of(data)
        strata, first = strata_of(data, self.within), np.unique(first_members(data))
        of = np.empty(count, dtype=np.int64)
        of[homes[first]] = np.arange(len(first))
        if set(shared) != set(self.columns) or np.any(strata.of[first][of[homes]] != strata.of):
            raise MembersApart(who=self.id, names=listed(shared))
        there = ~np.isnan(z)
        together = np.stack(
            [np.bincount(of[homes], np.where(t, v, 0.0), count) for t, v in zip(there.T, z.T, strict=True)],
            axis=1,
        )
        some = np.stack([np.bincount(of[homes], t, count) > 0 for t in there.T], axis=1)
        unit = moving_together(data, self.unit, self.columns)[0][first]
        named, numbered = np.unique(unit, return_inverse=True)
        u = Undirected(
            np.where(some, together, np.nan), numbered, len(named), strata.among(first), self.factors
        )
        return self._multiplied(u, generator)[of[homes]]

    def _directed(self, u: Undirected, generator: np.random.Generator) -> Noise:
        match self.control:
            case OneColumn(first=first):
                return by_one_column(u, self._steering_place(u.z), first, generator)
            case Exchange() as how:
                return by_exchange(u, how, generator)
            case BestOf(criterion=criterion) if criterion:
                return u.law.spreads(generator, u.z.shape), directions(generator, u.units)
            case BestOf() as how:
                return best_of(u, how, generator)
            case how:
                return by_all_columns(u, how, generator)

    def steering(self, data: Microdata) -> str:
        """The column that decides, where one does."""
        x = data.numbers(self.columns)
        return self.columns[self._steering_place(x / power_scale(x))]

    def _steering_place(self, z: Floats) -> int:
        if isinstance(self.control, OneColumn) and self.control.column is not None:
            return self.columns.index(self.control.column)
        r = np.nan_to_num(np.abs(pearson(z)))
        return int(np.argmax(r.sum(axis=1)))

    def _refuse_unfit(self, data: Microdata, unit: Ints, stratum: Ints) -> None:
        name = self.steering(data)
        gaps = int(np.count_nonzero(~data.column(name).observed))
        if gaps:
            raise GapsInControl(who=self.id, name=name, count=gaps)
        pairs = np.unique(np.stack([unit, stratum]), axis=1)[0] if len(unit) else unit
        several = int(np.count_nonzero(np.bincount(pairs) > 1)) if len(pairs) else 0
        if several:
            raise UnitInSeveralStrata(who=self.id, count=several)

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.unit, *self.within)))

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        del after
        return (*averaged_away(before, self.unit), *found_by_trying(self.factors))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """Mean and variance of the factors, for corrected estimates; how directions were chosen stays in the house.

        They are those that came out, because the choice of directions makes the variance smaller. Where standard deviations are kept
        too, large values move less than small ones, and no moments of the factors undo that: then it is told.
        """
        drawn = DrawnFactors.of(before, after, not_rounded(before, self.columns, self.whole))
        return {
            "columns": list(self.columns),
            "noise": "multiplicative, mixture, best of many draws"
            if self._criterion()
            else "multiplicative, mixture, directions chosen to keep means",
            "factor": of_many(drawn.moments(self.factors.moments())),
            "shared": "sign",
            "within_record": of_many(drawn.covariances(self.factors.covariances("sign"))),
            "unit": list(self.unit),
            **told_of_homes(before, self.columns),
            "rounded": rounded(before, self.columns, self.whole),
            "means_kept_within": None if self._criterion() else list(self.within),
            "standard_deviations_kept": not isinstance(self.control, OneColumn)
            and self.control.alpha < 1
            and not self._criterion(),
        }
