"""Substitutes for columns: combinations, ratios, index numbers; what is dropped must not come back."""

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.substitutes import hidden_and_computed
from tarnkappe.errors.data import NameTaken, ValueUnknown
from tarnkappe.errors.masking import ResultTooLarge
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.errors.selection import PeriodTwice, Recoverable, ShareAboveOne
from tarnkappe.methods.microdata.combine import Combine
from tarnkappe.methods.microdata.drop import Drop
from tarnkappe.methods.microdata.index_numbers import IndexNumbers
from tarnkappe.methods.microdata.ratio import Ratio
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step

RNG = np.random.default_rng(2)
HOME, ABROAD = (np.exp(RNG.normal(5, 1, 50)) for _ in range(2))


def done(method, **columns):
    data = Microdata(
        {n: c if isinstance(c, Column) else Column.numbers_of(np.asarray(c)) for n, c in columns.items()}
    )
    return apply_step(method, data, stream("s" * 32, method.id))


def test_total_turnover_for_its_parts():
    after = done(Combine(into={"total": {"home": 1, "abroad": 1}}), home=HOME, abroad=ABROAD)
    assert after.names == ("total",)
    np.testing.assert_allclose(after.column("total").values, HOME + ABROAD)


def test_total_and_foreign_share_give_foreign_turnover_back():
    """The counter-example of the book (Höhne 2010, 2.1.1)."""
    total = HOME + ABROAD
    with pytest.raises(Recoverable) as refused:
        done(Ratio(into={"share": {"of": "abroad", "over": "total"}}), abroad=ABROAD, total=total)
    assert "share" in str(refused.value)
    after = done(
        Ratio(into={"share": {"of": "abroad", "over": "total", "at_most": 1}}, leak="masked-later"),
        abroad=ABROAD,
        total=total,
    )
    assert after.names == ("total", "share")


def test_two_combinations_that_solve_for_the_parts_are_refused():
    both = Combine(into={"sum": {"home": 1, "abroad": 1}, "gap": {"home": 1, "abroad": -1}})
    with pytest.raises(Recoverable):
        done(both, home=HOME, abroad=ABROAD)


@pytest.mark.parametrize("n", [1, 3, 7])
def test_what_the_equations_give_back_is_refused_also_in_few_records(n):
    """No formula can be read from a few records, but everybody knows how the new columns are made (about.json tells it)."""
    for into in (
        {"t": {"a": 2.0}}, {"s": {"a": 1, "b": 1}, "d": {"a": 1, "b": -1}},
        {"s": {"a": 1, "b": 1, "c": 1}, "t": {"a": 1e9, "b": 1e9}, "u": {"b": 1e-9}},
    ):  # fmt: skip
        with pytest.raises(Recoverable):
            done(Combine(into=into), a=HOME[:n], b=ABROAD[:n], c=HOME[-n:])
    kept = Combine(into={"s": {"a": 1, "b": 1, "c": 1}, "t": {"a": 1, "b": 2, "c": 3}})
    assert done(kept, a=HOME[:n], b=ABROAD[:n], c=HOME[-n:]).names == ("s", "t")
    with pytest.raises(Recoverable, match="product of q, b"):
        done(Ratio(into={"q": {"of": "a", "over": "b"}}), a=HOME[:n], b=ABROAD[:n])
    with pytest.raises(Recoverable, match="product of r, c"):
        both = {"q": {"of": "a", "over": "b"}, "r": {"of": "b", "over": "c"}}
        done(Ratio(into=both), a=HOME[:n], b=ABROAD[:n], c=HOME[-n:])
    by_chance = done(Combine(into={"s": {"a": 1, "b": 1}}), a=HOME[:n], b=HOME[:n])
    assert by_chance.names == ("s",)
    turned = {"q": {"of": "a", "over": "b"}, "r": {"of": "b", "over": "a"}}
    assert done(Ratio(into=turned), a=HOME[:n], b=ABROAD[:n]).names == ("q", "r")


def test_states_follow_the_parts():
    home = Column.numbers_of(np.array([1.0, np.nan, 3.0, 4.0])).suppress(
        np.array([False, False, True, False])
    )
    after = done(Combine(into={"t": {"home": 2, "abroad": 1}}), home=home, abroad=[1.0, 1.0, 1.0, np.nan])
    t = after.column("t")
    assert (t.missing.tolist(), t.suppressed.tolist()) == (
        [False, True, False, True],
        [False, False, True, False],
    )
    assert t.values[[0, 2]].tolist() == [3.0, 7.0]


def test_a_denominator_of_zero_gives_missing_and_a_share_above_one_is_refused():
    q = Ratio(into={"r": {"of": "a", "over": "b"}}, leak="masked-later")
    after = done(q, a=[1e9, -2e9, 0.0, 5e9], b=[2e9, 4e9, 0.0, 0.0])
    np.testing.assert_array_equal(after.column("r").numbers(), [0.5, -0.5, np.nan, np.nan])
    with pytest.raises(ShareAboveOne):
        done(
            Ratio(into={"r": {"of": "a", "over": "b", "at_most": 1}}, leak="masked-later"),
            a=[1.0, 3.0],
            b=[2.0, 2.0],
        )


def test_names_that_are_taken():
    with pytest.raises(NameTaken):
        done(Combine(into={"c": {"a": 1.0, "b": 1.0}}), a=HOME, b=ABROAD, c=HOME * ABROAD)
    with pytest.raises(NameTaken):
        done(Combine(into={"a": {"a": 1.0, "b": 1.0}}), a=HOME, b=ABROAD)


PANEL = {
    "unit": Column.texts_of(["u", "u", "u", "v", "v", "w", None, "z"]),
    "year": Column.numbers_of(np.array([2001, 2000, 2002, 2000, 2001, 2001, 2000, 2000])),
    "x": Column.numbers_of(np.array([30.0, 20.0, 5.0, 0.0, 7.0, 9.0, 4.0, -3.0])),
}


def test_index_numbers_of_a_panel_with_entries_and_exits():
    after = done(IndexNumbers(columns=("x",), unit="unit", period="year", base="2000"), **PANEL)
    np.testing.assert_allclose(
        after.column("x").numbers(), [150, 100, 25, np.nan, np.nan, np.nan, 100, np.nan], atol=150 / 20
    )
    assert after.column("x").numbers()[1] == 100
    assert after.column("x").missing.tolist() == [False] * 3 + [True] * 3 + [False, True]


def test_nothing_relates_to_a_suppressed_base_value():
    """The indices of the other periods would tell it from any of their levels."""
    hidden = PANEL["x"].suppress(np.arange(8) == 1)
    after = done(
        IndexNumbers(columns=("x",), unit="unit", period="year", base="2000"), **PANEL | {"x": hidden}
    )
    assert not after.column("x").observed[:3].any()
    later = PANEL["x"].suppress(np.arange(8) == 0)
    after = done(
        IndexNumbers(columns=("x",), unit="unit", period="year", base="2000"), **PANEL | {"x": later}
    )
    assert after.column("x").suppressed.tolist() == [True] + [False] * 7
    np.testing.assert_allclose(after.column("x").numbers()[:3], [np.nan, 100, 25], atol=150 / 20)


def test_levels_that_other_columns_give_back_are_refused():
    panel = {
        "unit": Column.texts_of([f"u{i // 4}" for i in range(len(HOME))]),
        "year": np.arange(len(HOME)) % 4,
    }
    levels = {"home": HOME, "abroad": ABROAD, "total": HOME + ABROAD, "empty": np.full(len(HOME), np.nan)}
    asked = {"unit": "unit", "period": "year", "base": "0"}
    with pytest.raises(Recoverable):
        done(IndexNumbers(columns=("total",), **asked), **panel, **levels)
    done(IndexNumbers(columns=("total",), **asked, leak="masked-later"), **panel, **levels)
    done(IndexNumbers(columns=("home", "abroad", "total"), **asked), **panel, **levels)


def test_quotients_beyond_all_numbers_are_refused_and_not_made_missing():
    with pytest.raises(ResultTooLarge):
        done(
            Ratio(into={"r": {"of": "a", "over": "b"}}, leak="masked-later"), a=[1e300, 1.0], b=[1e-300, 2.0]
        )
    with pytest.raises(ResultTooLarge):
        done(
            IndexNumbers(columns=("x",), unit="unit", period="year", base="2000"),
            **PANEL | {"x": Column.numbers_of(np.array([1e300, 1e-300, 5.0, 0.0, 7.0, 9.0, 4.0, -3.0]))},
        )


def test_a_dropped_column_that_can_be_computed_is_told():
    data = Microdata(
        {n: Column.numbers_of(v) for n, v in {"home": HOME, "abroad": ABROAD, "total": HOME + ABROAD}.items()}
    )
    drop = Drop(columns=("total",))
    said = [text.en for text in drop.remarks(data, apply_step(drop, data, stream("s" * 32, drop.id)))]
    assert "total was dropped and can still be computed: it is a linear combination of home, abroad." in said
    drop = Drop(columns=("home", "total"))
    assert not any("computed" in text.en for text in drop.remarks(data, data.without(drop.columns)))


def test_index_numbers_refuse_what_they_cannot_relate():
    method = IndexNumbers(columns=("x",), unit="unit", period="year", base="1999")
    with pytest.raises(ValueUnknown):
        done(method, **PANEL)
    twice = PANEL | {"year": Column.numbers_of(np.array([2000, 2000, 2002, 2000, 2001, 2001, 2000, 2000]))}
    with pytest.raises(PeriodTwice):
        done(IndexNumbers(columns=("x",), unit="unit", period="year", base="2000"), **twice)


def test_ratios_without_a_base_and_above_one_are_reported_to_the_office():
    data = Microdata(
        {"a": Column.numbers_of(np.array([1.0, 2, 3, -4, 5])), "b": Column.numbers_of(np.array([0.0, 1, 2, 8, 9]))}
    )  # fmt: skip
    for at_most, texts in (
        (None, ["missing in 1 records", "above 1 in 2 records"]),
        (2.0, ["missing in 1 records"]),
    ):
        step = Ratio(into={"q": {"of": "a", "over": "b", "at_most": at_most}}, leak="masked-later")
        said = step.remarks(data, apply_step(step, data, stream("s")))
        assert [text in one.en for text, one in zip(texts, said, strict=True)] == [True] * len(texts)


def test_a_flag_tells_why_a_ratio_is_missing_and_suppressed_zeros_from_nothing():
    """Höhne T03, Gottschalk G-M05. A ratio of a suppressed 0 looks like those of other suppressed values, before and after sealing."""
    a, b = np.array([1.0, 2, np.nan, 4, 5, 6, 0]), np.array([2.0, 0, 3, np.nan, 0, 7, 0])
    over = Column.numbers_of(b).suppress(np.array([0, 0, 0, 0, 1, 1, 0], dtype=bool))
    data = Microdata({"a": Column.numbers_of(a), "b": over})
    step = Ratio(into={"q": {"of": "a", "over": "b", "flag": "why"}}, leak="masked-later")
    after = apply_step(step, data, stream("s")).sealed()
    assert after.column("q").state.tolist() == [0, MISSING, MISSING, MISSING, SUPPRESSED, SUPPRESSED, MISSING]
    why = after.column("why")
    assert why.texts()[why.observed].tolist() == ["none", "zero", "missing", "missing", "zero"]
    assert why.suppressed.tolist() == [False] * 4 + [True, True, False]
    with pytest.raises(NameTaken):
        apply_step(
            Ratio(into={"q": {"of": "a", "over": "b", "flag": "b"}}, leak="masked-later"), data, stream("s")
        )
    with pytest.raises(ParameterWrong, match="one name"):
        Ratio(into={"q": {"of": "a", "over": "b", "flag": "q"}})


def _panel(hidden):
    """Four units in the years 2020 to 2022, of which some records hide their year."""
    years = Column.numbers_of(np.tile([2020, 2021, 2022], 4)).suppress(np.isin(np.arange(12), hidden))
    values = np.arange(1.0, 13.0) ** 2
    names = Column.texts_of([u for u in "abcd" for _ in range(3)])
    return {"year": years, "turnover": values, "unit": names}


def test_an_attacker_who_reads_100s_finds_no_suppressed_period():
    """Unit a hides its base period, unit b another one, units c and d nothing."""
    method = IndexNumbers(columns=("turnover",), unit="unit", period="year", base=2020)
    after = done(method, **_panel([0, 4]))
    index, year = after.column("turnover").numbers(), after.column("year")
    assert not np.any((index == 100) & year.suppressed)
    assert np.isnan(
        index[:3]
    ).all()  # no index without its 100: it would tell that the hidden year is the base
    assert np.isfinite(index[3:]).all()


def test_what_is_shown_does_not_depend_on_a_suppressed_period():
    """A unit that hides its base period looks like one that was never asked in it."""
    method = IndexNumbers(columns=("turnover",), unit="unit", period="year", base=2020)
    panel = _panel([0])
    other = panel | {
        "year": Column.numbers_of(np.r_[1999, panel["year"].values[1:]]).suppress(np.arange(12) == 0)
    }
    one, two = (done(method, **columns).sealed().column("turnover").numbers() for columns in (panel, other))
    np.testing.assert_array_equal(one, two)


def test_indices_that_relate_to_a_hidden_period_break_the_claim():
    method = IndexNumbers(columns=("turnover",), unit="unit", period="year", base=2020)
    shown = done(method, **_panel([]))
    hidden = shown.with_columns({"year": _panel([0])["year"]})
    before = hidden.with_columns({"turnover": Column.numbers_of(_panel([])["turnover"])})
    assert all(claim.check(method, before, shown) for claim in method.protects)
    assert [claim.check(method, before, hidden) for claim in method.protects] == [True, False, True]


def test_products_of_three_odds_and_shares_give_nothing_back_unseen():
    """An input column that holds the ratio of the parts, or two that multiply to the denominator, are looked at too."""
    with pytest.raises(Recoverable):
        done(Combine(into={"total": {"home": 1, "abroad": 1}}), home=HOME, abroad=ABROAD, odds=ABROAD / HOME)
    with pytest.raises(Recoverable):
        done(
            Combine(into={"total": {"home": 1, "abroad": 1}}),
            home=HOME,
            abroad=ABROAD,
            percent=100 * HOME / (HOME + ABROAD),
        )
    plants = RNG.integers(1, 9, 50).astype(float)
    staff = np.round(np.exp(RNG.normal(4, 1, 50))) + 1
    both = {"home": HOME, "staff": staff, "plants": plants, "per_plant": staff / plants}
    after = done(Ratio(into={"q": {"of": "home", "over": "staff"}}, leak="masked-later"), **both).without(
        ["staff"]
    )
    data = Microdata({n: Column.numbers_of(v) for n, v in both.items()})
    assert set(hidden_and_computed(data, after)) == {"home", "staff"}


def test_what_is_hidden_in_a_few_cells_is_computed_from_what_is_shown():
    total = HOME + ABROAD
    data = Microdata(
        {n: Column.numbers_of(v) for n, v in {"home": HOME, "abroad": ABROAD, "total": total}.items()}
    )
    few = np.arange(50) < 3
    one = data.with_columns({"total": data.column("total").suppress(few)})
    assert set(hidden_and_computed(data, one)) == {"total"}
    both = one.with_columns({"home": data.column("home").suppress(few)})
    assert hidden_and_computed(data, both) == {}


@pytest.mark.parametrize("seed", range(5))
def test_masked_columns_that_are_alike_are_not_called_computed(seed):
    rng = np.random.default_rng(seed)
    size = rng.lognormal(10, 1, 300)
    data = Microdata(
        {f"x{j}": Column.numbers_of(np.round(size * rng.lognormal(0, 0.05, 300))) for j in range(8)}
    )
    masked = data.with_columns(
        {
            f"x{j}": Column.numbers_of(np.round(data.column(f"x{j}").numbers() * rng.normal(1, 0.02, 300)))
            for j in range(4)
        }
    )
    assert hidden_and_computed(data, masked) == {}
