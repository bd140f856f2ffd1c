"""Release or refuse: conditions of the plan, and identifiers that hide in other columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text
from tarnkappe.plan.gate import identifiers_gone, judge, something_left, substitutes_hold
from tarnkappe.plan.model import Gate
from tarnkappe.plan.traces import traces
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import Finding, catalogue
from tarnkappe.vocab import Kind, Role

K = catalogue["risk.k-anonymity"]()
UNIQUES = catalogue["risk.uniques"]()


# -- conditions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bounds", "value", "held"),
    [
        ({"at_least": 3}, 3, True), ({"at_least": 3}, 2.999, False), ({"at_least": 3}, 4, True),
        ({"at_most": 0.1}, 0.1, True), ({"at_most": 0.1}, 0.11, False),
        ({"at_least": 1, "at_most": 2}, 1.5, True), ({"at_least": 1, "at_most": 2}, 3, False),
        ({"holds": True}, 1, True), ({"holds": True}, 0, False), ({"holds": True}, 0.5, False),
        ({"holds": False}, 0, True), ({"holds": False}, 1, False),
        ({"at_least": 3}, float("nan"), False), ({"at_least": 3}, float("inf"), False), ({"at_most": 3}, float("-inf"), False),
    ],
)  # fmt: skip
def test_a_value_against_its_bounds(bounds, value, held):
    entry = judge(Gate(K, **bounds), Finding(value))
    assert entry.held is held


def test_what_is_not_to_be_trusted_closes_the_gate():
    doubt = Text("too optimistic", "zu günstig")
    entry = judge(Gate(K, at_least=3), Finding(1000.0, trusted=False, because=doubt))
    assert not entry.held
    assert entry.because == doubt


def test_the_condition_in_words():
    assert Gate(K, at_least=3).says == Text("k-anonymity ≥ 3", "k-Anonymität ≥ 3")
    assert Gate(K, at_least=3, at_most=9).says == Text("k-anonymity ≥ 3 and ≤ 9", "k-Anonymität ≥ 3 und ≤ 9")
    assert Gate(UNIQUES, holds=False).says.en.endswith("does not hold")
    assert "2" in judge(Gate(K, at_least=3), Finding(2.0)).because.en


@pytest.mark.parametrize("n", [4, 300])
def test_a_substitute_that_was_to_be_masked_later_must_have_been(n):
    """Total and share give the part back (Höhne 2010, 2.1.1): `leak: masked-later` is a promise of the plan, and the release is held to it."""
    rng = np.random.default_rng(1)
    total, share = np.exp(rng.normal(5, 1, n)), rng.uniform(0.1, 0.9, n)
    before = Microdata({"total": Column.numbers_of(total), "part": Column.numbers_of(total * share)})
    ratio = catalogue["microdata.ratio"](into={"share": {"of": "part", "over": "total"}}, leak="masked-later")
    after = ratio.apply(before, stream("s"))
    (gate,) = substitutes_hold(before, after.take(rng.permutation(n)), [ratio])
    assert not gate.held
    assert gate.because.en == "'part' is the product of share, total"
    noise = catalogue["microdata.factor-noise"](columns=("total",), factors={"law": "uniform", "width": 0.5})
    (gate,) = substitutes_hold(before, noise.apply(after, stream("s")), [ratio, noise])
    assert gate.held
    (gate,) = substitutes_hold(before, after.without(["total"]), [ratio])
    assert gate.held
    both = catalogue["microdata.combine"](
        into={"s": {"total": 1, "part": 1}, "d": {"total": 1, "part": -1}}, leak="masked-later"
    )
    after = both.apply(before, stream("s"))
    (gate,) = substitutes_hold(before, after, [both])
    assert not gate.held
    (gate,) = substitutes_hold(before, after.without(["d"]), [both])
    assert gate.held
    assert list(substitutes_hold(before, after, [noise])) == []


def test_something_must_be_left():
    data = Microdata({"x": Column.numbers_of(np.arange(3.0))})
    assert something_left(data).held
    assert not something_left(data.take(np.zeros(0, dtype=np.int64))).held


# -- identifiers --------------------------------------------------------------------------------------------------------

NAMES = [
    "Ada Ahrens",
    "Bela Boehm",
    "Carl Conrad",
    "Dora Doering",
    "Emil Eder",
    "Frida Fuchs",
    "Georg Gross",
    "Hanna Haas",
]


def column(values):
    if isinstance(values, Column):
        return values
    array = np.array(values, dtype=object)
    if all(isinstance(v, str | None) for v in array):
        return Column.texts_of(list(array))
    return Column.numbers_of(np.array(values))


def found(identifier, **released):
    """The names of the released columns in which the identifier is found."""
    columns = {name: column(values) for name, values in released.items()}
    before = Microdata({"id": column(identifier), **columns}, {Role.IDENTIFIER: ("id",)})
    return traces(before, Microdata(columns), "id")


def test_the_same_column_under_another_name():
    assert found(NAMES, copy=NAMES, sex=list("fmfmfmfm")) == ["copy"]


@pytest.mark.parametrize(
    "hide",
    [
        lambda n: n, str.upper, str.lower, lambda n: f" {n} ", lambda n: f"letter to {n}, sent", lambda n: f"x{n}x",
        lambda n: f"see {n.upper()}!", lambda n: n.replace("ß", "ss"),
    ],
)  # fmt: skip
def test_one_name_in_one_text_is_found_at_once(hide):
    notes = ["fine", "sick", "well", "fine", "sick", "well", "fine", "sick"]
    notes[3] = hide(NAMES[3])
    assert found(NAMES, note=notes) == ["note"]


def test_unicode_forms_of_one_name():
    assert found(["Zo\u00eb Zander", *NAMES], note=["Zoe\u0308 Zander", *["fine"] * 8]) == ["note"]


def test_names_of_other_records_are_found_where_they_make_up_the_column():
    assert found(NAMES, partner=NAMES[1:] + NAMES[:1]) == ["partner"]
    assert found(NAMES, partner=[NAMES[3], NAMES[2], None, None, None, None, None, None]) == ["partner"]


def test_numbers_of_other_records_are_found_where_they_are_no_run():
    ids = [730_000_000 + 7919 * i for i in range(50)]
    assert found(ids, mother=[ids[(i * 7) % 50] for i in range(50)]) == ["mother"]
    assert found([str(i) for i in ids], mother=[str(ids[(i * 7) % 50]) for i in range(50)]) == ["mother"]


def test_a_town_that_somebody_is_called_after_is_no_leak():
    towns = ["Essen", "Hagen", "Halle", "Essen", "Hagen", "Halle", "Essen", "Hagen"]
    names = ["Halle", "Ahrens", "Boehm", "Conrad", "Doering", "Eder", "Fuchs", "Gross"]
    assert found(names, town=towns) == []


@pytest.mark.parametrize("n", [2, 3, 8, 9, 500])
@pytest.mark.parametrize("as_text", [False, True])
def test_copies_of_numbers(n, as_text):
    ids = [1000 + 3 * i for i in range(n)]
    given = [str(i) for i in ids] if as_text else ids
    assert found(given, copy=ids, real=[float(i) for i in ids], text=[str(i) for i in ids]) == [
        "copy",
        "real",
        "text",
    ]


def test_leading_zeros_hide_nothing():
    ids = [f"{i:09d}" for i in range(40, 4040, 7)]
    assert found(ids, copy=[int(i) for i in ids]) == ["copy"]
    assert found([int(i) for i in ids], copy=ids) == ["copy"]


def test_numbers_inside_texts():
    ids = list(range(10_000, 10_200))
    assert found(ids, note=[f"contract {i} of 2019" for i in ids]) == ["note"]
    assert found(ids, note=[f"contract {i}" if i % 20 == 0 else "none" for i in ids]) == ["note"]


def test_a_copy_with_gaps():
    ids = [730_000_000 + 7919 * i for i in range(200)]
    gaps = [float(i) if k % 10 == 0 else np.nan for k, i in enumerate(ids)]
    assert found(ids, copy=gaps) == ["copy"]


def test_short_codes_are_found_when_they_agree_throughout():
    ids = [f"{a}{b}" for a in "ABCDEFGH" for b in "12345678"]
    assert found(ids, copy=ids, other=ids[::-1]) == ["copy"]


def test_labels_of_values_are_released_too():
    labelled = Column.numbers_of(np.arange(8), value_labels={str(i): name for i, name in enumerate(NAMES)})
    assert found(NAMES, firm=labelled) == ["firm"]
    coded = Column.texts_of(
        [f"c{i}" for i in range(8)], value_labels={f"c{i}": n for i, n in enumerate(NAMES)}
    )
    assert found(NAMES, firm=coded) == ["firm"]


# -- chance -------------------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.sampled_from([20, 300, 3000]))
@settings(max_examples=40, deadline=None)
def test_numbers_that_coincide_by_chance_do_not_close_the_gate(seed, n):
    """Row numbers as identifiers, beside ages, years, counts and amounts."""
    rng = np.random.default_rng(seed)
    ids = rng.permutation(n) + 1
    assert (
        found(
            ids,
            age=rng.integers(18, 90, n),
            year=rng.integers(2000, 2025, n),
            count=rng.poisson(2, n),
            amount=np.round(rng.exponential(1000, n), 2),
            other=rng.permutation(n) + 1,
            text=[
                f"{y}-{m:02d}"
                for y, m in zip(rng.integers(1000, 3000, n), rng.integers(1, 13, n), strict=True)
            ],
        )
        == []
    )


@pytest.mark.parametrize("width", [4, 5])
def test_pseudonyms_hold_short_numbers_by_chance(width):
    """32 hexadecimal digits hold a given number of four digits once in 2,000 times: no reason to refuse."""
    ids = [f"{i:0{width}d}" for i in range(5000)]
    before = Microdata({"id": Column.texts_of(ids)}, {Role.IDENTIFIER: ("id",)})
    step = catalogue["microdata.pseudonymise"](columns=("id",))
    after = step.apply(before, stream("any secret will do"))
    hidden = sum(i in p for i, p in zip(ids, after.column("id").texts(), strict=True))
    assert hidden > 0 or width > 4, "the test must be able to fail"
    assert traces(before, after, "id") == []
    elsewhere = Microdata({"other": after.column("id")})
    assert traces(before, elsewhere, "id") == []


def test_words_of_fewer_than_four_signs_are_not_sought_inside_texts():
    assert found(["Li", "Wu", "Ng", "Xu"], note=["little", "wunder", "long", "luxus"]) == []


def test_what_is_suppressed_or_missing_is_not_there():
    hidden = Column.texts_of(NAMES).suppress(np.ones(8, dtype=bool))
    assert found(NAMES, copy=hidden) == []
    assert found([None] * 8, copy=[None] * 8) == []
    assert found([None] * 7 + ["None"], copy=["None"] * 7 + [None]) == []


def test_a_constant_tells_nobody():
    assert found([5, 5, 5, 5, 5], x=[5, 5, 5, 5, 5]) == []


def test_nothing_left_is_no_leak():
    before = Microdata({"id": column(NAMES)}, {Role.IDENTIFIER: ("id",)})
    assert traces(before, Microdata({"id": column([])}), "id") == []


# -- as gates -----------------------------------------------------------------------------------------------------------


def test_each_identifier_has_its_gate_and_names_columns_only():
    before = Microdata(
        {"id": column(NAMES), "no": column(list(range(8))), "copy": column(NAMES), "x": column([1.5] * 8)},
        {Role.IDENTIFIER: ("id", "no")},
    )
    gates = list(identifiers_gone(before, before.without(["id", "no"])))
    assert [g.held for g in gates] == [False, True]
    assert not any(g.public for g in gates)
    words = " ".join(t for g in gates for text in (g.says, g.because) for t in (text.en, text.de))
    assert "'copy'" in words
    assert not any(name in words for name in NAMES)


def test_the_order_of_records_does_not_hide_a_copy():
    before = Microdata({"id": column(NAMES), "copy": column(NAMES)}, {Role.IDENTIFIER: ("id",)})
    after = before.without(["id"]).take(np.array([5, 2, 7]))
    assert traces(before, after, "id") == ["copy"]


def test_dates_as_identifiers():
    days = Column(Kind.DATE, np.arange(100, 120, dtype=np.int32))
    assert found(days, born=[days.spelt(d) for d in days.values]) == ["born"]
    assert found(days, born=days) == ["born"]


def test_a_dropped_column_that_others_give_back_is_signed_as_redundant():
    """Turnover is the sum of two columns that stay: dropping it hides nothing, and the plan must say that this is meant."""
    from tarnkappe.plan.gate import nothing_computed

    rng = np.random.default_rng(1)
    a, b = rng.lognormal(8, 1, 200).round(), rng.lognormal(8, 1, 200).round()
    before = Microdata({n: Column.numbers_of(v) for n, v in (("a", a), ("b", b), ("c", a + b))})
    after = before.without(["c"])
    (closed,) = nothing_computed(before, after)
    assert not closed.held
    assert not list(nothing_computed(before, after, ("c",)))
    masked = after.with_columns({"c": Column.numbers_of((a + b).round(-3))})
    assert list(nothing_computed(before, masked, ("c",))), "what is masked and shown cannot be signed away"
