"""Attackers against the first methods. They share no code with what they attack: they see the released cells only.

Each attack is shown to work against a weaker protection first; otherwise its failure would prove nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools

import numpy as np
import pytest

import tarnkappe.spec
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role

SECRET = "the secret of the office that no attacker has"


def release(data, id_, **parameters):
    """What leaves the house: sealed data."""
    step = tarnkappe.spec.catalogue[id_](**parameters)
    return apply_step(step, data, stream(SECRET, id_)).sealed()


# -- pseudonyms ---------------------------------------------------------------------------------------------------

FIRST = ["Ada", "Bela", "Carl", "Dora", "Emil", "Frida"]
LAST = ["Ahrens", "Böhm", "Conrad", "Döring", "Eder", "Fuchs"]
NAMES = [f"{a} {b}" for a, b in itertools.product(FIRST, LAST)]


def dictionary_attack(pseudonyms, keys):
    """Hash every possible name under every key the attacker can think of, with every hash, and look it up."""
    found = {}
    for name, key in itertools.product(NAMES, keys):
        for digest in (
            hashlib.sha256(name.encode()).hexdigest(),
            hashlib.md5(name.encode()).hexdigest(),
            hmac.new(key, name.encode(), hashlib.sha256).hexdigest(),
            hashlib.sha256(key + name.encode()).hexdigest(),
        ):
            found[digest[:32]] = name
    return {p: found[p.lstrip("p")[:32]] for p in pseudonyms if p.lstrip("p")[:32] in found}


def test_a_dictionary_breaks_plain_hashes_and_not_pseudonyms():
    people = NAMES[::3]
    plain = [hashlib.sha256(name.encode()).hexdigest() for name in people]
    guesses = [b"", b"\0" * 32, b"secret", b"microdata.pseudonymise", b"pseudonym"]
    assert list(dictionary_attack(plain, guesses).values()) == people
    data = Microdata({"id": Column.texts_of(people)}, {Role.IDENTIFIER: ("id",)})
    for lasting in (False, True):
        got = release(data, "microdata.pseudonymise", columns=("id",), lasting=lasting).column("id").texts()
        assert dictionary_attack(got, guesses) == {}
    key = stream(SECRET, "microdata.pseudonymise").key("pseudonym")
    got = release(data, "microdata.pseudonymise", columns=("id",)).column("id").texts()
    assert list(dictionary_attack(got, [key]).values()) == people, "with the key the same attack must succeed"


def test_the_order_of_released_categories_gives_no_name_away():
    """Coded files carry their categories: the i-th of them must not be the i-th name of the alphabet."""
    data = Microdata({"id": Column.texts_of(NAMES)}, {Role.IDENTIFIER: ("id",)})
    column = release(data, "microdata.pseudonymise", columns=("id",)).column("id")
    alphabet = sorted(NAMES)
    hits = sum(alphabet[code] == NAMES[i] for i, code in enumerate(column.values))
    assert hits < 6  # one by chance; six or more of 36 has a chance below 1e-3


def test_renumbered_households_do_not_show_their_old_order():
    n = 3000
    codes = [f"H{i:06d}" for i in range(n)]
    got = (
        release(Microdata({"h": Column.texts_of(codes)}), "microdata.renumber", columns=("h",))
        .column("h")
        .values
    )
    assert np.sum(got == np.arange(1, n + 1)) < 10, "by rank in the old list"
    steps = np.diff(got)
    assert np.mean(np.abs(steps) == 1) < 0.01, "by neighbourhood in the file"
    assert abs(np.corrcoef(np.arange(n), got)[0, 1]) < 0.08


# -- order of records ---------------------------------------------------------------------------------------------


def rows_matched(one, two):
    """Lay two releases of the same records side by side: which values of `two` stand where those of `one` say?"""
    return int(np.sum(one == two))


def test_matching_by_row_is_no_better_than_chance_after_shuffling():
    n = 2000
    truth = np.arange(n)
    data = Microdata({"id": Column.numbers_of(truth)})
    assert rows_matched(truth, data.column("id").values) == n, "without shuffling, every record is linked"
    shuffled = release(data, "microdata.shuffle-rows").column("id").values
    assert rows_matched(truth, shuffled) <= 7  # Poisson(1): more has a chance below 1e-5
    again = apply_step(
        tarnkappe.spec.catalogue["microdata.shuffle-rows"](), data, stream("the secret of the second release")
    )
    assert rows_matched(shuffled, again.column("id").values) <= 7


def test_shuffled_neighbours_are_strangers():
    """Records of one household stand together in the original; afterwards no more often than by chance."""
    households = np.repeat(np.arange(500), 4)
    together = np.mean(np.diff(households) == 0)
    assert together > 0.7
    data = Microdata({"h": Column.numbers_of(households)})
    shuffled = release(data, "microdata.shuffle-rows").column("h").values
    assert np.mean(np.diff(shuffled) == 0) < 0.01  # expected 3/1999


# -- rounding -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [1.0, 10.0, 0.5])
def test_rounding_leaves_an_interval_of_one_base(base):
    """The best the attacker can say is the interval of values that round to what he sees; the truth fills it evenly."""
    truth = np.random.default_rng(3).uniform(-1000, 1000, 20_000)
    data = Microdata({"x": Column.numbers_of(truth)})
    seen = release(data, "microdata.round", columns=("x",), base=base).column("x").values
    place = (truth - seen) / base
    assert place.min() >= -0.5 and place.max() <= 0.5
    inside = np.histogram(place, bins=10, range=(-0.5, 0.5))[0] / len(truth)
    assert np.all(np.abs(inside - 0.1) < 0.01), "no part of the interval can be ruled out"


def test_zero_tells_no_sign_in_any_notation():
    data = Microdata({"x": Column.numbers_of(np.array([-0.4, 0.4, -0.0]))})
    column = release(data, "microdata.round", columns=("x",), base=1.0).column("x")
    assert len(set(column.texts())) == 1
    assert len({v.tobytes() for v in column.values}) == 1


def test_two_bases_narrow_a_value_down_as_the_card_says():
    truth = np.random.default_rng(4).uniform(0, 1000, 2000)
    data = Microdata({"x": Column.numbers_of(truth)})
    ends = []
    for base in (10.0, 7.0):
        seen = release(data, "microdata.round", columns=("x",), base=base).column("x").values
        ends.append((seen - base / 2, seen + base / 2))
    width = np.minimum(ends[0][1], ends[1][1]) - np.maximum(ends[0][0], ends[1][0])
    assert width.mean() < 6.0
    limits = tarnkappe.spec.catalogue["microdata.round"].does_not
    assert any("another base" in text.en for text in limits)


# -- censoring ----------------------------------------------------------------------------------------------------


def difference_attack(total, seen, coded):
    """A total published elsewhere minus what the file shows: the excess of the coded units together."""
    return total - seen[~coded].sum()


def test_a_known_total_gives_away_one_coded_unit_so_it_is_refused():
    truth = np.array([10.0, 20, 30, 40, 1000])
    by_hand = np.minimum(truth, 50.0)
    assert difference_attack(truth.sum(), by_hand, by_hand == 50) == 1000, (
        "the attack works on one coded unit"
    )
    data = Microdata({"x": Column.numbers_of(truth)})
    with pytest.raises(TarnkappeError, match="too-few-beyond"):
        release(data, "microdata.top-bottom-code", columns=("x",), upper=50.0)


def test_three_coded_units_hide_in_their_sum():
    truth = np.array([10.0, 20, 30, 400, 700, 1000])
    data = Microdata({"x": Column.numbers_of(truth)})
    after = release(data, "microdata.top-bottom-code", columns=("x",), upper=50.0)
    coded = after.column("x_limit").texts() == "upper"
    together = difference_attack(truth.sum(), after.column("x").values, coded)
    assert together == 2100 and coded.sum() == 3
    fits = [c for c in itertools.product(range(50, 2001, 50), repeat=3) if sum(c) == together]
    assert len({c[0] for c in fits}) > 30, "each of them can have nearly any value"


def test_flag_of_a_suppressed_value_is_not_shown():
    truth = np.arange(1.0, 11)
    hidden = np.arange(10) == 9
    data = Microdata({"x": Column.numbers_of(truth).suppress(hidden)})
    after = release(data, "microdata.top-bottom-code", columns=("x",), upper=5.0)
    assert after.column("x").texts()[9] is None
    assert after.column("x_limit").texts()[9] is None
    assert np.isnan(after.column("x").values[9])


# -- suppression --------------------------------------------------------------------------------------------------


def test_released_cells_hold_no_suppressed_value():
    names = ["baker", "mayor", "mayor", "clerk"]
    data = Microdata({"job": Column.texts_of(names), "age": Column.numbers_of(np.array([30, 98, 99, 40]))})
    after = release(
        data, "microdata.suppress-cells", columns=("age",), records=(2, 3), values={"job": ["mayor"]}
    )
    job, age = after.column("job"), after.column("age")
    assert "mayor" not in job.categories
    assert not {98, 99} & set(age.values.tolist())


def test_a_lone_gap_points_at_the_mayor():
    """Everybody knows that the village has one mayor. One gap in the column of jobs: there he is."""
    names = ["baker", "mayor", "clerk", "clerk"]
    data = Microdata({"job": Column.texts_of(names)})
    by_hand = data.column("job").suppress(np.array([n == "mayor" for n in names]))
    assert np.flatnonzero(by_hand.suppressed).tolist() == [1], "the attack: the only gap is his"
    with pytest.raises(TarnkappeError, match="lone-suppression"):
        release(data, "microdata.suppress-cells", values={"job": ["mayor"]}, share=1)
    assert (
        release(data, "microdata.suppress-cells", values={"job": ["mayor"]}).column("job").suppressed.sum()
        == 2
    )
    after = release(
        data, "microdata.suppress-cells", values={"job": ["mayor"]}, columns=("job",), records=(3,)
    )
    assert after.column("job").suppressed.sum() == 2


def test_suppressed_records_leave_no_trace():
    data = Microdata({"job": Column.texts_of(["baker", "mayor", "clerk", "clerk"])})
    after = release(data, "microdata.suppress-records", values={"job": ["mayor"]}, budget=0.5)
    assert "mayor" not in after.column("job").categories
    assert len(after) == 3


def test_no_record_is_unique_after_suppressing_small_classes():
    draw = np.random.default_rng(5)
    keys = {name: Column.texts_of([str(v) for v in draw.integers(0, 4, 400)]) for name in ("a", "b", "c")}
    after = release(
        Microdata(keys, {Role.KEY: ("a", "b", "c")}), "microdata.suppress-records", below=5, budget=0.5
    )
    seen = list(zip(*(after.column(n).texts() for n in "abc"), strict=True))
    for person in seen:
        assert seen.count(person) >= 5
