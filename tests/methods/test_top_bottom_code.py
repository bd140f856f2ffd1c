from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import LimitsCross, NameTaken, NotFinite, NothingToUse, TooFewBeyond, WrongKind
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.methods.microdata.top_bottom_code import Share, TopBottomCode
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.testing import example_data
from tarnkappe.vocab import Kind, Role

TEN = np.arange(1.0, 11)


def coded(values, state=None, owner=None, **parameters):
    columns = {"x": Column.numbers_of(np.array(values), state)}
    roles = {}
    if owner is not None:
        columns["group"] = Column.texts_of(owner)
        roles = {Role.OWNER: ("group",)}
    step = TopBottomCode(columns=("x",), **parameters)
    after = apply_step(step, Microdata(columns, roles), stream("s"))
    return after.column("x"), after.column("x_limit")


def test_upper_and_lower():
    x, flag = coded(TEN, lower=4, upper=7)
    assert x.values.tolist() == [4, 4, 4, 4, 5, 6, 7, 7, 7, 7]
    assert flag.texts().tolist() == ["lower"] * 3 + ["none"] * 4 + ["upper"] * 3


def test_one_side_only():
    x, flag = coded(TEN, upper=6.5)
    assert x.values.tolist() == [1, 2, 3, 4, 5, 6, 6.5, 6.5, 6.5, 6.5]
    assert set(flag.texts()) == {"none", "upper"}


@pytest.mark.parametrize(("share", "limit"), [(0.3, 7.5), (0.39, 7.5), (0.4, 6.5)])
def test_upper_share(share, limit):
    """Made from four neighbouring values: it is none of them."""
    x, _ = coded(TEN, upper={"share": share})
    assert x.values.max() == limit


def test_lower_share():
    x, flag = coded(TEN, lower=Share(share=0.3))
    assert x.values.tolist() == [3.5, 3.5, 3.5, 4, 5, 6, 7, 8, 9, 10]
    assert flag.texts().tolist() == ["lower"] * 3 + ["none"] * 7


def test_a_share_is_not_spoilt_by_floats():
    """0.29 · 100 is 28.999999999999996."""
    _, flag = coded(np.arange(100.0), upper={"share": 0.29})
    assert (flag.texts() == "upper").sum() == 29


@given(
    x=st.lists(st.integers(0, 30), min_size=1, max_size=60),
    share=st.sampled_from([0.05, 0.1, 0.3, 0.49]),
)
def test_never_more_than_twice_the_share(x, share):
    try:
        _, flag = coded(np.array(x, dtype=float), upper={"share": share}, lower={"share": share})
    except TooFewBeyond:
        return
    for side in ("lower", "upper"):
        assert 3 <= (flag.texts() == side).sum() <= 2 * share * len(x) + 1e-9


@pytest.mark.parametrize("beyond", [1, 2])
def test_one_or_two_beyond_a_limit_are_refused(beyond):
    with pytest.raises(TooFewBeyond, match=rf"{beyond} contributors lie beyond the upper limit; it takes 3"):
        coded(TEN, upper=10 - beyond)
    with pytest.raises(TooFewBeyond, match=rf"{beyond} contributors lie beyond the lower limit"):
        coded(TEN, lower=1 + beyond)


def test_nobody_beyond_a_number_is_fine_and_beyond_a_share_is_not():
    x, flag = coded(TEN, lower=1, upper=10)
    assert x.values.tolist() == TEN.tolist()
    assert set(flag.texts()) == {"none"}
    with pytest.raises(TooFewBeyond, match="0 contributors"):
        coded(TEN, upper={"share": 0.05})
    with pytest.raises(TooFewBeyond, match="0 contributors"):
        coded(np.ones(50), upper={"share": 0.2})


def test_the_office_may_ask_for_more():
    coded(TEN, upper=7)
    with pytest.raises(TooFewBeyond, match="takes 4"):
        coded(TEN, upper=7, at_least=4)


def test_records_of_one_owner_are_one_contributor():
    apart = [f"o{i}" for i in range(10)]
    coded(TEN, upper=7, owner=apart)
    with pytest.raises(TooFewBeyond, match="2 contributors"):
        coded(TEN, upper=7, owner=[*apart[:8], "same", "same"])
    coded(TEN, upper=7, owner=[*apart[:7], None, None, None])


def test_suppressed_and_missing_have_suppressed_and_missing_flags():
    state = np.zeros(10, dtype=np.uint8)
    state[[0, 9]], state[1] = SUPPRESSED, MISSING
    x, flag = coded(TEN, state, upper=6)
    assert flag.texts().tolist() == [None, None, *["none"] * 4, *["upper"] * 3, None]
    assert flag.suppressed.tolist() == x.suppressed.tolist()
    assert x.values[9] == 6, "the value below a suppressed cell is coded too"
    assert flag.categories[flag.values[9]] == "upper"


def test_what_stands_under_a_missing_cell_is_left_alone():
    state = np.zeros(10, dtype=np.uint8)
    state[9] = MISSING
    x, flag = coded(TEN, state, upper=6)
    assert x.values[9] == 10 and flag.categories[flag.values[9]] == "none"


def test_suppressed_cells_do_not_count_as_contributors():
    state = np.zeros(10, dtype=np.uint8)
    state[9] = SUPPRESSED
    with pytest.raises(TooFewBeyond, match="2 contributors"):
        coded(TEN, state, upper=7)


def test_infinite_values_are_coded():
    x, flag = coded([-np.inf, -np.inf, -np.inf, 1, 2, 3, np.inf, np.inf, np.inf], lower=0, upper=5)
    assert x.values.tolist() == [0, 0, 0, 1, 2, 3, 5, 5, 5]
    assert flag.texts().tolist() == ["lower"] * 3 + ["none"] * 3 + ["upper"] * 3


def test_a_share_may_not_end_at_infinity():
    with pytest.raises(NotFinite, match="6 infinite"):
        coded([1, 2, 3, 4, *[np.inf] * 6], upper={"share": 0.4})


def test_kinds():
    assert coded(np.arange(10), upper=6)[0].kind is Kind.INTEGER
    assert coded(3 * np.arange(10), upper={"share": 0.4})[0].kind is Kind.INTEGER
    assert coded(np.arange(10), upper=5.5)[0].kind is Kind.NUMBER
    x, _ = coded(np.array([2**62, 2**62 + 1, 5]), upper=1e300)
    assert x.kind is Kind.INTEGER and x.values.tolist() == [2**62, 2**62 + 1, 5]


@pytest.mark.parametrize("upper", [{"share": 0.1}, 3])
def test_empty_column(upper):
    with pytest.raises(NothingToUse):
        coded(np.array([np.nan, np.nan]), upper=upper)


def test_limits_may_not_cross():
    with pytest.raises(LimitsCross):
        coded(TEN, lower=9, upper={"share": 0.4})


def test_flag_column_is_new():
    data = example_data()
    with pytest.raises(NameTaken, match="'income_limit'"):
        done = TopBottomCode(columns=("income",), upper=4000).apply(data, stream("s"))
        TopBottomCode(columns=("income",), lower=950).apply(done, stream("s"))
    after = TopBottomCode(columns=("income",), lower=950, flag="_bottom").apply(done, stream("s"))
    assert {"income_limit", "income_bottom"} <= set(after.names)
    assert after.roles_of("income_limit") == (Role.OTHER,)


def test_text_is_refused():
    with pytest.raises(WrongKind, match="needs numbers"):
        TopBottomCode(columns=("sex",), upper=3).apply(example_data(), stream("s"))


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        ({}, "needs lower, upper or both"),
        ({"lower": 3, "upper": 3}, "lower must be less than upper"),
        ({"upper": {"share": 0.5}}, r"upper\.share: must be less than 0.5"),
        ({"upper": "much"}, "upper: must be a number"),
    ],
)
def test_parameters(given_, says):
    with pytest.raises(ParameterWrong, match=says):
        build(TopBottomCode, {"columns": ["x"], **given_})


def test_tells_limits_and_counts():
    data = Microdata({"x": Column.numbers_of(TEN)})
    step = TopBottomCode(columns=("x",), lower=1, upper=Share(share=0.3))
    told = step.tells(data, apply_step(step, data, stream("s")))
    assert told == {
        "x": {"flag": "x_limit", "lower": {"limit": 1, "coded": None}, "upper": {"limit": 7.5, "coded": 3}}
    }


@pytest.mark.parametrize(
    ("values", "flags"),
    [
        ([1, 2, 3, 4, 5, 5, 5, 5], ["none"] * 8),
        ([1, 2, 3, 4, 5, 5, 5, 6], [*["none"] * 5, *["upper"] * 3]),
        ([1, 2, 2, 4, 5, 5, 5, 5], [*["none"] * 5, *["upper"] * 3]),
        ([1, 2, 3, 4, 5, 6, 6, 6], [*["none"] * 6, *["upper"] * 2]),
    ],
    ids=["no flags", "beyond", "between changed", "too few"],
)
def test_claims_see_wrong_results(values, flags):
    data = Microdata({"x": Column.numbers_of(np.arange(1.0, 9))})
    after = data.with_columns(
        {
            "x": Column.numbers_of(np.array(values, dtype=float)),
            "x_limit": Column.coded(
                np.array([["none", "lower", "upper"].index(f) for f in flags]),
                np.array(["none", "lower", "upper"], dtype=object),
            ),
        }
    )
    assert broken_claims(TopBottomCode(columns=("x",), upper=5.0), data, after)


@given(x=st.lists(st.floats(allow_nan=False, allow_subnormal=False), max_size=40), limit=st.floats(-1e6, 1e6))
def test_is_min_max(x, limit):
    values = np.array(x, dtype=float)
    try:
        got, _ = coded(values, upper=limit)
    except TarnkappeError:
        assert 0 < (values > limit).sum() < 3
    else:
        np.testing.assert_array_equal(got.values, np.minimum(values, limit))


def test_enough_in_every_stratum_or_none():
    data = Microdata({"x": Column.numbers_of(TEN), "g": Column.texts_of(list("aaaaaabbbb"))})
    step = TopBottomCode(columns=("x",), upper=6.5, within=("g",))
    assert apply_step(step, data, stream("s")).column("x").values.max() == 6.5
    with pytest.raises(TooFewBeyond, match="1 contributors"):
        apply_step(TopBottomCode(columns=("x",), upper=5.5, within=("g",)), data, stream("s"))
    owned = Microdata(
        data.columns | {"o": Column.texts_of(list("abcdefggghi"[:10]))}, {Role.OWNER: ("o",)}
    )  # three of the four belong to one
    with pytest.raises(TooFewBeyond, match="2 contributors"):
        apply_step(step, owned, stream("s"))


def test_a_limit_beyond_all_whole_numbers():
    data = Microdata({"n": Column.numbers_of(np.array([5, 6, 7, 8]))})
    for side, limit, coded in (("upper", -1e300, True), ("upper", 1e300, False), ("lower", 1e300, True)):
        method = TopBottomCode(columns=("n",), **{side: limit})
        after = apply_step(method, data, stream("s" * 32)).column("n")
        assert after.values.tolist() == ([limit] * 4 if coded else [5, 6, 7, 8])
        assert (after.kind is Kind.INTEGER) is not coded


# -- a limit by the number of contributors beyond it -------------------------------------------------------------------


@pytest.mark.parametrize("r", [3, 4, 5, 9])
def test_the_outermost_limit_with_so_many_beyond(r):
    rng = np.random.default_rng(r)
    values = np.round(rng.lognormal(3, 1, 60), 0)
    x, flag = coded(values, upper={"beyond": r})
    beyond = np.count_nonzero(flag.texts() == "upper")
    limit = x.values.max()
    assert np.count_nonzero(values == limit) in (0, *range(3, 60))
    assert beyond == np.count_nonzero(values > limit) >= r
    assert np.count_nonzero(values > limit) <= 2 * r
    low, flags = coded(-values, lower={"beyond": r})
    assert np.array_equal(low.values, -x.values)
    assert np.count_nonzero(flags.texts() == "lower") == beyond


def test_contributors_count_not_records():
    owner = [f"f{i}" for i in range(9)] + ["giant"] * 3
    x, flag = coded(np.arange(1.0, 13), owner=owner, upper={"beyond": 3})
    assert (x.values.max(), np.count_nonzero(flag.texts() == "upper")) == (7.5, 5)


def test_a_tail_that_is_half_of_the_file_is_refused():
    with pytest.raises(TarnkappeError):
        coded(TEN, upper={"beyond": 5})
    with pytest.raises(ParameterWrong):
        coded(TEN, upper={"beyond": 2})
    assert coded(TEN, upper={"beyond": 4})[0].values.max() == 6.5


def test_the_limit_by_number_is_told():
    data = Microdata({"x": Column.numbers_of(TEN)})
    step = TopBottomCode(columns=("x",), upper={"beyond": 3})
    told = step.tells(data, step.apply(data, stream("s")))
    assert told["x"]["upper"] == {"limit": 7.5, "coded": 3}
