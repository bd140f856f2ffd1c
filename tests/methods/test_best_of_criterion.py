"""The best of many draws by any measure (N14)."""

import numpy as np
import pytest

from methods.averaging_data import done, firms
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.vocab import Role

NAMES = ["turnover", "wages"]


@pytest.mark.parametrize(
    "criterion",
    ["utility.correlations", "utility.means-and-spreads", "utility.shape", "risk.interval-disclosure"],
)
def test_more_draws_are_better_by_the_criterion(criterion):
    data = firms(60).with_roles({Role.NUMERIC: tuple(NAMES), Role.KEY: ("branch",)})
    cls = catalogue[criterion]
    judge = cls(columns=tuple(NAMES))
    few, many = (
        np.mean([
            judge.measure(done("controlled-noise", data, str(i), columns=NAMES, control={"by": "best-of", "runs": runs, "criterion": criterion}), before=data).value
            for i in range(3)
        ])
        for runs in (2, 40)
    )  # fmt: skip
    assert many < few


def test_it_tells_receivers_that_means_were_not_chosen():
    data = firms(60)
    step = build(
        catalogue["microdata.controlled-noise"],
        {"columns": NAMES, "control": {"by": "best-of", "criterion": "utility.correlations", "runs": 3}},
    )
    told = step.tells(data, done("controlled-noise", data, columns=NAMES, control=step.control))
    assert told["noise"] == "multiplicative, mixture, best of many draws"
    assert (told["means_kept_within"], told["standard_deviations_kept"]) == (None, False)


@pytest.mark.parametrize(
    "wrong",
    [
        {"criterion": "utility.none"},
        {"criterion": "microdata.mdav"},
        {"criterion": "utility.moments", "alpha": 0.2},
    ],
)
def test_bad_criteria(wrong):
    with pytest.raises(ParameterWrong):
        done("controlled-noise", firms(60), columns=NAMES, control={"by": "best-of", **wrong})
