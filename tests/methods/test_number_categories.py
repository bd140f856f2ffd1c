"""Categories numbered, treated as numbers and rounded back."""

from __future__ import annotations

import numpy as np
import pytest

from methods.averaging_data import done
from tarnkappe.data.column import SUPPRESSED, Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import WrongKind
from tarnkappe.errors.exchange import OrderIncomplete
from tarnkappe.errors.masking import NothingChanged, StepUnfit
from tarnkappe.errors.release import ClaimBroken, ParameterWrong
from tarnkappe.methods.microdata.number_categories import NumberCategories
from tarnkappe.report.told import told
from tarnkappe.spec.step import broken_claims
from tarnkappe.testing.telling import column_bytes

SCHOOL = ("none", "basic", "middle", "high", "doctor")
SIZE = ("s", "m", "l")


def people(n=200, seed=3):
    rng = np.random.default_rng(seed)
    school = rng.integers(0, 5, n)
    texts = [SCHOOL[i] for i in school]
    texts[7] = None
    hidden = np.arange(n) == 11
    columns = {
        "school": Column.texts_of(texts).suppress(hidden),
        "size": Column.texts_of([SIZE[i] for i in np.minimum(school // 2, rng.integers(0, 3, n))]),
        "income": Column.numbers_of(np.exp(7 + school / 5 + rng.normal(0, 0.4, n))),
        "branch": Column.texts_of([("a", "b")[i % 2] for i in range(n)]),
    }
    return Microdata(columns)


def numbered(data, step, **orders):
    return done("number-categories", data, columns=orders, step=step)


def averaged(*columns, **more):
    return {"use": "microdata.mdav", "columns": list(columns), "k": 3, "too_small": "suppress", **more}


def noisy(*columns, **more):
    return {"use": "microdata.noise", "columns": list(columns), **more}


def slowly(data, step, orders):
    """Number, do the step, round, look up: cell by cell."""
    as_numbers = {}
    for name, order in orders.items():
        shown = [float("nan") if t is None else 1.0 + order.index(t) for t in data.column(name).texts()]
        as_numbers[name] = Column.numbers_of(np.array(shown))
    parameters = {k: v for k, v in step.items() if k != "use"}
    after = done(step["use"].removeprefix("microdata."), data.with_columns(as_numbers), **parameters)
    out = {}
    for name, order in orders.items():
        numbers = after.column(name).numbers()
        out[name] = [None if np.isnan(y) else order[min(max(round(y), 1), len(order)) - 1] for y in numbers]
    return out


@pytest.mark.parametrize("k", [3, 4, 9])
def test_as_done_by_hand(k):
    data, orders = people(), {"school": SCHOOL, "size": SIZE}
    step = averaged("school", "size", "income", k=k)
    after = numbered(data, step, **orders)
    for name, expected in slowly(data, step, orders).items():
        assert after.column(name).texts().tolist() == expected
    x, y = (d.numbers(("income",))[:, 0] for d in (data, after))
    assert not np.array_equal(x, y)  # the step treats numbers beside the categories


def test_groups_of_k_stay_groups_of_k():
    after = numbered(people(), averaged("school", "size", k=5), school=SCHOOL, size=SIZE)
    shown = [
        pair
        for pair in zip(after.column("school").texts(), after.column("size").texts(), strict=True)
        if None not in pair
    ]
    assert min(shown.count(pair) for pair in shown) >= 5


def test_states_and_other_columns_stay():
    data = people()
    after = numbered(data, averaged("school"), school=SCHOOL)
    assert after.column("school").missing.tolist() == data.column("school").missing.tolist()
    assert after.column("school").suppressed.tolist() == data.column("school").suppressed.tolist()
    assert (
        data.column("school").values[11] == after.column("school").values[11]
    )  # the truth stays under the mark
    for name in ("size", "income", "branch"):
        assert column_bytes(data, name) == column_bytes(after, name)


def test_noise_beyond_the_ends_becomes_the_category_at_the_end():
    data = people()
    after = numbered(data, noisy("school", variance_ratio=25.0, signs="free"), school=SCHOOL)
    shown = [t for t in after.column("school").texts() if t is not None]
    assert set(shown) <= set(SCHOOL)
    assert shown.count("none") + shown.count("doctor") > len(shown) / 2
    assert min(shown.count("none"), shown.count("doctor")) > 0


def test_categories_that_the_file_does_not_have_may_appear():
    """Gaps in the numbers: averages of the first and the last fall between them (Höhne 2010, L604)."""
    texts = ["none", "doctor"] * 30
    data = Microdata({"school": Column.texts_of(texts), "x": Column.numbers_of(np.arange(60.0))})
    after = numbered(data, averaged("school", "x", k=4), school=SCHOOL)
    assert "middle" in set(after.column("school").texts())
    assert data.column("school").categories.tolist() == ["doctor", "none"]


def test_a_column_of_one_value_stays():
    data = Microdata({"school": Column.texts_of(["high"] * 9), "x": Column.numbers_of(np.arange(9.0))})
    after = numbered(data, averaged("school", "x"), school=("high",))
    assert after.column("school").texts().tolist() == ["high"] * 9


def test_values_that_the_order_does_not_name():
    with pytest.raises(OrderIncomplete) as refused:
        numbered(people(), averaged("school"), school=SCHOOL[:3])
    assert refused.value.facts == {"name": "school", "count": 2}
    assert "2 ihrer Werte stehen nicht" in refused.value.text("de")


@pytest.mark.parametrize(
    ("step", "en", "de"),
    [
        (averaged("income"), "must treat every column", "muss jede nummerierte Spalte behandeln"),
        (
            {"use": "microdata.pram", "columns": ["school"], "alpha": 0.3},
            "method for numbers",
            "Verfahren für Zahlen",
        ),
        (
            {"use": "microdata.suppress-cells", "values": {"school": ["none"]}},
            "method for numbers",
            "Verfahren für Zahlen",
        ),
        (
            {"use": "microdata.number-categories", "columns": {"school": SCHOOL}, "step": averaged("school")},
            "method for numbers",
            "Verfahren für Zahlen",
        ),
        (averaged("school", k=1), "k: must be at least 3", "k: muss mindestens 3 sein"),
        ({"use": "risk.k-anonymity"}, "method of the catalogue", "Verfahren des Katalogs"),
        ({}, "method of the catalogue", "Verfahren des Katalogs"),
    ],
)
def test_steps_that_do_not_fit_are_refused_before_data_is_read(step, en, de):
    with pytest.raises(ParameterWrong) as refused:
        numbered(people(), step, school=SCHOOL)
    assert en in refused.value.text("en")
    assert de in refused.value.text("de")


def test_a_step_that_makes_other_columns_is_refused():
    with pytest.raises(StepUnfit) as refused:
        numbered(people(), {"use": "microdata.camouflage", "columns": ["school", "income"]}, school=SCHOOL)
    assert "Spalten fehlen" in refused.value.text("de")


def test_a_step_that_suppresses():
    """Two records of a stratum of their own cannot be averaged: the step suppresses them, and so they stay."""
    data = people(60)
    data = data.with_columns({"branch": Column.texts_of(["x", "x"] + ["y"] * 58)})
    after = numbered(data, averaged("school", within=["branch"]), school=SCHOOL)
    gone = after.column("school").suppressed & ~data.column("school").suppressed
    assert np.flatnonzero(gone).tolist() == [0, 1]
    assert after.column("school").state[0] == SUPPRESSED


def test_what_is_rounded_away_is_refused():
    with pytest.raises(NothingChanged) as refused:
        numbered(people(), noisy("school", variance_ratio=1e-6), school=SCHOOL)
    assert "jeden Wert der Spalte" in refused.value.text("de")


def test_claims_of_the_step_are_checked_on_the_numbers(monkeypatch):
    """A step that breaks its own protection is found, though the rounded categories would look changed."""
    from tarnkappe.methods.microdata import mdav

    real = mdav.Mdav.apply

    def shifted(self, data, stream):
        out = real(self, data, stream)
        values = out.column("school").numbers()
        values[20] += 1.25
        return out.with_columns({"school": out.column("school").with_numbers(values)})

    monkeypatch.setattr(mdav.Mdav, "apply", shifted)
    with pytest.raises(ClaimBroken) as refused:
        numbered(people(), averaged("school"), school=SCHOOL)
    assert refused.value.facts["id"] == "microdata.mdav"


def test_every_claim_can_be_broken():
    data = people()
    method = NumberCategories(columns={"school": SCHOOL}, step=averaged("school"))
    after = numbered(data, averaged("school"), school=SCHOOL)
    assert not broken_claims(method, data, after)
    school = after.column("school")
    faults = {
        "list": {"school": Column.texts_of(["else"] * 200).suppress(data.column("school").suppressed)},
        "columns": {"income": Column.numbers_of(np.zeros(200))},
        "missing": {"school": Column(school.kind, school.values, None, school.categories)},
        "given back": {"school": data.column("school")},
    }
    for word, columns in faults.items():
        assert any(word in c.says.en for c in broken_claims(method, data, after.with_columns(columns))), word


def test_whole_numbers_that_are_codes():
    codes = np.array([10, 21, 35] * 20)
    data = Microdata({"nace": Column.numbers_of(codes), "x": Column.numbers_of(np.arange(60.0))})
    after = numbered(data, {"use": "microdata.random-average", "columns": ["nace"]}, nace=(10, 21, 35))
    assert set(after.column("nace").texts()) <= {"10", "21", "35"}
    assert after.column("nace").kind is data.column("nace").kind
    with pytest.raises(WrongKind):
        numbered(data, noisy("nace"), nace=(10, 21, 35, "high"))
    with pytest.raises(WrongKind) as refused:
        numbered(data, averaged("x"), x=("1",))
    assert "Kategorien oder ganze Zahlen" in refused.value.text("de")


def test_a_hierarchy_goes_where_it_does_not_know_a_value():
    from dataclasses import replace

    data = people()
    for leaves, stays in ((list(SCHOOL), True), (list(SCHOOL[:4]), False)):
        short = Column.texts_of([None if t == "doctor" else t for t in data.column("school").texts()])
        column = replace(short, hierarchy=from_tree("school", {"all": leaves}))
        after = numbered(data.with_columns({"school": column}), averaged("school"), school=SCHOOL)
        assert (after.column("school").hierarchy is not None) is stays


def test_new_combinations_are_counted_and_few_are_not_told():
    data = people()
    step = averaged("school", "size", k=9)
    method = NumberCategories(columns={"school": SCHOOL, "size": SIZE}, step=step)
    after = numbered(data, step, school=SCHOOL, size=SIZE)
    was = [("none", "s"), ("none", "m"), ("basic", "s")] * 20
    for new, said in (
        ([("high", "l"), ("high", "m")], False),
        ([("high", "l"), ("high", "m"), ("doctor", "l")], True),
    ):
        now = new + was[len(new) :]
        one, two = (
            Microdata(
                {
                    "school": Column.texts_of([a for a, _ in rows]),
                    "size": Column.texts_of([b for _, b in rows]),
                }
            )
            for rows in (was, now)
        )
        remarks = [r for r in method.remarks(one, two) if "new" in r.en]
        assert bool(remarks) is said
        if said:
            assert remarks[0].en.startswith("3 combinations of school, size")
            assert "3 Kombinationen von school, size sind neu" in remarks[0].de
    shown = [
        (a, b)
        for a, b in zip(after.column("school").texts(), after.column("size").texts(), strict=True)
        if a and b
    ]
    truth = {
        (SCHOOL[i], b) for i, b in zip(_true_places(data), data.column("size").texts(), strict=True) if i >= 0
    }
    count = len(set(shown) - truth)
    assert [r.en.split()[0] for r in method.remarks(data, after) if "new" in r.en] == [str(count)] * (
        count >= 3
    )


def _true_places(data):
    column = data.column("school")
    return [
        -1 if gone else SCHOOL.index(column.categories[v])
        for v, gone in zip(column.values, column.missing, strict=True)
    ]


def test_receivers_learn_the_step_in_kind_and_no_order():
    data = people()
    step = noisy("school", "income", variance_ratio=0.5, within=["branch"])
    method = NumberCategories(columns={"school": SCHOOL}, step=step)
    facts = method.tells(data, numbered(data, step, school=SCHOOL))
    assert facts["numbered"] == ["school"]
    assert facts["step"] == {
        "method": "microdata.noise",
        "within": ["branch"],
        "noise": "additive, independent, normal",
        "records": "all",
    }
    german = {name.de: value.de for name, value in told(method.id, facts)}
    assert german["mit den Zahlen getan · Art der Fehler"] == "additiv, unabhängig, normal"
