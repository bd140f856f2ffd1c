"""The checks themselves: each planted fault is caught by the check that is meant for it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

import numpy as np
import pytest
from pydantic import ConfigDict, Field

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing
from tarnkappe.errors.release import ClaimBroken
from tarnkappe.language import Text
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import (
    Claim,
    Family,
    Finding,
    Goal,
    Holds,
    Measure,
    Method,
    Source,
    catalogue,
    measure,
    method,
)
from tarnkappe.spec.catalogue import Catalogue
from tarnkappe.spec.conditions import where
from tarnkappe.spec.step import apply_step
from tarnkappe.testing import (
    check,
    checks_for,
    declarations,
    example_data,
    marked,
    measures,
    methods,
    variants,
)
from tarnkappe.testing.bad_values import bad_values
from tarnkappe.testing.telling import assert_silent, attempt, bytes_of

WORDS = Text("Something.", "Etwas.")
TRUE = Claim(WORDS, lambda m, b, a: True)
MOVED = Claim(Text("something was done", "etwas wurde getan"), lambda m, b, a: b is not a)
STATED = {
    "family": Family.NOISE,
    "title": WORDS,
    "does": WORDS,
    "sources": (Source("key", "where"),),
    "does_not": (Text("much", "viel"),),
    "preserves": (TRUE,),
    "protects": (MOVED,),
    "example": {"columns": ["w"], "k": 5},
}


@pytest.fixture(autouse=True)
def own_catalogue(monkeypatch):
    """Faulty things must not reach the real catalogue, and the real ones must be in it before."""
    catalogue.load()
    monkeypatch.setattr(sys.modules["tarnkappe.spec.catalogue"], "catalogue", Catalogue())


def declared(apply, base=None, **said):
    """A method that does `apply(self, data, stream)`, sound in every other respect unless said otherwise."""

    class Made(base or Method):
        """Does something."""

        columns: Annotated[tuple[str, ...], Field(min_length=1, description="Columns. | Spalten.")]
        k: Annotated[int, Field(ge=2, description="Size. | Größe.")] = 3

        def apply(self, data, stream):
            return apply(self, data, stream)

    Made.__module__ = said.pop("module", "plug_in.made")
    return method(said.pop("id", "test.made"), **(STATED | said))(Made)


def add_one(self, data, stream):
    new = {name: data.column(name).with_numbers(data.column(name).numbers() + 1) for name in self.columns}
    return data.with_columns(new)


def fails(check, cls, match):
    with pytest.raises(AssertionError, match=match):
        check(cls)


def test_a_sound_method_passes():
    cls = declared(add_one)
    assert len(checks_for(cls)) > 15
    check(cls)


class TestMethods:
    def test_input_changed_in_place(self):
        def in_place(self, data, stream):
            values = data.column("w").values
            values.flags.writeable = True
            values += 1
            values.flags.writeable = False
            return add_one(self, data, stream)

        fails(methods.input_is_left_alone, declared(in_place), "changes its input")

    def test_result_can_be_changed(self):
        def open_array(self, data, stream):
            done = add_one(self, data, stream)
            done.column("w").values.flags.writeable = True
            return done

        fails(methods.result_is_frozen, declared(open_array), "changed in place")

    def test_a_generator_of_its_own(self):
        def own(self, data, stream):
            column = data.column("w")
            return data.with_columns({"w": column.with_numbers(np.random.default_rng().random(len(data)))})

        cls = declared(own, random=True)
        fails(methods.same_secret_same_result, cls, "another result")

    def test_says_random_but_is_not(self):
        fails(methods.other_secret_other_result, declared(add_one, random=True), "says random")

    def test_is_random_but_does_not_say_so(self):
        def noisy(self, data, stream):
            column = data.column("w")
            return data.with_columns({"w": column.with_numbers(stream.generator.random(len(data)))})

        fails(methods.other_secret_other_result, declared(noisy), "does not say random")

    @pytest.mark.parametrize(
        "damage",
        [
            lambda data: data.with_columns(
                {"income": data.column("income").suppress(np.arange(len(data)) == 0)}
            ),
            lambda data: data.without(["income"]),
            lambda data: data.with_roles({**data.roles, "sensitive": ("diagnosis", "income")}),
            lambda data: replace(
                data, columns={**data.columns, "sex": data.column("sex").take(np.arange(len(data))[::-1])}
            ),
        ],
        ids=["cell", "column", "role", "order"],
    )
    def test_touches_a_column_it_does_not_name(self, damage):
        cls = declared(lambda self, data, stream: damage(add_one(self, data, stream)))
        fails(methods.other_columns_are_left_alone, cls, "does not treat|no other column goes")

    def test_suppressed_comes_back(self):
        def back(self, data, stream):
            return data.with_columns({"income": replace(data.column("income"), state=None)})

        fails(
            methods.suppressed_stays_suppressed,
            declared(back),
            "again|counts as observed and holds no number|stay suppressed|stay as they are",
        )

    def test_a_claim_that_does_not_hold(self):
        never = Claim(Text("never", "nie"), lambda m, b, a: False)
        cls = declared(add_one, preserves=(never,))
        fails(methods.claims_hold_on_the_example, cls, "never")
        with pytest.raises(ClaimBroken, match=r"Step 4 \(test.made\) .*never"):
            apply_step(methods.made(cls), example_data(), stream("s"), number=4)

    def test_a_claim_not_made_with_these_parameters_is_not_checked(self):
        not_now = Claim(Text("never", "nie"), lambda m, b, a: False, when=where("k", 99))
        on_average = Claim(Text("never", "nie"), lambda m, b, a: False, Holds.ON_AVERAGE)
        methods.claims_hold_on_the_example(declared(add_one, preserves=(not_now, on_average)))

    def test_claims_without_teeth(self):
        fails(methods.doing_nothing_breaks_a_claim, declared(add_one, protects=(TRUE,)), "nothing is done")

    def test_a_plain_exception(self):
        def divides(self, data, stream):
            return data.with_columns({"w": Column(data.column("w").kind, 1 / data.column("w").values)})

        fails(methods.variants_give_an_answer_or_an_error, declared(divides), "zeros: raises RuntimeWarning")

    def test_numbers_that_lack_digits_beside_those_treated(self):
        def divides(self, data, stream):
            return data.with_columns({"w": Column(data.column("w").kind, 1 / data.column("wealth").values)})

        cls = declared(divides)
        cls.treated_columns = lambda self: ()
        fails(methods.numbers_without_digits_are_refused, cls, "nearly zero: raises RuntimeWarning")

    def test_a_value_in_a_message(self):
        def tells(self, data, stream):
            raise ColumnMissing(name=data.column("name").texts()[0] if len(data) else "", hint=WORDS)

        fails(methods.nothing_of_the_data_is_told, declared(tells), "tells the value of a cell")

    def test_a_value_told_to_the_receiver(self):
        cls = declared(add_one, protects=(TRUE,))
        cls.tells = lambda self, before, after: {"first": after.column("name").texts()[:1]}
        fails(methods.nothing_of_the_data_is_told, cls, "tells the receiver")

    def test_what_is_told_is_not_plain(self):
        cls = declared(add_one)
        cls.tells = lambda self, before, after: {"what": object()}
        fails(methods.claims_hold_on_the_example, cls, "not plain JSON")

    def test_identifiers(self):
        methods.identifiers_are_refused(declared(add_one))
        methods.identifiers_are_refused(declared(add_one, id="test.takes", takes_identifiers=True))

    def test_an_example_that_is_refused(self):
        cls = declared(add_one, example={"columns": ["nowhere"], "k": 5})
        fails(methods.claims_hold_on_the_example, cls, "its example is refused")


class TestDeclarations:
    @pytest.mark.parametrize("id_", ["made", "test.Made", "test.made_up", "test.", "test.made--up"])
    def test_id_of_another_form(self, id_):
        fails(declarations.named_well, declared(add_one, id=id_), "family.words")

    def test_file_of_another_name(self):
        fails(declarations.named_well, declared(add_one, module="plug_in.other"), "other")

    def test_no_german(self):
        cls = declared(add_one, does_not=(Text("much", "much"),))
        fails(declarations.speaks_both_languages, cls, "no German")

    def test_example_at_its_default(self):
        cls = declared(add_one, example={"columns": ["w"], "k": 3})
        fails(declarations.example_shows_every_parameter, cls, "'k' at its default")

    def test_example_without_a_parameter(self):
        cls = declared(add_one, example={"columns": ["w"]})
        fails(declarations.example_shows_every_parameter, cls, "does not give 'k'")

    def test_a_plan_that_drops_a_parameter(self, monkeypatch):
        monkeypatch.setattr(
            declarations, "step_as_plain", lambda step: {"use": step.id, "columns": list(step.columns)}
        )
        fails(declarations.doors_lead_to_the_same_object, declared(add_one), "does not come back from a plan")

    def test_unknown_parameters_let_through(self):
        class Loose(Method):
            """Takes anything."""

            model_config = ConfigDict(extra="ignore")

        fails(declarations.unknown_parameters_are_refused, declared(add_one, base=Loose), "accepts")

    def test_bad_values_are_found_in_the_schema(self):
        assert list(bad_values(declared(add_one))) == [("columns", []), ("k", 1)]

    def test_every_kind_of_bound(self):
        class Bounds(Method):
            """Has every bound."""

            share: Annotated[float | None, Field(gt=0, le=1, description="A. | B.")] = None
            words: Annotated[
                dict[str, Annotated[str, Field(min_length=1, max_length=2)]],
                Field(min_length=1, description="A. | B."),
            ]
            many: Annotated[
                tuple[Annotated[int, Field(ge=1)], ...], Field(max_length=2, description="A. | B.")
            ]

            def apply(self, data, stream):
                return data

        example = {"share": 0.5, "words": {"a": "x"}, "many": [4]}
        cls = method("test.bounds", **(STATED | {"example": example}))(Bounds)
        found = list(bad_values(cls))
        assert ("share", 0.0) in found and ("share", 2.0) in found
        assert ("words", {}) in found and ("words", {"a": ""}) in found and ("words", {"a": "xxx"}) in found
        assert ("many", [4, 4, 4]) in found and ("many", [0]) in found
        declarations.bounds_hold(cls)


class TestMeasures:
    def declared(self, find, **said):
        class Made(Measure):
            """Measures something."""

            columns: Annotated[tuple[str, ...], Field(description="Columns. | Spalten.")] = ()

            def measure(self, after, *, before=None):
                return find(after, before)

        Made.__module__ = "plug_in.made"
        stated = {k: v for k, v in STATED.items() if k not in ("family", "preserves", "protects")}
        stated |= {"reads": Text("It is {value}.", "Es ist {value}."), "knows": WORDS, "goal": Goal.LOW}
        stated |= {"bounds": (0, 1), "alone": True, "example": {"columns": ["w"]}}
        return measure("test.made", **(stated | said))(Made)

    def test_a_sound_measure_passes(self):
        check(self.declared(lambda after, before: Finding(0.5)))

    def test_outside_its_bounds(self):
        fails(measures.finding_is_whole, self.declared(lambda a, b: Finding(1.5)), "outside its bounds")

    def test_no_value(self):
        no_value = Finding(float("nan"), trusted=False, because=WORDS)
        fails(measures.finding_is_whole, self.declared(lambda a, b: no_value), "no value")

    def test_a_value_that_is_not_there_is_not_trusted(self):
        fails(measures.finding_is_whole, self.declared(lambda a, b: Finding(float("nan"))), "does not have")

    def test_no_place_for_the_value(self):
        cls = self.declared(lambda a, b: Finding(0.5), reads=WORDS)
        fails(measures.says_how_to_read_it, cls, "no place")

    def test_needs_the_original_after_all(self):
        def needs(after, before):
            if before is None:
                raise ColumnMissing(name="x", hint=WORDS)
            return Finding(0.5)

        fails(measures.alone_needs_no_original, self.declared(needs), "refused without the original")

    def test_an_extreme_value_in_the_details(self):
        def largest(after, before):
            shown = after.column("income").numbers()
            shown = shown[~np.isnan(shown)]
            return Finding(0.5, details={"largest": shown.max() if len(shown) else None})

        fails(measures.nothing_of_the_data_is_told, self.declared(largest), "tells the value of a cell")

    def test_another_finding_every_time(self):
        draw = np.random.default_rng()
        fails(
            measures.same_data_same_finding,
            self.declared(lambda a, b: Finding(draw.random())),
            "another finding",
        )


class TestData:
    def test_example_has_every_role_kind_and_state(self):
        data = example_data()
        assert len(data) == 60
        assert {role.value for role in data.roles} == {
            "identifier", "key", "numeric", "sensitive", "weight", "household", "owner", "period", "stratum",
        }  # fmt: skip
        assert len(set(data.column("name").texts())) == 60
        assert data.column("age").suppressed.sum() >= 2 and data.column("income").suppressed.sum() >= 2
        assert sum(column.missing.any() for column in data.columns.values()) >= 8
        wealth = data.column("wealth").numbers()
        assert np.nanmin(wealth) < 0 and (wealth == 0).any()
        assert any(code.startswith("0") for code in data.column("postcode").texts() if code)
        assert all(data.column(n).hierarchy for n in ("postcode", "birth", "age", "occupation"))

    @pytest.mark.parametrize("n", [0, 1, 2, 300])
    def test_any_size(self, n):
        data = example_data(n)
        assert len(data) == n
        assert len(set(data.column("name").texts())) == n

    def test_deterministic(self):
        one, two, other = (example_data(seed=s).column("income").values for s in (1, 1, 2))
        np.testing.assert_array_equal(one, two)
        assert not np.array_equal(one, other)

    def test_hierarchies_know_their_columns(self):
        data = example_data()
        for column in data.columns.values():
            if column.hierarchy is not None:
                assert not column.hierarchy.place(column).unknown.any()

    def test_variants_are_what_they_say(self):
        found = variants()
        assert len(found["empty"]) == 0 and len(found["one record"]) == 1
        assert found["all missing"].column("sex").missing.all()
        assert found["all suppressed"].column("income").suppressed.all()
        assert np.isinf(found["infinite"].column("income").values).any()
        assert len(set(found["constant"].column("sex").texts())) == 1
        assert (found["huge"].column("wealth").values >= 1e300).all()
        assert (found["negative"].column("employees").values < 0).all()
        assert len(np.unique(found["duplicate records"].rows)) == 120
        assert found["out of order"].rows[0] == 59

    def test_marked_data_is_full_of_markers(self):
        data = marked()
        assert all("ZZMARKERZZ" in text for text in data.column("diagnosis").texts() if text)
        assert 987654321.125 in data.column("income").numbers()
        assert 987654321 in data.column("employees").values

    def test_bytes_tell_any_difference(self):
        data = example_data()
        was = bytes_of(data)
        assert bytes_of(data.take(np.arange(60))) == was
        for other in (
            data.take(np.arange(60)[::-1]),
            data.with_roles({}),
            data.with_columns({"w": replace(data.column("w"), label="weight")}),
            data.with_columns({"sex": data.column("sex").suppress(np.arange(60) == 3)}),
        ):
            assert bytes_of(other) != was

    @pytest.mark.parametrize(
        "words", ["… ZZMARKERZZ3 …", "987,654,321", "987.654.321,13", "9.87654321e8 987654321"]
    )
    def test_markers_are_found(self, words):
        with pytest.raises(AssertionError, match="tells"):
            assert_silent(words, "here")

    def test_silence_is_silence(self):
        assert_silent("Column 'income' has 3 infinite values (first in record 12).", "here")

    def test_an_attempt_passes_coded_errors_on(self):
        assert attempt(lambda: 3, "here") == 3
        assert attempt(lambda: Microdata({}).column("x"), "here").code == "data.column-missing"
