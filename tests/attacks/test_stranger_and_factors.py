"""The stranger's attacks on factors: they find what is planted, and nothing in what our own steps release."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tarnkappe as tk
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.seen import Fact, Seen
from tarnkappe.errors import TarnkappeError
from tarnkappe.plan.ledger import Colour
from tarnkappe.plan.policy import AttacksDescription
from tarnkappe.plan.scoring import Truth
from tarnkappe.plan.strangers import colour_of
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue, plain
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role

N, YEARS = 600, 3
NAMES = ("turnover", "employees", "investment")


def firms(seed):
    rng = np.random.default_rng(seed)
    size = np.exp(1.1 * rng.normal(size=N // YEARS)).repeat(YEARS) * np.exp(0.1 * rng.normal(size=N))
    made = {
        name: np.rint(1 + mean * size * np.exp(0.5 * rng.normal(size=N)))
        for name, mean in zip(NAMES, (90_000, 60, 4_000), strict=True)
    }
    made |= {"firm": np.arange(N // YEARS).repeat(YEARS), "year": np.tile(np.arange(YEARS), N // YEARS)}
    columns = {name: Column.numbers_of(v) for name, v in made.items()}
    return Microdata(columns, {Role.NUMERIC: NAMES, Role.UNIT: ("firm",), Role.PERIOD: ("year",)})


def scored(id, before, after, *facts):
    attempt = catalogue[id]().attempt(Seen(after.sealed(), facts))
    return Truth(before, after, {}).score(attempt, 0.01)


def exact_factor(data, unit=None):
    """As other programs multiply, and ours did before: one factor, and nothing beside it."""
    w = np.random.default_rng(5).uniform(0.5, 1.5, N)
    w = w if unit is None else w[data.column(unit).values.astype(int)]
    told = {"columns": list(NAMES), "noise": "multiplicative, uniform", "factor": {"mean": 1.0, "variance": 1 / 12}, "shared": "factor"}  # fmt: skip
    return data.with_numbers(NAMES, data.numbers(NAMES) * w[:, None]), Fact(
        9, "microdata.factor-noise", NAMES, told
    )


def stepped(data, number, id, **parameters):
    step = build(catalogue[f"microdata.{id}"], parameters)
    after = apply_step(step, data, stream("stranger", id))
    touched = tuple(n for n in after.names if n not in data.names or after.columns[n] is not data.columns[n])
    return after, Fact(number, f"microdata.{id}", touched, plain(step.tells(data, after)))


def test_a_planted_factor_is_found_and_the_told_range_gives_the_multiple():
    data = firms(1)
    found = scored("attack.simplest-fraction", data, *exact_factor(data))
    assert found.right > 0.75 * found.answers
    assert found.sure_right == pytest.approx(found.sure, abs=0.02 * found.sure)
    assert found.sure > N
    assert colour_of(found, AttacksDescription()) is Colour.REFUSED


def test_a_planted_factor_of_a_unit_is_found_from_one_column():
    data = firms(2)
    after, fact = exact_factor(data, "firm")
    data, after = (d.without(NAMES[1:]) for d in (data, after))
    found = scored("attack.simplest-fraction", data, after, Fact(9, fact.method, NAMES[:1], fact.told))
    assert found.right > 0.5 * found.answers
    assert colour_of(found, AttacksDescription()) is Colour.REFUSED


@pytest.mark.parametrize("scale", [1, 100])
def test_planted_quotients_are_found(scale):
    """As a ratio the multiple comes from two ratios over one denominator; an index tells the value in most cases where it is in lowest terms."""
    data = firms(3)
    x = dict(zip(NAMES, data.numbers(NAMES).T, strict=True))
    if scale == 1:
        shown = {"e": x["employees"] / x["turnover"], "i": x["investment"] / x["turnover"]}
        told = {"e": {"of": "employees", "over": "turnover"}, "i": {"of": "investment", "over": "turnover"}}
        after = data.without(NAMES).with_columns({n: Column.numbers_of(v) for n, v in shown.items()})
        found = scored("attack.simplest-fraction", data, after, Fact(1, "microdata.ratio", ("e", "i"), told))
        assert found.right > 0.7 * found.answers
    else:
        base = x["turnover"].reshape(-1, YEARS)[:, :1].repeat(YEARS, axis=1).ravel()
        after = data.without(NAMES[1:]).with_numbers(NAMES[:1], (100 * x["turnover"] / base)[:, None])
        found = scored("attack.simplest-fraction", data, after, Fact(1, "microdata.index-numbers", NAMES[:1]))
        assert found.right > 0.4 * found.answers
    assert found.answers > 300


@pytest.mark.parametrize("seed", range(3))
def test_what_our_steps_release_gives_nothing(seed):
    data = firms(seed)
    law = {"law": "uniform", "width": 0.5}
    ours = [
        stepped(data, 1, "factor-noise", columns=NAMES, factors=law, shared="factor", unit=("firm",)),
        stepped(data, 1, "ratio", into={"e": {"of": "employees", "over": "turnover"}, "i": {"of": "investment", "over": "turnover"}}, leak="masked-later"),
        stepped(data, 1, "index-numbers", columns=NAMES, unit="firm", period="year", base="0"),
    ]  # fmt: skip
    for after, fact in ours:
        found = scored("attack.simplest-fraction", data, after, fact)
        assert colour_of(found, AttacksDescription()) is Colour.CLEAR, fact.method
        assert found.right <= 0.005 * max(found.answers, N)


def test_a_limit_under_a_shared_factor_gives_the_other_columns_away():
    data = firms(4)
    coded, first = stepped(data, 1, "top-bottom-code", columns=("turnover",), upper={"share": 0.05})
    after, second = exact_factor(coded, "firm")
    found = scored("attack.told-constants", data, after, first, second)
    assert found.sure_right == found.sure > 30
    assert colour_of(found, AttacksDescription()) is Colour.REFUSED
    masked, noise = stepped(data, 1, "factor-noise", columns=NAMES, factors={"law": "uniform", "width": 0.5}, shared="factor", unit=("firm",))  # fmt: skip
    after, limits = stepped(masked, 2, "top-bottom-code", columns=("turnover",), upper={"share": 0.05})
    assert scored("attack.told-constants", data, after, noise, limits).answers == 0


def test_directions_that_columns_share_are_only_guessed():
    data = firms(5)
    coded, first = stepped(data, 1, "top-bottom-code", columns=("turnover",), upper={"share": 0.1})
    after, second = stepped(coded, 2, "controlled-noise", columns=NAMES, unit=("firm",))
    found = scored("attack.told-constants", data, after, first, second)
    assert found.sure == 0
    assert found.answers > 50


LIMIT = """  - use: microdata.top-bottom-code
    columns: [turnover]
    upper: {share: 0.02}
"""


def test_limits_come_after_the_factor_that_columns_share(tmp_path, monkeypatch):
    """The plan of the example with a limit before its factor is refused; with the limit after it, it is released."""
    monkeypatch.setenv("TARNKAPPE_SECRET_ZEW_MIP", "c20e7d51b84fa3960d7c15e2fb493a86")
    tk.to_frame(tk.EXAMPLES["enterprises"](2000)).write_csv(tmp_path / "enterprises.csv")
    plan = (Path(__file__).parents[2] / "examples" / "recipes" / "zew-mip.yaml").read_text("utf-8")
    (tmp_path / "before.yaml").write_text(plan.replace("  # 8. One", LIMIT + "  # 8. One"), "utf-8")
    (tmp_path / "after.yaml").write_text(plan.replace("release_if:", LIMIT + "release_if:"), "utf-8")
    with pytest.raises(TarnkappeError):
        tk.release(tk.check_file(tmp_path / "before.yaml"), tmp_path / "before")
    assert not (tmp_path / "before").exists()
    done = tk.release(tk.check_file(tmp_path / "after.yaml"), tmp_path / "after")
    assert (tmp_path / "after" / "data.csv").exists()
    assert "turnover_limit" in done.after.names
