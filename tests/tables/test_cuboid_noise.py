"""Noise on cuboids: tables stay additive, marked cells are moved far enough and on average not at all."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from reference.flat import cell, flat_table, suppressing
from tables.trees import crossed, hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Sensitivity, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.errors.release import Unattainable
from tarnkappe.errors.tables import AlreadyProtected
from tarnkappe.kernels.noise_cuboids import lines_through
from tarnkappe.language import Text
from tarnkappe.methods.tables.cuboid_noise import CuboidNoise
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import broken_claims

TREES = (
    {"T": None, "x": "T", "x1": "x", "x2": "x", "x3": "x", "y": "T", "y1": "y", "y2": "y"},
    {"T": None, "u": "T", "v": "T", "w": "T"},
    {"T": None, "p": "T", "p1": "p", "p2": "p", "q": "T"},
)


def marked(table, cells, need=1.0):
    mask = np.zeros(len(table), dtype=np.bool_)
    mask[cells] = True
    lower = np.where(mask, np.minimum(need, np.abs(table.value)), 0.0)
    return Pattern(table).marked(Sensitivity(mask, lower, np.where(mask, need, 0.0), Text("x", "x")))


def reach_by_scipy(table, unknown, at):
    """How far a cell may move with all known cells fixed and nothing below 0."""
    a = relations_of(table).matrix().toarray()
    bounds = [(-v, None) if u else (0, 0) for v, u in zip(table.value, unknown, strict=True)]
    out = []
    for sign in (1, -1):
        price = np.zeros(len(table))
        price[at] = sign
        found = linprog(price, A_eq=a, b_eq=np.zeros(len(a)), bounds=bounds)
        out.append(abs(found.fun) if found.status == 0 else np.inf)
    return out


@given(st.integers(0, 10**6), st.integers(1, 3), st.sampled_from([1.0, 2.0]), st.booleans())
@settings(max_examples=40, deadline=None)
def test_protected_tables_hold_against_scipy_or_are_refused(seed, dimensions, need, broken):
    rng = np.random.default_rng(seed)
    trees = [hierarchy("abc"[j], TREES[j]) for j in rng.permutation(3)[:dimensions]]
    table = crossed(rng, trees, values=(3, 5, 8, 12, 20), empty=0.05)
    if broken:
        table = replace(table, value=table.value * 1.25, counts=False)
    before = marked(table, rng.choice(len(table), size=3), need)
    method = CuboidNoise()
    try:
        after = method.protect(before, stream(str(seed)))
    except Unattainable:
        return
    assert broken_claims(method, before, after) == []
    assert np.abs(relations_of(table).matrix() @ after.shown).max() < 1e-6
    assert (after.shown >= 0).all()
    altered = after.status == Status.PERTURBED
    assert (after.shown[~altered] == table.value[~altered]).all()
    for at in np.flatnonzero(before.primary):
        assert abs(after.shown[at] - table.value[at]) >= need * (1 - 1e-9)
        down, up = reach_by_scipy(table, altered, at)
        assert down >= before.lower[at] - 1e-6 and up >= before.upper[at] - 1e-6
    if not broken:
        assert (after.shown == np.rint(after.shown)).all()


def test_most_random_tables_can_be_protected():
    done = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = crossed(
            rng, [hierarchy("a", TREES[0]), hierarchy("b", TREES[1])], values=(5, 8, 12, 20), empty=0
        )
        try:
            CuboidNoise().protect(marked(table, rng.choice(np.flatnonzero(table.inner), 3)), stream("s"))
            done += 1
        except Unattainable:
            pass
    assert done == 20


def test_right_on_average_and_a_bias_would_be_seen():
    table = flat_table([[30, 12, 40], [25, 60, 9], [17, 22, 31]])
    before = marked(table, [cell(table, "1", "1"), cell(table, "2", "3"), cell(table, "3", "T")], 3.0)
    method = CuboidNoise()
    shown = np.array([method.protect(before, stream(f"s{i}")).shown for i in range(400)])
    off = shown.mean(axis=0) - table.value
    error = shown.std(axis=0) / np.sqrt(400)
    assert (np.abs(off) <= 3.9 * error + 1e-9).all()
    moved = error > 0
    assert moved.sum() >= 8
    assert (3.9 * error[before.primary] < 1).all()  # a third of the protection off would be found


def test_a_cell_near_its_floor_goes_up_less_often_but_further_in_the_mean():
    """With room 1 below and 2 above, up has probability 1/(1+2) if the step is 2."""
    table = flat_table([[100, 80], [90, 1]])
    before = marked(table, [cell(table, "2", "2")], 1.0)
    steps = np.array([CuboidNoise().protect(before, stream(f"s{i}")).shown[-1] - 1 for i in range(300)])
    assert set(steps) == {-1, 1, 2}
    assert abs(steps.mean()) < 3.9 * steps.std() / np.sqrt(300)


def test_same_secret_same_noise_and_lasting_over_steps():
    table = flat_table([[30, 12, 40], [25, 60, 9], [17, 22, 31]])
    before = marked(table, [cell(table, "1", "1")], 3.0)
    one, two = (CuboidNoise().protect(before, stream("s", "step", n)).shown for n in (0, 7))
    assert (one == two).all()
    fresh = {
        tuple(CuboidNoise(lasting=False).protect(before, stream("s", "step", n)).shown) for n in range(8)
    }
    assert len(fresh) > 1


def test_a_marked_zero_of_a_table_with_decimals_is_moved_too():
    """Gains and losses that cancel; no protection is asked for, and a hundredth of nothing is nothing."""
    table = flat_table([[30.5, -12.25, 40.0], [25.5, 0.0, -9.75], [17.0, 22.5, -31.5]])
    at = cell(table, "2", "2")
    before = replace(marked(table, [at], 0.0), low=np.full(len(table), -np.inf))
    for i in range(5):
        after = CuboidNoise().protect(before, stream(f"s{i}"))
        assert after.status[at] == Status.PERTURBED
        assert abs(after.shown[at]) > 0.1
    with pytest.raises(Unattainable):  # who knows that nothing is negative knows the zero
        CuboidNoise().protect(marked(flat_table([[30.5, 12.25], [25.5, 0.0]]), [-1], 0.0), stream("s"))


def test_no_marks_no_change():
    table = flat_table([[30, 12], [25, 60]])
    after = CuboidNoise().protect(Pattern(table), stream("s"))
    assert (after.shown == table.value).all() and (after.status == Status.OPEN).all()


def test_doing_nothing_breaks_a_claim():
    before = suppressing(flat_table([[30, 12], [25, 60]]), [("1", "1")])
    assert broken_claims(CuboidNoise(), before, before)


@pytest.mark.parametrize(
    "before",
    [
        suppressing(flat_table([[0, 12], [25, 60]]), [("1", "1")]),  # nothing can go down
        suppressing(flat_table([[30, 0], [0, 60]]), [("1", "1")]),  # no partner can
        suppressing(flat_table([[30, 12], [25, 60]]), [("1", "1")], 13, 13),  # not far enough
        suppressing(flat_table([[30], [25]]), [("1", "1")]),  # no other column
    ],
    ids=["empty", "zeros", "too far", "one column"],
)
def test_what_cannot_be_balanced_is_refused(before):
    with pytest.raises(Unattainable, match="1 × 1"):
        CuboidNoise().protect(before, stream("s"))


def test_cells_that_must_stay_open_are_not_touched():
    table = flat_table([[30, 12, 40], [25, 60, 9], [17, 22, 31]])
    before = suppressing(table, [("1", "1")])
    usual = CuboidNoise().protect(before, stream("s"))
    mark = np.zeros(len(table), dtype=np.uint8)
    mark[(usual.status == Status.PERTURBED) & ~before.primary] = Mark.KEEP
    other = CuboidNoise().protect(replace(before, mark=mark.copy()), stream("s"))
    assert not ((other.status == Status.PERTURBED) & (mark != 0)).any()
    mark[cell(table, "1", "1")] = Mark.KEEP
    with pytest.raises(Unattainable):
        CuboidNoise().protect(replace(before, mark=mark), stream("s"))
    with pytest.raises(AlreadyProtected):
        CuboidNoise().protect(usual, stream("s"))


def test_lines_keep_every_sum_of_a_tree():
    tree = hierarchy("a", TREES[0])
    for node in range(len(tree)):
        lines = lines_through(tree.parent.astype(np.int64), node)
        assert lines
        for shape in lines:
            for nodes in shape.nodes:
                move = np.zeros(len(tree))
                move[nodes] = shape.sign
                assert move[node] == 1
                for parent in range(len(tree)):
                    parts = tree.parent == parent
                    assert not parts.any() or move[parts].sum() == move[parent]
