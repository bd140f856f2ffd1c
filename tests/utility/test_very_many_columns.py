"""Files with very many columns: work and memory that would grow with the square or the cube of their number are bounded, and it is told."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels import recover
from tarnkappe.plan.coarsen import Key, coarsen, make_key
from tarnkappe.risk import recovering
from tarnkappe.spec import catalogue
from tarnkappe.utility import correlations

CORRELATIONS, DEPENDENCIES = catalogue["utility.correlations"], catalogue["risk.dependencies"]


def numbers(rng, records, columns, gaps=0.0):
    x = rng.normal(size=(records, columns)) + rng.normal(size=(records, 1))
    x[rng.random(x.shape) < gaps] = np.nan
    return Microdata({f"v{j}": Column.numbers_of(x[:, j]) for j in range(columns)})


def moved(rng, data):
    return data.with_columns(
        {
            n: Column.numbers_of(c.numbers() + 0.3 * rng.normal(size=len(data)))
            for n, c in data.columns.items()
        }
    )


@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_correlations_in_blocks_have_the_same_interval(monkeypatch, gaps):
    rng = np.random.default_rng(1)
    before = numbers(rng, 120, 23, gaps)
    after = moved(rng, before)
    whole = CORRELATIONS().measure(after, before=before)
    seen = []
    taken = correlations.pairs_without

    def looked_at(part, *rest):
        seen.append(part.shape[1])
        return taken(part, *rest)

    monkeypatch.setattr(correlations, "TOGETHER", 8)
    monkeypatch.setattr(correlations, "pairs_without", looked_at)
    parts = CORRELATIONS().measure(after, before=before)
    assert max(seen) <= 8, "memory is that of a block"
    assert (parts.low, parts.high) == pytest.approx((whole.low, whole.high), rel=1e-9)
    assert parts.value == whole.value


def test_of_very_many_columns_those_are_shown_that_moved_most():
    rng = np.random.default_rng(2)
    before = numbers(rng, 60, 130)
    changed = moved(rng, before)
    after = before.with_columns({f"v{j}": changed.column(f"v{j}") for j in range(5, 95)})
    found = CORRELATIONS().measure(after, before=before)
    assert len(found.details["columns"]) == correlations.SHOWN
    assert {f"v{j}" for j in range(5, 95)} <= set(found.details["columns"])
    assert found.details["spearman"]["after"].shape == (100, 100)
    assert "all 130 columns" in found.because.en
    few = CORRELATIONS(columns=found.details["columns"]).measure(after, before=before)
    assert few.details["pearson"]["before"] == pytest.approx(found.details["pearson"]["before"], rel=1e-9)


@pytest.mark.parametrize("kind", ["product", "quotient"])
def test_formulas_are_found_among_many_columns_without_looking_at_every_pair(monkeypatch, kind):
    rng = np.random.default_rng(3)
    x = rng.lognormal(size=(400, 60))
    x[::37, 7] = 0.0
    y = 2.5 * (x[:, 41] * x[:, 7] if kind == "product" else x[:, 41] / x[:, 13])
    y[::29] *= 1.7
    looked, exactly = [], recover._proportional

    def closely(y, z):
        looked.append(1)
        return exactly(y, z)

    monkeypatch.setattr(recover, "_proportional", closely)
    found = recover.recovered(y, x)
    assert found.kind == kind
    assert set(found.columns) == ({41, 7} if kind == "product" else {41, 13})
    assert len(looked) < 20
    assert recover.recovered(rng.lognormal(size=400), x) is None
    assert len(looked) < 40


def test_dependencies_of_very_many_columns_say_what_was_not_tried(monkeypatch):
    rng = np.random.default_rng(4)
    before = numbers(rng, 50, 12).with_columns({"town": Column.texts_of([f"t{i % 5}" for i in range(50)])})
    after = moved(rng, before.without(["town"])).with_columns({"town": before.column("town")})
    whole = DEPENDENCIES().measure(after, before=before)
    assert not whole.because
    assert whole.trusted
    monkeypatch.setattr(recovering, "_MOST_PAIRS", 48)
    monkeypatch.setattr(recovering, "_MOST_WORK", 1)
    bounded = DEPENDENCIES().measure(after, before=before)
    assert "Of the 13 released columns, 4 were tried" in bounded.because.en
    assert "Formulas were not looked for" in bounded.because.en
    assert not bounded.trusted, "more may come back than was found"


def test_keys_are_made_coarser_without_looking_at_all_others(monkeypatch):
    rng = np.random.default_rng(5)
    keys = [make_key(f"k{j}", Column.texts_of(list(rng.choice(list("abcd"), 60))), None) for j in range(90)]
    calls, taken = [], Key.at

    def counted(self, level, records):
        calls.append(1)
        return taken(self, level, records)

    monkeypatch.setattr(Key, "at", counted)
    found = coarsen(keys, 3, 3)
    assert found.left <= 3
    assert len(calls) < 20_000, "90 keys one by one, each with all others, are 350,000"
