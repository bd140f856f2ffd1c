"""Top and bottom coding by stratum, against a slow version that looks at one stratum at a time."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, OBSERVED, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import LimitsCross, NotFinite, NothingToUse, StrataWithoutTail, TooFewBeyond
from tarnkappe.methods.microdata.top_bottom_code import TopBottomCode
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Kind, Role


def firms(seed, n=300, whole=False, owners=None, tied=False):
    """Branches of different size and level, with gaps and suppressed cells."""
    g = np.random.default_rng(seed)
    branch = g.choice(["a", "b", "c", None], n, p=[0.5, 0.3, 0.14, 0.06])
    level = np.array([{"a": 1.0, "b": 100.0, "c": 1e4, None: 1e6}[b] for b in branch])
    x = level * np.exp(g.normal(0, 1, n))
    x = np.ceil(x / level * 2) * level if tied else x
    state = g.choice([OBSERVED, MISSING, SUPPRESSED], n, p=[0.9, 0.05, 0.05]).astype(np.uint8)
    columns = {
        "x": Column.numbers_of(np.rint(x).astype(np.int64) if whole else x, state),
        "s": Column.texts_of(branch.tolist()),
    }
    if owners is None:
        return Microdata(columns)
    columns["o"] = Column.texts_of([f"o{k}" for k in g.integers(0, owners, n)])
    return Microdata(columns, {Role.OWNER: ("o",)})


def slow_upper(values, who, share, at_least):
    """The upper limit of one stratum; None where it is refused."""
    shares = [v for v in set(values) if sum(w > v for w in values) <= int(share * len(values) + 1e-9)]
    limit = min(shares)

    def people(v):
        return len({o for w, o in zip(values, who, strict=True) if w > v})

    if people(limit) >= at_least:
        return limit
    top = max(values)
    if limit == top and len({o for w, o in zip(values, who, strict=True) if w == top}) >= at_least:
        return limit
    further = [
        v for v in set(values) if people(v) >= at_least and 2 * sum(w > v for w in values) < len(values)
    ]
    return max(further, default=None)


@pytest.mark.parametrize("side", ["upper", "lower"])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize(("whole", "owners"), [(False, None), (True, None), (False, 40)])
def test_limits_are_those_of_a_stratum_alone(side, tied, whole, owners):
    sign = 1 if side == "upper" else -1
    seen = set()
    for seed in range(12):
        share, at_least = [0.01, 0.1, 0.3][seed % 3], [3, 5][seed % 2]
        data = firms(seed, whole=whole, owners=owners, tied=tied)
        column = data.column("x")
        want, strata = {}, list(strata_of(data, ("s",)).blocks())
        for k, rows in enumerate(strata):
            rows = rows[column.observed[rows]]
            who = data.column("o").texts()[rows] if owners else rows
            want[k] = slow_upper((sign * column.values[rows]).tolist(), who.tolist(), share, at_least)
        step = TopBottomCode(columns=("x",), within=("s",), at_least=at_least, **{side: {"share": share}})
        try:
            done = apply_step(step, data, stream("s"))
        except StrataWithoutTail as problem:
            assert problem.facts["count"] == sum(limit is None for limit in want.values())
            continue
        except TooFewBeyond:  # nobody lies beyond a limit of any stratum
            ends = [max(sign * column.values[rows][column.observed[rows]]) for rows in strata]
            assert ends == list(want.values())
            continue
        seen.add("done")
        now, flag = done.column("x"), done.column("x_limit")
        for k, rows in enumerate(strata):
            known = rows[~column.missing[rows]]
            shown = sign * column.values[rows][column.observed[rows]]
            flagged = flag.categories[flag.values[known]] == side
            limits = np.unique(sign * now.values[known][flagged])
            asked = np.count_nonzero(shown > want[k])
            if not len(limits):
                assert not asked
                continue
            (limit,) = limits
            cut = np.minimum if side == "upper" else np.maximum
            assert now.values[known].tolist() == cut(column.values[known], sign * limit).tolist()
            assert at_least <= np.count_nonzero(shown > limit) <= 2 * asked
            assert limit == want[k] or np.count_nonzero(shown == limit) in (0, *range(3, len(shown)))
            seen.add(np.count_nonzero(shown > limit) == asked)
    assert {"done", True} <= seen


def test_every_branch_gets_its_own_limit():
    x = np.concatenate([np.arange(1.0, 11), np.arange(101.0, 111)])
    data = Microdata({"x": Column.numbers_of(x), "s": Column.texts_of([*"a" * 10, *"b" * 10])})
    done = apply_step(TopBottomCode(columns=("x",), upper={"share": 0.3}, within=("s",)), data, stream("s"))
    assert done.column("x").values.tolist() == [
        *range(1, 8),
        7.5,
        7.5,
        7.5,
        *range(101, 108),
        107.5,
        107.5,
        107.5,
    ]
    common = apply_step(TopBottomCode(columns=("x",), upper={"share": 0.3}), data, stream("s"))
    assert common.column("x").values[:10].tolist() == list(range(1, 11)), (
        "one limit for the file cuts one branch only"
    )


def test_small_strata_move_their_limit_inwards_and_the_office_is_told():
    x = np.concatenate([np.arange(1.0, 8), np.arange(1.0, 401)])
    data = Microdata({"x": Column.numbers_of(x), "s": Column.texts_of([*"a" * 7, *"b" * 400])})
    step = TopBottomCode(columns=("x",), upper={"share": 0.01}, within=("s",))
    done = apply_step(step, data, stream("s"))
    assert done.column("x").values[:7].tolist() == [1, 2, 3, 4, 4.5, 4.5, 4.5]
    assert (done.column("x_limit").texts()[7:] == "upper").sum() == 4
    (remark,) = step.remarks(data, done)
    assert "1 strata" in remark.en and "3 contributors" in remark.en
    assert TopBottomCode(columns=("x",), upper={"share": 0.01}).remarks(data, done) == ()


@pytest.mark.parametrize("small", [[5.0], [1.0, 2.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0] * 20 + [7.0]])
def test_strata_that_have_no_tail_are_refused(small):
    x = np.concatenate([small, np.arange(1.0, 101)])
    data = Microdata({"x": Column.numbers_of(x), "s": Column.texts_of([*"a" * len(small), *"b" * 100])})
    with pytest.raises(StrataWithoutTail, match="in 1 strata no upper limit leaves 3 contributors") as caught:
        apply_step(TopBottomCode(columns=("x",), upper={"share": 0.05}, within=("s",)), data, stream("s"))
    assert caught.value.exit_code == 3


def test_an_end_that_enough_share_stays():
    x = np.concatenate([np.zeros(20), [1.0, 9, 9, 9], np.arange(1.0, 101)])
    data = Microdata({"x": Column.numbers_of(x), "s": Column.texts_of([*"a" * 20, *"b" * 4, *"c" * 100])})
    done = apply_step(TopBottomCode(columns=("x",), upper={"share": 0.05}, within=("s",)), data, stream("s"))
    assert done.column("x").values[:24].tolist() == x[:24].tolist()
    assert done.column("x").values.max() == 95.5
    with pytest.raises(TooFewBeyond, match="0 contributors"):
        apply_step(
            TopBottomCode(columns=("x",), upper={"share": 0.05}, within=("s",)),
            data.take(np.arange(24)),
            stream("s"),
        )


def test_a_stratum_without_a_value_has_no_limit():
    for whole in (False, True):
        state = np.array([OBSERVED] * 10 + [SUPPRESSED, MISSING], dtype=np.uint8)
        x = np.arange(1, 13) if whole else np.arange(1.0, 13)
        data = Microdata({"x": Column.numbers_of(x, state), "s": Column.texts_of([*"a" * 10, "b", "b"])})
        step = TopBottomCode(columns=("x",), upper={"share": 0.3}, lower={"share": 0.3}, within=("s",))
        done = apply_step(step, data, stream("s")).column("x")
        assert done.values.tolist()[:11] == [3.5, 3.5, 3.5, 4, 5, 6, 7, 7.5, 7.5, 7.5, 11]
        assert done.kind is Kind.NUMBER, "all whole numbers near are taken by one each"


def test_numbers_and_shares_together():
    x = np.concatenate([np.arange(1.0, 11), np.arange(101.0, 111)])
    data = Microdata({"x": Column.numbers_of(x), "s": Column.texts_of([*"a" * 10, *"b" * 10])})
    step = TopBottomCode(columns=("x",), lower=4.0, upper={"share": 0.3}, within=("s",))
    done = apply_step(step, data, stream("s"))
    assert done.column("x").values.tolist()[:10] == [4, 4, 4, 4, 5, 6, 7, 7.5, 7.5, 7.5]
    assert step.tells(data, done) == {
        "x": {
            "flag": "x_limit",
            "lower": {"limit": 4.0, "coded": 3},
            "upper": {"limit": None, "coded": 6},
            "within": ["s"],
        }
    }
    with pytest.raises(LimitsCross):
        apply_step(
            TopBottomCode(columns=("x",), lower=50.0, upper={"share": 0.3}, within=("s",)), data, stream("s")
        )


def test_whole_numbers_beyond_floats_are_exact():
    x = 2**60 + np.arange(20)
    data = Microdata({"x": Column.numbers_of(x), "s": Column.texts_of([*"ab" * 10])})
    done = apply_step(TopBottomCode(columns=("x",), upper={"share": 0.3}, within=("s",)), data, stream("s"))
    assert done.column("x").values.max() == 2**60 + 14, "odd in one stratum, so even numbers are free"
    done = apply_step(TopBottomCode(columns=("x",), upper=2.0**60), data, stream("s"))
    assert done.column("x").values.tolist() == [2**60] * 20


def test_infinite_limits_name_the_original_record():
    x = np.array([1.0, 2, 3, *[np.inf] * 7])
    data = Microdata({"x": Column.numbers_of(x)}).take(np.arange(2, 10))
    with pytest.raises(NotFinite) as caught:
        apply_step(TopBottomCode(columns=("x",), upper={"share": 0.4}), data, stream("s"))
    assert caught.value.facts == {"name": "x", "count": 7, "first": 4}


def test_nothing():
    data = Microdata({"x": Column.numbers_of(np.zeros(0)), "s": Column.texts_of([])})
    with pytest.raises(NothingToUse):
        apply_step(TopBottomCode(columns=("x",), upper={"share": 0.3}, within=("s",)), data, stream("s"))
    done = apply_step(TopBottomCode(columns=("x",), upper=3.0, within=("s",)), data, stream("s"))
    assert len(done) == 0


def test_claims_look_into_strata():
    x = np.concatenate([np.arange(1.0, 11), np.arange(101.0, 111)])
    data = Microdata({"x": Column.numbers_of(x), "s": Column.texts_of([*"a" * 10, *"b" * 10])})
    step = TopBottomCode(columns=("x",), upper={"share": 0.3}, within=("s",))

    def broken(values, flags):
        codes = Column.coded(np.array(flags), np.array(["none", "lower", "upper"], dtype=object))
        after = data.with_columns({"x": Column.numbers_of(np.array(values, dtype=float)), "x_limit": codes})
        return {claim.says.en.split(":")[0] for claim in broken_claims(step, data, after)}

    right, flags = (
        [*range(1, 8), 7.5, 7.5, 7.5, *range(101, 108), 107.5, 107.5, 107.5],
        [0] * 7 + [2] * 3 + [0] * 7 + [2] * 3,
    )
    assert broken(right, flags) == set()
    beyond = [*range(1, 8), 7, 7, 10, *right[10:]]
    assert "the size of extreme values" in broken(beyond, [*flags[:9], 0, *flags[10:]])
    assert "against subtraction from a known total" in broken(beyond, [*flags[:9], 0, *flags[10:]])


def test_random_data_is_coded_or_refused_with_a_code():
    g = np.random.default_rng(7)
    for _ in range(300):
        n = int(g.integers(0, 40))
        x = g.choice([-np.inf, -2.0, 0.0, 0.5, 1e300, 1e-300, 3.0, np.inf, *g.normal(0, 1, 8)], n)
        state = g.choice([0, 0, 0, 1, 2], n).astype(np.uint8)
        data = Microdata(
            {"x": Column.numbers_of(x, state), "s": Column.texts_of(g.choice(["a", "b", None], n).tolist())}
        )
        limits = {"upper": {"share": 0.3}} if g.random() < 0.5 else {"lower": {"share": 0.2}, "upper": 2.0}
        try:
            apply_step(TopBottomCode(columns=("x",), within=("s",), **limits), data, stream("s"))
        except TarnkappeError as problem:
            assert problem.exit_code in (2, 3)
            assert problem.code != "run.claim-broken"
