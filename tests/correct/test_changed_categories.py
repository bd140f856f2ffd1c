"""Categories changed at random: frequencies and regressions."""

from dataclasses import replace

import numpy as np
import pytest

import tarnkappe as tk
from correct.releasing import made, released
from correct.scenarios import MATRIX, groups
from tarnkappe.correct import frequencies, model
from tarnkappe.correct.release import Release, Step
from tarnkappe.errors.correct import MatrixSingular, NoCorrection, NotTold

C = tk.catalogue


def pram(**more):
    return C["microdata.pram"](columns=("k",), **more)


GIVEN = pram(mode="given", matrix=MATRIX)


def test_frequencies_by_hand():
    """T̂ = (P⁻¹)' T, and the covariance of T̂ given the original counts."""
    release = released(made(**groups(np.random.default_rng(1), 500)), GIVEN)
    p = np.array([[MATRIX[a].get(b, 0.0) for b in "abc"] for a in "abc"])
    shown = np.array([(release.data.column("k").texts() == a).sum() for a in "abc"], dtype=float)
    back = np.linalg.inv(p)
    counts = back.T @ shown
    drawn = sum(t * (np.diag(row) - np.outer(row, row)) for t, row in zip(counts, p, strict=True))
    found = frequencies(release, "k")
    assert [found[a].estimate for a in "abc"] == pytest.approx(counts)
    assert [found[a].error for a in "abc"] == pytest.approx(np.sqrt(np.diag(back.T @ drawn @ back)))
    assert [found[a].naive for a in "abc"] == pytest.approx(shown)
    assert sum(f.estimate for f in found.figures) == pytest.approx(500)


@pytest.mark.parametrize(
    "step",
    [GIVEN, pram(alpha=0.3), pram(alpha=0.3, mode="two-stage"), pram(alpha=0.5, mode="direct")],
    ids=lambda s: s.mode,
)
@pytest.mark.parametrize("target", ["file", "population"])
def test_frequencies_cover(step, target):
    """150 files; 95 % intervals of three shares. Below 0.84 a right one falls less than once in a million."""
    g = np.random.default_rng(5)
    inside = []
    for _ in range(150):
        data = groups(g, 400)
        found = frequencies(released(made(**data), step, secret=str(g.integers(1 << 62))), "k", target)
        true = [(data["k"] == a).sum() for a in "abc"] if target == "file" else (0.5, 0.3, 0.2)
        inside.append([found[a].low <= t <= found[a].high for a, t in zip("abc", true, strict=True)])
    assert np.mean(inside, axis=0).min() > 0.84


def test_strata_have_matrices_of_their_own():
    g = np.random.default_rng(1)
    data = groups(g, 4000)
    data["s"] = np.where(data["x"] > 0, "high", "low")
    release = released(made(**data), pram(alpha=0.4, within=("s",)))
    found = model(release, "y ~ k + x")
    for name, true in {"constant": 1, "k[b]": 2, "k[c]": 3, "x": 1}.items():
        assert abs(found[name].estimate - true) < 5 * found[name].error
    assert abs(found["k[c]"].naive - 3) > 5 * found["k[c]"].naive_error


@pytest.mark.parametrize(
    "step",
    [
        pram(alpha=0.4, within=("s",)),
        pram(alpha=0.4),
        GIVEN,
        pram(mode="two-stage", matrix=MATRIX, within=("s",)),
    ],
    ids=["strata", "whole", "given", "given strata"],
)
def test_missing_and_suppressed_cells_are_gaps_of_two_kinds(step):
    """In the column itself and in that of the strata; the matrices find their strata, and full records are estimated from them."""
    g = np.random.default_rng(6)
    data = groups(g, 3000)
    data["s"] = np.where(data["x"] > 0, "high", "low")
    before = made(**data)
    for name, holes in (("k", g.random(3000)), ("s", g.random(3000))):
        state = np.select([holes < 0.1, holes < 0.2], [1, 2]).astype(np.uint8)
        before = before.with_columns({name: replace(before.column(name), state=state)})
    shown = before.column("k").observed
    found = frequencies(released(before, step), "k")
    for a in "abc":
        assert abs(found[a].estimate - (data["k"] == a)[shown].sum()) < 5 * found[a].error
    assert found.left_out == np.count_nonzero(~shown)


def test_columns_changed_together():
    """Two related columns, changed jointly: both effects and their product need the joint matrix."""
    g = np.random.default_rng(2)
    n = 6000
    a = g.choice(["a", "b"], n)
    b = np.where(g.random(n) < 0.7, np.where(a == "a", "p", "q"), g.choice(["p", "q"], n))
    y = 1 + 2 * (a == "b") + 3 * (b == "q") + g.normal(0, 1, n)
    release = released(made(a=a, b=b, y=y), C["microdata.pram"](columns=("a", "b"), alpha=0.3))
    found = model(release, "y ~ a + b")
    for name, true in {"constant": 1, "a[b]": 2, "b[q]": 3}.items():
        assert abs(found[name].estimate - true) < 5 * found[name].error
        assert name == "constant" or abs(found[name].naive - true) > 5 * found[name].naive_error


def test_an_outcome_in_a_linear_model():
    g = np.random.default_rng(2)
    x = g.uniform(0, 1, 8000)
    yes = np.where(g.random(8000) < 0.2 + 0.6 * x, "yes", "no")
    release = released(made(x=x, c=yes), C["microdata.pram"](columns=("c",), alpha=0.4))
    found = model(release, "c ~ x", family="linear")
    assert abs(found["x"].estimate - 0.6) < 5 * found["x"].error
    assert found["x"].naive < 0.45


def test_cells_that_are_empty():
    data = groups(np.random.default_rng(1), 500)
    data["k"] = np.array([None if i % 10 == 0 else v for i, v in enumerate(data["k"])], dtype=object)
    release = released(made(**data), pram(alpha=0.3))
    assert frequencies(release, "k").left_out == 50
    assert model(release, "y ~ k").left_out == 50


def with_facts(release, **facts):
    step = release.steps[0]
    return Release(
        "x", release.data, (Step(1, step.method, step.title, {**step.facts, **facts}),), release.treated
    )


def test_what_the_release_must_tell():
    release = released(made(**groups(np.random.default_rng(1), 300)), pram(alpha=0.3))
    with pytest.raises(NotTold):
        frequencies(with_facts(release, treated=[{"columns": ["k"], "strata": None}]), "k")
    with pytest.raises(NotTold):
        frequencies(with_facts(release, treated=[]), "k")
    with pytest.raises(NotTold):
        frequencies(with_facts(release, within=["gone"]), "k")
    told = {
        "columns": ["k"],
        "strata": [{"values": 4, "absent": [], "gaps": [], "matrix": np.eye(4).tolist()}],
    }
    with pytest.raises(NotTold):
        frequencies(with_facts(release, treated=[told]), "k")


def test_values_no_longer_shown():
    release = released(made(**groups(np.random.default_rng(1), 300)), pram(alpha=0.3))
    p = np.full((4, 4), 0.1) + 0.6 * np.eye(4)
    told = {"columns": ["k"], "strata": [{"values": 4, "absent": [2], "gaps": [], "matrix": p.tolist()}]}
    found = frequencies(with_facts(release, treated=[told], invariant=False), "k")
    assert [f.name for f in found.figures] == ["a", "b", "c", "?"]
    assert any("no longer shows" in note.en for note in found.notes)
    assert any("below 0" in note.en for note in found.notes)


def test_a_matrix_without_inverse():
    release = released(made(**groups(np.random.default_rng(1), 300)), pram(alpha=1.0))
    with pytest.raises(MatrixSingular):
        model(release, "y ~ k")


def test_changed_and_then_put_together():
    data = made(**groups(np.random.default_rng(1), 300))
    release = released(data, pram(alpha=0.3))
    later = Step(2, "microdata.generalise", release.steps[0].title, {})
    both = Release("x", release.data, (*release.steps, later), {"k": (1, 2)})
    with pytest.raises(NoCorrection, match="one after the other"):
        frequencies(both, "k")


def test_a_changed_regressor_of_a_likelihood():
    data = groups(np.random.default_rng(1), 400)
    data["c"] = np.where(data["y"] > 2, "yes", "no")
    release = released(made(**data), pram(alpha=0.3))
    with pytest.raises(NoCorrection, match="family linear"):
        model(release, "c ~ k")
