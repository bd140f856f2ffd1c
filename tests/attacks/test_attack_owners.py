"""Attacks from inside: an owner of several records knows all of them, and takes them off what is shown or told of a class or stratum.

The attackers share no code with what they attack: they see the released cells, the page for receivers and their own records. Each attack is
shown to work where the office did not say who owns what; otherwise its failure would prove nothing.
"""

from __future__ import annotations

import numpy as np
import pytest

import tarnkappe.spec
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role

SECRET = "the secret of the office that no attacker has"


def firms(x, owners, strata=None, *, known=True):
    """Firms with their owners; `known` says whether the office has told Tarnkappe of them."""
    columns = {
        "x": Column.numbers_of(np.asarray(x)),
        "o": Column.texts_of([str(o) for o in owners]),
        "s": Column.texts_of([str(s) for s in (strata if strata is not None else [0] * len(owners))]),
    }
    return Microdata(columns, {Role.OWNER: ("o",)} if known else {})


def released(data, id_, **parameters):
    """What leaves the house: the cells of x, and what receivers are told."""
    step = tarnkappe.spec.catalogue[id_](**parameters)
    after = apply_step(step, data, stream(SECRET, id_))
    return after.sealed().column("x"), step.tells(data, after)


def totals_worked_out(shown, groups, owners, own_values):
    """Every owner in turn takes the own records off the sum of what a group shows; where one other is left, that is his total.

    `own_values[i]` is used for the records of the attacker only.
    """
    found = {}
    for group in set(groups):
        here = [i for i, g in enumerate(groups) if g == group and shown[i] is not None]
        for insider in {owners[i] for i in here}:
            others = {owners[i] for i in here} - {insider}
            if len(others) == 1:
                total = sum(shown[i] for i in here) - sum(own_values[i] for i in here if owners[i] == insider)
                found[group, others.pop()] = total
    return found


def hits(found, groups, owners, truth):
    """How many of the totals are right to a thousandth."""
    right = 0
    for (group, victim), total in found.items():
        here = [i for i, g in enumerate(groups) if g == group and owners[i] == victim]
        right += abs(total - sum(truth[i] for i in here)) <= 1e-3 * abs(sum(truth[i] for i in here))
    return right


def numbers(column):
    return [None if text is None else float(text) for text in column.texts()]


# -- means of classes -----------------------------------------------------------------------------------------------------


def holding(seed, n=60):
    """Many small owners, and a large one who has four of five firms that are large."""
    g = np.random.default_rng(seed)
    x = np.round(np.exp(g.normal(4, 1, n)), 2)
    owners = [f"small {i}" for i in range(n)]
    for rank, i in enumerate(np.argsort(-x)[: n // 2]):
        if rank % 5:
            owners[i] = "the holding"
    return x, owners


@pytest.mark.parametrize(
    "parameters",
    [
        {"into": {"quantiles": 10}, "show": "mean"},
        {"into": {"cuts": [60, 90, 150]}, "show": "mean"},
        {"into": {"width": 10, "at_least": 3}, "show": "mean"},
    ],
)
def test_a_holding_cannot_take_its_units_off_the_mean_of_a_class(parameters):
    attacked = 0
    for seed in range(10):
        x, owners = holding(seed)
        shown = numbers(
            released(firms(x, owners, known=False), "microdata.band", columns=("x",), **parameters)[0]
        )
        attacked += hits(totals_worked_out(shown, shown, owners, x), shown, owners, x)
        try:
            column, _ = released(firms(x, owners), "microdata.band", columns=("x",), **parameters)
        except TarnkappeError as refusal:
            assert refusal.code in {"classes.too-small", "classes.none"}
            continue
        shown = numbers(column)
        assert totals_worked_out(shown, shown, owners, x) == {}
    assert attacked >= 5, "where owners are not known, the attack must succeed"


def test_merging_by_owners_leaves_classes_to_show():
    x, owners = holding(1)
    column, told = released(
        firms(x, owners), "microdata.band", columns=("x",), into={"width": 10, "at_least": 3}, show="mean"
    )
    assert len(set(column.texts())) == len(told["classes"]["x"]["limits"]) + 1 > 3


# -- moments that are told ------------------------------------------------------------------------------------------------


def factor_worked_out(told, shown, x, owners, insider):
    """The mean of all factors times their number, less those the insider knows from the own records."""
    mine = [s / v for s, v, o in zip(shown, x, owners, strict=True) if o == insider]
    return told["factor"].get("mean", 1.0) * len(x) - sum(mine)


def test_the_mean_of_factors_does_not_tell_an_owner_the_last_one():
    off = {False: [], True: []}
    for seed in range(12):
        x = np.exp(np.random.default_rng(seed).normal(5, 1, 120))
        owners = ["the holding"] * 119 + ["victim"]
        for known in (False, True):
            column, told = released(
                firms(x, owners, known=known), "microdata.controlled-noise", columns=("x",)
            )
            shown = numbers(column)
            guess = shown[-1] / factor_worked_out(told, shown, x, owners, "the holding")
            off[known].append(abs(guess / x[-1] - 1))
    assert np.median(off[False]) < 0.005, "where owners are not known, the attack must succeed"
    assert np.median(off[True]) > 0.05


# -- totals of strata that are kept -----------------------------------------------------------------------------------------

KEEPING = {
    "microdata.rotate": {},
    "microdata.correlated-noise": {"moments": "exact"},
    "microdata.mixture-noise": {},
    "microdata.factor-noise": {"totals": "keep"},
    "microdata.shuffle": {"k": 3},
    "microdata.mdav": {"k": 3},
    "microdata.swap": {},
    "microdata.half-swap": {},
    "microdata.rank-swap": {"columns": {"x": {"percent": 30}}},
    "microdata.covariance-swap": {},
}


def branches(seed):
    """Four branches: in the first many owners, in the others a holding beside one firm, or beside two."""
    g = np.random.default_rng(seed)
    x, owners, strata = np.round(100 + 10 * g.normal(size=60), 2), [], []
    for branch, others in (("many", 15), ("one", 1), ("two", 2), ("one more", 1)):
        owners += [f"holding of {branch}" if i >= others else f"firm {i} of {branch}" for i in range(15)]
        strata += [branch] * 15
    owners[:15] = [f"firm {i} of many" for i in range(15)]
    return x, owners, strata


@pytest.mark.parametrize("id_", KEEPING)
def test_a_holding_cannot_take_its_units_off_the_total_of_a_branch(id_):
    step = {"columns": ("x",), "within": ("s",), **KEEPING[id_]}
    x, owners, strata = branches(5)
    column, _ = released(firms(x, owners, strata, known=False), id_, **step)
    shown = numbers(column)
    attacked = totals_worked_out(shown, strata, owners, x)
    firms_hit = {k: v for k, v in attacked.items() if k[1].startswith("firm")}
    assert hits(firms_hit, strata, owners, x) == 2, "where owners are not known, the attack must succeed"
    with pytest.raises(TarnkappeError) as refused:
        released(firms(x, owners, strata), id_, **step)
    assert refused.value.code in {
        "data.too-few-contributors",
        "masking.totals-undo",
        "exchange.no-partner",
    }


@pytest.mark.parametrize("id_", ["microdata.rotate", "microdata.shuffle", "microdata.mdav"])
def test_where_branches_of_a_holding_are_suppressed_nothing_is_left_to_take_off(id_):
    x, owners, strata = branches(6)
    step = {"columns": ("x",), "within": ("s",), "too_small": "suppress", **KEEPING[id_]}
    shown = numbers(released(firms(x, owners, strata), id_, **step)[0])
    assert totals_worked_out(shown, strata, owners, x) == {}
    few = ("one", "one more", "two") if id_ == "microdata.rotate" else ("one", "one more")
    assert [v is None for v in shown] == [s in few for s in strata], "the others are shown"


def test_the_parts_of_a_unit_cannot_be_added_up_by_its_keys():
    x = np.array([5000.0, 20, 30, 40, 50, 60, 70])
    owners, keys = ["victim", "victim", "victim", "A", "B", "C", "D"], ["k", "k", "k", "l", "l", "l", "l"]
    data = {known: firms(x, owners, keys, known=known) for known in (False, True)}
    step = {"columns": ("x",), "above": 1000.0, "keys": ("s",)}
    method = tarnkappe.spec.catalogue["microdata.split"](**step)
    after = apply_step(method, data[False], stream(SECRET, method.id)).sealed()
    parts = after.column("x").values[after.column("s").texts() == "k"]
    assert parts.sum() == pytest.approx(x[:3].sum()), "where owners are not known, the attack must succeed"
    with pytest.raises(TarnkappeError) as refused:
        apply_step(method, data[True], stream(SECRET, method.id))
    assert refused.value.code == "method.still-alone"


def test_a_draw_of_one_owner_does_not_tell_his_level():
    """Draws and averages of order statistics of many records of one owner have his mean, if not exactly."""
    g = np.random.default_rng(9)
    x = np.concatenate([g.normal(100, 5, 200), g.normal(900, 5, 200)])
    owners, strata = [f"O{i}" for i in range(200)] + ["victim"] * 200, ["a"] * 200 + ["b"] * 200
    for id_ in ("microdata.redraw", "microdata.resample-average"):
        step = {"columns": ("x",), "within": ("s",)}
        shown = numbers(released(firms(x, owners, strata, known=False), id_, **step)[0])
        assert np.mean(shown[200:]) == pytest.approx(x[200:].mean(), rel=5e-3), "the attack must succeed"
        with pytest.raises(TarnkappeError) as refused:
            released(firms(x, owners, strata), id_, **step)
        assert refused.value.code == "data.too-few-contributors"
