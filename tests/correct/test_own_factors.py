"""Corrected estimates where every value has a small factor beside the shared one, and counts were moved by units before."""

import numpy as np
import pytest

import tarnkappe as tk
from correct.releasing import made, released
from tarnkappe.correct import model, moments

OWN = 0.2
"""As large as it may be, so that what is not known of it shows."""


def firms(n, seed):
    """Whole numbers: a few employees, and wages that follow them."""
    g = np.random.default_rng(seed)
    heads = g.poisson(np.exp(g.normal(1.2, 0.5, n))) + 1.0
    return {"heads": heads, "wages": np.rint(40 * heads + g.normal(300, 40, n))}


def noise(*columns, **more):
    law = {"law": "uniform", "width": 0.3}
    return tk.catalogue["microdata.factor-noise"](
        columns=columns, factors=law, shared="factor", own=OWN, **more
    )


@pytest.mark.parametrize("whole", ["decimals", "nearest"])
def test_means_variances_and_correlation_are_right(whole):
    """The mean over ten files of 20,000 records; without what the small factors and the moved counts add, variances would be 5 to 15 per cent too large."""
    off = []
    for seed in range(10):
        data = firms(20_000, seed)
        found = moments(
            released(made(**data), noise("heads", "wages", whole=whole), secret=f"own {seed}"),
            ["heads", "wages"],
        )
        truth = [
            *(data[n].mean() for n in data),
            *(data[n].var() for n in data),
            np.corrcoef(*data.values())[0, 1],
        ]
        off.append([f.estimate / t - 1 for f, t in zip(found.figures, truth, strict=True)])
    mean, error = np.mean(off, axis=0), np.std(off, axis=0, ddof=1) / np.sqrt(10)
    assert np.all(np.abs(mean) <= 4.5 * error + 0.002), mean
    assert np.all(np.abs(mean) < [0.01, 0.01, 0.03, 0.03, 0.02])


def test_a_model_with_masked_outcome_and_regressor():
    slopes = []
    for seed in range(10):
        data = firms(20_000, seed)
        found = model(released(made(**data), noise("heads", "wages"), secret=f"own {seed}"), "wages ~ heads")
        slopes.append(found["heads"].estimate)
    error = np.std(slopes, ddof=1) / np.sqrt(len(slopes))
    assert abs(np.mean(slopes) - 40) <= 4.5 * error
    assert error < 0.2


def test_what_is_told():
    data = made(**firms(500, 1))
    step = noise("heads", "wages")
    told = released(data, step).steps[0].facts
    assert told["own"]["variance"] == pytest.approx(OWN**2 / 3)
    assert told["factor"]["raw_moment_2"] == pytest.approx((1 + 0.3**2 / 3) * (1 + OWN**2 / 3))
    assert told["within_record"]["covariance"] == pytest.approx(0.3**2 / 3)
    assert told["moved_before"] == {"heads": 0.75, "wages": 0.75}
