"""MASSC: micro-agglomeration, substitution, sub-sampling and calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.comparison import same_cells
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.units import Units
from tarnkappe.errors.data import NameTaken
from tarnkappe.errors.exchange import AloneTooOften
from tarnkappe.kernels.donors import unlike_donors
from tarnkappe.kernels.sampling import simple
from tarnkappe.language import Text
from tarnkappe.methods.microdata.calibrating import as_it_is, is_quantity, met, positive
from tarnkappe.methods.microdata.exchange import moved
from tarnkappe.methods.microdata.exchange_units import units_of
from tarnkappe.methods.microdata.found_alone import right_when_alone
from tarnkappe.methods.microdata.unit_substitution import (
    as_one_unit,
    classes_of,
    sharing,
    shows_own,
    unit_donors,
)
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Mark, Method, Reach, Source, Trace, method
from tarnkappe.spec.conditions import given, not_given
from tarnkappe.spec.fields import Columns, Unit
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import of_many
from tarnkappe.vocab import Kind, Role

_MET = 1e-6
_PERIODS = Text(
    "The file has periods and no unit is named: the records of a unit count as several that share its values, and each is replaced or left out by "
    "itself. Name the unit under unit.",
    "Die Datei hat Perioden, und keine Einheit ist genannt: Datensätze einer Einheit zählen als mehrere, die ihre Werte teilen, und jeder wird für "
    "sich ersetzt oder entfällt für sich. Nennen Sie die Einheit unter unit.",
)
_LOOKED = Text(
    "Of records that stand alone with their identifying values in the release, a share of {share} is matched rightly: more than the risk of {risk}, which counts before "
    "anybody looks into the file. Substitute more, make identifying columns coarser, or bound it with alone.",
    "Von Datensätzen, die mit ihren identifizierenden Werten in der Freigabe allein stehen, wird ein Anteil von {share} richtig zugeordnet: mehr als das Risiko von {risk}, das "
    "zählt, bevor jemand in die Datei sieht. Ersetzen Sie mehr, vergröbern Sie identifizierende Spalten, oder beschränken Sie es mit alone.",
)


@dataclass(frozen=True)
class Strata:
    """Records or units of the same risk: the smaller their class the lower the number; uniques in `keys` alone come first."""

    of: Ints
    chance: Floats
    """Per stratum: how surely a match with the true values of the columns is right."""

    @property
    def sizes(self) -> Ints:
        return np.bincount(self.of, minlength=len(self.chance))


def _totals_met(m: Massc, before: Microdata, after: Microdata) -> bool:
    old, new = m.weights(before), positive(after, m.into, m.id)
    for name in m.keep:
        quantity = is_quantity(before, name)
        had, has = (_total(data, name, w, quantity=quantity) for data, w in ((before, old), (after, new)))
        if had.keys() != has.keys() or any(abs(had[v] - has[v]) > _MET * abs(had[v]) + _MET for v in had):
            return False
    return True


def _total(data: Microdata, name: str, weights: Floats, *, quantity: bool) -> dict[str | None, float]:
    """Weighted sum of a quantity, or weighted number of records by value."""
    column = data.column(name)
    if quantity:
        return {None: float(np.nan_to_num(column.numbers()) @ weights)}
    codes, count = column.codes()
    sums = np.bincount(codes + 2, weights, count + 2)
    names = ["missing", "suppressed", *column.distinct()]
    return {v: float(s) for v, s in zip(names, sums, strict=True) if s > 0}


def _others_kept(m: Massc, before: Microdata, after: Microdata) -> bool:
    old = before.aligned_to(after)
    touched = {*m.identifying, *m.weighted_by(before), m.into}
    return all(same_cells(old.columns[n], after.columns[n]) for n in before.names if n not in touched)


def _bounded(m: Massc, before: Microdata, after: Microdata) -> bool:
    """In every stratum, records or units that are in the file with values of their own, times how surely they are matched."""
    units = m.units(before)
    strata = m.strata(before, units)
    own = shows_own(before, after, units, m.known(before))
    shown = np.bincount(strata.of, own, len(strata.chance))
    return bool(np.all(shown * strata.chance < m.risk * strata.sizes + strata.chance + 1e-9))


@method(
    "microdata.massc",
    family=Family.RECORDS,
    title=Text("MASSC", "MASSC"),
    does=Text(
        "Records at risk were replaced in part by the key values of similar ones, some records were left out, and the weights were adjusted to known totals.",
        "Gefährdete Datensätze erhielten zum Teil die Schlüsselwerte ähnlicher, einige Datensätze entfielen, und die Gewichte wurden an bekannte Summen angepasst.",
    ),
    sources=(
        Source("dav2025", "3.3.6, MASSC (D-M15)"),
        Source("singh2003", "micro agglomeration, substitution, sub-sampling and calibration"),
    ),
    preserves=(
        Claim(
            Text(
                "the weighted totals of the columns in `keep`", "die gewichteten Summen der Spalten in `keep`"
            ),
            _totals_met,
        ),
        Claim(
            Text(
                "all columns of a record but the identifying ones and the weight",
                "alle Spalten eines Datensatzes außer den identifizierenden und dem Gewicht",
            ),
            _others_kept,
        ),
        Claim(
            Text(
                "units: all records of a unit stay or none, and in all periods they show the identifying values of one unit, its own or a donor's",
                "Einheiten: alle Datensätze einer Einheit bleiben oder keiner, und sie zeigen in allen Perioden die identifizierenden Werte einer "
                "Einheit, die eigenen oder die eines Spenders",
            ),
            lambda m, before, after: as_one_unit(before, after, m.units(before), m.known(before)),
            when=given("unit"),
        ),
    ),
    protects=(
        Claim(
            Text(
                "whoever looks for a record finds the right one with a chance of at most `risk`, averaged over records of the same risk, but for one record each, "
                "and counted before it is known whether it is there",
                "wer einen Datensatz sucht, findet den richtigen höchstens mit der Wahrscheinlichkeit `risk`, gemittelt über Datensätze gleichen Risikos, "
                "bis auf je einen Datensatz, und gezählt, bevor bekannt ist, ob er da ist",
            ),
            _bounded,
            when=not_given("unit"),
        ),
        Claim(
            Text(
                "whoever looks for a unit, by one of its records or by all periods together, finds the right one with a chance of at most `risk`, averaged "
                "over units of the same risk, but for one unit each",
                "wer eine Einheit sucht, über einen ihrer Datensätze oder über alle Perioden zusammen, findet die richtige höchstens mit der "
                "Wahrscheinlichkeit `risk`, gemittelt über Einheiten gleichen Risikos, bis auf je eine Einheit",
            ),
            _bounded,
            when=given("unit"),
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep numbers of rare and frequent combinations in balance but for the totals that the weights give exactly: weights that did would tell who was rare",
            "Zahlen seltener und häufiger Kombinationen im Verhältnis halten, außer bei den Summen, die die Gewichte genau ergeben: Gewichte, die das täten, verrieten, wer selten war",
        ),
        Text(
            "keep the records together of a unit that `unit` does not name: each is replaced or left out by itself",
            "die Datensätze einer Einheit zusammenhalten, die `unit` nicht nennt: jeder wird für sich ersetzt oder entfällt für sich",
        ),
        Text(
            "keep the chance below `risk` of a record that is found alone: the risk is counted before anybody looks into the file; how often such a record is the one "
            "sought is told, and `alone` bounds it",
            "die Wahrscheinlichkeit unter `risk` halten, dass ein allein gefundener Datensatz der gesuchte ist: Das Risiko zählt, bevor jemand in die Datei sieht; wie oft ein "
            "solcher der gesuchte ist, wird gesagt, und `alone` beschränkt es",
        ),
        Text(
            "protect a single record for sure: who was left out or replaced is a matter of chance",
            "einen einzelnen Datensatz sicher schützen: wer entfällt oder ersetzt wird, ist Zufall",
        ),
        ForAnalysis(
            "keep relations between the identifying columns and those that donors need not share",
            "Zusammenhänge der identifizierenden Spalten mit solchen erhalten, die Spender nicht teilen müssen",
        ),
    ),
    words={
        "substituted_at_most": Text(
            "share of values substituted, at most", "Anteil ersetzter Werte, höchstens"
        ),
        "right_when_alone": Text(
            "of records that stand alone, matched rightly",
            "von allein stehenden Datensätzen richtig zugeordnet",
        ),
    },
    example={
        "keys": ["age", "sex"],
        "more": ["occupation"],
        "risk": 0.4,
        "substituted": 0.25,
        "similar": [["sex", "region"], ["sex"], []],
        "unit": ["household"],
        "period": "year",
        "keep": ["year", "region"],
        "weight": "w",
        "into": "adjusted",
        "alone": 0.9,
    },
    random=True,
    revision=2,
    loses_records=True,
)
class Massc(Method):
    """Substitute and leave out records at risk just as often as a bound on the risk asks for, then calibrate the weights.

    *Micro-agglomeration*: records are put into strata by how many share their identifying values (`keys` and `more`); a class of f records
    is matched rightly with chance 1/f. *Substitution*: a share of a stratum takes its identifying values from a donor that agrees on the first list
    in `similar` that finds one, but has other identifying values. *Sub-sampling*: of the stratum only a part is kept, so that the share that is there with its own
    values, times the chance of a match, is `risk`. Rates are the best possible: the riskiest strata are substituted first, because a substitution there
    spares most sub-sampling, until the share `substituted` of all records (the bound on bias) is used up; then variance is all that is
    paid. *Calibration*: all weights are raised by one factor, to the sum that they had, and adjusted so that the totals of `keep` come out as before. A factor
    for each stratum, as the authors have it, would tell of every record how rare it was: name under `keep` what estimates need.

    Whoever looks into the file and finds a record that stands alone knows more than the risk says: it was not left out. How often such a record is the one
    sought is told as `right_when_alone`; with `alone` the step is refused where that is more.

    In a panel the identifying values of all periods together say more of a unit than those of one. With `unit` whole units are substituted and left
    out. The risk of a unit is that of its whole path: a class are the units that share the identifying values in every period, and are there in the
    same ones; who knows only some periods finds no more. A donor is there in the same periods, with as many records in each, agrees in all of them on
    a list in `similar`, and has in no period identifying values that the unit has there; in groups of more than a hundred others, a hundred are tried. Each
    record takes the values of its period, those of one period in the order of the file. Entries and exits stay what they are. A record without a unit
    is one of its own; one whose unit is suppressed goes with it. A unit with a gap in an identifying column neither gives nor takes.

    Missing and suppressed values are values like others; records that have them in an identifying column neither give nor take. Categories in `keep` of which no record is left make the totals unreachable: refused.
    Zero, negative, constant and tied values are values like others.
    """

    keys: Columns
    """Columns an attacker surely knows. | Spalten, die ein Angreifer sicher kennt."""
    more: tuple[str, ...] = ()
    """Further columns an attacker may know. | Weitere Spalten, die ein Angreifer kennen kann."""
    risk: Annotated[float, Field(gt=0, le=1)] = 0.2
    """Largest chance of finding the right record. | Größte Wahrscheinlichkeit, den richtigen Datensatz zu finden."""
    substituted: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Largest share of records that take values of a donor. | Größter Anteil von Datensätzen, die Werte eines Spenders erhalten."""
    similar: Annotated[tuple[tuple[str, ...], ...], Field(min_length=1)] = ((),)
    """Lists of columns that donors must agree on, the strictest first. | Listen von Spalten, in denen Spender gleich sein müssen, die strengste zuerst."""
    unit: Unit = ()
    """Columns that name the unit whose records are substituted or left out together; without them, each record by itself. | Spalten, die die
    Einheit nennen, deren Datensätze gemeinsam ersetzt werden oder entfallen; ohne sie jeder Datensatz für sich."""
    period: str = ""
    """Column of the period in which a donor gives a unit its values; without it the one with the role period, or the order of the file. | Spalte der
    Periode, in der ein Spender einer Einheit seine Werte gibt; ohne sie die mit der Rolle period oder die Reihenfolge der Datei."""
    keep: tuple[str, ...] = ()
    """Columns whose weighted totals stay: sums of quantities, numbers of records by value of codes. | Spalten, deren gewichtete Summen bleiben: Summen
    von Größen, Zahlen der Datensätze je Wert von Codes."""
    weight: str = ""
    """Column of the weights so far, which goes; without it the one with the role weight, or every record counts once. | Bisherige Spalte der
    Gewichte, die entfällt; ohne sie die mit der Rolle weight, oder jeder Datensatz zählt einmal."""
    into: Annotated[str, Field(min_length=1)] = "weight"
    """New column of the adjusted weights. | Neue Spalte der angepassten Gewichte."""
    alone: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Largest share of records standing alone in the release that may be the ones sought; with more, refused. | Größter Anteil der in der Freigabe
    allein stehenden Datensätze, die die gesuchten sein dürfen; bei mehr abgelehnt."""

    @model_validator(mode="after")
    def _units_and_periods(self) -> Self:
        if self.period and not self.unit:
            raise ValueError(Text("period goes with unit", "period gehört zu unit"))
        if set(self.unit) & set(self.identifying):
            raise ValueError(
                Text(
                    "a column cannot be in unit and in keys or more: who takes its values would be another unit",
                    "eine Spalte kann nicht in unit und in keys oder more stehen: wer ihre Werte annimmt, wäre eine andere Einheit",
                )
            )
        return self

    @property
    def identifying(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.keys, *self.more)))

    def named_columns(self) -> tuple[str, ...]:
        donors = tuple(n for names in self.similar for n in names)
        others = tuple(n for n in (self.weight, self.period) if n)
        return tuple(dict.fromkeys((*self.identifying, *donors, *self.keep, *others, *self.unit)))

    def treated_columns(self) -> tuple[str, ...]:
        return self.identifying

    def adds(self) -> tuple[str, ...]:
        return (self.into,)

    def weighted_by(self, data: Microdata) -> tuple[str, ...]:
        """The column of the weights so far, if there is one."""
        return (self.weight,) if self.weight else data.role(Role.WEIGHT)

    def weights(self, data: Microdata) -> Floats:
        for name in self.weighted_by(data):
            return positive(data, name, self.id)
        return np.ones(len(data))

    def units(self, data: Microdata) -> Units:
        """The units, or the records where none is named."""
        return units_of(data, self.unit)

    def known(self, data: Microdata) -> tuple[str, ...]:
        """What is known of a record of a unit: the period, and the identifying values."""
        return tuple(dict.fromkeys((*self._period(data), *self.identifying)))

    def _period(self, data: Microdata) -> tuple[str, ...]:
        if not self.unit:
            return ()
        return (self.period,) if self.period else data.role(Role.PERIOD)

    def strata(self, data: Microdata, units: Units) -> Strata:
        """Strata by class size, the smallest first; sizes that are safe anyway are one stratum."""
        count, when = len(units.first), self._period(data)
        size = sharing(data, units, (*when, *self.identifying))
        alone = sharing(data, units, (*when, *self.keys)) == 1
        safe = size >= 1 / self.risk
        rank = np.where(safe, 2 * count + 2, 2 * size - alone)
        ranks, of = np.unique(rank, return_inverse=True)
        chance = np.where(ranks > 2 * count, 0.0, 1 / np.maximum((ranks + 1) // 2, 1))
        return Strata(of.astype(np.int64), chance)

    def reach(self, data: Microdata) -> Reach:
        return Reach(self.identifying, self.weighted_by(data), self.adds())

    def leaves_behind(self, roles: Roles) -> tuple[Trace, ...]:
        del roles
        return (Trace(Mark.FITTED, (self.into, *self.keep)),)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        if self.into in data.names:
            raise NameTaken(who=self.id, name=self.into, parameter="into")
        weights, units, draw = self.weights(data), self.units(data), stream.generator
        strata, donors = self.strata(data, units), self._donors(data, draw)
        chosen = self._substitutes(strata, donors[units.first] >= 0, units.size, draw)
        share = self._shares(strata, chosen)
        kept = np.flatnonzero(simple(2 * strata.of + chosen, np.repeat(share, 2), draw)[units.of])
        source = np.where(chosen[units.of], donors, np.arange(len(data)))
        after = moved(data, dict.fromkeys(self.identifying, source)).take(kept)
        controls = as_it_is(data, self.keep, self.id)
        shown = controls.taken(lambda name: source[kept] if name in self.identifying else kept)
        totals = controls.rows.T @ weights if self.keep else np.zeros(0)
        left = weights[kept] * (weights.sum() / weights[kept].sum() if len(kept) else 1.0)
        made = self._weighted(after, met(left, shown, totals))
        right = self.right_when_alone(data, made)
        if right > self.alone:
            raise AloneTooOften(who=self.id, share=f"{right:.2f}", asked=f"{self.alone:g}")
        return made

    def right_when_alone(self, before: Microdata, after: Microdata) -> float:
        """How often a record, or unit, that stands alone in the release is the one that somebody seeks who knows its identifying values."""
        return right_when_alone(before, after, self.units(before), self.units(after), self.known(before))

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        right = self.right_when_alone(before, after)
        looked = (_LOOKED.filled(share=f"{right:.2f}", risk=f"{self.risk:g}"),) if right > self.risk else ()
        return ((_PERIODS,) if before.role(Role.PERIOD) and not self.unit else ()) + looked

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """What the weights give exactly, and how much of the file was left out: needed to judge variances."""
        share = len(after) / len(before) if len(before) else 1.0
        return {
            "share": of_many(round(share, 3)),
            "substituted_at_most": self.substituted,
            "right_when_alone": of_many(round(self.right_when_alone(before, after), 2)),
            "totals": list(self.keep),
            "weight": self.into,
            **({"unit": list(self.unit)} if self.unit else {}),
        }

    def _donors(self, data: Microdata, draw: np.random.Generator) -> Ints:
        """A donor for every record, or unit, without gaps in the identifying columns; -1 where there is none."""
        if self.unit:
            when = self._period(data)
            return unit_donors(data, self.unit, when, self.identifying, self.similar, draw)
        whole = np.flatnonzero(np.all([data.column(n).observed for n in self.identifying], axis=0))
        some = data.take(whole)
        other = classes_of(some, self.identifying).ids.astype(np.int64)
        found = np.full(len(whole), -1, dtype=np.int64)
        for names in self.similar:
            alike = classes_of(some, names).ids.astype(np.int64)
            found = np.where(found < 0, unlike_donors(alike, other, draw), found)
        donors = np.full(len(data), -1, dtype=np.int64)
        donors[whole] = np.where(found < 0, -1, whole[found])
        return donors

    def _substitutes(
        self, strata: Strata, possible: Bools, records: Ints, draw: np.random.Generator
    ) -> Bools:
        """Spend the bound on bias where it spares most sub-sampling: riskiest stratum first."""
        sizes = strata.sizes
        over = strata.chance > self.risk
        wanted = np.ceil(sizes * (1 - self.risk / np.where(over, strata.chance, np.inf)) * over - 1e-9)
        rank = np.lexsort((draw.random(len(possible)), ~possible, strata.of))
        first = np.concatenate([[0], np.cumsum(sizes)])[:-1]
        place = np.arange(len(possible)) - np.repeat(first, sizes)
        rank = rank[(place < np.repeat(wanted, sizes)) & possible[rank]]
        chosen = np.zeros(len(possible), dtype=np.bool_)
        chosen[rank[np.cumsum(records[rank]) <= self.substituted * records.sum() + 1e-9]] = True
        return chosen

    def _shares(self, strata: Strata, chosen: Bools) -> Floats:
        """The share of every stratum to keep, so that own values times chance meet the bound."""
        sizes = strata.sizes
        own = sizes - np.bincount(strata.of, chosen, len(sizes))
        with np.errstate(divide="ignore", invalid="ignore"):
            share = self.risk * sizes / (strata.chance * own)
        return np.where(np.isnan(share), 1.0, np.minimum(share, 1.0))

    def roles_after(self, roles: Mapping[Role, tuple[str, ...]]) -> Mapping[Role, tuple[str, ...]]:
        return {**roles, Role.WEIGHT: (self.into,)}

    def _weighted(self, after: Microdata, weights: Floats) -> Microdata:
        left = after.without(self.weighted_by(after))
        roles = {**left.roles, Role.WEIGHT: (self.into,)}
        return left.with_columns({self.into: Column(Kind.NUMBER, weights)}).with_roles(roles)
