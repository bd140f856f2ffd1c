"""Which steps may follow which: wrong orders are refused before data is read, each by what is declared, and the other order passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plans.workshop import SECRET, VARIABLE, changed, checked
from tarnkappe.errors.release import PlanWrong
from tarnkappe.spec import Method, catalogue
from tarnkappe.spec.composition import ORDERS, Act, Mark, acts_of
from tarnkappe.testing.example import ROLES
from tarnkappe.testing.methods import made

TOP = {"use": "microdata.top-bottom-code", "columns": ["income"], "upper": {"share": 0.05}}
SHARED = {"use": "microdata.factor-noise", "columns": ["income", "wealth"], "shared": "factor"}
SIGN = {"use": "microdata.factor-noise", "columns": ["income", "wealth"]}
ALONE = {"use": "microdata.noise", "columns": ["income"], "variance_ratio": 0.1}
OF_UNITS = {**ALONE, "unit": "household"}
CONTROLLED = {"use": "microdata.controlled-noise", "columns": ["income", "wealth"]}
SAMPLE = {"use": "microdata.sample", "share": 0.5}
SUPPRESS = {"use": "microdata.local-suppression", "k": 3}
RARE = {"use": "microdata.suppress-records", "below": 3, "budget": 0.9}
AVERAGE = {"use": "microdata.mdav", "columns": ["income"], "k": 3}
AGES = {"use": "microdata.mdav", "columns": ["age"], "k": 3}
PRAM = {"use": "microdata.pram", "columns": ["region"], "alpha": 0.3}
FIT = {"use": "microdata.calibrate", "weight": "wealth", "totals": {"income": 1e6}}
HIDE = {"use": "microdata.suppress-cells", "columns": ["income"], "records": [1, 2, 3]}
SPLIT = {"use": "microdata.split", "columns": ["wealth"], "above": 5e5}
RATIO = {
    "use": "microdata.ratio",
    "into": {"share": {"of": "income", "over": "wealth"}},
    "leak": "masked-later",
}
ROUND = {"use": "microdata.round", "columns": ["wealth"], "base": 1000}


def problems(folder: Path, *steps: dict[str, Any]) -> list[str]:
    """What check says of the order of these steps."""
    try:
        checked(folder, changed(steps=list(steps), release_if=[]))
    except PlanWrong as wrong:
        return [
            line
            for line in str(wrong).splitlines()
            if "must not come after" in line or "masked-later" in line
        ]
    return []


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, SECRET)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (TOP, SHARED), (TOP, SIGN), (TOP, OF_UNITS), (TOP, CONTROLLED), (SUPPRESS, SAMPLE), (RARE, SAMPLE), (RARE, PRAM), (SUPPRESS, PRAM),
        (AVERAGE, SAMPLE), (AVERAGE, RARE), (PRAM, SAMPLE), (FIT, AVERAGE), (FIT, HIDE), (FIT, SAMPLE), (FIT, SPLIT), (FIT, ALONE),
    ],
    ids=lambda step: step["use"],
)  # fmt: skip
def test_a_later_step_must_not_undo_an_earlier_one(
    tmp_path: Path, first: dict[str, Any], second: dict[str, Any]
) -> None:
    found = problems(tmp_path, first, second)
    assert len(found) == 1, found
    assert f"{second['use']} must not come after {first['use']} (steps[1])" in found[0]
    assert not problems(tmp_path, second, first)


@pytest.mark.parametrize(
    "steps",
    [
        (TOP, ALONE),
        (TOP, AVERAGE),
        (SUPPRESS, RARE),
        (RARE, AVERAGE),
        (SUPPRESS, AVERAGE),
        (SAMPLE, SUPPRESS, AVERAGE, FIT),
    ],
    ids=lambda steps: "-".join(step["use"].partition(".")[2] for step in steps),
)
def test_orders_that_undo_nothing_pass(tmp_path: Path, steps: tuple[dict[str, Any], ...]) -> None:
    assert not problems(tmp_path, *steps)


def test_a_promise_of_later_masking_is_kept_or_refused(tmp_path: Path) -> None:
    assert len(problems(tmp_path, RATIO)) == 1
    assert len(problems(tmp_path, ROUND, RATIO)) == 1
    assert not problems(tmp_path, RATIO, ROUND)
    assert not problems(tmp_path, RATIO, {"use": "microdata.drop", "columns": ["wealth"]})


def test_every_rule_is_about_something_that_a_method_leaves_and_another_does() -> None:
    steps: list[Method] = [made(cls) for cls in catalogue.methods()]
    left = {trace.mark for step in steps for trace in step.leaves_behind(ROLES)}
    assert left == set(Mark)
    done = {
        act for step in steps for act in acts_of(step, (*step.treated_columns(), *step.hides(ROLES)), ROLES)
    }
    assert done == set(Act)
    assert {order.after for order in ORDERS} == set(Mark) - {Mark.PROMISED}
    assert all(order.why.de and order.instead.de for order in ORDERS)
