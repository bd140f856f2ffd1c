"""Means of small groups with zeros, attacked by whoever multiplies what is shown by the number of records that show it.

Where all others of a group have zero, the product is the original. The attacker sees the release alone; the truth is used to count.
"""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewRecords
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role

N = 600
NAMES = ("turnover", "exports", "research")


def firms(seed=1):
    """Exports are zero in most firms, research in nine of ten."""
    g = np.random.default_rng(seed)
    size = np.exp(1.4 * g.normal(size=N)) * 1000
    columns = {}
    for name, zeros in zip(NAMES, (0.0, 0.6, 0.9), strict=True):
        values = np.rint(size * np.exp(0.5 * g.normal(size=N))) + 1
        values[g.random(N) < zeros] = 0
        columns[name] = values
    return columns


def held(columns, **more):
    return Microdata({n: Column.numbers_of(v) for n, v in columns.items()}, **more)


def multiplied(before, after, names):
    """Right guesses, and the guesses: number of equal records times what they show, for every record that shows no zero."""
    shown = np.column_stack([after.column(n).numbers() for n in names])
    _, of, size = np.unique(shown, axis=0, return_inverse=True, return_counts=True)
    right = tried = 0
    for j, name in enumerate(names):
        truth, guess = before[name], size[of.ravel()] * shown[:, j]
        there = np.isfinite(guess) & (guess != 0)
        right += int(np.count_nonzero(there & (np.abs(guess - truth) <= 1e-9 * np.abs(truth))))
        tried += int(np.count_nonzero(there))
    return right, tried


def test_the_attack_works_on_plain_groups_of_three():
    """Control: groups of neighbours in turnover, averaged without any care."""
    x = firms()
    order = np.argsort(x["turnover"])
    plain = {}
    for name, values in x.items():
        plain[name] = np.empty(N)
        plain[name][order] = np.repeat(values[order].reshape(-1, 3).mean(axis=1), 3)
    right, _ = multiplied(x, held(plain), NAMES)
    assert right > 50


@pytest.mark.parametrize(
    ("id", "how"),
    [
        ("mdav", {}),
        ("axis-average", {}),
        ("axis-average", {"sizes": "fixed", "axis": "file"}),
        ("cluster-average", {}),
        ("random-average", {}),
        ("category-average", {}),
    ],
)
def test_group_size_times_mean_is_nobodys_value(id, how):
    x = firms()
    step = catalogue[f"microdata.{id}"](columns=NAMES, **how)
    after = apply_step(step, held(x), stream("any"))
    right, tried = multiplied(x, after, NAMES)
    assert tried > 500
    assert right == 0
    for name in NAMES:
        assert after.column(name).numbers().sum() == pytest.approx(x[name].sum(), rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sizes", ["optimal", "fixed"])
def test_neighbours_in_rank_likewise(name, sizes):
    x = firms()
    after = apply_step(
        catalogue["microdata.rank-average"](columns=(name,), sizes=sizes), held(x), stream("any")
    )
    assert multiplied(x, after, (name,))[0] == 0


def test_firms_of_one_owner_are_one_value_beside_zeros():
    """Of three firms with exports in a group two are one owner's: their sum would be known to the third."""
    x = firms(3)
    g = np.random.default_rng(5)
    owner = np.where(g.random(N) < 0.5, g.integers(0, 40, N), 1000 + np.arange(N))
    data = Microdata(
        {**{n: Column.numbers_of(x[n]) for n in NAMES}, "owner": Column.texts_of([f"o{i}" for i in owner])},
        roles={Role.OWNER: ("owner",)},
    )
    after = apply_step(catalogue["microdata.mdav"](columns=NAMES), data, stream("any"))
    shown = np.column_stack([after.column(n).numbers() for n in NAMES])
    of = np.unique(shown, axis=0, return_inverse=True)[1].ravel()
    for name in NAMES:
        for group in range(of.max() + 1):
            with_value = owner[(of == group) & (x[name] != 0)]
            assert len(set(with_value)) not in (1, 2)


def test_whole_units_likewise():
    """Over two years the units of a group come together; in each year and column three or none have another value than zero."""
    a, b = firms(7), firms(8)
    data = Microdata(
        {
            **{n: Column.numbers_of(np.concatenate([a[n], b[n]])) for n in NAMES},
            "firm": Column.texts_of([f"f{i}" for i in range(N)] * 2),
            "year": Column.texts_of(["1"] * N + ["2"] * N),
        }
    )
    step = catalogue["microdata.mdav"](columns=NAMES, within=("year",), unit=("firm",))
    after = apply_step(step, data, stream("any"))
    for year, x in (("1", a), ("2", b)):
        part = after.column("year").texts() == year
        shown = {n: after.column(n).numbers()[part] for n in NAMES}
        assert multiplied(x, held(shown), NAMES)[0] == 0


def test_what_only_two_of_a_stratum_have_is_refused_or_suppressed():
    x = firms()
    x["research"] = np.zeros(N)
    x["research"][[5, 300]] = (1234.0, 5678.0)
    with pytest.raises(TooFewRecords):
        apply_step(catalogue["microdata.mdav"](columns=NAMES), held(x), stream("any"))
    step = catalogue["microdata.mdav"](columns=NAMES, too_small="suppress")
    after = apply_step(step, held(x), stream("any"))
    hidden = after.column("research").suppressed
    assert hidden[[5, 300]].all()
    assert not after.column("research").numbers()[~hidden].any()
    assert not after.column("turnover").suppressed.any()
