"""Sullivan's repeated test: who is not attacked again would not have been recognised."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata.sullivan_attack import LEAD, Attacker, Trial
from tarnkappe.methods.microdata.sullivan_scores import scores_of

NAMES = ("x", "y", "s")


def people(n, gaps):
    rng = np.random.default_rng(n)
    x = np.exp(rng.normal(size=(n, 2)))
    if gaps:
        x[rng.random((n, 2)) < 0.1] = np.nan
    return Microdata(
        {
            "x": Column.numbers_of(x[:, 0]),
            "y": Column.numbers_of(x[:, 1]),
            "s": Column.texts_of(rng.choice(["a", "b", "c"], n).tolist()),
        }
    )


def masked(scores, spread, rng):
    """What a release might show: values of neighbours by rank, and some other categories."""
    out = []
    for s in scores[:2]:
        value = s.x * np.exp(spread * rng.normal(size=len(s.x)))
        out.append(np.where(np.isnan(s.x), np.nan, value))
    changed = rng.random(len(scores[2].codes)) < 0.1
    return [*out, np.where(changed, rng.integers(0, 3, len(changed)), scores[2].original)]


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("moves", [0.0, LEAD / 20, LEAD / 2, 1.0])
def test_attacked_again_finds_what_a_whole_attack_finds(gaps, moves):
    scores = scores_of(people(400, gaps), NAMES, "test")
    attacker, rng = Attacker.of(scores, 0.8), np.random.default_rng(7)
    trial, released = Trial(attacker, 2), masked(scores, 0.3, rng)
    first = trial.recognised(released)
    assert np.array_equal(first, attacker.recognises(released, 2))
    assert 0 < first.sum() < 400
    for _ in range(5):
        now = [v * np.exp(moves * rng.normal(size=400)) if v.dtype.kind == "f" else v for v in released]
        assert np.array_equal(trial.recognised(now), attacker.recognises(now, 2))
