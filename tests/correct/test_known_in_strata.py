"""Outcomes at limits and in classes that every stratum has of its own."""

from __future__ import annotations

import numpy as np
import pytest

import tarnkappe as tk
from correct.releasing import made, released
from correct.scenarios import BETA, firms
from tarnkappe.correct import model
from tarnkappe.correct.likelihood import outcome_limits
from tarnkappe.correct.source import Source
from tarnkappe.data.formula import Term
from tarnkappe.errors.correct import NotTold

C = tk.catalogue
QUANTILES = {"quantiles": 6, "at_least": 3}


def branches(n=4000):
    """Firms whose branch, with a gap among its names, shifts all levels; some branches have few firms."""
    g = np.random.default_rng(4)
    data = firms(g, n)
    branch = g.choice(["b", "a", "c", None, "d"], n, p=[0.4, 0.3, 0.2, 0.098, 0.002])
    shift = np.array([{"b": 0.0, "a": 5.0, "c": 9.0, None: 2.0, "d": 1.0}[b] for b in branch])
    return {"e": data["e"] + shift, "w": data["w"], "y": data["y"] + 2 * shift, "s": branch}


def near(found, truth=BETA):
    return all(abs(found[name].estimate - true) < 5 * found[name].error for name, true in truth.items())


@pytest.mark.parametrize(
    ("into", "show"),
    [
        (QUANTILES, "class"),
        (QUANTILES, "mean"),
        ({"width": 4.0, "at_least": 20}, "mean"),
        ({"cuts": [12, 16, 20, 24]}, "mean"),
    ],
)
def test_classes_of_strata(into, show):
    data = branches()
    if "cuts" in into:  # there every class of a stratum must have three records for its mean
        data = {name: x[data["s"] != "d"] for name, x in data.items()}
    release = released(made(**data), C["microdata.band"](columns=("y",), into=into, show=show, within=("s",)))
    found = model(release, "y ~ e + w")
    assert near(found)
    assert found.spread == pytest.approx(2, rel=0.1)
    assert found["e"].naive is None


def test_the_limits_of_every_record_are_those_of_its_stratum():
    data = {name: x[branches()["s"] != "d"] for name, x in branches().items()}
    ends = []
    for show in ("class", "mean"):
        step = C["microdata.band"](columns=("y",), into=QUANTILES, show=show, within=("s",))
        release = released(made(**data), step)
        ends.append(outcome_limits(Term("y", "plain"), Source.of(release, ("y",))))
    np.testing.assert_array_equal(ends[0], ends[1])
    low, high = ends[0]
    assert (low <= data["y"]).all() and (data["y"] < high).all()
    assert len(np.unique(low)) > 2 * QUANTILES["quantiles"], "strata have limits of their own"


def test_without_the_strata_labels_still_tell_limits_and_means_do_not():
    data = {name: x[branches()["s"] != "d"] for name, x in branches().items()}
    for show in ("class", "mean"):
        step = C["microdata.band"](columns=("y",), into=QUANTILES, show=show, within=("s",))
        gone = C["microdata.drop"](columns=("s",))
        fewer = C["microdata.sample"](share=0.02)
        recoded = C["microdata.pram"](columns=("s",), alpha=0.5, leak="masked-later")
        for later in (gone, recoded, fewer):
            release = released(made(**data), step, later)
            if show == "class":
                assert model(release, "y ~ e + w")["e"].estimate == pytest.approx(2, abs=0.4)
            elif later is not fewer:
                with pytest.raises(NotTold, match="strata of its classes"):
                    model(release, "y ~ e + w")


@pytest.mark.parametrize("later", [(), ("microdata.drop",)])
def test_limits_by_share_of_strata(later):
    """The limit of a stratum stands in its flagged cells: Tobit needs nothing else."""
    data = {name: x[branches()["s"] != "d"] for name, x in branches().items()}
    step = C["microdata.top-bottom-code"](
        columns=("y",), upper={"share": 0.2}, lower={"share": 0.1}, within=("s",)
    )
    release = released(made(**data), step, *(C[name](columns=("s",)) for name in later))
    assert release.steps[0].facts["y"]["upper"]["limit"] is None
    assert near(model(release, "y ~ e + w"))
    assert (
        len(np.unique(release.data.numbers(("y",))[release.data.column("y_limit").texts() == "upper"])) == 4
    )
