"""The checks of methods and measures for tables: each planted fault is caught by the check that is meant for it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

import numpy as np
import pytest
from pydantic import Field

from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.table import Table
from tarnkappe.errors.data import ColumnMissing
from tarnkappe.errors.release import SolverFailed, Unattainable
from tarnkappe.language import Text
from tarnkappe.risk.table_audit import TableAudit
from tarnkappe.spec import (
    Claim,
    Finding,
    Goal,
    Source,
    TableMeasure,
    TableMethod,
    table_measure,
    table_method,
)
from tarnkappe.spec.catalogue import Catalogue
from tarnkappe.testing import check, example_patterns, example_table
from tarnkappe.testing import table_measures as measure_checks
from tarnkappe.testing import table_methods as checks
from tarnkappe.testing.patterns import random_pattern, reordered, smallest, states_of

WORDS = Text("Something.", "Etwas.")
STATED = {
    "title": WORDS, "does": WORDS, "sources": (Source("key", "where"),), "does_not": (Text("much", "viel"),),
    "example": {"n": 5},
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_catalogue(monkeypatch):
    monkeypatch.setattr(sys.modules["tarnkappe.spec.catalogue"], "catalogue", Catalogue())


def refused():
    return Unattainable(who="test.made", goal=WORDS, best=WORDS, hint=WORDS)


def largest_of(table):
    return 0 if table.contributions is None else table.contributions.largest.max(initial=0)


def audit_holds(pattern, **options):
    try:
        return TableAudit(**options).audit(pattern).holds
    except SolverFailed:
        return False


def all_hidden(pattern):
    """Everything but the total; nothing else protects so well."""
    return pattern.with_secondary(~(pattern.table.cells == 0).all(axis=1), WORDS)


def sound(method, pattern, stream):
    done = all_hidden(pattern)
    if pattern.forced_open.any() or (pattern.mark == Mark.SUPPRESS).any() or not audit_holds(done):
        raise refused()
    return done


def nothing_shown(method, before, after):
    return bool((after.hidden | (after.table.cells == 0).all(axis=1)).all())


def declared(protect, claim=nothing_shown, **said):
    """A method that protects by `protect`, sound in every other respect; in a catalogue of its own."""
    sys.modules["tarnkappe.spec.catalogue"].catalogue = Catalogue()

    class Made(TableMethod):
        """Protects somehow."""

        n: Annotated[int, Field(ge=1, description="Number. | Anzahl.")] = 3

        def protect(self, pattern, stream):
            return protect(self, pattern, stream)

    Made.__module__ = "plug_in.made"
    claims = (Claim(WORDS, claim),)
    return table_method("test.made", **(STATED | {"preserves": (), "protects": claims} | said))(Made)


def fails(one, cls, match):
    with pytest.raises(AssertionError, match=match):
        one(cls)


def test_a_sound_method_passes():
    check(declared(sound))


def altered(**parts):
    """Sound, but some arrays of the result are others."""

    def protect(method, pattern, stream):
        done = sound(method, pattern, stream)
        return replace(done, **{name: make(done) for name, make in parts.items()})

    return protect


def leaky(method, pattern, stream):
    return pattern


def always(method, before, after):
    return True


def opens_everything(method, pattern, stream):
    return Pattern(pattern.table, mark=pattern.mark)


def ignores_marks(method, pattern, stream):
    cells = ~(pattern.table.cells == 0).all(axis=1)
    return replace(pattern, status=np.where(cells & (pattern.status == 0), np.uint8(2), pattern.status))


@pytest.mark.parametrize(
    ("fault", "match"),
    [
        (altered(reason=lambda p: np.full(len(p.table), 9, np.int32)), "a reason that is not there"),
        (altered(status=lambda p: np.full(len(p.table), Status.ROUNDED, np.uint8)), "without what is shown"),
        (altered(status=lambda p: np.full(len(p.table), Status.RANGE, np.uint8)), "ranges without ends"),
        (altered(shown=lambda p: p.table.value + 1), "shows another value"),
        (altered(status=lambda p: np.where(p.primary, 0, p.status).astype(np.uint8)), "shows suppressed cells again"),
        (lambda m, p, s: p, "does not stand the audit"),
    ],
)  # fmt: skip
def test_results_that_cannot_be(fault, match):
    fails(checks.claims_hold_on_the_example, declared(fault, always), match)


def test_a_range_that_does_not_hold_the_value():
    def wrong(method, pattern, stream):
        done = sound(method, pattern, stream)
        off = done.table.value + 1
        return replace(
            done,
            status=np.where(done.status == 2, 5, done.status).astype(np.uint8),
            shown_low=off,
            shown_high=off,
        )

    fails(checks.claims_hold_on_the_example, declared(wrong, always), "does not hold the value")


def as_ranges(method, pattern, stream):
    done, size = sound(method, pattern, stream), np.abs(pattern.table.value) + 1
    ranges = done.status == Status.SECONDARY
    return replace(
        done,
        status=np.where(ranges, Status.RANGE, done.status).astype(np.uint8),
        shown_low=pattern.table.value - size,
        shown_high=pattern.table.value + size,
    )


def moved(method, pattern, stream):
    done = sound(method, pattern, stream)
    return replace(done, table=replace(done.table, value=2 * done.table.value))


@pytest.mark.parametrize(
    ("fault", "match"),
    [
        (as_ranges, "something else to cells"),
        (moved, "changes the table"),
        (altered(shown=lambda p: p.table.value), "changes what is shown"),
    ],
)
def test_a_method_that_says_it_suppresses_does_nothing_else(fault, match):
    cls = declared(fault, always)
    cls.suppresses = True
    fails(checks.claims_hold_on_the_example, cls, match)


def test_a_claim_that_is_broken():
    fails(checks.claims_hold_on_the_example, declared(sound, lambda m, b, a: False), "claim-broken")


def test_an_example_that_does_nothing():
    def idle(method, pattern, stream):
        if pattern.primary.any():
            raise refused()
        return pattern

    fails(checks.claims_hold_on_the_example, declared(idle, always), "does nothing")


def test_an_example_that_is_refused():
    def refuses(method, pattern, stream):
        raise refused()

    fails(checks.claims_hold_on_the_example, declared(refuses), "its example is refused")


def test_claims_without_teeth():
    fails(checks.doing_nothing_breaks_a_claim, declared(sound, always), "all claims hold")


def test_cells_that_must_stay_open_are_hidden():
    fails(
        checks.any_state_gives_an_answer_or_an_error, declared(ignores_marks, always), "hides cells that must"
    )


def test_cells_that_must_be_hidden_are_shown():
    def blind(method, pattern, stream):
        if pattern.primary.any() or pattern.forced_open.any():
            raise refused()
        return pattern

    fails(
        checks.any_state_gives_an_answer_or_an_error, declared(blind, always), "shows suppressed cells again"
    )


def test_marks_that_get_lost():
    def forgets(method, pattern, stream):
        if pattern.primary.any():
            raise refused()
        return Pattern(pattern.table)

    fails(checks.any_state_gives_an_answer_or_an_error, declared(forgets, always), "loses marks")


def test_cells_that_are_gone():
    def only_total(method, pattern, stream):
        if pattern.primary.any():
            raise refused()
        keep = np.flatnonzero((pattern.table.cells == 0).all(axis=1))
        alone = tuple(map(_alone, pattern.table.dimensions))
        return Pattern(
            Table("t", alone, pattern.table.cells[keep], pattern.table.value[keep]), mark=pattern.mark[keep]
        )

    def _alone(h):
        return replace(
            h, codes=h.codes[:1], parent=h.parent[:1], labels=h.labels[:1], level=h.level[:1], rule=None
        )

    fails(checks.any_state_gives_an_answer_or_an_error, declared(only_total, always), "are gone")


def test_insiders_need_a_word():
    """Outsiders learn nothing, but whoever contributes alone may: that must be said."""

    def for_outsiders(method, pattern, stream):
        done = all_hidden(pattern)
        if pattern.forced_open.any() or not audit_holds(done, insiders="none"):
            raise refused()
        return done

    caught = 0
    for said in ((Text("much", "viel"),), (Text("reckon with contributors", "Beteiligte"),)):
        try:
            checks.on_random_tables(declared(for_outsiders, always, does_not=said), range(60))
        except AssertionError as fault:
            assert "no limit says so" in str(fault)
            caught += 1
    assert caught == 1


def test_input_changed_in_place():
    def writes(method, pattern, stream):
        pattern.lower.flags.writeable = True
        pattern.lower[:] = 0
        return sound(method, pattern, stream)

    fails(checks.input_is_left_alone, declared(writes, always), "changes its input")


def test_results_that_can_be_changed():
    loose = altered(shown=lambda p: p.table.value.copy())
    fails(checks.result_is_frozen, declared(loose, always), "shown can be changed in place")


def draws_reason(method, pattern, stream):
    done = sound(method, pattern, stream)
    return replace(done, reason=stream.generator.integers(0, 2, len(done.table)).astype(np.int32))


def test_randomness_is_what_says_so():
    fails(checks.other_secret_other_result, declared(draws_reason), "does not say random")
    fails(checks.other_secret_other_result, declared(sound, random=True), "says random")
    checks.other_secret_other_result(declared(draws_reason, random=True))
    draw = np.random.default_rng()

    def guesses(method, pattern, stream):
        done = sound(method, pattern, stream)
        return replace(done, reason=draw.integers(0, 2, len(done.table)).astype(np.int32))

    fails(checks.same_secret_same_result, declared(guesses, random=True), "the same secret gives another")


def test_an_error_without_a_code():
    def needs(method, pattern, stream):
        pattern.table.contributions.count.max()
        return sound(method, pattern, stream)

    fails(checks.variants_give_an_answer_or_an_error, declared(needs), "AttributeError|ValueError")


def test_a_value_in_a_message():
    def tells(method, pattern, stream):
        raise ColumnMissing(name=str(largest_of(pattern.table)), hint=WORDS)

    fails(checks.nothing_of_the_data_is_told, declared(tells), "tells the value")


def test_the_order_of_codes():
    def by_place(method, pattern, stream):
        """Protects only where the first code of the last dimension is the first of the alphabet."""
        codes = list(pattern.table.dimensions[-1].codes[1:])
        return sound(method, pattern, stream) if codes[0] == "health" else pattern

    fails(checks.order_of_codes_does_not_matter, declared(by_place, always), "does not stand the audit")


# -- patterns -------------------------------------------------------------------------------------------------------


def test_example_patterns_have_every_state():
    found = example_patterns()
    assert any(p.primary.any() for p in found.values())
    assert any((p.status == Status.SECONDARY).any() for p in found.values())
    assert {p.table.counts for p in found.values()} == {True, False}
    assert any(p.table.owners is None for p in found.values())


def test_states_are_what_they_say():
    table = example_table(counts=True)
    states = states_of(table)
    assert states["all marked"].primary.all()
    assert states["all published"].forced_open.all()
    assert states["some to suppress"].mark[table.inner].any()
    assert np.array_equal(states["marked"].primary, smallest(table))
    assert TableAudit(insiders="none").audit(states["suppressed"]).holds
    bounded = states["costs and bounds"]
    assert ((bounded.low <= table.value) & (table.value <= bounded.high)).all()


def test_reordered_patterns_are_the_same_cells():
    before = states_of(example_table())["marked"]
    for dimension in range(2):
        after = reordered(before, dimension)
        assert list(after.table.dimensions[dimension].codes) != list(before.table.dimensions[dimension].codes)
        was, now = checks.common(before.table, after.table)
        assert len(was) == len(before.table)
        for name in ("status", "lower", "upper", "low"):
            assert np.array_equal(getattr(before, name)[was], getattr(after, name)[now])
        assert np.array_equal(before.table.value[was], after.table.value[now])
        assert np.array_equal(before.table.contributions.count[was], after.table.contributions.count[now])


def test_random_patterns_differ():
    found = [p for p in map(random_pattern, range(40)) if p is not None]
    assert len({len(p.table) for p in found}) > 10
    assert {len(p.table.dimensions) for p in found} == {2, 3}
    assert any(p.forced_open.any() for p in found)
    assert any(p.primary.any() for p in found)
    assert any((p.table.value < 0).any() for p in found)


# -- measures -------------------------------------------------------------------------------------------------------


def measure_of(find, between=None, **said):
    class Made(TableMeasure):
        """Measures something."""

        n: Annotated[int, Field(ge=1, description="Number. | Anzahl.")] = 3

        def measure(self, pattern):
            return find(pattern)

        def intervals(self, pattern):
            value = pattern.table.value
            return (
                between(pattern)
                if between
                else (np.where(pattern.hidden, -np.inf, value), np.where(pattern.hidden, np.inf, value))
            )

    Made.__module__ = "plug_in.made"
    stated = {
        "reads": Text("It is {value}.", "Es ist {value}."),
        "knows": WORDS,
        "goal": Goal.LOW,
        "bounds": (0, 1),
    }
    return table_measure("test.made", **(STATED | stated | said))(Made)


def share_hidden(pattern):
    return Finding(float(pattern.hidden.mean()) if len(pattern.table) else 0.0)


def test_a_sound_measure_passes():
    check(measure_of(share_hidden))


@pytest.mark.parametrize(
    ("one", "cls", "match"),
    [
        (measure_checks.finding_is_whole, lambda: measure_of(lambda p: Finding(2.0)), "outside its bounds"),
        (measure_checks.finding_is_whole, lambda: measure_of(lambda p: Finding(np.nan)), "does not have"),
        (measure_checks.finding_is_whole, lambda: measure_of(lambda p: Finding(0.5, per_cell={"x": np.zeros(1)})), "x has not one"),
        (measure_checks.finding_is_whole, lambda: measure_of(share_hidden, lambda p: (p.table.value + 1,) * 2), "rules the truth out"),
        (measure_checks.finding_is_whole, lambda: measure_of(share_hidden, lambda p: (p.table.value, p.table.value + 1)), "cells that are open"),
        (measure_checks.says_how_to_read_it, lambda: measure_of(share_hidden, reads=WORDS), "no place"),
        (measure_checks.nothing_hidden_is_best, lambda: measure_of(lambda p: Finding(0.5)), "where nothing is hidden"),
        (measure_checks.one_cell_alone_is_not_best, lambda: measure_of(lambda p: Finding(0.0)), "does not notice"),
        (measure_checks.nothing_of_the_data_is_told,
         lambda: measure_of(lambda p: Finding(0.5, details={"x": largest_of(p.table)})), "tells the value"),
    ],
)  # fmt: skip
def test_measures_that_cannot_be(one, cls, match):
    fails(one, cls(), match)


def test_a_measure_that_looks_at_the_order():
    first = measure_of(
        lambda p: Finding(float(p.primary[: len(p.table) // 2].mean()) if p.primary.any() else 0.0)
    )
    fails(measure_checks.same_table_same_finding, first, "order of codes")
