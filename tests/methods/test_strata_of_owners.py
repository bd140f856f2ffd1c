"""Figures of a stratum that are kept or shown rest on enough contributors: records of one owner count once."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import TooFewContributors, TooFewRecords
from tarnkappe.errors.exchange import NoPartner
from tarnkappe.errors.masking import NotRestored, TooFewComplete, TotalsTell, TotalsUndo
from tarnkappe.errors.selection import StillAlone
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Role

SMALL = 24
"""Records of the stratum that is looked at; the other one has many owners."""
STEPS = {
    "rotate": ({"columns": ("x", "y")}, 4, TooFewContributors),
    "redraw": ({"columns": ("x",)}, 5, TooFewContributors),
    "resample-average": ({"columns": ("x",), "at_least": 6}, 6, TooFewContributors),
    "correlated-noise exact": ({"columns": ("x", "y"), "moments": "exact"}, 4, TooFewContributors),
    "correlated-noise sample": ({"columns": ("x",), "kim": "sample"}, 4, TooFewContributors),
    "correlated-noise realised": ({"columns": ("x",), "kim": "realised"}, 4, TooFewContributors),
    "mixture-noise": ({"columns": ("x", "y")}, 3, TooFewContributors),
    "factor-noise": ({"columns": ("x",), "totals": "keep"}, 3, TotalsUndo),
    "round": ({"columns": ("x",), "base": 7.0, "totals": "keep"}, 3, TotalsTell),
    "sullivan": ({"columns": ("x", "y"), "unprotected": "suppress"}, 3, TooFewContributors),
    "shuffle": ({"columns": ("x",), "given": ("y",), "k": 4}, 4, NoPartner),
    "swap": ({"columns": ("x", "y")}, 3, NoPartner),
    "swap joint": ({"columns": ("x", "y"), "joint": True, "near": ("x",)}, 3, NoPartner),
    "half-swap": ({"columns": ("x",)}, 3, NoPartner),
    "rank-swap": ({"columns": {"x": {"percent": 20}}}, 3, NoPartner),
    "covariance-swap": ({"columns": ("x", "y"), "tolerance": 0.3}, 3, NoPartner),
    "mdav": ({"columns": ("x", "y"), "k": 4}, 4, TooFewContributors),
    "restore-variance": (
        {"columns": ("x",), "step": {"use": "microdata.noise", "columns": ("x",), "signs": "free"}},
        4,
        NotRestored,
    ),
}


def step(name, **more):
    cls = catalogue[f"microdata.{name.split()[0]}"]
    return build(cls, {**STEPS[name][0], "within": ("s",), **more})


def firms(owners=None, seed=3):
    """A stratum with many owners, and one whose owners are given; without them nobody owns anything."""
    g = np.random.default_rng(seed)
    n = 60 + SMALL
    x = 100 + 10 * g.normal(size=n)
    columns = {
        "x": Column.numbers_of(x),
        "y": Column.numbers_of(x + 10 * g.normal(size=n)),
        "s": Column.texts_of(["a"] * 60 + ["b"] * SMALL),
    }
    if owners is None:
        return Microdata(columns)
    names = [f"other {i}" for i in range(60)] + [None if o is None else f"O{o}" for o in owners]
    return Microdata({**columns, "o": Column.texts_of(names)}, {Role.OWNER: ("o",)})


def shared(people):
    """The records of the small stratum, dealt out to so many owners."""
    return np.arange(SMALL) % people


def done(method, data):
    return apply_step(method, data, stream("a secret", method.id))


@pytest.mark.parametrize("name", STEPS)
def test_a_stratum_of_too_few_owners_is_refused(name):
    _, needed, error = STEPS[name]
    assert len(done(step(name), firms())) == 60 + SMALL, "nobody owns several records"
    assert len(done(step(name), firms(shared(needed)))) == 60 + SMALL
    assert len(done(step(name), firms([None] * SMALL))) == 60 + SMALL, "each counts for itself"
    for owners in (shared(1), shared(2), shared(needed - 1), [*shared(needed - 2)[:-1], None]):
        with pytest.raises(error) as caught:
            done(step(name), firms(owners))
        said = caught.value.text("en") + caught.value.text("de")
        assert "O0" not in said and "other 1" not in said
        if error is not NoPartner:
            assert "contributor" in caught.value.what.en and "Beitragende" in caught.value.what.de


@pytest.mark.parametrize("name", STEPS)
def test_all_of_one_owner(name):
    data = firms(shared(1)).take(np.arange(60, 60 + SMALL))
    with pytest.raises(STEPS[name][2]) as caught:
        done(step(name, within=()), data)
    assert caught.value.exit_code in (2, 3)


@pytest.mark.parametrize("name", [n for n in STEPS if "too_small" in type(step(n)).model_fields])
def test_what_too_few_owners_have_is_suppressed_where_asked(name):
    needed = STEPS[name][1]
    after = done(step(name, too_small="suppress"), firms(shared(needed - 1)))
    for column in step(name).columns:
        assert after.column(column).suppressed[60:].all()
        assert after.column(column).observed[:60].all()
    after = done(step(name, too_small="suppress"), firms(shared(needed)))
    assert after.column("x").observed.all()


@pytest.mark.parametrize("name", [n for n in STEPS if n != "mdav"])
def test_claims_count_owners_too(name):
    """The step itself is done without knowing the owners."""
    method, needed = step(name), STEPS[name][1]
    after = done(method, firms())
    for people in (needed - 1, needed):
        data = firms(shared(people))
        told = data.with_columns({n: after.column(n) for n in after.names})
        broken = [claim.says for claim in broken_claims(method, data, told)]
        assert [("contributor" in says.en, "Beitragende" in says.de) for says in broken] == [(True, True)] * (
            people < needed
        )


def test_without_owners_records_are_spoken_of():
    few = firms().take(np.array([*range(60), 60, 61]))
    for name in ("rotate", "resample-average", "mdav"):
        with pytest.raises(TooFewRecords, match=r"groups of \d records"):
            done(step(name), few)
    for name in ("redraw", "correlated-noise realised"):
        with pytest.raises(TooFewComplete, match="records without gaps"):
            done(step(name), few)
    with pytest.raises(TooFewRecords, match=r"groups of 4 records"):  # that is what was asked for
        done(step("mdav", by="records"), firms(shared(4)).take(np.array([*range(60), 60, 61])))


def test_gaps_leave_fewer_owners():
    """Who has no value in a stratum does not count there."""
    data = firms([0] * (SMALL - 3) + [1, 2, 3])
    gap = np.zeros(len(data), dtype=np.bool_)
    gap[-2:] = True
    hidden = data.with_columns({"x": data.column("x").suppress(gap)})
    for name in STEPS:
        if STEPS[name][1] == 3:
            assert len(done(step(name), data) if name != "factor-noise" else data) == len(data)
            with pytest.raises(STEPS[name][2]):
                done(step(name), hidden)


# -- what only some of them have ------------------------------------------------------------------------------------------


def test_noise_that_keeps_no_mean_asks_for_nothing():
    for more in ({"kim": "asymptotic"}, {"kim": "no"}):
        method = build(catalogue["microdata.correlated-noise"], {"columns": ("x",), "within": ("s",), **more})
        assert len(done(method, firms(shared(1)))) == 60 + SMALL
    free = build(catalogue["microdata.factor-noise"], {"columns": ("x",)})
    assert len(done(free, firms(shared(1)))) == 60 + SMALL


def test_an_owner_of_most_of_a_total():
    owners = [0] * 15 + list(range(1, SMALL - 14))
    with pytest.raises(TotalsUndo):
        done(step("factor-noise"), firms(owners))
    assert len(done(step("factor-noise"), firms([0] * 9 + list(range(1, SMALL - 8))))) == 60 + SMALL


def test_zeros_that_stay_need_nobody():
    data = firms(shared(4))
    x = data.column("x").values.copy()
    x[60:] = 0.0
    zeros = data.with_columns({"x": Column.numbers_of(x)})
    after = done(step("redraw", zeros="keep"), zeros)
    assert not after.column("x").values[60:].any()


def panel(owner_of):
    """Thirty firms in two years; `owner_of` says whose each firm is."""
    g = np.random.default_rng(4)
    firm = np.repeat(np.arange(30), 2)
    columns = {
        "x": Column.numbers_of(g.normal(size=60)),
        "year": Column.numbers_of(np.tile([1, 2], 30)),
        "firm": Column.texts_of([f"F{f}" for f in firm]),
        "o": Column.texts_of([owner_of(int(f)) for f in firm]),
    }
    return Microdata(columns, {Role.OWNER: ("o",)})


def test_units_are_shuffled_among_the_units_of_enough_owners():
    cls = catalogue["microdata.shuffle"]
    method = cls(columns=("x",), within=("year",), unit="firm", k=10)
    done(method, panel(lambda f: f"O{f % 10}"))
    done(method, panel(lambda f: f"O{max(f - 20, 0)}"))  # the first of ten has most of the firms
    done(method, panel(lambda f: None))  # a firm without an owner is one, not one for every year
    with pytest.raises(NoPartner):
        done(method, panel(lambda f: f"O{f % 9}"))
    with pytest.raises(NoPartner):
        done(method, panel(lambda f: None).take(np.arange(18)))
    left = cls(columns=("x",), within=("year",), unit="firm", k=10, too_small="leave")
    data = panel(lambda f: f"O{f % 9}")
    assert done(left, data).column("x").values.tolist() == data.column("x").values.tolist()


def test_other_units_of_an_owner_do_not_hide_the_parts_of_one():
    x = np.array([1000.0, 2, 3, 4, 5])
    data = Microdata(
        {
            "x": Column.numbers_of(x),
            "key": Column.texts_of(list("kkkkk")),
            "o": Column.texts_of(list("AAABB")),
        },
        {Role.KEY: ("key",), Role.OWNER: ("o",)},
    )
    method = build(catalogue["microdata.split"], {"columns": ("x",), "above": 100.0})
    with pytest.raises(StillAlone) as caught:
        done(method, data)
    assert caught.value.facts["count"] == 1
    assert len(done(method, data.with_roles({Role.KEY: ("key",)}))) == 7
    three = data.with_columns({"o": Column.texts_of(["A", "A", None, "B", "B"])})
    after = done(method, three)
    assert len(after) == 7
    claims = {claim.says.en for claim in broken_claims(method, data, after)}
    assert "every unit that was split shares its keys with k - 1 other contributors or more" in claims
    nothing = data.take(np.zeros(0, dtype=np.int64))
    assert len(done(method, nothing)) == 0


def test_random_data_is_treated_or_refused_with_a_code():
    g = np.random.default_rng(12)
    seen = set()
    for _ in range(60):
        n = int(g.integers(0, 40))
        columns = {
            "x": Column.numbers_of(
                np.round(g.normal(10, 3, n), 1), g.choice([0, 0, 0, 0, 1, 2], n).astype(np.uint8)
            ),
            "y": Column.numbers_of(np.round(g.normal(10, 3, n), 1)),
            "s": Column.texts_of(g.choice(["a", "b", None], n).tolist()),
            "o": Column.texts_of([f"O{o}" if o else None for o in g.integers(0, g.integers(1, 30), n)]),
        }
        data = Microdata(columns, {Role.OWNER: ("o",)})
        for name in STEPS:
            more = {"too_small": "suppress"} if "too_small" in type(step(name)).model_fields else {}
            try:
                done(step(name, within=("s",) if g.random() < 0.5 else (), **more), data)
                seen.add((name, "done"))
            except TarnkappeError as problem:
                assert problem.exit_code in (2, 3), name
                assert problem.code != "run.claim-broken", name
    assert {name for name, _ in seen} == set(STEPS)
