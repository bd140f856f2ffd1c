"""Whole numbers behind quotients: strangers who have nothing but a release and know that the originals are whole numbers.

The fractions are looked for with a Stern-Brocot walk of its own, the multiples with the told range of the factor. Originals are used for scoring only. What an
attacker gets by guessing at all is measured on releases in which nothing has a quotient left: columns that each have factors of their own.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from shutil import copy

import numpy as np
import polars as pl
import pytest

import tarnkappe as tk
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step

RECIPES = Path(__file__).parents[2] / "examples" / "recipes"
WIDTHS = (4e-16, 1e-12, 1e-9, 1e-7, 1e-5, 5e-5, 1e-3, 0.01, 0.04)
YEARS = 4


def firms(seed, n=150, scale=1):
    """A panel of firms with log-normal whole numbers; with `scale` amounts are in hundreds, say."""
    rng = np.random.default_rng(seed)
    size = np.exp(2 + 1.2 * rng.normal(size=n)).repeat(YEARS) * np.exp(0.15 * rng.normal(size=n * YEARS))

    def whole(mean, spread):
        return np.rint(1 + mean * size * np.exp(spread * rng.normal(size=n * YEARS))) * scale

    columns = {"turnover": whole(120, 0.6), "employees": whole(2, 0.4), "investment": whole(8, 0.9)}
    return Microdata(
        {n: Column.numbers_of(v) for n, v in columns.items()}
        | {"firm": Column.numbers_of(np.arange(n).repeat(YEARS)), "year": Column.numbers_of(np.tile(np.arange(YEARS), n))}
    )  # fmt: skip


def masked(data, id, secret="fractions", **parameters):
    return apply_step(build(catalogue[f"microdata.{id}"], parameters), data, stream(secret, id))


def simplest(r, width):
    """The fraction with the smallest terms within this relative distance, by the Stern-Brocot tree in stretches."""
    low, high = Fraction(r) * (1 - Fraction(width)), Fraction(r) * (1 + Fraction(width))
    terms = []
    while True:
        whole = low.numerator // low.denominator
        if whole == low or whole + 1 <= high:
            terms.append(whole if whole == low else whole + 1)
            break
        terms.append(whole)
        low, high = 1 / (high - whole), 1 / (low - whole)
    found = Fraction(terms.pop())
    while terms:
        found = terms.pop() + 1 / found
    return found


def multiples(fraction, shown, least, most):
    """Numerators that the told range of a factor leaves: shown / most to shown / least, in steps of the fraction."""
    first = int(np.ceil(shown / most / fraction.numerator - 1e-9))
    last = int(np.floor(shown / least / fraction.numerator + 1e-9))
    return [k * fraction.numerator for k in range(max(first, 1), min(last, first + 50) + 1)]


def pairs_found(a, b, true_a, true_b, bounds=(0.48, 1.53)):
    """Best over all widths: how many records of which an attacker, taking the smallest multiple that fits, has both numbers; and of how many he is sure and right."""
    best = sure = 0
    for width in WIDTHS:
        hits = certain = 0
        for y, z, x, v in zip(a, b, true_a, true_b, strict=True):
            if min(y, z) > 0:
                near = simplest(y / z, width)
                left = multiples(near, y, *bounds)
                right = bool(left) and left[0] == x and left[0] * near.denominator == v * near.numerator
                hits += right
                certain += right and len(left) == 1
        best, sure = max(best, hits), max(sure, certain)
    return best, sure


def chance(data, one, other, secret):
    """What the same attacker gets where every column has factors of its own."""
    law = {"law": "uniform", "width": 0.5}
    after = masked(data, "factor-noise", secret, columns=(one, other), factors=law, shared="nothing")
    return pairs_found(*(d.column(n).numbers() for d in (after, data) for n in (one, other)))[0]


def common_denominators(quotients, true, scale=1.0):
    """Best over all widths: how many units have the smallest number of which all their quotients are multiples as their true denominator."""
    best = 0
    for width in WIDTHS[:7]:
        hits = 0
        for row, d in zip(quotients, true, strict=True):
            parts = [simplest(r / scale, width).denominator for r in row if r > 0]
            hits += bool(parts) and np.lcm.reduce(np.array(parts, dtype=object)) == d
        best = max(best, hits)
    return best


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("whole", ["decimals", "nearest"])
def test_columns_that_share_a_factor(seed, whole):
    data, names = firms(seed), ("turnover", "employees", "investment")
    law = {"law": "uniform", "width": 0.5}
    after = masked(
        data, "factor-noise", columns=names, factors=law, shared="factor", unit=("firm",), whole=whole
    )
    x, y = data.numbers(names), after.numbers(names)
    for j, k in ((0, 1), (2, 0), (1, 2)):
        hits, sure = pairs_found(y[:, j], y[:, k], x[:, j], x[:, k])
        assert hits <= chance(data, names[j], names[k], "control") + 0.02 * len(data), (names[j], names[k])
        assert sure <= 0.02 * len(data)


@pytest.mark.parametrize(("seed", "name"), [(3, "turnover"), (4, "employees"), (5, "investment")])
def test_periods_that_share_a_factor(seed, name):
    """The first and the last year of every firm; nothing but one column and the unit is released."""
    data = firms(seed, n=400)
    law = {"law": "normal", "s": 0.15, "smallest": 0.05, "largest": 0.4}
    after = masked(data, "factor-noise", columns=(name,), factors=law, shared="factor", unit=("firm",))
    x, y = (d.column(name).numbers().reshape(-1, YEARS) for d in (data, after))
    hits, sure = pairs_found(y[:, 0], y[:, -1], x[:, 0], x[:, -1], (0.58, 1.43))
    guessed, _ = pairs_found(y[:, 0], np.roll(y[:, -1], 1), x[:, 0], x[:, -1], (0.58, 1.43))
    assert hits <= guessed + 0.03 * len(x)
    assert sure <= 0.01 * len(x)


@pytest.mark.parametrize("seed", [15, 16])
def test_an_attacker_who_knows_the_program_is_never_sure_of_a_small_count(seed):
    """Every common factor that the law allows is tried, with all whole numbers that fit each year: more than one is left of every value."""
    data = firms(seed, n=60)
    law, name = {"law": "uniform", "width": 0.5}, "employees"
    after = masked(data, "factor-noise", columns=(name,), factors=law, shared="factor", unit=("firm",))
    x, y = (d.column(name).numbers().reshape(-1, YEARS) for d in (data, after))
    k = np.arange(1, 200)
    reach = np.minimum(1.5, k - 0.5)
    for true, shown in zip(x, y, strict=True):
        left = np.zeros((YEARS, len(k)), dtype=bool)
        for w in np.linspace(0.5, 1.5, 400):
            fits = ((k - reach) * 0.98 * w <= shown[:, None]) & (shown[:, None] <= (k + reach) * 1.02 * w)
            left |= fits & fits.any(axis=1).all()
        small = true < 40
        assert (left.sum(axis=1)[small] > 1).all()
        assert left[np.flatnonzero(small), true[small].astype(int) - 1].all(), "the truth is among them"


@pytest.mark.parametrize(("seed", "scale"), [(6, 1), (7, 1), (8, 100), (9, 0.01)])
def test_ratios_whatever_becomes_of_the_denominator(seed, scale):
    """The denominator was dropped, rounded, averaged or multiplied: the ratios alone must not give it, nor the amounts."""
    data = firms(seed, scale=scale)
    into = {f"{n}_share": {"of": n, "over": "turnover"} for n in ("employees", "investment")}
    after = masked(data, "ratio", into=into, leak="masked-later")
    turnover = np.rint(data.column("turnover").numbers() / scale)
    both = after.numbers(tuple(into))
    assert common_denominators(both, turnover) <= 0.01 * len(data)
    for name, r in zip(("employees", "investment"), both.T, strict=True):
        amount = np.rint(data.column(name).numbers() / scale)
        for width in WIDTHS[:7]:
            near = [simplest(one, width) for one in r]
            right = [
                f.numerator == n and f.denominator == d
                for f, n, d in zip(near, amount, turnover, strict=True)
            ]
            assert np.mean(right) <= 0.01


def test_ratios_of_numbers_that_people_have_rounded():
    """Two amounts in three end with two zeros: these are counted in hundreds."""
    data = firms(10, n=200)
    rng = np.random.default_rng(1)
    rough = {
        n: Column.numbers_of(np.where(rng.random(len(data)) < 2 / 3, np.ceil(v / 100) * 100, v))
        for n in ("turnover", "investment")
        for v in [data.column(n).numbers() * 100 + 37]
    }
    data = data.with_columns(rough)
    after = masked(
        data, "ratio", into={"share": {"of": "investment", "over": "turnover"}}, leak="masked-later"
    )
    r, found = after.column("share").numbers(), 0
    for width in WIDTHS[:7]:
        near = [simplest(one, width) for one in r]
        found = max(found, np.mean([
            f.numerator * 100 == n and f.denominator * 100 == d
            for f, n, d in zip(near, data.column("investment").numbers(), data.column("turnover").numbers(), strict=True)
        ]))  # fmt: skip
    assert found <= 0.02


@pytest.mark.parametrize("seed", range(11, 14))
def test_index_numbers_do_not_tell_their_base(seed):
    data = firms(seed, n=400)
    names = ("turnover", "employees", "investment")
    after = masked(data, "index-numbers", columns=names, unit="firm", period="year", base="0")
    for name in names:
        x, y = (d.column(name).numbers().reshape(-1, YEARS) for d in (data, after))
        assert (y[:, 0] == 100).all()
        small = np.mean(x[:, 0] <= 3)
        assert common_denominators(y[:, 1:], x[:, 0], 100.0) <= (0.01 + small) * len(x), name
        assert np.median(np.abs(y[:, -1] / 100 * x[:, 0] - x[:, -1])) <= 1.0, "developments are kept"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("recipes")
    tk.to_frame(tk.EXAMPLES["enterprises"](2000)).write_csv(made / "enterprises.csv")
    return made


def shipped(folder, name, monkeypatch):
    """What the release of a recipe shows, as its files have it, and the true values of its records."""
    monkeypatch.setenv(
        f"TARNKAPPE_SECRET_{name.upper().replace('-', '_')}", "c20e7d51b84fa3960d7c15e2fb493a86"
    )
    copy(RECIPES / f"{name}.yaml", folder)
    done = tk.release(tk.check_file(folder / f"{name}.yaml"), folder / name)
    shown = pl.read_csv(folder / name / "data.csv", null_values=["", "."], infer_schema_length=None)
    return shown, pl.read_csv(folder / "enterprises.csv")[done.after.rows.tolist()]


def numbers(frame, name):
    return frame[name].cast(pl.Float64, strict=False).fill_null(0.0).to_numpy()


def test_the_shipped_example(folder, monkeypatch):
    """zew-mip: turnover and employees with a factor in common, and the intensity over the true turnover."""
    shown, truth = shipped(folder, "zew-mip", monkeypatch)
    y, z, x, v = (numbers(f, n) for f in (shown, truth) for n in ("turnover", "employees"))
    hits, sure = pairs_found(y, z, x, v)
    guessed, _ = pairs_found(y, np.roll(z, 1), x, v)
    assert hits <= guessed + 0.01 * len(x)
    assert sure <= 0.002 * len(x)
    amount, intensity = numbers(truth, "investment"), numbers(shown, "investment_intensity")
    for width in WIDTHS:
        right = [
            r > 0 and (f := simplest(r, width)).numerator == n and f.denominator == d
            for r, n, d in zip(intensity, amount, x, strict=True)
        ]
        assert np.mean(right) <= 0.005


def test_the_recipe_of_index_numbers(folder, monkeypatch):
    shown, truth = shipped(folder, "panel-index-numbers", monkeypatch)
    first = truth.filter(pl.col("year") == 2021).select(
        "unit_id", pl.col("^(turnover|employees|investment|profit)$").name.suffix("_base")
    )
    truth = truth.join(first, on="unit_id", how="left", maintain_order="left")
    for name in ("turnover", "employees", "investment", "profit"):
        r, n, d = numbers(shown, name), numbers(truth, name), numbers(truth, f"{name}_base")
        told = (r > 0) & (r != 100) & (n > 3) & (d > 3)
        for width in WIDTHS[:7]:
            near = [simplest(one / 100, width) for one in r[told]]
            right = [
                f.numerator == a and f.denominator == b
                for f, a, b in zip(near, n[told], d[told], strict=True)
            ]
            assert np.mean(right) <= 0.01, name
