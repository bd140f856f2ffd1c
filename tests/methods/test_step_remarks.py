"""Remarks of steps: said where the sources ask for a warning, and only there; no value of a record in them."""

from collections import Counter

import numpy as np
import pytest

from tarnkappe.data.column import SUPPRESSED, Column
from tarnkappe.data.hierarchy_builders import from_digits
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata.band import Band
from tarnkappe.methods.microdata.controlled_noise import ControlledNoise
from tarnkappe.methods.microdata.correlated_noise import CorrelatedNoise
from tarnkappe.methods.microdata.drop import Drop
from tarnkappe.methods.microdata.factor_noise import FactorNoise
from tarnkappe.methods.microdata.generalise import Generalise
from tarnkappe.methods.microdata.local_suppression import LocalSuppression
from tarnkappe.methods.microdata.log_noise import LogNoise
from tarnkappe.methods.microdata.mdav import Mdav
from tarnkappe.methods.microdata.mixture_noise import MixtureNoise
from tarnkappe.methods.microdata.mondrian import Mondrian
from tarnkappe.methods.microdata.noise import Noise
from tarnkappe.methods.microdata.random_average import RandomAverage
from tarnkappe.methods.microdata.rank_average import RankAverage
from tarnkappe.methods.microdata.redraw import Redraw
from tarnkappe.methods.microdata.restore_variance import RestoreVariance
from tarnkappe.methods.microdata.rotate import Rotate
from tarnkappe.methods.microdata.safe_average import SafeAverage
from tarnkappe.methods.microdata.sample import Sample
from tarnkappe.methods.microdata.shuffle import Shuffle
from tarnkappe.methods.microdata.spread_average import SpreadAverage
from tarnkappe.methods.microdata.step_remarks import lone_cells
from tarnkappe.methods.microdata.suppress_cells import SuppressCells
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Role


def file(n=400, seed=1):
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    columns = {f"near{j}": size + 0.3 * rng.normal(size=n) for j in range(3)}
    columns |= {f"far{j}": rng.normal(size=n) for j in range(5)}
    return Microdata({name: Column.numbers_of(x) for name, x in columns.items()})


def said(method, data):
    after = apply_step(method, data, stream("any"))
    return [remark.en for remark in method.remarks(data, after)]


def test_averages_of_columns_that_have_nothing_in_common():
    assert said(Mdav(columns=("near0", "near1"), k=3), file()) == []
    (remark,) = said(Mdav(columns=("far0", "far1"), k=3), file())
    assert "far0, far1" in remark
    assert said(Mdav(columns=("far0",), k=3), file()) == []


@pytest.mark.parametrize("method", [RankAverage, SafeAverage, SpreadAverage])
def test_columns_averaged_by_themselves_leave_the_k_that_they_leave(method):
    """The office learns the k of the combination; which columns were averaged together needs no such remark."""
    data = Microdata(
        {
            "x": Column.numbers_of(np.arange(1.0, 13)),
            "z": Column.numbers_of(np.array([1.0, 12, 3, 10, 5, 8, 7, 6, 9, 4, 11, 2])),
        }
    )
    after = apply_step(method(columns=("x", "z"), k=4), data, stream("any"))
    rows = Counter(map(tuple, after.numbers(("x", "z")).tolist()))
    (remark,) = said(method(columns=("x", "z"), k=4), data)
    alone = sum(count == 1 for count in rows.values())
    assert f"by {min(rows.values())} records" in remark and f"{alone} records share" in remark
    assert said(method(columns=("x",), k=4), data) == []
    assert said(SpreadAverage(columns=("x", "z"), grouping="records", signs="free"), data) == []


def test_shuffling_by_columns_that_tell_nothing():
    assert said(Shuffle(columns=("near0",), given=("near1", "far0")), file(4000)) == []
    (remark,) = said(Shuffle(columns=("near0", "far1"), given=("near1",)), file(4000))
    assert "far1" in remark and "near0" not in remark
    assert said(Shuffle(columns=("near0",)), file()) == []


@pytest.mark.parametrize("noise", [Noise, CorrelatedNoise])
def test_noise_on_many_columns(noise):
    names = tuple(f"far{j}" for j in range(5))
    assert said(noise(columns=names[:4]), file()) == []
    (remark,) = said(noise(columns=names), file())
    assert remark.startswith("5 columns")


def waves():
    """Fifty firms in four years."""
    values = np.exp(np.random.default_rng(1).normal(size=(2, 200)))
    columns = {
        "firm": Column.numbers_of(np.repeat(np.arange(50), 4)), "year": Column.numbers_of(np.tile(np.arange(4), 50)),
        "x": Column.numbers_of(values[0]), "y": Column.numbers_of(values[1]),
    }  # fmt: skip
    return Microdata(columns, {Role.IDENTIFIER: ("firm",), Role.PERIOD: ("year",)})


@pytest.mark.parametrize(
    "noise", [Noise, CorrelatedNoise, MixtureNoise, LogNoise, FactorNoise, ControlledNoise]
)
def test_noise_drawn_anew_in_every_period(noise):
    data = waves()
    (remark,) = (r for r in said(noise(columns=("x",)), data) if "below zero" not in r)
    assert "drawn anew in every period" in remark
    alone = data.with_roles({Role.IDENTIFIER: ("firm",)})
    assert not any("drawn anew" in r for r in said(noise(columns=("x",)), alone)), "no panel"


def test_suppressed_cells_are_not_shown_by_another_period():
    """Firm 0 keeps its branch: suppressed in two years, it could be read off the other two, so these go with them and nothing is left to remark."""
    data = waves()
    branch = np.repeat(["a", "b"] * 25, 4).astype(object)
    data = data.with_columns({"branch": Column.texts_of(branch.tolist())})
    step = SuppressCells(columns=("branch",), records=(1, 2))
    assert said(step, data) == []
    after = apply_step(step, data, stream("any"))
    assert np.flatnonzero(after.column("branch").suppressed).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("noise", [Noise, CorrelatedNoise, MixtureNoise, Rotate, Redraw])
def test_values_that_fell_below_zero(noise):
    """Half of the wages are near zero: some fall below it. Profits had been below zero before."""
    x = np.exp(2 * np.random.default_rng(1).normal(size=400))
    data = Microdata({"wages": Column.numbers_of(x), "profit": Column.numbers_of(x[::-1] - 1)})
    form = {"families": ("normal",)} if noise is Redraw else {}
    after = apply_step(step := noise(columns=("wages", "profit"), **form), data, stream("any"))
    (remark,) = step.remarks(data, after)
    assert remark.en.startswith(
        f"{np.count_nonzero(after.column('wages').values < 0)} values of wages fell below zero"
    )
    high = data.with_columns({"wages": Column.numbers_of(x + 1e6)})
    assert said(step, high) == []


@pytest.mark.parametrize(
    "average", [Mdav, RankAverage, SpreadAverage, SafeAverage, RandomAverage], ids=lambda cls: cls.id
)
def test_averages_of_a_panel_whose_units_are_not_known_as_contributors(average):
    """Three years of one firm would be a group of three; an identifier that repeats tells the firms as an owner does."""
    data = waves()
    unknown = data.with_roles({Role.PERIOD: ("year",)})
    assert any("as several contributors" in remark for remark in said(average(columns=("x",)), unknown))
    owned = data.with_roles({Role.OWNER: ("firm",), Role.PERIOD: ("year",)})
    for step, known in (
        (average(columns=("x",), within=("year",)), unknown),
        (average(columns=("x",)), owned),
        (average(columns=("x",)), data),
    ):
        assert not any("as several contributors" in remark for remark in said(step, known))


@pytest.mark.parametrize(
    "average", [Mdav, RankAverage, SpreadAverage, SafeAverage, RandomAverage], ids=lambda cls: cls.id
)
def test_averages_of_a_panel_that_does_not_group_whole_units(average):
    """Also where the period is a stratum or units are owners: the series of means is a unit's own."""
    data = waves()
    owned = data.with_roles({Role.OWNER: ("firm",), Role.PERIOD: ("year",)})
    for step, known in ((average(columns=("x",), within=("year",)), data), (average(columns=("x",)), owned)):
        (remark,) = (r for r in said(step, known) if "not units" in r)
        assert remark.endswith("named under unit.")
    once = data.take(data.column("year").values == 2)
    assert not any("not units" in r for r in said(average(columns=("x",), within=("year",)), once))
    assert not any("not units" in r for r in said(average(columns=("x",)), data.with_roles({})))


@pytest.mark.parametrize("average", [Mdav, RandomAverage], ids=lambda cls: cls.id)
def test_averages_of_whole_units_need_no_remark_on_periods(average):
    for within in ((), ("year",)):
        assert said(average(columns=("x",), within=within, unit="firm"), waves()) == []


def test_one_factor_for_columns_and_periods():
    data = waves()
    for unit, columns, about in (
        (("firm",), ("x", "y"), ["growth rates", "risk.ratio-attack"]),
        (("firm",), ("x",), ["growth rates"]),
        (("firm", "year"), ("x", "y"), ["drawn anew", "risk.ratio-attack"]),
    ):
        remarks = said(FactorNoise(columns=columns, shared="factor", unit=unit), data)
        assert len(remarks) == len(about)
        assert all(word in remark for word, remark in zip(about, remarks, strict=True))
    assert said(FactorNoise(columns=("x", "y"), unit=("firm",)), data) == [], "a sign gives no ratio away"
    assert said(ControlledNoise(columns=("x", "y"), unit=("firm",)), data) == []


def test_factors_that_can_be_tried():
    data = waves().with_roles({})
    table = {"law": "table", "values": (0.9, 1.1), "shares": (0.5, 0.5)}
    for step in (
        FactorNoise(columns=("x",), factors=table, shared="nothing"),
        FactorNoise(columns=("x",), factors={"law": "mixture", "s": 0.0}),
        ControlledNoise(columns=("x",), factors={"s": 0.0}),
    ):
        (remark,) = said(step, data)
        assert remark.startswith("Only 2 different factors")
    assert said(FactorNoise(columns=("x",)), data) == []


def test_a_suppressed_cell_that_stands_alone():
    data = file(20)
    state = np.zeros(20, dtype=np.uint8)
    state[3] = SUPPRESSED
    alone = data.with_columns({"far0": Column(data.column("far0").kind, data.column("far0").values, state)})
    assert len(list(lone_cells(data, alone, ("far0", "far1")))) == 1
    assert list(lone_cells(alone, alone, ("far0",))) == []
    state = state.copy()
    state[7] = SUPPRESSED
    two = data.with_columns({"far0": Column(data.column("far0").kind, data.column("far0").values, state)})
    assert list(lone_cells(data, two, ("far0",))) == []
    group = {"g": Column.numbers_of(np.arange(20) % 3)}
    assert len(list(lone_cells(data.with_columns(group), two.with_columns(group), ("far0",), ("g",)))) == 1


def test_many_keys_in_local_suppression():
    rng = np.random.default_rng(1)
    codes = {f"k{j}": Column.texts_of([f"v{v}" for v in rng.integers(0, 2, 300)]) for j in range(8)}
    (remark, *_) = said(LocalSuppression(keys=tuple(codes), k=2), Microdata(codes))
    assert remark.startswith("8 keys")
    assert not any(
        "keys are many" in r for r in said(LocalSuppression(keys=("k0", "k1"), k=2), Microdata(codes))
    )


def test_rare_records_that_few_suppressions_show():
    """One of the large class loses its keys and could be anybody: the three single records are shown whole, the strict mode shows none."""
    codes = Microdata({"a": Column.texts_of([*"xxxxx", *"pqr"]), "b": Column.texts_of([*"xxxxx", *"pqr"])})
    (remark,) = [r for r in said(LocalSuppression(keys=("a", "b"), k=2, mode="least"), codes) if "whole" in r]
    assert remark.startswith("3 records")
    assert not any("whole" in r for r in said(LocalSuppression(keys=("a", "b"), k=2), codes))


def test_thin_strata_of_a_sample():
    data = file(100).with_columns({"g": Column.texts_of(["a"] * 88 + ["b"] * 12)})
    assert said(Sample(share=0.5, within=("g",)), data) == []
    (remark,) = said(Sample(share=0.25, within=("g",)), data)
    assert remark.startswith("1 strata")


def test_signs_that_the_correction_changed():
    data = Microdata({"x": Column.numbers_of(np.append(np.full(30, 0.01), np.arange(1.0, 31)) ** 3)})
    method = RestoreVariance(
        step={"use": "microdata.rank-average", "columns": ["x"], "k": 10}, columns=("x",)
    )
    after = apply_step(method, data, stream("any"))
    changed = int((after.column("x").values < 0).sum())
    assert [r.en for r in method.remarks(data, after)] == (
        [f"The correction changed the sign of {changed} values in x."] if changed else []
    )
    assert changed


def test_blocks_that_the_correction_left():
    """Originals at the limit of a survey are all equal: their block stays as the step made it, and is told."""
    rng = np.random.default_rng(2)
    step = {"use": "microdata.noise", "columns": ["x"], "variance_ratio": 0.01}
    method = RestoreVariance(step=step, columns=("x",), block=50)
    varied = np.sort(rng.lognormal(3, 0.5, 200))
    assert not any("left" in r for r in said(method, Microdata({"x": Column.numbers_of(varied)})))
    constant = np.append(varied + 1000, np.full(300, 5.0))
    remark = said(method, Microdata({"x": Column.numbers_of(constant)}))[-1]
    assert remark.startswith("In x, blocks of 1 strata were left")


def panel(width):
    years = np.tile(np.arange(4), 50)
    sales = 100 + 10 * np.repeat(np.arange(50), 4) + years
    columns = {
        "firm": Column.numbers_of(np.repeat(np.arange(50), 4)), "year": Column.numbers_of(years), "sales": Column.numbers_of(sales),
    }  # fmt: skip
    roles = {Role.IDENTIFIER: ("firm",), Role.PERIOD: ("year",), Role.KEY: ("sales",)}
    return said(Band(columns=("sales",), into={"width": width}), Microdata(columns, roles))


def test_grouping_tells_twins_and_changes_that_are_no_longer_seen():
    twins, hidden = panel(10.0)
    assert twins == "Records that have a twin in all keys: 0 before, 200 after this step."
    assert hidden.startswith("100% of the changes of sales")
    (twins,) = panel(1.0)
    assert "0 before, 0 after" in twins
    codes = Column.texts_of(
        ["a1", "a2", "b1", "b2"],
        hierarchy=from_digits("c", np.array(["a1", "a2", "b1", "b2"], dtype=object), [1, 2]),
    )
    (twins,) = said(Generalise(columns={"c": 1}), Microdata({"c": codes}, {Role.KEY: ("c",)}))
    assert "0 before, 4 after" in twins


def test_dropping_warns_of_bias_and_of_what_stays():
    data = file(50).with_columns(
        {"name": Column.texts_of([f"n{i}" for i in range(50)]), "s": Column.texts_of(["a"] * 50)}
    )
    assert said(Drop(columns=("name",)), data.with_roles({Role.IDENTIFIER: ("name",)})) == []
    bias, stay = said(Drop(columns=("far0", "far1")), data)
    assert bias.startswith("Models that need far0, far1")
    assert stay.endswith(": name.")
    skewed = data.with_columns({"x": Column.numbers_of(np.append(np.ones(49), 13.0))}).without(["name"])
    (_, stay) = said(Drop(columns=("far0",)), skewed)
    assert stay.endswith(": x.")


def test_dropping_a_key_tells_how_many_rare_combinations_are_left():
    """Höhne 2010, 2.1.1 (L480): the effect is the drop in combinations that occur once or twice."""
    keys = {"a": Column.texts_of(list("ppppqqq")), "b": Column.texts_of(list("xxyzxxx"))}
    data = Microdata({**keys, "c": Column.texts_of(list("ssstttt"))}, {Role.KEY: ("a", "b")})
    told = "Combinations of keys that only one or two records have: {} before, {} after this step."
    assert told.format(3, 0) in said(Drop(columns=("b",)), data)
    assert told.format(3, 2) in said(Drop(columns=("a",)), data)
    assert told.format(3, 0) in said(Drop(columns=("a", "b")), data)
    assert not any("Combinations" in text for text in said(Drop(columns=("c",)), data))


def test_keys_that_local_recoding_suppresses_alone():
    data = Microdata({"k": Column.texts_of([None, *"aabb"]), "m": Column.texts_of(list("aaabb"))})
    method = Mondrian(keys=("k", "m"), k=2, too_small="suppress")
    assert said(method, data) == [
        "A suppressed cell stands alone in m: a gap that is the only one points at its record."
    ]
