import json

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NothingToUse, ValueUnknown, WrongKind
from tarnkappe.errors.exchange import BlocksIncomplete, ForbiddenMade, MatrixIncomplete, NotMarkov
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.methods.microdata.pram import Pram
from tarnkappe.methods.microdata.pram_draws import LARGEST_TOLD, told_counts
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import Holds, plain
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Kind, Role

MODES = ("proportional", "direct", "two-stage")
FREQUENCIES = next(c for c in Pram.preserves if c.holds is Holds.ON_AVERAGE)


def texts(*columns, **named):
    named |= {f"c{i}": column for i, column in enumerate(columns)}
    return Microdata({name: Column.texts_of(list(column)) for name, column in named.items()})


def run(data, secret="any", **parameters):
    return apply_step(Pram(**parameters), data, stream(secret))


def counts(data, name):
    return dict(
        zip(
            *np.unique(data.column(name).texts()[data.column(name).observed], return_counts=True), strict=True
        )
    )


@pytest.mark.parametrize("mode", MODES)
def test_expected_frequencies_stay(mode):
    """The mean of 400 runs is within five standard errors of the truth: fails by chance once in a million. A bias of a tenth
    of the number of changed cells is thirty standard errors."""
    data = texts("a" * 50 + "b" * 30 + "c" * 20)
    step = Pram(columns=("c0",), mode=mode, alpha=0.5)
    found = []
    for seed in range(400):
        after = step.apply(data, stream(f"seed {seed}"))
        found.append([counts(after, "c0").get(v, 0) for v in "abc"])
        assert FREQUENCIES.check(step, data, after)
    off = np.mean(found, axis=0) - [50, 30, 20]
    assert (np.abs(off) < 5 * np.std(found, axis=0) / 20).all()


def test_the_claim_on_frequencies_has_teeth():
    data = texts("a" * 500 + "b" * 300 + "c" * 200)
    step = Pram(columns=("c0",), alpha=0.2)
    assert not FREQUENCIES.check(step, data, texts("a" * 300 + "b" * 500 + "c" * 200))


def test_a_given_matrix_is_corrected_by_its_inverse():
    """The mean corrected count of 300 runs is within five standard errors of the truth, the plain one is not."""
    data = texts("a" * 500 + "b" * 300 + "c" * 200)
    matrix = {
        "a": {"a": 0.8, "b": 0.1, "c": 0.1},
        "b": {"a": 0.2, "b": 0.7, "c": 0.1},
        "c": {"a": 0.25, "b": 0.25, "c": 0.5},
    }
    step = Pram(columns=("c0",), mode="given", matrix=matrix)
    plain_counts, corrected = [], []
    for seed in range(300):
        after = step.apply(data, stream(f"seed {seed}"))
        told = json.loads(json.dumps(plain(step.tells(data, after))))["treated"][0]["strata"][0]
        released = [counts(after, "c0")[v] for v in told["values"]]
        plain_counts.append(released)
        corrected.append(np.array(told["correction"]) @ released)
    error = np.std(corrected, axis=0) / np.sqrt(300)
    assert (np.abs(np.mean(corrected, axis=0) - [500, 300, 200]) < 5 * error).all()
    assert (
        np.abs(np.mean(plain_counts, axis=0) - [510, 310, 180]) < 5 * np.std(plain_counts, axis=0) / 17
    ).all()


def test_joint_draws_make_no_new_combination():
    data = texts("aabbbbcc" * 50, "xxyyzzzz" * 50, s="mf" * 200)
    for mode in MODES:
        after = run(data, columns=("c0", "c1"), mode=mode, alpha=0.9, within=("s",))
        pairs = {
            (s, a, b) for s, a, b in zip(*(after.column(n).texts() for n in ("s", "c0", "c1")), strict=True)
        }
        assert pairs <= {
            (s, a, b) for s, a, b in zip(*(data.column(n).texts() for n in ("s", "c0", "c1")), strict=True)
        }
        assert (after.column("c0").values != data.column("c0").values).any()


BLOCKS = {"c0": (("a1", "a2"), ("b1", "b2", "b3"), ("c1",))}


def branches(n=600, seed=2):
    rng = np.random.default_rng(seed)
    return texts(
        rng.choice(["a1", "b1", "a2", "b2", "c1", "b3"], n, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1]),
        s=rng.choice(["m", "f"], n),
    )


@pytest.mark.parametrize("mode", MODES)
def test_values_stay_in_their_block(mode):
    data = branches()
    step = Pram(columns=("c0",), mode=mode, alpha=0.9, within=("s",), blocks=BLOCKS)
    after = apply_step(step, data, stream("any"))
    pairs = set(zip(data.column("c0").texts(), after.column("c0").texts(), strict=True))
    assert {(a, b) for a in ("b1", "b2", "b3") for b in ("b1", "b2", "b3")} <= pairs
    assert all(a[0] == b[0] for a, b in pairs)
    for stratum, told in zip("fm", plain(step.tells(data, after))["treated"][0]["strata"], strict=True):
        p = np.array(told["matrix"])  # in the order a1, a2, b1, b2, b3, c1
        assert np.flatnonzero(p[0]).tolist() == [0, 1] and np.flatnonzero(p[2]).tolist() == [2, 3, 4]
        assert p[5].tolist() == [0, 0, 0, 0, 0, 1]
        here = data.column("c0").texts()[data.column("s").texts() == stratum]
        counts_ = np.array([(here == v).sum() for v in ("a1", "a2", "b1", "b2", "b3", "c1")])
        assert np.allclose(p.T @ counts_, counts_)
        assert np.allclose(np.array(told["correction"]).T @ p, np.eye(6))
    crossed = data.with_columns({"c0": data.column("c0").take(np.roll(np.arange(len(data)), 1))})
    assert "blocks" in str([c.says.en for c in broken_claims(step, data, crossed)])


def test_blocks_of_one_column_hold_for_combinations():
    rng = np.random.default_rng(3)
    data = branches().with_columns({"d": Column.texts_of(rng.choice(["x", "y"], 600).tolist())})
    after = run(data, columns=("c0", "d"), alpha=0.9, blocks=BLOCKS)
    old, new = data.column("c0").texts(), after.column("c0").texts()
    assert all(a[0] == b[0] for a, b in zip(old, new, strict=True))
    assert (data.column("d").values != after.column("d").values).mean() > 0.3
    apart = run(data, columns=("c0", "d"), alpha=0.9, joint=False, blocks=BLOCKS)
    assert all(a[0] == b[0] for a, b in zip(old, apart.column("c0").texts(), strict=True))


def test_blocks_that_do_not_fit():
    data = branches()
    with pytest.raises(BlocksIncomplete) as caught:
        run(data, columns=("c0",), alpha=0.5, blocks={"c0": BLOCKS["c0"][:2]})
    assert caught.value.facts["count"] == 1
    given = {
        "mode": "given",
        "matrix": {"a1": {"a2": 1.0}, "a2": {"a1": 1.0}, **{v: {v: 1.0} for v in ("b1", "b2", "b3", "c1")}},
    }
    assert counts(run(data, columns=("c0",), **given, blocks=BLOCKS), "c0")["a1"] == counts(data, "c0")["a2"]
    with pytest.raises(BlocksIncomplete):
        run(data, columns=("c0",), **given, blocks={"c0": BLOCKS["c0"][:2]})
    for parameters, says in (
        ({"alpha": 0.5, "blocks": {"d": (("x",),)}}, "not treated"),
        ({"alpha": 0.5, "blocks": {"c0": (("x",), ("x", "y"))}}, "twice"),
        ({"mode": "given", "matrix": {"a1": {"b1": 1.0}, "b1": {"b1": 1.0}}, "blocks": BLOCKS}, "to another"),
    ):
        with pytest.raises(ParameterWrong, match=says):
            Pram(columns=("c0",), **parameters)


def test_gaps_belong_to_no_block():
    state = np.zeros(600, dtype=np.uint8)
    state[:50], state[50:80] = MISSING, SUPPRESSED
    column = branches().column("c0")
    data = Microdata({"c0": Column.coded(column.values, column.categories, state)})
    after = run(data, columns=("c0",), alpha=0.9, blocks=BLOCKS)
    assert np.array_equal(after.column("c0").state, state)
    step = Pram(columns=("c0",), alpha=0.9, blocks=BLOCKS)
    assert [(b["values"], b["gaps"]) for b in plain(step.tells(data, after))["treated"][0]["strata"]] == [
        (6, []),
        (1, ["c0"]),
        (1, ["c0"]),
    ]


def test_separate_draws_do():
    data = texts("ab" * 200, "xy" * 200)
    after = run(data, columns=("c0", "c1"), alpha=0.5, joint=False, leak="masked-later")
    pairs = {a + b for a, b in zip(after.column("c0").texts(), after.column("c1").texts(), strict=True)}
    assert pairs == {"ax", "ay", "bx", "by"}


def test_values_stay_in_their_stratum():
    data = texts("ab" * 100 + "cd" * 100, s="1" * 200 + "2" * 200)
    for mode in MODES:
        after = run(data, columns=("c0",), mode=mode, alpha=0.9, within=("s",))
        assert set(after.column("c0").texts()[:200]) == {"a", "b"}
        assert set(after.column("c0").texts()[200:]) == {"c", "d"}


@pytest.mark.parametrize("mode", [*MODES, "given"])
def test_records_of_a_unit_move_together(mode):
    value = np.random.default_rng(1).choice(list("abcd"), 200)
    data = texts(np.repeat(value, 3), unit=np.repeat([f"{i:03d}" for i in range(200)], 3))
    matrix = {v: dict.fromkeys("abcd", 0.25) for v in "abcd"} if mode == "given" else {}
    after = run(data, columns=("c0",), mode=mode, alpha=0.8, unit="unit", matrix=matrix)
    new = after.column("c0").values.reshape(200, 3)
    assert (new == new[:, :1]).all()
    assert 60 < (new[:, 0] != data.column("c0").values[::3]).sum() < 180
    apart = (
        run(data, columns=("c0",), mode=mode, alpha=0.8, matrix=matrix, leak="masked-later")
        .column("c0")
        .values.reshape(200, 3)
    )
    assert (apart != apart[:, :1]).any()


def test_a_record_without_unit_is_its_own():
    data = texts("ab" * 100, unit=[None] * 200)
    after = run(data, columns=("c0",), alpha=0.9, unit="unit")
    assert len(set(after.column("c0").texts()[::2])) == 2


def test_gaps_stay_and_are_no_values():
    state = np.zeros(300, dtype=np.uint8)
    state[:50], state[50:80] = MISSING, SUPPRESSED
    column = Column.coded(np.arange(300) % 3, np.array(list("abc"), dtype=object), state)
    other = Column.coded(np.arange(300) % 2, np.array(list("xy"), dtype=object))
    data = Microdata({"c": column, "d": other})
    after = run(data, columns=("c", "d"), alpha=0.9)
    assert np.array_equal(after.column("c").state, state)
    assert np.array_equal(after.column("c").values[:80], column.values[:80])
    assert (
        after.column("d").values[:50] != other.values[:50]
    ).any()  # what is shown beside a gap changes, too
    given = run(data, columns=("c",), mode="given", matrix={v: {"a": 0.5, "new": 0.5} for v in "abc"})
    assert np.array_equal(given.column("c").state, state)
    assert counts(given, "c").keys() == {"a", "new"}


def test_a_single_value_stays():
    for mode in MODES:
        after = run(texts("aaaa"), columns=("c0",), mode=mode, alpha=1.0)
        assert set(after.column("c0").texts()) == {"a"}


def test_yes_and_no():
    column = Column(
        Kind.BOOLEAN, (np.arange(200) % 4 == 0).astype(np.uint8), None, np.array(["false", "true"], object)
    )
    data = Microdata({"b": column})
    assert run(data, columns=("b",), alpha=0.9).column("b").kind is Kind.BOOLEAN
    swapped = run(data, columns=("b",), mode="given", matrix={"true": {"false": 1}, "false": {"true": 1}})
    assert np.array_equal(swapped.column("b").values, 1 - column.values)
    with pytest.raises(ValueUnknown):
        run(data, columns=("b",), mode="given", matrix={"true": {"perhaps": 1}, "false": {"false": 1}})


def test_two_stages_with_a_given_matrix_are_invariant_in_every_stratum():
    data = texts("a" * 60 + "b" * 40 + "a" * 10 + "b" * 90, s="1" * 100 + "2" * 100)
    step = Pram(
        columns=("c0",),
        mode="two-stage",
        matrix={"a": {"b": 1}, "b": {"a": 0.5, "b": 0.5}},
        alpha=0.5,
        within=("s",),
    )
    (draws,) = step.draws(data)
    assert np.allclose(draws.p[0].T @ [60, 40], [60, 40])
    assert np.allclose(draws.p[1].T @ [10, 90], [10, 90])


def test_forbidden_combinations_are_refused():
    data = texts("ab" * 100, s="mf" * 100)
    with pytest.raises(ForbiddenMade) as caught:
        run(data, columns=("c0",), alpha=0.5, leak="masked-later", forbidden=({"c0": "b", "s": "m"},))
    assert caught.value.facts["count"] > 0
    kept = run(data, columns=("c0",), alpha=0.5, within=("s",), forbidden=({"c0": "b", "s": "m"},))
    assert np.array_equal(kept.column("c0").values, data.column("c0").values)
    old = run(data, columns=("c0",), alpha=0.5, leak="masked-later", forbidden=({"c0": "z", "s": "m"},))
    assert len(old) == 200
    there = {"a": {"a": 1.0}, "b": {"b": 0.5, "c": 0.5}}  # men with a are there before, and may stay
    assert (
        len(
            run(
                data,
                columns=("c0",),
                mode="given",
                matrix=there,
                leak="masked-later",
                forbidden=({"c0": "a", "s": "m"},),
            )
        )
        == 200
    )


def test_what_the_release_is_told():
    data = texts("a" * 50 + "b" * 30 + "c" * 20, s="2" * 50 + "1" * 50)
    step = Pram(columns=("c0",), alpha=0.3, leak="masked-later")
    after = step.apply(data, stream("any"))
    told = plain(step.tells(data, after))
    (block,) = told["treated"][0]["strata"]
    assert np.allclose(block["matrix"], [[0.85, 0.09, 0.06], [0.15, 0.79, 0.06], [0.15, 0.09, 0.76]])
    assert np.allclose(np.array(block["correction"]).T @ block["matrix"], np.eye(3))
    assert (block["values"], block["absent"], block["gaps"]) == (3, [], [])
    assert told["invariant"] is True
    by_stratum = plain(Pram(columns=("c0",), alpha=0.3, within=("s",)).tells(data, data))["treated"][0][
        "strata"
    ]
    assert [b["values"] for b in by_stratum] == [2, 1]  # in the order of the strata 1 (b and c) and 2 (a)
    gone = texts("a" * 80 + "c" * 20, s="2" * 50 + "1" * 50)
    assert plain(step.tells(data, gone))["treated"][0]["strata"][0]["absent"] == [2]


def test_what_is_told_where_a_method_made_records():
    """Their numbers lie below 0: they must not be taken for those of the last records."""
    step = Pram(columns=("c0",), alpha=0.3, within=("s",))
    data = texts("aabbb", s="11122").with_made(np.array([4, 4, 4, 4, 4, 4]))
    strata = plain(step.tells(data, data))["treated"][0]["strata"]
    assert [(b["values"], b["absent"]) for b in strata] == [(2, []), (1, [])]
    few = texts("aab", s="112").with_made(np.array([0]))
    strata = plain(step.tells(few, few))["treated"][0]["strata"]
    assert [(b["values"], b["absent"]) for b in strata] == [(1, []), (1, [])]


def consistent(told, mode, alpha, n):
    """An attacker of our own: all counts of two values that add up to n and give the told matrix, by trying them."""
    found = []
    for first in range(1, n):
        counts = np.array([first, n - first])
        h = counts / n
        if mode == "proportional":
            p = (1 - alpha) * np.eye(2) + alpha * h
        elif mode == "direct":
            leave = alpha * counts.min() / counts
            p = np.array([[1 - leave[0], leave[0]], [leave[1], 1 - leave[1]]])
        else:
            first_stage = np.array([[1 - alpha, alpha], [alpha, 1 - alpha]])
            back = (first_stage * counts[:, None]).T
            p = first_stage @ (back / back.sum(axis=1, keepdims=True))
        found += [first] if np.allclose(p, told["matrix"], atol=1e-9) else []
    return found


@pytest.mark.parametrize("mode", MODES)
def test_a_matrix_does_not_tell_counts_of_one_or_two(mode):
    """Of 30 persons of whom one, two or three have a disease, the same is told; of nine who have it their frequency, as of any."""
    matrix = {"a": {"b": 1.0}, "b": {"a": 1.0}} if mode == "two-stage" else {}
    for step in (Pram(columns=("c0",), alpha=0.3, mode=mode, matrix=m) for m in ({}, matrix)):
        for rare, told in ((1, 3), (2, 3), (3, 3), (4, 4), (9, 9), (29, 27), (28, 27)):
            data = texts("a" * rare + "b" * (30 - rare))
            (block,) = plain(step.tells(data, data))["treated"][0]["strata"]
            assert consistent(block, mode, 0.3, 30) == [told]


@pytest.mark.parametrize("counted", ["12", "21", "22", "111", "14", "114", "1111"])
def test_in_small_strata_all_values_count_alike(counted):
    data = texts("".join(v * int(n) for v, n in zip("abcd", counted, strict=False)))
    (block,) = plain(Pram(columns=("c0",), alpha=0.3).tells(data, data))["treated"][0]["strata"]
    even = 0.7 * np.eye(len(counted)) + 0.3 / len(counted)
    assert np.allclose(block["matrix"], even)


@pytest.mark.parametrize("seed", range(20))
def test_told_counts_add_up_and_hide_small_ones(seed):
    """Whatever the counts: the same total, values nobody has stay so, and one more or fewer of a rare value changes nothing told of it."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 3 if seed % 2 else 40, 6)
    counts[0] += 20 + seed
    told = told_counts(counts, counts)
    assert told.sum() == counts.sum()
    assert ((told == 0) == (counts == 0)).all()
    assert told[counts > 0].min() >= 3 or len(np.unique(told[counts > 0])) == 1
    assert (told[1:][counts[1:] >= 3] == counts[1:][counts[1:] >= 3]).all() or len(
        np.unique(told[counts > 0])
    ) == 1


def test_a_value_of_one_person_that_is_gone_is_not_told():
    data = texts("a" + "b" * 4 + "c" * 6, s="1" * 5 + "2" * 6)
    gone = texts("b" * 5 + "c" * 6, s="1" * 5 + "2" * 6)
    first, second = plain(Pram(columns=("c0",), alpha=0.3, within=("s",)).tells(data, gone))["treated"][0][
        "strata"
    ]
    assert (first["values"], first["absent"], first["matrix"]) == (1, [], [[1.0]])
    assert (second["values"], second["matrix"]) == (1, [[1.0]])


def test_of_a_stratum_that_is_gone_nothing_is_told():
    """All its values were rare, and a later step left its records out or suppressed its cells."""
    data = texts("ab" + "c" * 6, s="11" + "2" * 6)
    hidden = data.with_columns({"c0": data.column("c0").suppress(np.arange(8) < 2)})
    for after in (hidden, data.take(np.arange(2, 8))):
        strata = plain(Pram(columns=("c0",), alpha=0.3, within=("s",)).tells(data, after))["treated"][0][
            "strata"
        ]
        assert [(b["values"], b["matrix"]) for b in strata] == [(0, []), (1, [[1.0]])]


def test_owners_of_several_records_count_once_in_what_is_told():
    """Five records of one owner are one contributor, told as six; without owners they are five."""
    columns = {
        "c0": Column.texts_of(list("a" * 5 + "b" * 15)),
        "o": Column.texts_of(["x"] * 5 + [str(i) for i in range(15)]),
    }
    for roles, told in (({}, 5), ({"owner": ("o",)}, 6)):
        data = Microdata(columns, roles)
        for matrix in ({}, {"a": {"b": 1.0}, "b": {"a": 1.0}}):
            step = Pram(columns=("c0",), alpha=0.3, mode="two-stage", matrix=matrix)
            (block,) = plain(step.tells(data, data))["treated"][0]["strata"]
            assert consistent(block, "two-stage", 0.3, 20) == [told]


def test_estimates_with_rare_values_are_off_by_a_record_or_two():
    """Corrected counts with the told matrix, on average over 2,000 releases, within two records of the original ones."""
    data = texts("a" * 40 + "b" * 2 + "c" * 58)
    step, total = Pram(columns=("c0",), alpha=0.3), np.zeros(3)
    for i in range(2000):
        after = step.apply(data, stream("any", str(i)))
        (block,) = plain(step.tells(data, after))["treated"][0]["strata"]
        shown = [counts(after, "c0")[v] for v in "abc" if counts(after, "c0").get(v)]
        if len(shown) == 3:
            total += np.array(block["correction"]) @ shown / 2000
        else:
            total[[0, 2]] += np.array(block["correction"]) @ shown / 2000
    assert np.abs(total - [40, 2, 58]).max() < 2


def test_values_are_told_in_the_order_of_their_text():
    categories = np.array(["z", "a", "m"], dtype=object)
    data = Microdata({"c": Column.coded(np.repeat([0, 1, 2], [50, 30, 20]), categories)})
    block = plain(Pram(columns=("c",), alpha=0.5).tells(data, data))["treated"][0]["strata"][0]
    assert np.allclose(np.array(block["matrix"])[0], [0.5 + 0.15, 0.1, 0.25])  # a 30, m 20, z 50


def test_large_matrices_are_not_told():
    size = int(np.sqrt(LARGEST_TOLD)) + 1
    data = texts([f"{i:04d}" for i in range(size)] * 2)
    assert Pram(columns=("c0",), alpha=0.3).tells(data, data)["treated"][0]["strata"] is None


def test_changing_too_few_is_noticed():
    data = texts("ab" * 500)
    step = Pram(columns=("c0",), alpha=0.4)
    after = step.apply(data, stream("any"))
    assert broken_claims(step, data, after) == []
    lazy = after.column("c0").values.copy()
    lazy[:500] = data.column("c0").values[:500]
    from dataclasses import replace

    half_done = data.with_columns({"c0": replace(after.column("c0"), values=lazy)})
    assert len(broken_claims(step, data, half_done)) == 1


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({}, "alpha"),
        ({"mode": "given", "alpha": 0.5}, "needs a matrix"),
        ({"alpha": 0.5, "matrix": {"a": {"a": 1}}}, "goes with mode"),
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": 1.1}, "alpha"),
    ],
)
def test_parameters_that_do_not_fit(parameters, says):
    with pytest.raises(ParameterWrong, match=says):
        Pram(columns=("c0",), **parameters)


def test_bad_input():
    data = texts("abc")
    with pytest.raises(NotMarkov) as caught:
        run(data, columns=("c0",), mode="given", matrix={"a": {"a": 1}, "b": {"a": 0.5}, "c": {"c": 0.9}})
    assert (caught.value.facts, caught.value.exit_code) == ({"count": 2, "first": 2}, 2)
    with pytest.raises(MatrixIncomplete) as caught:
        run(data, columns=("c0",), mode="given", matrix={"a": {"a": 1}, "b": {"a": 1}})
    assert caught.value.facts == {"name": "c0", "count": 1, "first": 3}
    numbers = Microdata({"x": Column.numbers_of(np.arange(3.0))})
    with pytest.raises(WrongKind):
        run(numbers, columns=("x",), alpha=0.5)


def test_nothing_and_all_missing():
    assert len(run(texts(""), columns=("c0",), alpha=0.5)) == 0
    assert len(run(texts(""), columns=("c0",), mode="given", matrix={"a": {"a": 1}})) == 0
    missing = texts([None, None])
    with pytest.raises(NothingToUse, match="c0"):
        run(missing, columns=("c0",), alpha=0.5)


def test_the_office_learns_how_many_keep_their_values_for_certain():
    data = texts("ab" * 50 + "ccc" + "d", s="1" * 100 + "222" + "3")
    data = data.with_columns({"c0": data.column("c0").suppress(np.arange(104) < 4)})
    for mode in MODES:
        (said,) = Pram(columns=("c0",), alpha=0.3, mode=mode, within=("s",)).remarks(data, data)
        assert said.en.startswith("4 records keep their values of c0") and said.de.startswith("4 Datens")
    assert Pram(columns=("c0",), alpha=0.3).remarks(data, data) == ()
    given = {v: {v: 1.0} if v == "c" else {"a": 0.5, "b": 0.5} for v in "abcd"}
    (said,) = Pram(columns=("c0",), mode="given", matrix=given).remarks(data, data)
    assert said.en.startswith("3 records")
    blocks = {"c0": (("a", "b"), ("c",), ("d",))}
    (said,) = Pram(columns=("c0",), alpha=0.3, blocks=blocks).remarks(data, data)
    assert said.en.startswith("4 records")
    assert Pram(columns=("c0",), alpha=0.3).remarks(texts(""), texts("")) == ()


def test_the_office_is_warned_of_weights_and_periods():
    data = texts("abcd" * 30, year="12" * 60, firm=np.repeat(np.arange(60).astype(str), 2))
    strata, own = np.repeat([1.5, 2.5], 60), np.linspace(1, 2, 120)
    step = Pram(columns=("c0",), alpha=0.3)
    for weight, warned in ((strata, True), (own, False)):
        weighted = data.with_columns({"w": Column.numbers_of(weight)}).with_roles({Role.WEIGHT: ("w",)})
        assert [t.en.startswith("Records share weights in w") for t in step.remarks(weighted, weighted)] == [
            True
        ] * warned
    panel = data.with_roles({Role.PERIOD: ("year",)})
    assert [t.en[:21] for t in step.remarks(panel, panel)] == ["The file has periods "]
    assert Pram(columns=("c0",), alpha=0.3, unit="firm").remarks(panel, panel) == ()
