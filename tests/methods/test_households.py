"""What the members of a household have in common stays in common where noise is added, as whole numbers too; other steps are remarked on."""

import numpy as np
import pytest

from methods.averaging_data import done
from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.households import homes_of, moving_together, shared_in_homes, torn_apart
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.masking import MembersApart
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import members_apart
from tarnkappe.vocab import Kind, Role

HOMES, SIZE = 120, 3
NOISES = {
    "noise": [
        {},
        {"noise": {"law": "uniform", "smallest": 0.3}, "within": ["sex"]},
        {"treat": "outliers"},
        {"unit": ["person"], "signs": "keep"},
    ],
    "correlated-noise": [{}, {"kim": "sample", "within": ["sex"]}, {"moments": "exact"}, {"kim": "realised"}],
    "log-noise": [{}, {"within": ["sex"]}],
    "mixture-noise": [{}, {"kind": "roque"}],
    "factor-noise": [{}, {"shared": "nothing"}, {"shared": "factor"}, {"totals": "keep"}],
    "controlled-noise": [{}, {"control": {"by": "one-column"}}, {"control": {"by": "best-of", "runs": 10}}],
}
EXACT = {("correlated-noise", 2), ("correlated-noise", 3), ("mixture-noise", 0), ("mixture-noise", 1)}
CASES = [(m, i) for m, each in NOISES.items() for i in range(len(each))]


def people(seed=1):
    """Households of three with an income and a wealth of the household, and wages of each person; some incomes are missing."""
    rng = np.random.default_rng(seed)
    home, n = np.repeat(np.arange(HOMES), SIZE), HOMES * SIZE
    rich = np.exp(rng.normal(10, 1, HOMES))[home]
    wealth = np.exp(rng.normal(11, 1, HOMES))[home] * rich / 2e4
    gaps = np.where(home < 5, MISSING, 0).astype(np.uint8)
    mixed = rng.permutation(n)
    columns = {
        "home": Column.numbers_of(home),
        "person": Column.numbers_of(np.arange(n)),
        "income": Column(Kind.NUMBER, np.where(gaps, np.nan, rich), gaps),
        "wealth": Column.numbers_of(wealth),
        "rooms": Column.numbers_of(rng.integers(20, 90, HOMES)[home]),
        "wages": Column.numbers_of(np.exp(rng.normal(8, 1, n))),
        "sex": Column.texts_of(rng.choice(["f", "m"], n).tolist()),
    }
    return Microdata(columns, {Role.HOUSEHOLD: ("home",)}).take(mixed)


def apart(data, after, name):
    """How many households have more than one value."""
    homes, values = data.column("home").values, after.column(name).numbers()
    there = ~np.isnan(values)
    return sum(len(set(values[there & (homes == h)].tolist())) > 1 for h in range(HOMES))


@pytest.mark.parametrize(("method", "case"), CASES)
def test_members_keep_one_value_in_common(method, case):
    data, parameters = people(), NOISES[method][case]
    after = done(method, data, columns=["wealth", "income"], **parameters)
    assert apart(data, after, "wealth") == apart(data, after, "income") == 0
    changed = after.column("wealth").values != data.column("wealth").values
    assert changed.all() or "treat" in parameters
    assert (
        len(np.unique(after.column("wealth").values)) >= HOMES - 5
    )  # households themselves have noise of their own
    told = build(catalogue[f"microdata.{method}"], {"columns": ["wealth", "income"], **parameters}).tells(
        data, after
    )
    assert told["same_in_household"] == ["wealth", "income"]


@pytest.mark.parametrize(("method", "case"), CASES)
def test_beside_a_column_of_persons(method, case):
    """Members stay alike; where moments are to be exact, that cannot be, and is said."""
    data, parameters = people(), NOISES[method][case]
    if (method, case) in EXACT or method == "controlled-noise":
        with pytest.raises(MembersApart) as refused:
            done(method, data, columns=["wages", "wealth"], **parameters)
        assert refused.value.facts["names"] == "wealth"
        return
    after = done(method, data, columns=["wealth", "wages"], **parameters)
    assert apart(data, after, "wealth") == 0
    assert apart(data, after, "wages") > HOMES / 2


@pytest.mark.parametrize("method", ["noise", "factor-noise", "controlled-noise"])
@pytest.mark.parametrize("whole", ["nearest", "total"])
def test_whole_numbers_of_a_household_are_rounded_alike(method, whole):
    data = people()
    after = done(method, data, columns=["rooms"], whole=whole)
    assert after.column("rooms").kind is Kind.INTEGER
    assert apart(data, after, "rooms") == 0


def test_strata_that_divide_households_are_refused_where_totals_are_to_be_kept_in_them():
    with pytest.raises(MembersApart):
        done("controlled-noise", people(), columns=["wealth"], within=["sex"])
    with pytest.raises(MembersApart):
        done("factor-noise", people(), columns=["wealth"], totals="keep", within=["sex"])


def test_without_the_role_nothing_changes():
    data = people()
    unknown = data.with_roles({})
    one = done("noise", unknown, columns=["wealth"])
    assert apart(data, one, "wealth") == HOMES
    assert shared_in_homes(unknown, ["wealth"]) == ()


def test_households_of_a_panel_are_those_of_a_period():
    home = Column.numbers_of(np.array([1, 1, 1, 1, 2, 2]))
    year = Column.numbers_of(np.array([2020, 2020, 2021, 2021, 2020, 2020]))
    income = Column.numbers_of(np.array([5.0, 5.0, 7.0, 7.0, 9.0, 9.0]))
    roles = {Role.HOUSEHOLD: ("home",), Role.PERIOD: ("year",)}
    data = Microdata({"home": home, "year": year, "income": income}, roles)
    assert homes_of(data)[1] == 3
    assert shared_in_homes(data, ["income", "year", "home"]) == ("income",)
    assert shared_in_homes(data.with_roles({Role.HOUSEHOLD: ("home",)}), ["income"]) == ()
    assert shared_in_homes(data.take(np.arange(4)), ["income"]) == ()  # two households may agree by chance


def test_units_and_households_that_overlap_are_one():
    data = Microdata(
        {
            "home": Column.numbers_of(np.array([1, 1, 2, 2, 3, 3])),
            "unit": Column.numbers_of(np.array([1, 2, 2, 4, 5, 6])),
            "x": Column.numbers_of(np.array([4.0, 4.0, 5.0, 5.0, 6.0, 6.0])),
        },
        {Role.HOUSEHOLD: ("home",)},
    )
    assert moving_together(data, ("unit",), ["x"])[0].tolist() == [0, 0, 0, 0, 1, 1]
    assert moving_together(data, ("unit",), [])[1] == 5


def test_steps_that_tear_members_apart_are_remarked_on():
    data = people()
    swapped = catalogue["microdata.swap"](columns=("wealth", "wages")).apply(data, stream("any", "s"))
    assert torn_apart(data, swapped) == ("wealth",)
    (said,) = members_apart(data, swapped)
    assert "wealth" in said.en
    assert "wealth" in said.de
    assert members_apart(data, done("noise", data, columns=["wealth"])) == ()
