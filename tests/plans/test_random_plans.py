"""Random plans over all methods: each is refused with a code or released, never a fault of ours, and attackers find nothing in what is released."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from plans.random_attackers import attacked
from plans.random_plans import Drawn, drawn
from tarnkappe.errors import OurFault, TarnkappeError
from tarnkappe.plan.check import check_file
from tarnkappe.report.release import release
from tarnkappe.spec import catalogue

A_FEW, MANY = 60, 3000
AT_ONCE = 20


def outcome(plan: Drawn, folder: Path) -> Any:
    """The run that was released, or the error that refused it; a fault of ours fails the test."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return release(check_file(plan.lay_out(folder)), folder / "out")
    except OurFault as fault:
        raise AssertionError(f"{plan}: {fault}") from fault
    except TarnkappeError as refused:
        return refused


def some(first: int, folder: Path) -> Counter[str]:
    """How so many plans from a number on ended."""
    ended: Counter[str] = Counter()
    for number in range(first, first + AT_ONCE):
        plan = drawn(number)
        done = outcome(plan, folder / str(number))
        ended["refused" if isinstance(done, TarnkappeError) else "released"] += 1
        if not isinstance(done, TarnkappeError):
            found = [hit for hit in attacked(done, plan.kind) if hit.leaks]
            assert not found, f"{plan}, {plan.steps}: {found}"
    return ended


@pytest.mark.parametrize("first", range(0, A_FEW, AT_ONCE))
def test_every_plan_is_refused_or_released(first: int, tmp_path: Path) -> None:
    assert some(first, tmp_path)["released"] > 0


@pytest.mark.long
@pytest.mark.parametrize("first", range(A_FEW, MANY, AT_ONCE))
def test_thousands_of_plans_are_refused_or_released(first: int, tmp_path: Path) -> None:
    some(first, tmp_path)


def test_all_methods_are_drawn_and_the_same_number_gives_the_same_plan() -> None:
    plans = [drawn(number) for number in range(400)]
    used = {id for plan in plans for id in plan.steps}
    implied = {"microdata.tell-states", "microdata.shuffle-rows"}
    assert used >= {cls.id for cls in catalogue.methods()} - implied
    assert {len(plan.steps) for plan in plans} == {2, 3, 4, 5}
    assert {len(plan.plan["tables"]) for plan in plans} == {0, 1, 2, 3}
    assert drawn(17).plan == plans[17].plan
