"""Whoever corrects estimates must know which columns were rounded to whole numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.masked import Whole
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step

ROUNDING = sorted(
    cls.id
    for cls in catalogue.methods()
    if (field := cls.model_fields.get("whole")) is not None and field.annotation == Whole
)
NEEDED = {
    "microdata.impute": {
        "column": "staff",
        "predictors": ["sales"],
        "model": "regression",
        "fit": -9.0,
        "apart": 0.0,
    },
    "microdata.pull-in": {"beyond": 0.2},
    "microdata.replace-tails": {"upper": 40.0},
    "microdata.restore-variance": {"step": {"use": "microdata.mdav", "columns": ["staff", "sales"]}},
}
N = 200


def firms() -> Microdata:
    x = np.exp(np.random.default_rng(3).normal(3, 1, (N, 2)))
    return Microdata(
        {"staff": Column.numbers_of(np.ceil(x[:, 0]).astype(np.int64)), "sales": Column.numbers_of(x[:, 1])}
    )


def test_there_are_such_methods():
    assert {"microdata.noise", "microdata.log-noise", "microdata.rotate", "microdata.redraw"} <= set(ROUNDING)


@pytest.mark.parametrize("id", ROUNDING)
def test_rounded_columns_are_told(id: str):
    before = firms()
    for whole, told in (("decimals", []), ("nearest", ["staff"])):
        if id == "microdata.spread-average" and whole == "decimals":
            continue  # refused for whole numbers
        columns = {"columns": ("staff", "sales")} if "columns" in catalogue[id].model_fields else {}
        step = catalogue[id](**columns, whole=whole, **NEEDED.get(id, {}))
        after = apply_step(step, before, stream("rounded", id))
        assert step.tells(before, after)["rounded"] == told
        values = after.column("staff").numbers()
        assert bool(np.all(values == np.rint(values))) == (whole == "nearest")


def test_rotated_moments_are_not_called_exact_when_rounded():
    before = firms()
    exact, nearly = (
        catalogue["microdata.rotate"](columns=("staff", "sales"), whole=whole).tells(before, before)[
            "means_and_covariances"
        ]
        for whole in ("decimals", "total")
    )
    assert (exact, nearly) == ("exactly as in the original", "nearly as in the original")
