"""A register of insured persons in households: names, places, birth dates, work, health and claims.

Ages follow from the household, education from the generation, work from education and sex, income from work
and age, the diagnosis from age and sex, claims from the diagnosis. Nobody in it lives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.calendar import Dates
from tarnkappe.data.column import MISSING, Bools, Column, Floats, Ints, States, Strings
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.hierarchy_builders import from_digits
from tarnkappe.data.microdata import Microdata
from tarnkappe.examples import diagnoses, occupations
from tarnkappe.examples.draws import Draws
from tarnkappe.examples.names import FAMILIES, FIRST_NAMES, GENERATIONS, numbered
from tarnkappe.examples.size import checked
from tarnkappe.vocab import Kind, Role

TODAY = np.datetime64("2025-12-31", "D")
SEXES = ("male", "female")
MARITAL = ("single", "married", "divorced", "widowed")
POSTCODE_DIGITS = (1, 2, 3, 5)
HOUSEHOLD_SIZES = (0.41, 0.34, 0.12, 0.09, 0.03, 0.01)
ROLES = {
    Role.IDENTIFIER: ("policy_number", "name"),
    Role.HOUSEHOLD: ("household",),
    Role.KEY: ("postcode", "birth_date", "sex", "marital_status", "education", "occupation"),
    Role.NUMERIC: ("income", "claims", "claims_amount"),
    Role.SENSITIVE: ("income", "diagnosis"),
}

_MALE, _FEMALE = 0, 1
_SINGLE, _MARRIED, _DIVORCED, _WIDOWED = range(4)
_HEAD_AGES = {
    1: ((0.3, 20, 34), (0.28, 35, 59), (0.42, 60, 96)),
    2: ((0.17, 20, 34), (0.35, 35, 59), (0.48, 60, 90)),
    3: ((0.25, 24, 34), (0.6, 35, 49), (0.15, 50, 62)),
}
"""Size of the household (3 and more): how common each age of its first member is, from, to."""
_EDUCATION = np.array(
    (
        (0.01, 0.12, 0.36, 0.18, 0.17, 0.145, 0.015),
        (0.01, 0.16, 0.46, 0.13, 0.11, 0.115, 0.015),
        (0.01, 0.36, 0.46, 0.06, 0.05, 0.05, 0.01),
    )
)
"""Levels of education below 40, from 40 to 64 and above."""
_NO_ANSWER = 0.02
"""Share of persons who do not tell their income."""


@dataclass(frozen=True, slots=True)
class _Household:
    """Who lives with whom: one entry per person."""

    number: Ints
    first: Ints
    """Position of the first member."""
    place: Ints
    """0 for the first member, 1 for the second, …"""
    size: Ints
    couple: Bools

    @property
    def child(self) -> Bools:
        return self.place >= np.where(self.couple, 2, 1)


def make_persons(size: int, seed: int = 1) -> Microdata:
    """`size` persons in households of one to six, the same for a given size and seed everywhere."""
    draws = Draws(seed, "persons")
    home = _households(checked(size), draws)
    age, sex = _ages(home, draws), _sexes(home, draws)
    education = _education(age, draws)
    work = _work(age, sex, education, draws)
    income = _income(age, work, draws)
    band = np.searchsorted(diagnoses.AGES, age, "right")
    illness = draws.pick_by("diagnosis", diagnoses.chances(), sex * (len(diagnoses.AGES) + 1) + band)
    claims, amount = _claims(age, illness, draws)
    born = _birth_dates(age, draws)
    columns = {
        "policy_number": _policy_numbers(size, draws),
        "name": _names(home, born, sex, draws),
        "household": Column.numbers_of(home.number + 1),
        "postcode": _postcodes(home, draws),
        "birth_date": _with_periods(Column(Kind.DATE, born)),
        "sex": _coded(sex, SEXES),
        "marital_status": _coded(_marital(home, age, sex, draws), MARITAL),
        "education": _coded(education, occupations.EDUCATION, occupations.education_levels()),
        "occupation": _coded(work, [o.code for o in occupations.OCCUPATIONS], occupations.hierarchy()),
        "income": Column.numbers_of(income, _unanswered(size, draws)),
        "diagnosis": _coded(illness, [d.code for d in diagnoses.DIAGNOSES], diagnoses.hierarchy()),
        "claims": Column.numbers_of(claims),
        "claims_amount": Column.numbers_of(amount),
    }
    return Microdata(columns, ROLES)


def _households(n: int, draws: Draws) -> _Household:
    sizes = draws.pick("household size", HOUSEHOLD_SIZES, n) + 1
    ends = np.cumsum(sizes)
    count = int(np.searchsorted(ends, n)) + 1
    sizes = sizes[:count].copy()
    sizes[-1] -= int(ends[count - 1]) - n
    number = np.repeat(np.arange(count), sizes)
    first = (np.cumsum(sizes) - sizes)[number]
    of_home = sizes[number]
    couple = draws.chance("couple", 0.82, count)[number] & (of_home > 1)
    return _Household(number, first, np.arange(n) - first, of_home, couple)


def _ages(home: _Household, draws: Draws) -> Ints:
    n = len(home.number)
    head = np.zeros(n, dtype=np.int64)
    for size, bands in _HEAD_AGES.items():
        weights, low, high = np.array(bands).T
        band = draws.pick(f"band of age {size}", weights, n)
        drawn = draws.whole(f"age {size}", low[band], high[band], n)
        head = np.where(np.minimum(home.size, 3) == size, drawn, head)
    head = head[home.first]
    partner = np.clip(head + np.rint(draws.normal("partner's age", n) * 3.5 - 1), 18, 99).astype(np.int64)
    child = np.clip(head - draws.whole("age at birth", 19, 40, n), 0, 99)
    return np.select([home.child, home.place == 1], [child, partner], head)


def _sexes(home: _Household, draws: Draws) -> Ints:
    n = len(home.number)
    own = draws.chance("sex", np.where(home.size == 1, 0.53, 0.49), n).astype(np.int64)
    lone_parent = (home.size > 1) & ~home.couple & (home.place == 0)
    own = np.where(lone_parent & draws.chance("mother", 0.7, n), _FEMALE, own)
    other = np.where(draws.chance("same sex", 0.02, n), own[home.first], 1 - own[home.first])
    return np.where(home.couple & (home.place == 1), other, own)


def _education(age: Ints, draws: Draws) -> Ints:
    """Later generations learnt longer; nobody has a degree before the usual age."""
    level = draws.pick_by("education", _EDUCATION, np.searchsorted([40, 65], age, "right"))
    youngest = [0, 15, 18, 19, 22, 24, 28]
    return np.minimum(level, np.searchsorted(youngest, age, "right") - 1)


def _work(age: Ints, sex: Ints, education: Ints, draws: Draws) -> Ints:
    n = len(age)
    paid = draws.pick_by("occupation", occupations.chances(), sex * len(occupations.EDUCATION) + education)
    u = draws.uniform("activity", n)
    student = (age >= 19) & (age < 27) & (education >= 3) & (u < 0.55)
    retired = u < np.interp(age, [57, 60, 63, 67, 75], [0.01, 0.08, 0.3, 0.93, 0.99])
    seeking = u > np.where(education < 2, 0.9, 0.965)
    at_home = (u > 0.86) & (sex == _FEMALE) | (u > 0.95)
    choices = (
        (age < 6, occupations.CHILD),
        (age < 19, occupations.PUPIL),
        (student, occupations.STUDENT),
        ((age >= 57) & retired, occupations.PENSIONER),
        (seeking, occupations.SEEKING),
        (at_home, occupations.AT_HOME),
    )
    return np.select([when for when, _ in choices], [code for _, code in choices], paid)


def _income(age: Ints, work: Ints, draws: Draws) -> Ints:
    """Log-normal around the pay of the occupation, highest at about 50, with a few very large incomes."""
    n = len(age)
    pay = np.array([o.pay for o in occupations.OCCUPATIONS])[work]
    in_work = work < len(occupations.PAID)
    career = np.where(in_work, np.clip(1.04 - 0.0005 * (age - 50.0) ** 2, 0.55, None), 1.0)
    spread = np.exp(0.33 * draws.normal("income", n))
    part_time = np.where(draws.chance("part time", 0.22, n), 0.55, 1.0)
    times = 1 + draws.uniform("size of fortune", n) ** -0.6
    fortune = np.where(draws.chance("fortune", 0.004, n), times, 1.0)
    income = np.rint(pay * career * spread * part_time * fortune)
    return np.asarray(income.astype(np.int64))


def _unanswered(n: int, draws: Draws) -> States:
    return draws.chance("no answer", _NO_ANSWER, n).astype(np.uint8) * MISSING


def _claims(age: Ints, illness: Ints, draws: Draws) -> tuple[Ints, Floats]:
    """Many without any claim; the others more and larger ones the older and the sicker they are."""
    n = len(age)
    cost = np.array([d.cost for d in diagnoses.DIAGNOSES])[illness]
    rate = np.where(draws.chance("never claims", 0.35, n), 0.0, 0.25 + 0.012 * age + 0.55 * np.sqrt(cost))
    number = draws.counts("claims", rate)
    each = np.exp(4.9 + 0.35 * np.log(cost + 0.1) + 1.15 * draws.normal("claims amount", n))
    return number, np.round(number * each, 2)


def _birth_dates(age: Ints, draws: Draws) -> NDArray[np.int32]:
    """A day on which somebody of this age today can be born, as days since 1970."""
    years = TODAY.astype("M8[Y]") - age.astype("m8[Y]")
    last = years.astype("M8[D]") + (TODAY - TODAY.astype("M8[Y]").astype("M8[D]"))
    return np.asarray((last - draws.whole("birthday", 0, 364, len(age))).astype(np.int32))


def _marital(home: _Household, age: Ints, sex: Ints, draws: Draws) -> Ints:
    n = len(age)
    u = draws.uniform("marital status", n)
    married = home.couple & ~home.child & draws.chance("married", 0.78, n)[home.first]
    survives = (sex == _FEMALE) | (u < 0.3)
    widowed = survives & (u < np.interp(age, [45, 60, 75, 90], [0.01, 0.06, 0.35, 0.75]))
    divorced = u > np.interp(age, [25, 40, 55, 80], [0.99, 0.75, 0.6, 0.8])
    cases = [married, age < 25, widowed, divorced]
    return np.select(cases, [_MARRIED, _SINGLE, _WIDOWED, _DIVORCED], _SINGLE)


def _names(home: _Household, born: NDArray[np.int32], sex: Ints, draws: Draws) -> Column:
    """Members of a household share the family name, but for some partners who kept theirs."""
    n = len(sex)
    weights = 1 / (np.arange(len(FAMILIES)) + 8.0)
    family = draws.pick("family", weights, n)
    kept = home.couple & (home.place == 1) & draws.chance("kept name", 0.15, n)
    family = np.where(kept, family, family[home.first])
    year = born.astype("M8[D]").astype("M8[Y]").astype(np.int64) + 1970
    generation = np.searchsorted(GENERATIONS, year, "right")
    pool = FIRST_NAMES.shape[1]
    first = (generation * 2 + sex) * pool + draws.whole("first name", 0, pool - 1, n)
    pairs, codes = np.unique(family * FIRST_NAMES.size + first, return_inverse=True)
    families, firsts = np.divmod(pairs, FIRST_NAMES.size)
    return Column.coded(codes, FAMILIES[families] + ", " + FIRST_NAMES.ravel()[firsts])


def _postcodes(home: _Household, draws: Draws) -> Column:
    """600 invented postcodes in ten zones; towns differ in size, members of a household live together."""
    zone, area, town, office = np.unravel_index(np.arange(600), (10, 5, 3, 4))
    region, place = (area * 2 + zone) % 9 + 1, (town * 3 + area) % 10
    digits = np.stack([zone, region, place, office * 2, (town + office) % 10])
    codes = np.sort(numbered(np.array([10_000, 1_000, 100, 10, 1]) @ digits, width=5))
    weights = np.exp(1.1 * Draws(1, "persons").normal("size of towns", len(codes)))
    towns = draws.pick("postcode", weights, len(home.number))[home.first]
    return _coded(towns, codes, from_digits("postcode", codes, POSTCODE_DIGITS))


def _policy_numbers(n: int, draws: Draws) -> Column:
    """Different for everyone and in no order: a factor without 2 and 5 in it repeats no number."""
    spread = (draws.order("policy", n) * 7919 + 104_729) % 10 ** max(8, len(str(n * 10)))
    texts: Strings = numbered(spread, "KV-", 8)
    categories, codes = np.unique(texts, return_inverse=True)
    return Column.coded(codes, categories)


def _with_periods(dates: Column) -> Column:
    return replace(dates, hierarchy=Dates(("year", "month")).build("birth_date", dates))


def _coded(codes: Ints, categories: Sequence[str] | Strings, tree: Hierarchy | None = None) -> Column:
    """A categorical column; the labels of its codes are those of the hierarchy."""
    labels = {} if tree is None else dict(zip(tree.codes, tree.labels, strict=True))
    return Column.coded(
        codes,
        np.array(categories, dtype=object),
        value_labels={code: labels[code] for code in categories if labels.get(code)},
        hierarchy=tree,
    )
