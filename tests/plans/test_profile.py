"""Profiles: counts and shapes of columns, without a value."""

from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.examples import make_enterprises, make_municipal, make_persons
from tarnkappe.plan.dependencies import Dependency, dependencies
from tarnkappe.plan.profile import profile
from tarnkappe.plan.shapes import Shape, shape_of
from tarnkappe.vocab import Kind


def one(column):
    return profile(Microdata({"x": column}))[0]


def texts(*values):
    return Column.texts_of(list(values))


def test_counts_and_shares():
    p = one(texts("a", "a", "b", None))
    assert (p.records, p.distinct, p.observed) == (4, 2, 3)
    assert p.missing_share == 0.25
    assert p.unique_share == pytest.approx(1 / 3)
    assert p.top_share == pytest.approx(2 / 3)
    assert p.distinct_share == pytest.approx(2 / 3)
    assert not p.constant
    assert not p.unique


@pytest.mark.parametrize(
    "column",
    [
        texts(None, None),
        texts(),
        Column.numbers_of(np.array([np.nan, np.nan])),
        Column.numbers_of(np.array([], np.int64)),
    ],
)
def test_without_any_value(column):
    p = one(column)
    assert (p.distinct, p.unique_share, p.top_share, p.distinct_share) == (0, 0, 0, 0)
    assert p.constant
    assert not p.unique
    assert p.shape is None
    assert p.skewness is None


def test_suppressed_cells_count_as_missing():
    column = texts("a", "b", "b").suppress(np.array([True, False, False]))
    assert one(column).distinct == 1
    assert one(column).missing_share == pytest.approx(1 / 3)


def test_unused_categories_do_not_count():
    assert one(Column.coded(np.array([1, 1]), np.array(["a@b.de", "x"], dtype=object))).distinct == 1


@pytest.mark.parametrize(
    ("values", "sequential"),
    [([4, 2, 3, 1], True), ([1, 1, 2, 3], True), ([1, 2, 4], False), ([7], False), ([5, 5], False)],
)
def test_running_numbers(values, sequential):
    assert one(Column.numbers_of(np.array(values))).sequential is sequential


def test_extreme_whole_numbers_do_not_overflow():
    p = one(Column.numbers_of(np.array([-(2**63), 2**63 - 1])))
    assert not p.sequential
    assert p.skewness == pytest.approx(0, abs=1e-9)


def test_skewness():
    x = np.exp(np.random.default_rng(1).normal(size=500))
    z = (x - x.mean()) / x.std()
    assert one(Column.numbers_of(x)).skewness == pytest.approx((z**3).mean())
    assert one(Column.numbers_of(x * 1e300)).skewness == pytest.approx((z**3).mean())
    assert one(Column.numbers_of(x * 1e-300)).skewness == pytest.approx((z**3).mean())
    assert one(Column.numbers_of(np.full(5, 3.0))).skewness is None
    assert one(Column.numbers_of(np.zeros(5))).skewness is None


def test_infinite_and_negative_numbers():
    p = one(Column.numbers_of(np.array([1.0, np.inf, -2.0])))
    assert not p.sound
    assert p.negative
    assert p.skewness == pytest.approx(0)
    assert one(texts("a")).sound
    assert not one(Column.numbers_of(np.array([1.0, 5e-324]))).sound
    assert one(Column.numbers_of(np.array([1.0, 0.0, 2.3e-308]))).sound


def test_dates():
    assert one(Column(Kind.DATE, np.array([1, 2], dtype=np.int32))).date_like
    assert one(texts("31.12.1999", "1.2.2003")).date_like
    assert one(texts("1999-12-31")).shape is Shape.DATE


SHAPES = [
    (Shape.EMAIL, ["anna@example.org", "b.c+d@mail.example.de"]),
    (Shape.IBAN, ["DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819"]),
    (Shape.TAX_ID, ["86095742719", "47036892816"]),
    (Shape.PHONE, ["+49 30 901820", "030/901820", "+493012345678", "0170 1234567"]),
    (Shape.POSTCODE, ["01067", "10115", "D-99998"]),
    (Shape.NACE, ["C25.11", "C2511", "G46", "A01.1"]),
    (Shape.ICD, ["I10", "F32.1", "C50.9", "Z00"]),
    (Shape.CASE_NUMBER, ["KV-20231234", "S/2024/00017", "P12345678"]),
    (None, ["red", "green", "1-19", "Ahlen, Anna"]),
    (Shape.CASE_NUMBER, ["DE89370400440532013001", "DE00370400440532013000"]),
    (None, ["86095742718"]),
    (None, ["12", "7"]),
    (None, [""]),
]


@pytest.mark.parametrize(("shape", "values"), SHAPES)
def test_shapes(shape, values):
    assert shape_of(values) is shape


def test_a_few_exceptions_do_not_spoil_a_shape():
    many = [f"a{i}@b.org" for i in range(99)]
    assert shape_of([*many, "unknown"]) is Shape.EMAIL
    assert shape_of([*many, *["unknown"] * 9]) is None


@pytest.mark.parametrize("shape", list(Shape))
def test_every_shape_has_words(shape):
    assert shape.text.en != shape.text.de or shape is Shape.IBAN


def test_shapes_of_very_many_values():
    p = one(Column.texts_of([f"kunde{i}@example.org" for i in range(30_000)]))
    assert p.shape is Shape.EMAIL
    assert p.unique


def test_a_profile_holds_no_value():
    data = Microdata(
        {
            "t": Column.texts_of([f"MARKER{i}" for i in range(20)]),
            "i": Column.numbers_of(np.arange(918_273, 918_293)),
            "f": Column.numbers_of(np.linspace(918273.25, 918373.5, 20)),
        }
    )
    said = str([asdict(p) for p in profile(data)]) + str(dependencies(data))
    assert "MARKER" not in said
    assert "91827" not in said


class TestDependencies:
    def test_town_follows_from_postcode(self):
        rng = np.random.default_rng(0)
        postcode = rng.integers(0, 30, 500)
        data = Microdata(
            {
                "plz": Column.numbers_of(postcode),
                "ort": Column.numbers_of(postcode // 3),
                "sex": Column.numbers_of(rng.integers(0, 2, 500)),
            }
        )
        assert dependencies(data) == (Dependency(of="ort", on="plz"),)

    def test_two_names_of_one_thing(self):
        code = np.arange(200) % 7
        data = Microdata({"a": Column.numbers_of(code), "b": Column.numbers_of(6 - code)})
        assert set(dependencies(data)) == {Dependency("b", "a"), Dependency("a", "b")}

    def test_unique_and_constant_columns_say_nothing(self):
        data = Microdata(
            {
                "id": Column.numbers_of(np.arange(100)),
                "constant": Column.numbers_of(np.ones(100, dtype=int)),
                "x": Column.numbers_of(np.arange(100) % 3),
            }
        )
        assert dependencies(data) == ()

    def test_small_files_are_no_proof(self):
        data = Microdata({"a": texts("p", "q", "p"), "b": texts("x", "y", "x")})
        assert dependencies(data) == ()

    def test_missing_values_are_left_out(self):
        code = np.arange(300) % 5
        b = [None if i % 11 == 0 else str(c // 2) for i, c in enumerate(code)]
        data = Microdata({"a": Column.numbers_of(code), "b": Column.texts_of(b)})
        assert dependencies(data) == (Dependency("b", "a"),)

    def test_one_exception_late_in_the_file_breaks_it(self):
        a = np.arange(5000) % 10
        b = a // 2
        b[-1] = 77
        data = Microdata({"a": Column.numbers_of(a), "b": Column.numbers_of(b)})
        assert dependencies(data) == ()

    def test_examples(self):
        assert Dependency("postcode", "household") in dependencies(make_persons(2000))
        assert Dependency("region", "unit_id") in dependencies(make_enterprises(2000))
        found = dependencies(make_municipal(27 * 80))
        assert found == (
            Dependency("city", "district"),
            Dependency("city", "quarter"),
            Dependency("district", "quarter"),
        )

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=30, max_size=80))
    def test_never_reports_what_does_not_hold(self, pairs):
        def column(place):
            return Column.texts_of([None if p[place] < 0 else str(p[place]) for p in pairs])

        for found in dependencies(Microdata({"a": column(0), "b": column(1)})):
            on, of = (0, 1) if found.on == "a" else (1, 0)
            seen = {(p[on], p[of]) for p in pairs if p[on] >= 0 and p[of] >= 0}
            assert len(seen) == len({x for x, _ in seen})
