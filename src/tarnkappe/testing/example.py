"""A small register of persons and their firms: every role, every kind of column, every state of a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tarnkappe.data.calendar import Dates
from tarnkappe.data.column import MISSING, SUPPRESSED, Bools, Column, Floats, Ints, States
from tarnkappe.data.hierarchy_builders import from_digits, from_tree
from tarnkappe.data.intervals import Bands
from tarnkappe.data.microdata import Microdata
from tarnkappe.vocab import Kind, Role

ROLES: Mapping[Role, tuple[str, ...]] = {
    Role.IDENTIFIER: ("name",),
    Role.KEY: ("postcode", "birth", "age", "sex", "occupation"),
    Role.NUMERIC: ("income", "wealth", "employees"),
    Role.SENSITIVE: ("diagnosis",),
    Role.WEIGHT: ("w",),
    Role.HOUSEHOLD: ("household",),
    Role.OWNER: ("owner",),
    Role.PERIOD: ("year",),
    Role.STRATUM: ("region",),
}
POSTCODES = ("01067", "01069", "04109", "10115", "10117", "20095", "80331", "80333")
REGIONS = ("east", "east", "east", "north", "north", "north", "south", "south")
SEXES = ("female", "male")
OCCUPATIONS = {"health": ["doctor", "nurse"], "craft": ["baker", "joiner"], "office": ["clerk", "lawyer"]}
DIAGNOSES = ("none", "none", "none", "asthma", "diabetes", "injury", "injury", "cancer")
FIRST = ("Ada", "Bela", "Carl", "Dora", "Emil", "Frida", "Georg", "Hanna", "Ilse", "Jan", "Käthe", "Lena")
FAMILY = ("Ahrens", "Böhm", "Conrad", "Döring", "Eder", "Fuchs", "Groß", "Haas", "Imhof", "Jung")
SHARE_MISSING = 0.04
LAST_YEAR = 2025


def example_data(n: int = 60, seed: int = 1) -> Microdata:
    """`n` invented persons, the same for a given size and seed."""
    draw = _Draw(n, seed)
    place = draw.whole(len(POSTCODES))
    age = 18 + draw.whole(60)
    size = draw.normal()
    columns = {
        "name": Column.texts_of(_names(n)),
        "postcode": draw.texts([POSTCODES[p] for p in place]),
        "birth": _birth(age, draw),
        "age": Column(Kind.INTEGER, age, draw.states(every=17)),
        "sex": draw.texts([SEXES[s] for s in draw.whole(2)]),
        "occupation": draw.texts([_OCCUPATIONS[o] for o in draw.whole(len(_OCCUPATIONS))]),
        "income": _numbers(_income(draw), draw.states(every=19)),
        "wealth": _numbers(_wealth(draw), draw.states()),
        "employees": Column(Kind.INTEGER, np.exp(1.5 + 1.2 * size).astype(np.int64), draw.states()),
        "diagnosis": draw.texts([DIAGNOSES[d] for d in draw.whole(len(DIAGNOSES))]),
        "w": Column(Kind.NUMBER, 1 + draw.whole(16) / 4),
        "household": draw.texts([f"H{h:04d}" for h in _households(draw)]),
        "owner": draw.texts([f"O{o:03d}" for o in draw.whole(max(1, n // 2))]),
        "year": Column(Kind.INTEGER, LAST_YEAR - draw.whole(3)),
        "region": Column.texts_of([REGIONS[p] for p in place]),
    }
    return Microdata(_with_hierarchies(columns), ROLES)


_OCCUPATIONS = [leaf for leaves in OCCUPATIONS.values() for leaf in leaves]


class _Draw:
    """Draws for n records that depend on the seed only."""

    def __init__(self, n: int, seed: int) -> None:
        self.n = n
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def whole(self, below: int) -> Ints:
        return self._generator.integers(below, size=self.n)

    def normal(self) -> Floats:
        return self._generator.standard_normal(self.n)

    def missing(self) -> Bools:
        return self._generator.random(self.n) < SHARE_MISSING

    def states(self, every: int = 0) -> States:
        """Some cells missing; one in `every` suppressed."""
        state = np.where(self.missing(), MISSING, 0).astype(np.uint8)
        if every:
            state[4::every] = SUPPRESSED
        return state

    def texts(self, texts: Sequence[str]) -> Column:
        gaps = self.missing()
        return Column.texts_of([None if gap else text for text, gap in zip(texts, gaps, strict=True)])


def _names(n: int) -> list[str]:
    """No name twice: beyond the first 120 persons they are numbered."""
    both = [f"{FIRST[i % 12]} {FAMILY[i // 12 % 10]}" for i in range(n)]
    return [name if i < 120 else f"{name} {i // 120 + 1}" for i, name in enumerate(both)]


def _birth(age: Ints, draw: _Draw) -> Column:
    years = (LAST_YEAR - age - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int32)
    return Column(Kind.DATE, (years + draw.whole(365)).astype(np.int32), draw.states())


def _numbers(values: Floats, state: States) -> Column:
    return Column(Kind.NUMBER, np.where(state == MISSING, np.nan, values), state)


def _income(draw: _Draw) -> Floats:
    """Skewed to the right, in cents."""
    cents: Floats = np.round(100 * np.exp(7.6 + 0.6 * draw.normal()))
    return cents / 100


def _wealth(draw: _Draw) -> Floats:
    """One in six has nothing, some have debts, a few have much."""
    amount = np.round(np.exp(9 + 1.5 * draw.normal()) - 4000)
    return np.where(draw.whole(6) == 0, 0.0, amount)


def _households(draw: _Draw) -> Ints:
    """Neighbouring records share a household of one to about four."""
    return np.cumsum(draw.whole(2)) + 1


def _with_hierarchies(columns: Mapping[str, Column]) -> dict[str, Column]:
    built = {
        "postcode": from_digits("postcode", columns["postcode"].distinct(), (1, 3, 5)),
        "birth": Dates(("year", "month")).build("birth", columns["birth"]),
        "age": Bands((5.0,)).build("age", columns["age"]),
        "occupation": from_tree("occupation", OCCUPATIONS),
    }
    return {name: replace(column, hierarchy=built.get(name)) for name, column in columns.items()}
