import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import anonymity as reference
from tarnkappe.kernels import class_profiles, profile_scores
from tarnkappe.kernels.class_profiles import blocks, profile, scored
from tarnkappe.kernels.compatible import Key, candidates
from tarnkappe.vocab import Missing, Suppressed

POLICIES = [(m, s) for m in (Missing.CATEGORY, Missing.WILDCARD) for s in Suppressed]


@st.composite
def files(draw):
    """Key cells (value, state), and sensitive codes below 4; -1 tells nothing."""
    n, keys = draw(st.integers(1, 18)), draw(st.integers(1, 3))
    cell = st.tuples(st.integers(0, 2), st.sampled_from([0, 0, 0, 0, 1, 2]))
    rows = [[draw(cell) for _ in range(keys)] for _ in range(n)]
    values = [draw(st.integers(-1, 3)) for _ in range(n)]
    return rows, values


def stored(rows):
    cells = np.array(rows)
    return [Key(cells[:, j, 0].copy(), cells[:, j, 1].astype(np.uint8), 3) for j in range(cells.shape[1])]


def unfolded(rows, values, policy):
    """The values among the candidates of every record, from the kernel."""
    among = candidates(stored(rows), *policy)
    codes = np.array(values)
    out = [None] * len(among.found.sizes)
    told = profile(among, codes, 4)
    assert told.kept is None or sum(len(b.shown.values) for b in told.kept) <= max(
        class_profiles.LEAST_BLOCK, 4 * len(told.own.values)
    )
    for block in blocks(among, told.own, 4):
        shown = block.shown
        numbers = range(len(out)) if isinstance(block.rows, slice) else block.rows
        for i, row in enumerate(numbers):
            part = slice(shown.starts[i], shown.starts[i + 1])
            assert out[row] is None
            assert (np.diff(shown.values[part]) > 0).all()
            out[row] = np.repeat(shown.values[part], shown.counts[part]).tolist()
    return [out[i] for i in among.found.ids]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("least_block", [1, 1 << 20])
@given(files())
@settings(deadline=None, max_examples=60)
def test_candidates_have_the_values_of_the_definition(policy, least_block, file):
    rows, values = file
    told = [None if v < 0 else v for v in values]
    expected = [sorted(c) for c in reference.candidate_values(rows, told, *policy)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_profiles, "LEAST_BLOCK", least_block)
        assert unfolded(rows, values, policy) == expected


def test_small_blocks_are_made_at_all(monkeypatch):
    monkeypatch.setattr(class_profiles, "LEAST_BLOCK", 1)
    rows = [[(i, 2 if i % 2 else 0), (i % 3, 0)] for i in range(30)]
    keys = [
        Key(np.array([r[j][0] for r in rows]), np.array([r[j][1] for r in rows], dtype=np.uint8), 30)
        for j in (0, 1)
    ]
    among = candidates(keys, Missing.CATEGORY, Suppressed.ATTACKER)
    told = profile(among, np.arange(30), 30)
    assert told.kept is None
    assert len(list(blocks(among, told.own, 30))) > 1
    streamed = scored(among, told, lambda s: np.diff(s.starts).astype(float))
    monkeypatch.setattr(class_profiles, "LEAST_BLOCK", 1 << 20)
    whole = profile(among, np.arange(30), 30)
    assert whole.kept is not None
    assert scored(among, whole, lambda s: np.diff(s.starts).astype(float)).tolist() == streamed.tolist()


@st.composite
def tables(draw):
    """Some rows of values, and the whole they belong to; distances need every value of a row in the whole."""
    rows = draw(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=12), min_size=1, max_size=4))
    kinds = sorted({v for row in rows for v in row})
    return [[kinds.index(v) for v in row] for row in rows]


def counted(rows):
    ids, codes = (np.array(a) for a in zip(*((i, v) for i, row in enumerate(rows) for v in row), strict=True))
    count = int(codes.max()) + 1
    found = candidates([Key(ids, None, len(rows))], Missing.CATEGORY, Suppressed.CATEGORY)
    shares = np.bincount(codes, minlength=count) / len(codes)
    return found, profile(found, codes, count), shares


def values_of(rows, score):
    found, told, _ = counted(rows)
    return scored(found, told, score)


@given(tables())
@settings(deadline=None, max_examples=60)
def test_diversity_is_that_of_the_definition(rows):
    harmless = {0}
    _, _, shares = counted(rows)
    harmful = np.array([v not in harmless for v in range(len(shares))])
    everything = np.ones(len(shares), dtype=bool)
    found = values_of(rows, lambda s: profile_scores.exponential_entropy(s.starts, s.counts))
    assert found == pytest.approx([reference.entropy_l(row) for row in rows])
    found = values_of(rows, lambda s: profile_scores.largest_share(*s, everything))
    assert found == pytest.approx([reference.alpha(row) for row in rows])
    for c in (0.5, 1.0, 1.5, 2.0, 3.0):
        found = values_of(rows, lambda s, c=c: profile_scores.largest_l(*s, everything, c))
        assert found.tolist() == [reference.recursive_l(row, c) for row in rows]
        found = values_of(rows, lambda s, c=c: profile_scores.largest_l(*s, harmful, c))
        assert found.tolist() == [reference.recursive_l(row, c, harmless) for row in rows]


@given(tables(), st.integers(2, 5))
@settings(deadline=None, max_examples=60)
def test_c_must_exceed_the_least_c(rows, variety):
    _, _, shares = counted(rows)
    harmful = np.array([v != 1 for v in range(len(shares))])
    least = values_of(rows, lambda s: profile_scores.least_c(*s, harmful, variety))
    for row, c in zip(rows, least, strict=True):
        if np.isfinite(c) and c > 0:
            assert not reference.recursive_holds(row, c * (1 - 1e-9), variety, {1})
            assert reference.recursive_holds(row, c * (1 + 1e-9), variety, {1})
        else:
            assert reference.recursive_holds(row, 10**9, variety, {1}) == (c == 0)


@given(tables())
@settings(deadline=None, max_examples=60)
def test_likeness_is_that_of_the_definition(rows):
    whole = [v for row in rows for v in row]
    _, _, q = counted(rows)
    free = np.full(len(q), np.inf)
    found = values_of(rows, lambda s: profile_scores.largest_gain(*s, q, free))
    assert found == pytest.approx([reference.beta(row, whole) for row in rows])
    found = values_of(rows, lambda s: profile_scores.largest_gain(*s, q, -np.log(q)))
    assert found == pytest.approx([reference.beta(row, whole, enhanced=True) for row in rows])
    for needed, absent in ((0, False), (len(q), True)):
        found = values_of(rows, lambda s, n=needed: profile_scores.largest_log_ratio(*s, q, n))
        assert found == pytest.approx([reference.delta(row, whole, absent=absent) for row in rows])


PARENT = np.array([-1, 0, 1, 1, 0, 4, 4], dtype=np.int32)
LEVEL = np.array([0, 1, 2, 2, 1, 2, 2])
NODES = np.array([2, 3, 1, 5, 6, 0])
"""Values 2 and 5 stand at inner nodes: they lie directly below them."""


def tree_apart(a, b):
    if a == b:
        return 0.0
    above = []
    for node in (NODES[a], NODES[b]):
        path = [node]
        while PARENT[path[-1]] >= 0:
            path.append(PARENT[path[-1]])
        above.append(path)
    meet = next(n for n in above[0] if n in above[1])
    return (2 - LEVEL[meet]) / 2


@given(tables())
@settings(deadline=None, max_examples=60)
def test_distances_are_the_cheapest_transports(rows):
    whole = [v for row in rows for v in row]
    _, _, q = counted(rows)
    most = max(len(q) - 1, 1)
    found = values_of(rows, lambda s: profile_scores.equal_distance(*s, q))
    assert found == pytest.approx(
        [reference.earth_movers(r, whole, lambda a, b: float(a != b)) for r in rows], abs=1e-9
    )
    found = values_of(rows, lambda s: profile_scores.ordered_distance(*s, q))
    assert found == pytest.approx(
        [reference.earth_movers(r, whole, lambda a, b: abs(a - b) / most) for r in rows], abs=1e-9
    )
    node = NODES[: len(q)]
    own = np.bincount(node, weights=q, minlength=7)
    found = values_of(rows, lambda s: profile_scores.tree_distance(*s, own, node, PARENT, (2 - LEVEL) / 2))
    assert found == pytest.approx([reference.earth_movers(r, whole, tree_apart) for r in rows], abs=1e-9)


def test_rows_without_values_have_no_number():
    found = candidates([Key(np.array([0, 1]), None, 2)], Missing.CATEGORY, Suppressed.CATEGORY)
    told, q = profile(found, np.array([-1, 0]), 1), np.array([1.0])
    one = np.ones(1, dtype=bool)
    for score in (
        lambda s: profile_scores.exponential_entropy(s.starts, s.counts),
        lambda s: profile_scores.largest_share(*s, one),
        lambda s: profile_scores.largest_l(*s, one, 2.0),
        lambda s: profile_scores.least_c(*s, one, 2),
        lambda s: profile_scores.largest_gain(*s, q, q + 1),
        lambda s: profile_scores.largest_log_ratio(*s, q, 0),
        lambda s: profile_scores.equal_distance(*s, q),
        lambda s: profile_scores.ordered_distance(*s, q),
        lambda s: profile_scores.tree_distance(*s, q, np.zeros(1, np.int64), np.array([-1]), np.zeros(1)),
    ):
        values = scored(found, told, score)
        assert np.isnan(values[0])
        assert not np.isnan(values[1])
