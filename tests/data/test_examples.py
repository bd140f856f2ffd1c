"""Example data: the same everywhere, of any size, and like real data where it matters."""

import hashlib

import numpy as np
import pytest

from tarnkappe.errors.data import ExampleSize
from tarnkappe.examples import EXAMPLES, make_enterprises, make_municipal, make_persons
from tarnkappe.examples.draws import Draws
from tarnkappe.examples.names import FAMILIES
from tarnkappe.vocab import Kind, Role

MAKERS = pytest.mark.parametrize("name", list(EXAMPLES))
DIGESTS = {
    "persons": "2c2ed592128f5e29",
    "enterprises": "f115d938aed000da",
    "municipal": "bb6a51ab51276332",
}


def digest(data):
    out = hashlib.sha256()
    for name, column in data.columns.items():
        out.update(f"{name}|{column.kind}|".encode())
        out.update("|".join("∅" if t is None else t for t in column.texts()).encode())
    return out.hexdigest()[:16]


def number(data, name):
    return data.column(name).numbers()


def text(data, name):
    return data.column(name).texts()


@MAKERS
def test_the_same_on_every_platform(name):
    assert digest(EXAMPLES[name](300)) == DIGESTS[name]


def test_who_answers_for_a_group_has_draws_of_its_own():
    """The other columns are what they were before this one was asked for."""
    assert digest(make_enterprises(300).without(["answers_for"])) == "d21ec8bc4d159fa6"


@MAKERS
def test_another_seed_gives_other_data(name):
    one, same, other = EXAMPLES[name](200, 7), EXAMPLES[name](200, seed=7), EXAMPLES[name](200, seed=8)
    assert digest(one) == digest(same) != digest(other)


@MAKERS
@pytest.mark.parametrize("size", [1, 2, 3, 26, 27, 28, 541])
def test_any_size(name, size):
    data = EXAMPLES[name](size)
    assert len(data) == size
    assert all(len(column) == size for column in data.columns.values())


@MAKERS
@pytest.mark.parametrize("size", [0, -1])
def test_no_records_are_refused(name, size):
    with pytest.raises(ExampleSize):
        EXAMPLES[name](size)


@MAKERS
def test_hierarchies_place_every_value_and_reach_one_total(name):
    data = EXAMPLES[name](700)
    keys = [n for n in data.role(Role.KEY) if data.column(n).hierarchy is not None]
    assert keys
    for column in (c for c in data.columns.values() if c.hierarchy is not None):
        counts = [
            len(set(column.hierarchy.generalise(column, level, "x").texts()))
            for level in range(column.hierarchy.depth + 1)
        ]
        assert counts[0] == 1
        assert counts == sorted(counts)
        assert counts[-1] == len(set(column.texts()))


@MAKERS
def test_every_column_but_the_free_ones_has_a_role(name):
    data = EXAMPLES[name](50)
    assert all(data.roles_of(n) != (Role.OTHER,) for n in data.names)


class TestPersons:
    data = make_persons(6000)

    def test_identifiers_are_unique_and_names_are_invented(self):
        assert len(set(text(self.data, "policy_number"))) == 6000
        assert {name.split(", ")[0] for name in text(self.data, "name")} <= set(FAMILIES)

    def test_households_of_one_to_six_live_together(self):
        household = number(self.data, "household").astype(int)
        sizes = np.bincount(household)[1:]
        assert set(sizes) == {1, 2, 3, 4, 5, 6}
        assert 0.37 < (sizes == 1).mean() < 0.45
        places = set(zip(household, text(self.data, "postcode"), strict=True))
        assert len(places) == len(sizes)
        families = set(zip(household, (n.split(",")[0] for n in text(self.data, "name")), strict=True))
        assert len(sizes) < len(families) < 1.15 * len(sizes)

    def test_postcodes_have_five_digits_in_ten_zones(self):
        codes = set(text(self.data, "postcode"))
        assert all(len(code) == 5 and code.isdigit() and int(code[:2]) > 0 for code in codes)
        assert len({code[0] for code in codes}) == 10

    def test_children_have_neither_work_nor_income_nor_spouse(self):
        year = self.data.column("birth_date").values.astype("M8[D]").astype("M8[Y]").astype(int) + 1970
        child = year > 2010
        assert child.sum() > 300
        assert set(text(self.data, "occupation")[child]) <= {"9110", "9120"}
        assert np.nanmax(number(self.data, "income")[child]) == 0
        assert set(text(self.data, "marital_status")[child]) == {"single"}
        assert set(text(self.data, "education")[child]) <= {"none", "basic"}

    def test_income_follows_occupation_and_is_skewed(self):
        income, work = number(self.data, "income"), text(self.data, "occupation")
        paid = np.array([code[0] != "9" for code in work])
        assert np.nanmedian(income[work == "8110"]) > 2 * np.nanmedian(income[work == "6110"])
        assert np.nanmean(income[paid]) > np.nanmedian(income[paid])
        assert 0.01 < np.isnan(income).mean() < 0.03

    def test_illness_follows_age_and_sex(self):
        illness, sex = text(self.data, "diagnosis"), text(self.data, "sex")
        year = self.data.column("birth_date").values.astype("M8[D]").astype("M8[Y]").astype(int) + 1970
        assert set(sex[(illness == "O80") | (illness == "O26")]) == {"female"}
        assert np.median(year[illness == "G30"]) < 1955 < np.median(year[illness == "J06"])

    def test_claims_have_many_zeros_and_a_long_tail(self):
        count, amount = number(self.data, "claims"), number(self.data, "claims_amount")
        assert ((count == 0) == (amount == 0)).all()
        assert 0.45 < (count == 0).mean() < 0.7
        z = (amount - amount.mean()) / amount.std()
        assert (z**3).mean() > 5

    def test_labels_of_codes(self):
        column = self.data.column("occupation")
        assert column.value_labels["8110"] == "physician"
        assert set(column.value_labels) == set(column.categories)


class TestEnterprises:
    data = make_enterprises(8000)

    def test_a_panel_with_entries_and_exits(self):
        unit, year = text(self.data, "unit_id"), number(self.data, "year").astype(int)
        assert len(set(zip(unit, year, strict=True))) == 8000
        assert set(year) == {2021, 2022, 2023, 2024}
        first = {u: year[unit == u].min() for u in set(unit[:2000])}
        last = {u: year[unit == u].max() for u in first}
        assert {2021, 2022, 2023, 2024} == set(first.values()) == set(last.values())
        assert all((year[unit == u] == np.arange(first[u], last[u] + 1)).all() for u in first)

    def test_names_codes_and_owners_stay_with_the_unit(self):
        unit = text(self.data, "unit_id")
        for name in ("name", "owner", "nace", "region"):
            assert len(set(zip(unit, text(self.data, name), strict=True))) == len(set(unit))

    def test_turnover_is_as_skewed_as_the_pattern(self):
        base = number(self.data, "turnover")[np.unique(text(self.data, "unit_id"), return_index=True)[1]]
        z = (base - base.mean()) / base.std()
        assert (z**3).mean() > 15
        assert np.quantile(base, 0.5) == pytest.approx(20_400_000, rel=0.05)
        assert base.mean() > 4 * np.quantile(base, 0.5)

    def test_zeros_losses_and_parts(self):
        turnover, foreign = number(self.data, "turnover"), number(self.data, "foreign_turnover")
        assert 0.4 < (foreign == 0).mean() < 0.8
        assert (foreign <= turnover).all()
        assert (turnover > 0).all()
        assert 0.1 < (number(self.data, "profit") < 0).mean() < 0.3
        assert (number(self.data, "investment") == 0).any()
        assert number(self.data, "employees").min() >= 1

    def test_owners_hold_one_or_very_many_units(self):
        pairs = set(zip(text(self.data, "owner"), text(self.data, "unit_id"), strict=True))
        counts = np.unique([owner for owner, _ in pairs], return_counts=True)[1]
        assert (counts == 1).mean() > 0.7
        assert counts.max() > 20

    def test_a_few_enterprises_answer_for_their_group_most_years(self):
        unit, owner = text(self.data, "unit_id"), text(self.data, "owner")
        for_group = text(self.data, "answers_for") == "group"
        assert set(text(self.data, "answers_for")) == {"enterprise", "group"}
        assert 0.02 < for_group.mean() < 0.06
        records = np.isin(unit, unit[for_group])
        assert 0.75 < for_group[records].mean() < 0.95
        members = {o: len(set(unit[owner == o])) for o in set(owner[for_group])}
        assert np.mean([members[o] > 1 for o in owner[for_group]]) > 0.9

    def test_size_class_follows_the_employees(self):
        order = ["1-19", "20-49", "50-99", "100-249", "250-499", "500-999", "1000+"]
        place = [order.index(t) for t in text(self.data, "size_class")]
        expected = np.digitize(number(self.data, "employees"), [20, 50, 100, 250, 500, 1000])
        assert place == expected.tolist()


class TestMunicipal:
    data = make_municipal(27 * 120)

    def test_areas_lie_inside_each_other(self):
        for city, district, quarter in zip(
            *(text(self.data, n) for n in ("city", "district", "quarter")), strict=True
        ):
            assert quarter.startswith(district)
            assert district.startswith(city)

    def test_one_record_per_quarter_and_kind(self):
        names = ("quarter", "age_group", "nationality", "unemployed")
        cells = set(zip(*(text(self.data, n) for n in names), strict=True))
        assert len(cells) == len(self.data)

    def test_many_small_cells_and_some_large_ones(self):
        count = number(self.data, "count")
        assert self.data.column("count").kind is Kind.INTEGER
        assert (count >= 0).all()
        assert 0.1 < ((count >= 1) & (count <= 3)).mean() < 0.4
        assert (count > 500).any()

    def test_only_people_of_working_age_are_unemployed(self):
        ages = set(text(self.data, "age_group")[text(self.data, "unemployed") == "yes"])
        assert ages == {"15-24", "25-44", "45-64"}

    def test_more_cities_when_more_quarters_are_wanted(self):
        assert len(set(text(make_municipal(27 * 500), "city"))) > 5


class TestDraws:
    draws = Draws(3, "test")

    def test_streams_differ_by_purpose_and_example(self):
        one = self.draws.uniform("a", 5)
        assert (one == self.draws.uniform("a", 5)).all()
        assert (one != self.draws.uniform("b", 5)).all()
        assert (one != Draws(3, "other").uniform("a", 5)).all()
        assert ((one > 0) & (one < 1)).all()

    @pytest.mark.parametrize("mean", [0.0, 0.3, 4.0, 29.0, 31.0, 400.0])
    def test_counts_are_poisson(self, mean):
        counts = self.draws.counts(f"counts {mean}", np.full(40_000, mean))
        assert counts.mean() == pytest.approx(mean, abs=5 * np.sqrt(mean / 40_000))
        assert counts.var() == pytest.approx(mean, rel=0.05, abs=1e-12)

    def test_picks_follow_the_weights(self):
        picked = self.draws.pick("pick", [1, 0, 3], 40_000)
        shares = np.bincount(picked, minlength=3) / 40_000
        assert shares == pytest.approx([0.25, 0, 0.75], abs=0.01)

    def test_picks_by_row_stay_in_their_row(self):
        weights = np.array([[1.0, 0.0], [0.0, 1.0]])
        row = np.arange(1000) % 2
        assert (self.draws.pick_by("rows", weights, row) == row).all()

    def test_whole_numbers_reach_both_ends(self):
        assert set(self.draws.whole("whole", 2, 4, 500)) == {2, 3, 4}
