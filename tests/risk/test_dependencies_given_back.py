"""Dependencies: planted rules are found, chance is not, the kernel does what the definition says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.data.column import SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing, EmptyData
from tarnkappe.errors.risk import OriginalNeeded
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.giving_back import FEWEST, given_back
from tarnkappe.risk import recovering
from tarnkappe.risk.dependencies import Dependencies
from tarnkappe.vocab import Role


def coded(codes, sign):
    codes = np.asarray(codes)
    return Column.coded(codes, np.array([f"{sign}{i}" for i in range(codes.max() + 1)], dtype=object))


def original(n=5000, seed=1):
    rng = np.random.default_rng(seed)
    postcode, income = rng.integers(0, 100, n), rng.lognormal(9, 1, n)
    columns = {
        "postcode": coded(postcode, "p"),
        "town": coded(postcode // 4, "t"),
        "sex": coded(rng.integers(0, 2, n), "s"),
        "age": Column.numbers_of(rng.integers(18, 90, n)),
        "income": Column.numbers_of(income),
        "tax": Column.numbers_of(0.3 * income),
        "number": coded(rng.permutation(n), "n"),
    }
    return Microdata(columns, {Role.IDENTIFIER: ("number",)})


BEFORE = original()
CODES = {n: BEFORE.column(n).true_codes()[0] for n in BEFORE.names}


def told(after, **given):
    return Dependencies(**given).measure(after, before=BEFORE)


def test_a_generalised_town_comes_back_from_the_postcode():
    found = told(BEFORE.with_columns({"town": coded(CODES["town"] // 5, "r")}))
    assert found.value == 1
    assert found.details["hidden"]["town"]["by"] == ("postcode",)
    assert found.details["hidden"]["town"]["exactly"] == 1
    assert found.per_record.all()


def test_a_pram_of_the_town_is_undone_by_the_postcode():
    rng = np.random.default_rng(2)
    moved = rng.random(len(BEFORE)) < 0.3
    new = np.where(moved, rng.integers(0, 25, len(BEFORE)), CODES["town"])
    found = told(BEFORE.with_columns({"town": coded(new, "t")}))
    assert found.value > 0.99
    assert found.details["hidden"]["town"]["cells"] == int(np.sum(new != CODES["town"]))


def test_suppressed_and_dropped_values_come_back():
    cells = np.arange(len(BEFORE)) % 10 == 0
    found = told(BEFORE.with_columns({"town": BEFORE.column("town").suppress(cells)}))
    assert found.value == 1
    assert found.details["hidden"]["town"]["cells"] == cells.sum()
    assert np.array_equal(found.per_record == 1, cells)
    assert told(BEFORE.without(["town"])).value == 1


def test_a_rule_that_nearly_holds_is_found_as_such():
    rng = np.random.default_rng(3)
    town = np.where(rng.random(len(BEFORE)) < 0.02, rng.integers(0, 25, len(BEFORE)), CODES["town"])
    before = BEFORE.with_columns({"town": coded(town, "t")})
    found = Dependencies(nearly=0.9).measure(before.without(["town"]), before=before)
    town_told = found.details["hidden"]["town"]
    assert town_told["nearly"] > 0.95
    assert town_told["exactly"] < 0.6
    assert Dependencies(nearly=1).measure(before.without(["town"]), before=before).value < 0.6


def test_a_class_with_a_single_value_gives_itself_away():
    old = BEFORE.column("age").values
    found = told(BEFORE.with_columns({"age": coded(np.where(old < 60, 0, old - 59), "band")}))
    assert found.details["hidden"]["age"]["by"] == ("age",)
    assert found.value == pytest.approx(np.mean(old >= 60), abs=1e-9)


def test_noise_is_undone_by_a_formula():
    noise = np.random.default_rng(4).normal(1, 0.2, len(BEFORE))
    noisy = Column.numbers_of(BEFORE.column("income").values * noise)
    found = told(BEFORE.with_columns({"income": noisy}))
    assert found.value >= 0.95
    assert found.details["hidden"]["income"]["by"] == ("tax",)
    assert told(BEFORE.with_columns({"income": noisy}).without(["tax"]), columns=("income",)).value == 0


@pytest.mark.parametrize("seed", range(5))
def test_columns_that_have_nothing_to_do_with_each_other_are_not_accused(seed):
    rng = np.random.default_rng(seed)
    before = original(3000, seed).without(["town", "tax"])
    flipped = np.where(
        rng.random(3000) < 0.3, 1 - before.column("sex").true_codes()[0], before.column("sex").true_codes()[0]
    )
    after = before.without(["postcode"]).with_columns(
        {"sex": coded(flipped, "s"), "age": coded(before.column("age").values // 10, "band")}
    )
    found = Dependencies().measure(after, before=before)
    assert set(found.details["hidden"]) == {"postcode", "sex", "age"}
    assert found.value < 0.01


def test_two_columns_of_few_values_agree_by_chance_and_that_is_taken_off():
    rng = np.random.default_rng(5)
    before = Microdata(
        {
            "rare": coded((rng.random(2000) < 0.01).astype(int), "r"),
            "other": coded(rng.integers(0, 40, 2000), "o"),
        }
    )
    found = Dependencies().measure(before.without(["rare"]), before=before)
    rare = found.details["hidden"]["rare"]
    assert rare["nearly"] > 0.9  # nearly everybody has the frequent value
    assert found.value < 0.3


def test_a_column_that_was_only_spelt_otherwise_is_not_hidden():
    assert told(BEFORE.with_columns({"town": coded(24 - CODES["town"], "x")})).details["hidden"] == {}


def test_identifiers_are_looked_at_elsewhere():
    found = told(BEFORE.without(["number"]))
    assert found.details["hidden"] == {}
    assert found.value == 0
    assert found.because


def test_random_numbers_of_households_tell_nothing_in_general():
    columns = {
        "household": coded(np.repeat(np.arange(500), 6), "h"),
        "postcode": coded(np.repeat(np.arange(500) % 50, 6), "p"),
    }
    before = Microdata(columns, {Role.HOUSEHOLD: ("household",)})
    assert Dependencies().measure(before.without(["postcode"]), before=before).value == 0
    assert (
        Dependencies()
        .measure(before.with_roles({}).without(["postcode"]), before=before.with_roles({}))
        .value
        == 1
    )


def test_other_orders_and_fewer_records_are_paired():
    order = np.random.default_rng(6).permutation(len(BEFORE))[:3000]
    found = told(BEFORE.take(order).without(["town"]))
    assert found.value == 1
    assert len(found.per_record) == 3000


def test_samples_lead_to_the_same_answer(monkeypatch):
    rng = np.random.default_rng(7)
    after = BEFORE.with_columns(
        {"town": coded(CODES["town"] // 5, "r"), "sex": coded(rng.integers(0, 2, len(BEFORE)), "s")}
    )
    whole = told(after).details["hidden"]
    monkeypatch.setattr(recovering, "GLANCE", 1000)
    sampled = told(after).details["hidden"]
    assert sampled["town"] == whole["town"]
    assert sampled["sex"]["value"] <= whole["sex"]["value"] + 1e-12


def test_bad_input():
    with pytest.raises(OriginalNeeded):
        Dependencies().measure(BEFORE)
    with pytest.raises(EmptyData):
        told(BEFORE.take(np.zeros(0, dtype=np.int64)))
    with pytest.raises(ColumnMissing):
        told(BEFORE, columns=("nothing",))


# -- the kernel -----------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=80)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 3)), min_size=1, max_size=40),
    st.sampled_from([0.6, 0.8, 1.0]),
)
def test_given_back_by_definition(rows, share):
    ids, codes = (np.array(part) for part in zip(*rows, strict=True))
    found = classes([(ids, 4)])
    given = given_back(found.ids, codes, found.sizes, 4, share)
    for i, (group, own) in enumerate(rows):
        others = [v for j, (g, v) in enumerate(rows) if g == group and j != i]
        agree = others.count(own) if own >= 0 else 0
        enough = agree >= FEWEST
        assert given.exactly[i] == (enough and agree == len(others))
        assert given.nearly[i] == (enough and agree >= share * len(others) - 1e-12)


def test_suppressed_cells_have_their_true_value():
    column = Column.texts_of(list("aabb")).suppress(np.array([True, False, False, False]))
    assert column.state[0] == SUPPRESSED
    before = Microdata({"a": Column.texts_of(list("aabb")), "b": Column.texts_of(list("xxyy"))})
    found = Dependencies().measure(before.with_columns({"a": column}), before=before)
    assert found.details["hidden"]["a"]["cells"] == 1
    assert found.value == 0  # one other is not enough


def test_what_two_columns_tell_only_together():
    """As known-weaknesses.md says: formulas of numbers are found, pairs of categories are not."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(10, 10_000, 600), rng.integers(10, 10_000, 600)
    one, other = rng.integers(0, 4, 600), rng.integers(0, 4, 600)
    columns = {
        "part": Column.numbers_of(a),
        "rest": Column.numbers_of(b),
        "total": Column.numbers_of(a + b),
        "one": coded(one, "o"),
        "other": coded(other, "u"),
        "both": coded((one + other) % 4, "b"),
    }
    before = Microdata(columns)
    assert Dependencies(columns=("part",)).measure(before.without(["part"]), before=before).value > 0.9
    assert Dependencies(columns=("both",)).measure(before.without(["both"]), before=before).value < 0.1
