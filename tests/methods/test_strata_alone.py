"""With `within` every stratum is treated as if it were alone: what other strata hold changes nothing in it."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.standard import standardised, standardised_within
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.vocab import Kind

N = 160
HERE = np.arange(N) % 2 == 0
THREE = ("x", "y", "z")
TWO = ("x", "y")
CASES = [
    ("noise", {"columns": THREE}), ("noise", {"columns": THREE, "treat": "outliers"}), ("noise", {"columns": ("heads",), "whole": "total"}),
    ("correlated-noise", {"columns": THREE, "kim": "sample"}), ("correlated-noise", {"columns": THREE, "kim": "realised", "moments": "exact"}),
    ("mixture-noise", {"columns": THREE, "separation": 0.3}), ("mixture-noise", {"columns": TWO, "kind": "roque"}), ("log-noise", {"columns": TWO, "unbiased": True}),
    ("factor-noise", {"columns": ("heads",), "whole": "total"}), ("controlled-noise", {"columns": THREE, "control": {"by": "one-column", "column": "x"}}),
    ("rank-average", {"columns": THREE}), ("mdav", {"columns": THREE}), ("spread-average", {"columns": TWO, "grouping": "records", "signs": "free"}),
    *(("axis-average", {"columns": THREE, "axis": axis}) for axis in ("first", "sum", "component", "core", "pursuit")),
    ("axis-average", {"columns": THREE, "axis": "influence", "clusters": 3}),
    *(("cluster-average", {"columns": THREE, "grouping": g, "distance": d}) for g in ("centre", "pair", "ward") for d in ("standard", "robust")),
    ("category-average", {"columns": ("kind", *THREE)}), ("category-average", {"columns": ("kind", *THREE), "aggregate": "medoid"}),
    ("random-average", {"columns": THREE}), ("resample-average", {"columns": THREE}), ("safe-average", {"columns": TWO}),
    *(("pram", {"columns": ("kind",), "alpha": 0.3, "mode": mode}) for mode in ("proportional", "direct", "two-stage")),
    ("swap", {"columns": THREE}), ("swap", {"columns": THREE, "near": ("heads", "z2")}), ("half-swap", {"columns": THREE}), ("shuffle", {"columns": TWO, "given": ("z",)}),
    ("swap-unprotected", {"columns": THREE}), ("rotate", {"columns": THREE}), ("redraw", {"columns": THREE}), ("pull-in", {"columns": THREE}),
    ("top-bottom-code", {"columns": THREE, "upper": {"share": 0.1}}),
    *(("impute", {"column": "x", "predictors": ("y", "lacking"), "fit": -99, "apart": 0, "model": m}) for m in ("mean", "regression", "regression-residual", "matching")),
]  # fmt: skip


def data(seed):
    """One stratum is always the same, the other is drawn anew and much larger."""
    same, other = np.random.default_rng(1), np.random.default_rng(seed)

    def both(draw, larger):
        return np.where(HERE, draw(same), larger * draw(other))

    def size(rng):
        return np.exp(rng.normal(3, 1, N))

    lacking = both(size, 1000.0)
    lacking[::7] = np.nan
    columns = {
        "x": both(size, 1e4), "y": both(size, 7.0), "z": both(lambda r: r.normal(100, 20, N), -3.0), "z2": both(size, 1e-3), "lacking": lacking,
    }  # fmt: skip
    return Microdata({
        "s": Column.texts_of(np.where(HERE, "here", "there").tolist()), **{n: Column.numbers_of(v) for n, v in columns.items()},
        "heads": Column(Kind.INTEGER, both(size, 100.0).astype(np.int64) + 1),
        "kind": Column.texts_of(np.where(HERE, same.choice(list("abcd"), N), other.choice(list("abcd"), N, p=[0.7, 0.1, 0.1, 0.1])).tolist()),
    })  # fmt: skip


@pytest.mark.parametrize(("id", "parameters"), CASES, ids=lambda v: str(v)[:80])
def test_other_strata_change_nothing(id, parameters):
    step = build(catalogue[f"microdata.{id}"], {**parameters, "within": ("s",)})
    one, two = (step.apply(data(seed), stream("strata", id)) for seed in (2, 3))
    for name in one.names:
        a, b = (done.column(name) for done in (one, two))
        assert np.array_equal(a.observed[HERE], b.observed[HERE]), name
        if a.kind.is_number:
            np.testing.assert_allclose(a.numbers()[HERE], b.numbers()[HERE], rtol=1e-12, err_msg=name)
        else:
            assert a.texts()[HERE].tolist() == b.texts()[HERE].tolist(), name


def test_blocks_are_standardised_as_if_alone():
    rng = np.random.default_rng(1)
    of = rng.integers(5, size=400)
    x = rng.normal(size=(400, 3)) * 10.0 ** (40.0 * of - 80)[:, None]
    x[of == 3, 1] = 7.0
    there = rng.random((400, 3)) < 0.9
    there[of == 4, 2] = False
    x[~there] = 0.0
    found = standardised_within(x, there, of, 6)
    for b in range(5):
        rows = of == b
        alone = standardised(x[rows] / np.abs(x[rows]).max(axis=0).clip(1e-300), there[rows])
        np.testing.assert_allclose(found[rows], alone, atol=1e-9)
