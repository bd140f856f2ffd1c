"""Past decisions replayed against the rules that say whether a table must be protected."""

from dataclasses import replace

from tables.trees import city
from tarnkappe.plan.need import Facts
from tarnkappe.plan.need_agreement import Decided, agreement

SMALL = replace(city(2, 7, 2, 0, 17), counts=True, name="small")
LARGE = replace(city(2000, 7000, 2000, 900, 17000), counts=True, name="large")


def test_agreement_is_counted_and_what_differs_is_named():
    facts = Facts(area="area")
    past = [Decided(SMALL, facts, "mask"), Decided(LARGE, facts, "publish"), Decided(LARGE, facts, "mask")]
    found = agreement(past)
    assert (found.decided, found.agreed, found.too_lax) == (3, 2, 1)
    assert found.share == 2 / 3
    assert found.verdicts == {("mask", "mask"): 1, ("publish", "publish"): 1, ("mask", "publish"): 1}
    assert found.differing == ("large",)


def test_too_strict_is_not_too_lax():
    found = agreement([Decided(SMALL, Facts(area="area"), "publish")])
    assert (found.agreed, found.too_lax, found.share) == (0, 0, 0.0)


def test_nothing_decided():
    assert agreement([]).share == 1.0
