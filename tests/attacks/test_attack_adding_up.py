"""Attackers against columns that add up or are proportional. They read the release alone and know what adds up; originals are for scoring.

Each attack is first let loose on what the methods give when every column is treated by itself, so that it is known to work, then on what a run of a plan releases.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest

from plans.workshop import SECRET, SIGNED
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.relations import MaskedInPart
from tarnkappe.methods.microdata.camouflage import Camouflage
from tarnkappe.methods.microdata.mdav import Mdav
from tarnkappe.methods.microdata.pull_in import PullIn
from tarnkappe.methods.microdata.rank_swap import RankSwap
from tarnkappe.methods.microdata.shuffle import Shuffle
from tarnkappe.plan.check import check
from tarnkappe.plan.document import parse, to_yaml
from tarnkappe.plan.run import run
from tarnkappe.randomness import public_stream
from tarnkappe.spec.step import apply_step

PARTS = ("domestic", "exports", "turnover")


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("TARNKAPPE_SECRET_FIRMS", SECRET)


def firms(seed, count=600, unit=1):
    rng = np.random.default_rng(seed)
    domestic = np.maximum(unit, np.round(rng.lognormal(13, 1.1, count) / unit) * unit)
    exports = np.round(domestic * rng.beta(2, 5, count) / unit) * unit
    cost = np.round((domestic + exports) * rng.uniform(0.6, 0.98, count) / unit) * unit
    net = np.round(rng.lognormal(11, 1, count))
    out = {
        "domestic": domestic, "exports": exports, "turnover": domestic + exports, "cost": cost,
        "profit": domestic + exports - cost, "net": net, "gross": np.round(1.19 * net), "tax": np.round(0.19 * net),
        "employees": np.maximum(1, np.round(domestic / 1e5 * rng.lognormal(0, 0.5, count))),
    }  # fmt: skip
    return {name: values.astype(np.int64) for name, values in out.items()}


def as_data(columns, **more):
    return Microdata({n: Column.numbers_of(v) for n, v in columns.items()} | more)


def released(folder, columns, steps, relations=(), strata=30):
    """The records of a release by a plan as people write it, and the originals in their order."""
    count = len(columns["domestic"])
    names = {
        "region": np.resize(["n", "s", "e", "w"], count),
        "branch": np.resize([f"b{j}" for j in range(strata)], count),
    }
    pl.DataFrame({**names, **columns}).write_csv(folder / "firms.csv")
    plan = {
        "tarnkappe": 1, "title": "firms", "data": {"file": "firms.csv", "roles": {"key": ["region"]}}, "seed": {"secret": "firms"},
        "relations": list(relations), "steps": steps, "accept": SIGNED,
    }  # fmt: skip
    done = run(check(parse(to_yaml(plan), "plan.yaml"), folder))
    old, new = done.before.paired(done.after)
    return done, old, new.sealed()


def numbers(data, names=PARTS):
    return np.column_stack([data.column(n).numbers() for n in names])


# -- rank-swap: windows, the sum, and that exchanges are mutual -----------------------------------------------------


def windows_of(x, percent):
    """Per record and column, which records may hold its original value: those near by in rank."""
    width = int(np.ceil(percent / 100 * len(x)))
    out = []
    for values in x.T:
        low, high = (
            np.searchsorted(np.sort(values), values, "left"),
            np.searchsorted(np.sort(values), values, "right"),
        )
        order = np.argsort(values, kind="stable")
        out.append([order[max(0, a - width) : b + width] for a, b in zip(low, high, strict=True)])
    return out


def fitting(x, windows, i):
    """Partners of one record in the three columns whose values add up."""
    first, second, third = (np.asarray(column[i]) for column in windows)
    sums = (x[first, 0][:, None] + x[second, 1][None, :]).ravel()
    totals = x[third, 2]
    order = np.argsort(totals, kind="stable")
    low, high = np.searchsorted(totals[order], sums, "left"), np.searchsorted(totals[order], sums, "right")
    out = set()
    for at in np.flatnonzero(high > low):
        pair = (int(first[at // len(second)]), int(second[at % len(second)]))
        out |= {(*pair, int(third[order[k]])) for k in range(low[at], high[at])}
    return out


def undone(x, percent):
    """Original values of every record where only one triple is left; NaN elsewhere."""
    windows = windows_of(x, percent)
    left = [fitting(x, windows, i) for i in range(len(x))]
    changed = True
    while changed:
        partners = [[{t[c] for t in triples} for triples in left] for c in range(3)]
        kept = [
            {t for t in triples if all(i in partners[c][t[c]] for c in range(3))}
            for i, triples in enumerate(left)
        ]
        changed = sum(map(len, kept)) < sum(map(len, left))
        left = kept
    out = np.full(x.shape, np.nan)
    for i, triples in enumerate(left):
        values = {tuple(x[list(t), range(3)]) for t in triples}
        if len(values) == 1:
            out[i] = values.pop()
    return out


def exact(guess, truth):
    return int((guess == truth).all(axis=1).sum())


def swap_of(percent):
    return {"use": "microdata.rank-swap", "columns": {n: {"percent": percent} for n in PARTS}}


def test_swapped_one_by_one_all_three_values_come_back():
    truth = as_data({n: v for n, v in firms(1).items() if n in PARTS})
    step = RankSwap(columns={n: {"percent": 5} for n in PARTS})
    after = apply_step(step, truth, public_stream("the secret"))
    assert exact(undone(numbers(after), 5), numbers(truth)) >= 590


@pytest.mark.parametrize(("seed", "unit", "percent"), [(1, 1, 5), (2, 1, 2), (3, 100, 5), (4, 1000, 2)])
def test_a_run_swaps_two_and_the_sum_follows(tmp_path, seed, unit, percent):
    columns = {n: v for n, v in firms(seed, unit=unit).items() if n in (*PARTS, "employees")}
    done, old, new = released(tmp_path, columns, [swap_of(percent)])
    assert [s.method.id for s in done.steps][:2] == ["microdata.rank-swap", "microdata.add-up"]
    x = numbers(new)
    np.testing.assert_array_equal(x[:, 0] + x[:, 1], x[:, 2])
    assert exact(undone(x, percent), numbers(old)) <= 3
    assert np.mean(x[:, 2] == numbers(old)[:, 2]) < 0.05


# -- camouflage: more equations than hidden weights ----------------------------------------------------------------


def mixed_back(data, group, vectors=8):
    """Values by the weights of every group that fit best to the sum (least squares, weights of a column add up to one)."""
    count = len(group)
    out = np.full((count, 3), np.nan)
    shown = np.stack(
        [np.column_stack([data.column(f"{n}_{j}").numbers() for j in range(1, vectors + 1)]) for n in PARTS]
    )
    for g in np.unique(group):
        rows = np.flatnonzero(group == g)
        v = shown[:, rows]
        size = np.abs(v[2]).mean(axis=1, keepdims=True)
        sums = np.hstack([v[0], v[1], -v[2]]) / size
        ones = np.kron(np.eye(3), np.ones(vectors)) * 1e4
        weights, *_ = np.linalg.lstsq(
            np.vstack([sums, ones]), np.r_[np.zeros(len(rows)), np.full(3, 1e4)], rcond=None
        )
        out[rows] = np.column_stack([v[c] @ weights[c * vectors : (c + 1) * vectors] for c in range(3)])
    return out


def test_camouflaged_one_by_one_values_come_back_to_a_hundredth():
    truth = as_data({n: v for n, v in firms(1, 630).items() if n in PARTS})
    after = apply_step(Camouflage(columns=PARTS), truth, public_stream("the secret"))
    near = np.abs(mixed_back(after, after.column("camouflage").values) / numbers(truth) - 1) <= 0.01
    assert near.mean() > 0.9


def test_a_run_camouflages_two_and_drops_the_sum(tmp_path):
    columns = {n: v for n, v in firms(1, 630).items() if n in (*PARTS, "employees")}
    _, _, new = released(tmp_path, columns, [{"use": "microdata.camouflage", "columns": list(PARTS)}])
    assert "domestic_1" in new.names
    assert not [n for n in new.names if n.startswith("turnover")]


# -- shuffle: triples of a stratum that add up ---------------------------------------------------------------------


def triples(x, strata):
    """Triples of values of one stratum that add up."""
    out = set()
    for s in np.unique(strata):
        part = x[strata == s]
        totals = set(part[:, 2].tolist())
        out |= {
            (a, b, a + b) for a, b in product(part[:, 0].tolist(), part[:, 1].tolist()) if a + b in totals
        }
    return out


def test_shuffled_one_by_one_the_records_of_a_stratum_come_back():
    columns = {n: v for n, v in firms(1).items() if n in (*PARTS, "employees")}
    branch = Column.texts_of([f"b{i % 30}" for i in range(600)])
    truth = as_data(columns, branch=branch)
    step = Shuffle(columns=PARTS, given=("employees",), within=("branch",))
    after = apply_step(step, truth, public_stream("the secret"))
    found = triples(numbers(after), branch.values)
    assert len(found & set(map(tuple, numbers(truth).tolist()))) == 600


@pytest.mark.parametrize("use", ["shuffle", "rank-swap"])
def test_a_run_leaves_no_triples_of_a_stratum(tmp_path, use):
    columns = {n: v for n, v in firms(2).items() if n in (*PARTS, "employees")}
    chosen = {
        "shuffle": {"columns": list(PARTS), "given": ["employees"]},
        "rank-swap": {"columns": {n: {"percent": 20} for n in PARTS}},
    }[use]
    _, old, new = released(tmp_path, columns, [{"use": f"microdata.{use}", **chosen, "within": ["branch"]}])
    found, true = triples(numbers(new), new.column("branch").values), set(map(tuple, numbers(old).tolist()))
    shown = set(map(tuple, numbers(new).tolist()))
    assert found - shown == set() or len((found - shown) & true) <= 3, (
        "the sum adds nothing to what two columns show"
    )
    assert len(found & true) < 0.2 * len(found)


# -- open terms, proportional columns ------------------------------------------------------------------------------

MASKS = [
    {"use": "microdata.noise", "columns": ["profit"]},
    {"use": "microdata.mdav", "columns": ["profit"], "k": 5},
    {"use": "microdata.factor-noise", "columns": ["profit"]},
    {"use": "microdata.top-bottom-code", "columns": ["profit"], "upper": {"share": 0.05}},
    {"use": "microdata.round", "columns": ["profit"], "base": 10000},
    {"use": "microdata.swap", "columns": ["profit"]},
]


@pytest.mark.parametrize("step", MASKS, ids=lambda s: s["use"])
def test_a_masked_difference_of_open_columns_is_refused_or_masked_as_one(tmp_path, step):
    columns = {n: v for n, v in firms(3).items() if n in ("turnover", "cost", "profit", "employees")} | {
        "domestic": firms(9)["domestic"]
    }
    with pytest.raises(MaskedInPart) as problem:
        released(tmp_path, columns, [step])
    assert "turnover = cost + profit" in str(problem.value)
    _, old, new = released(tmp_path, columns, [step], ["turnover = cost + profit"])
    changed = new.column("profit").numbers() != old.column("profit").numbers()
    guess = new.column("turnover").numbers() - new.column("cost").numbers()
    assert np.mean(np.abs(guess - old.column("profit").numbers())[changed] < 0.5) < 0.05


def solved(data, names, weights, known, truth):
    """Values of the first column that the means of all blocks and some known firms determine."""
    rows, right = [np.eye(len(truth))[list(known)]], [truth[list(known)]]
    for name, weight in zip(names, weights, strict=True):
        shown = data.column(name).numbers() / weight
        for value in np.unique(shown):
            rows.append((shown == value)[None, :].astype(float))
            right.append(np.array([value * np.count_nonzero(shown == value)]))
    system, answer = np.vstack(rows), np.concatenate(right)
    inverse = np.linalg.pinv(system, rcond=1e-9)
    determined = np.abs(np.diag(inverse @ system) - 1) < 1e-6
    return np.where(determined, inverse @ answer, np.nan)


BLOCKS = (("net", 1.0), ("gross", 1.19), ("tax", 0.19))


def test_proportional_columns_in_blocks_of_their_own_come_back_from_a_few_known_firms():
    net = firms(5, 300)["net"].astype(float)
    rng = np.random.default_rng(5)
    others = {f"o{j}": rng.lognormal(10, 1, 300) for j in range(3)}
    data = as_data({"net": net, "gross": 1.19 * net, "tax": 0.19 * net} | others)
    for j, (name, _) in enumerate(BLOCKS):
        data = apply_step(Mdav(columns=(name, f"o{j}"), k=3), data, public_stream("the secret"))
    found = solved(data, *zip(*BLOCKS, strict=True), range(5), net)
    assert np.sum(np.abs(found / net - 1) < 1e-4) > 200


def test_a_run_averages_one_and_the_others_follow(tmp_path):
    columns = firms(5, 300)
    rng = np.random.default_rng(5)
    columns = {n: columns[n] for n in ("domestic", "net", "gross", "tax")}
    columns |= {f"o{j}": np.round(rng.lognormal(10, 1, 300)).astype(np.int64) for j in range(3)}
    steps = [
        {"use": "microdata.mdav", "columns": [name, f"o{j}"], "k": 3} for j, (name, _) in enumerate(BLOCKS)
    ]
    _, old, new = released(tmp_path, columns, steps)
    net = old.column("net").numbers()
    found = solved(new, *zip(*BLOCKS, strict=True), range(5), net)
    assert np.sum(np.abs(found / net - 1) < 1e-3) < 30
    np.testing.assert_allclose(new.column("gross").numbers(), 1.19 * new.column("net").numbers(), atol=0.6)


def test_a_total_in_classes_is_not_read_off_terms_that_are_mostly_as_they_were(tmp_path):
    """Turnover in classes, exports pulled in where they lie far out, domestic turnover open: what adds up gives most totals back."""
    columns = {name: values for name, values in firms(7).items() if name in (*PARTS, "employees")}
    steps = [
        {"use": "microdata.band", "columns": ["turnover"], "into": {"width": 500_000.0}},
        {"use": "microdata.pull-in", "columns": ["exports", "employees"]},
    ]
    pulled = apply_step(PullIn(columns=("exports", "employees")), as_data(columns), public_stream("x"))
    made = columns["domestic"] + pulled.column("exports").numbers()
    assert np.mean(made == columns["turnover"]) > 0.5, "the attack works where nobody looks"
    done, _, _ = released(tmp_path, columns, steps, ["turnover = domestic + exports"])
    assert ["turnover" in gate.because.en for gate in done.gates if not gate.held] == [True]
