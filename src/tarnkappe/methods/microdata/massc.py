"""MASSC: micro-agglomeration, substitution, sub-sampling and calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.comparison import same_cells
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NameTaken
from tarnkappe.kernels.classes import Classes, classes
from tarnkappe.kernels.donors import unlike_donors
from tarnkappe.kernels.sampling import simple
from tarnkappe.language import Text
from tarnkappe.methods.microdata.calibrating import as_it_is, met, positive
from tarnkappe.methods.microdata.exchange import moved
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.fields import Columns
from tarnkappe.vocab import Kind, Role

_MET = 1e-6
_STRATUM = "stratum of the record"


@dataclass(frozen=True)
class Strata:
    """Records of the same risk: the smaller their class the lower the number; uniques in `keys` alone come first."""

    of: Ints
    chance: Floats
    """Per stratum: how surely a match with the true values of the columns is right."""

    @property
    def sizes(self) -> Ints:
        return np.bincount(self.of, minlength=len(self.chance))


def _totals_met(m: Massc, before: Microdata, after: Microdata) -> bool:
    old, new = m.weights(before), positive(after, m.into, m.id)
    for name in m.keep:
        had, has = _total(before, name, old), _total(after, name, new)
        if had.keys() != has.keys() or any(abs(had[v] - has[v]) > _MET * abs(had[v]) + _MET for v in had):
            return False
    return True


def _total(data: Microdata, name: str, weights: Floats) -> dict[str | None, float]:
    """Weighted sum of a quantity, or weighted number of records by value."""
    column = data.column(name)
    if name in data.role(Role.NUMERIC):
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
    """In every stratum, records that are in the file with their own values, times how surely they are matched."""
    strata = m.strata(before)
    marked = before.with_columns({_STRATUM: Column(Kind.INTEGER, strata.of)}).aligned_to(after)
    own = np.all([_agree(marked.column(n), after.column(n)) for n in m.identifying], axis=0)
    shown = np.bincount(marked.column(_STRATUM).values, own, len(strata.chance))
    return bool(np.all(shown * strata.chance < m.risk * strata.sizes + strata.chance + 1e-9))


def _agree(old: Column, new: Column) -> Bools:
    same: Bools = (old.values == new.values) | ~old.observed
    return same


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
    ),
    protects=(
        Claim(
            Text(
                "whoever looks for a record finds the right one with a chance of at most `risk`, averaged over records of the same risk, but for one record each",
                "wer einen Datensatz sucht, findet den richtigen höchstens mit der Wahrscheinlichkeit `risk`, gemittelt über Datensätze gleichen Risikos, "
                "bis auf je einen Datensatz",
            ),
            _bounded,
        ),
    ),
    does_not=(
        Text(
            "keep the records of a unit together: each is replaced or left out by itself",
            "die Datensätze einer Einheit zusammenhalten: jeder wird für sich ersetzt oder entfällt für sich",
        ),
        Text(
            "protect a single record for sure: who was left out or replaced is a matter of chance",
            "einen einzelnen Datensatz sicher schützen: wer entfällt oder ersetzt wird, ist Zufall",
        ),
        Text(
            "keep relations between the identifying columns and those that donors need not share",
            "Zusammenhänge der identifizierenden Spalten mit solchen erhalten, die Spender nicht teilen müssen",
        ),
    ),
    words={
        "substituted_at_most": Text(
            "share of values substituted, at most", "Anteil ersetzter Werte, höchstens"
        ),
    },
    example={
        "keys": ["age", "sex"],
        "more": ["occupation"],
        "risk": 0.4,
        "substituted": 0.25,
        "similar": [["sex", "region"], ["sex"], []],
        "keep": ["year", "region"],
        "weight": "w",
        "into": "adjusted",
    },
    random=True,
)
class Massc(Method):
    """Substitute and leave out records at risk just as often as a bound on the risk asks for, then calibrate the weights.

    *Micro-agglomeration*: records are put into strata by how many share their identifying values (`keys` and `more`); a class of f records
    is matched rightly with chance 1/f. *Substitution*: a share of a stratum takes its identifying values from a donor that agrees on the first list
    in `similar` that finds one, but has other identifying values. *Sub-sampling*: of the stratum only a part is kept, so that the share that is there with its own
    values, times the chance of a match, is `risk`. Rates are the best possible: the riskiest strata are substituted first, because a substitution there
    spares most sub-sampling, until the share `substituted` of all records (the bound on bias) is used up; then variance is all that is
    paid. *Calibration*: weights are divided by the share kept and adjusted so that the totals of `keep` come out as before.

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
    keep: tuple[str, ...] = ()
    """Columns whose weighted totals stay. | Spalten, deren gewichtete Summen bleiben."""
    weight: str = ""
    """Column of the weights so far, which goes; without it the one with the role weight, or every record counts once. | Bisherige Spalte der
    Gewichte, die entfällt; ohne sie die mit der Rolle weight, oder jeder Datensatz zählt einmal."""
    into: Annotated[str, Field(min_length=1)] = "weight"
    """New column of the adjusted weights. | Neue Spalte der angepassten Gewichte."""

    @property
    def identifying(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.keys, *self.more)))

    def named_columns(self) -> tuple[str, ...]:
        donors = tuple(n for names in self.similar for n in names)
        weight = (self.weight,) if self.weight else ()
        return tuple(dict.fromkeys((*self.identifying, *donors, *self.keep, *weight)))

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

    def strata(self, data: Microdata) -> Strata:
        """Strata by class size, the smallest first; sizes that are safe anyway are one stratum."""
        size = _size_of(data, self.identifying)
        alone = _size_of(data, self.keys) == 1
        safe = size >= 1 / self.risk
        rank = np.where(safe, 2 * len(data) + 2, 2 * size - alone)
        ranks, of = np.unique(rank, return_inverse=True)
        chance = np.where(ranks > 2 * len(data), 0.0, 1 / np.maximum((ranks + 1) // 2, 1))
        return Strata(of.astype(np.int64), chance)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        if self.into in data.names:
            raise NameTaken(who=self.id, name=self.into, parameter="into")
        weights, strata, draw = self.weights(data), self.strata(data), stream.generator
        donors = self._donors(data, draw)
        chosen = self._substitutes(strata, donors >= 0, draw)
        share = self._shares(strata, chosen)
        kept = np.flatnonzero(simple(2 * strata.of + chosen, np.repeat(share, 2), draw))
        source = np.where(chosen, donors, np.arange(len(data)))
        after = moved(data, dict.fromkeys(self.identifying, source)).take(kept)
        controls = as_it_is(data, self.keep, self.id)
        shown = controls.taken(lambda name: source[kept] if name in self.identifying else kept)
        totals = controls.rows.T @ weights if self.keep else np.zeros(0)
        found = met(weights[kept] / share[strata.of[kept]], shown, totals)
        return self._weighted(after, found)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """What the weights give exactly, and how much of the file was left out: needed to judge variances."""
        share = len(after) / len(before) if len(before) else 1.0
        return {
            "share": round(share, 3),
            "substituted_at_most": self.substituted,
            "totals": list(self.keep),
            "weight": self.into,
        }

    def _donors(self, data: Microdata, draw: np.random.Generator) -> Ints:
        """A donor for every record without gaps in the identifying columns; -1 where there is none."""
        whole = np.flatnonzero(np.all([data.column(n).observed for n in self.identifying], axis=0))
        some = data.take(whole)
        other = _classes(some, self.identifying).ids.astype(np.int64)
        found = np.full(len(whole), -1, dtype=np.int64)
        for names in self.similar:
            alike = _classes(some, names).ids.astype(np.int64)
            found = np.where(found < 0, unlike_donors(alike, other, draw), found)
        donors = np.full(len(data), -1, dtype=np.int64)
        donors[whole] = np.where(found < 0, -1, whole[found])
        return donors

    def _substitutes(self, strata: Strata, possible: Bools, draw: np.random.Generator) -> Bools:
        """Spend the bound on bias where it spares most sub-sampling: riskiest stratum first."""
        left = int(self.substituted * len(possible) + 1e-9)
        sizes, there = strata.sizes, np.bincount(strata.of, possible, len(strata.chance)).astype(np.int64)
        number = np.zeros(len(sizes), dtype=np.int64)
        for h, chance in enumerate(strata.chance):
            wanted = int(np.ceil(sizes[h] * (1 - self.risk / chance) - 1e-9)) if chance > self.risk else 0
            number[h] = min(left, wanted, there[h])
            left -= int(number[h])
        rank = np.lexsort((draw.random(len(possible)), ~possible, strata.of))
        first = np.concatenate([[0], np.cumsum(sizes)])[:-1]
        place = np.arange(len(possible)) - np.repeat(first, sizes)
        chosen = np.zeros(len(possible), dtype=np.bool_)
        chosen[rank[place < np.repeat(number, sizes)]] = True
        return chosen

    def _shares(self, strata: Strata, chosen: Bools) -> Floats:
        """The share of every stratum to keep, so that own values times chance meet the bound."""
        sizes = strata.sizes
        own = sizes - np.bincount(strata.of, chosen, len(sizes))
        with np.errstate(divide="ignore", invalid="ignore"):
            share = self.risk * sizes / (strata.chance * own)
        return np.where(np.isnan(share), 1.0, np.minimum(share, 1.0))

    def _weighted(self, after: Microdata, weights: Floats) -> Microdata:
        left = after.without(self.weighted_by(after))
        roles = {**left.roles, Role.WEIGHT: (self.into,)}
        return left.with_columns({self.into: Column(Kind.NUMBER, weights)}).with_roles(roles)


def _classes(data: Microdata, names: Sequence[str]) -> Classes:
    one = (np.zeros(len(data), dtype=np.int64), 1)
    return classes([one, *(data.column(n).codes() for n in names)])


def _size_of(data: Microdata, names: Sequence[str]) -> Ints:
    """The number of records like each record."""
    found = _classes(data, names)
    sizes: Ints = found.sizes[found.ids]
    return sizes
