"""The stranger who adds up columns, let loose on releases that treat such columns one by one, and on those of a run."""

from __future__ import annotations

import numpy as np
import pytest

from attacks.test_attack_adding_up import PARTS, as_data, firms, released
from plans.workshop import SECRET
from tarnkappe.data.seen import Fact, Seen
from tarnkappe.methods.microdata.camouflage import Camouflage
from tarnkappe.methods.microdata.mdav import Mdav
from tarnkappe.methods.microdata.noise import Noise
from tarnkappe.methods.microdata.rank_swap import RankSwap
from tarnkappe.plan.scoring import Truth
from tarnkappe.randomness import public_stream
from tarnkappe.spec.step import apply_step
from tarnkappe.stranger.adding_up import AddingUp


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("TARNKAPPE_SECRET_FIRMS", SECRET)


def scored(step, truth, told=None):
    after = apply_step(step, truth, public_stream("the secret"))
    touched = tuple(n for n in after.names if n not in truth.names or after.column(n) is not truth.column(n))
    attempt = AddingUp().attempt(Seen(after.sealed(), (Fact(1, step.id, touched, told or {}),)))
    return attempt, Truth(truth, after, {}).score(attempt, 0.01)


def of(seed, *names, count=600):
    return as_data({n: v for n, v in firms(seed, count).items() if n in names})


@pytest.mark.parametrize("seed", [1, 2])
def test_exchanges_that_add_up_are_undone_with_certainty(seed):
    attempt, score = scored(RankSwap(columns={n: {"percent": 5} for n in PARTS}), of(seed, *PARTS))
    assert attempt.sure >= 1700
    assert score.sure_right >= 0.99 * score.sure


@pytest.mark.parametrize(
    "step", [Noise(columns=("profit",)), Mdav(columns=("profit",), k=5)], ids=lambda s: s.id
)
def test_a_masked_difference_of_open_columns_is_computed(step):
    _, score = scored(step, of(3, "turnover", "cost", "profit", "employees", "net"))
    assert score.right >= 0.95 * score.answers
    assert score.answers > 200


def test_suppressed_cells_of_a_sum_are_filled():
    truth = of(4, *PARTS, "employees")
    few = np.arange(600) % 97 == 0
    after = truth.with_columns({"turnover": truth.column("turnover").suppress(few)})
    attempt = AddingUp().attempt(Seen(after.sealed(), (Fact(1, "microdata.suppress-cells", ("turnover",)),)))
    score = Truth(truth, after, {}).score(attempt, 0.01)
    assert score.sure_right == score.sure == few.sum()


def test_vectors_with_hidden_weights_are_mixed():
    _, score = scored(Camouflage(columns=PARTS), of(1, *PARTS, count=630), {"group": "camouflage"})
    assert score.right > 0.8 * score.answers
    assert score.answers >= 3 * 630


@pytest.mark.parametrize("use", ["rank-swap", "noise", "mdav", "camouflage"])
def test_of_what_a_run_releases_nothing_comes_back(tmp_path, use):
    columns = {n: v for n, v in firms(6, 300).items() if n in (*PARTS, "employees")}
    named = {n: {"percent": 5} for n in PARTS} if use == "rank-swap" else list(PARTS)
    done, _, _ = released(tmp_path, columns, [{"use": f"microdata.{use}", "columns": named}])
    (entry,) = [one for one in done.attacks if one.attack.id == "attack.adding-up"]
    assert entry.score.sure == 0
    assert entry.score.share < 0.05


def test_columns_that_are_only_alike_are_not_computed():
    rng = np.random.default_rng(8)
    size = rng.lognormal(10, 1, 500)
    truth = as_data({f"x{j}": np.round(size * rng.lognormal(0, 0.3, 500)) for j in range(5)})
    _, score = scored(Noise(columns=("x0", "x1")), truth)
    assert score.sure == 0
    assert score.right <= max(1.0, 3 * score.by_chance)
