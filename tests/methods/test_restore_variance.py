"""Kim's correction around another step."""

from __future__ import annotations

import numpy as np
import pytest

from methods.averaging_data import contributors_per_value, done, firms, numbers
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.masking import NothingChanged, NotRestored, StepUnfit
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.kernels.kim import kim_corrected
from tarnkappe.methods.microdata.restore_variance import RestoreVariance
from tarnkappe.report.told import told
from tarnkappe.spec import catalogue

NUMERIC = ("turnover", "wages")


def averaged(**more):
    return {"use": "microdata.mdav", "columns": list(NUMERIC), "k": 5, **more}


def test_moments_come_back_and_correlations_stay_as_the_step_left_them():
    data = firms()
    step = done("mdav", data, columns=NUMERIC, k=5).numbers(NUMERIC)
    y = done("restore-variance", data, columns=NUMERIC, step=averaged()).numbers(NUMERIC)
    x = data.numbers(NUMERIC)
    np.testing.assert_allclose(y.mean(axis=0), x.mean(axis=0), rtol=1e-11)
    np.testing.assert_allclose(y.std(axis=0), x.std(axis=0), rtol=1e-10)
    assert np.corrcoef(y.T)[0, 1] == pytest.approx(np.corrcoef(step.T)[0, 1], rel=1e-10)
    np.testing.assert_allclose(y, (step - x.mean(axis=0)) * x.std(axis=0) / step.std(axis=0) + x.mean(axis=0))


def test_by_stratum():
    data = firms()
    after = done(
        "restore-variance", data, columns=NUMERIC, within=["branch"], step=averaged(within=["branch"])
    )
    for branch in "abc":
        inside = data.column("branch").texts() == branch
        for name in NUMERIC:
            assert after.column(name).values[inside].std() == pytest.approx(
                data.column(name).values[inside].std(), rel=1e-9
            )


def test_blocks_keep_groups_of_equal_values_together():
    """Blocks end between different values, so that what stood k times still does."""
    data = firms(1000)
    after = done(
        "restore-variance", data, columns=["turnover"], block=50, step=averaged(columns=["turnover"], k=7)
    )
    assert min(contributors_per_value(after, "turnover")) >= 7
    x, y = data.column("turnover").values, after.column("turnover").values
    assert y.std() == pytest.approx(x.std(), rel=0.02)
    plain = (
        done("restore-variance", data, columns=["turnover"], step=averaged(columns=["turnover"], k=7))
        .column("turnover")
        .values
    )
    small = x < np.median(x)
    assert np.abs(y - x)[small].mean() < np.abs(plain - x)[small].mean()


def test_blocks_of_equal_originals_are_left_as_the_step_made_them():
    """The guard of M14: where originals are constant the correction would give them back."""
    x = np.r_[np.full(100, 5.0), np.linspace(1, 4, 100)]
    y = np.r_[5 + np.linspace(-0.5, 0.5, 100), np.linspace(1, 4, 100) + np.tile([0.1, -0.1], 50)]
    order = np.argsort(-y, kind="stable")
    out, left = kim_corrected(x[order], y[order], np.arange(200), np.array([0, 200]), 100)
    back = np.empty(200)
    back[order] = out
    assert left.tolist() == [True]
    assert np.array_equal(back[:100], y[:100])
    assert back[100:].std() == pytest.approx(x[100:].std())


@pytest.mark.parametrize(("own", "left"), [(0.3, True), (0.5, False)])
def test_a_block_that_would_come_back_by_nine_tenths_is_left(own, left):
    """All moved to a third of their size, and each a little: stretched again they would be 0.085, or 0.135, of that away from the originals."""
    x = np.linspace(10, 20, 100)
    y = x / 3 + own * np.tile([1.0, -1, -1, 1], 25)
    order = np.argsort(-y, kind="stable")
    out, found = kim_corrected(x[order], y[order], np.arange(100), np.array([0, 100]), 100)
    assert found.tolist() == [left]
    assert np.array_equal(out, y[order]) is left


def test_a_column_that_cannot_be_restored_is_refused():
    data = Microdata({"x": numbers(range(4))})
    with pytest.raises(NotRestored):
        done(
            "restore-variance", data, columns=["x"], step={"use": "microdata.mdav", "columns": ["x"], "k": 4}
        )
    tied = Microdata({"x": numbers([1, 1, 1, 7, 7, 7])})
    with pytest.raises((NothingChanged, NotRestored)):
        done("restore-variance", tied, columns=["x"], step={"use": "microdata.mdav", "columns": ["x"]})


VARIED = [1, 2, 4, 10, 20, 31, 40, 50, 62, 70, 80, 93, 100, 110, 124]


def test_constant_columns_and_strata_do_no_harm():
    data = Microdata({"x": numbers([3.0] * 6 + VARIED), "s": Column.texts_of([*"a" * 6, *"b" * 15])})
    step = {"use": "microdata.mdav", "columns": ["x"], "within": ["s"]}
    after = done("restore-variance", data, columns=["x"], within=["s"], step=step).column("x").values
    assert (after[:6] == 3.0).all()
    assert after[6:].std() == pytest.approx(np.std(VARIED))


NOISE = {"use": "microdata.noise", "columns": ["x"], "variance_ratio": 0.5, "signs": "free"}


@pytest.mark.parametrize("few", [[100.0], [100.0, 900.0], [100.0, 400.0, 900.0]])
def test_moments_of_fewer_than_four_do_not_come_back(few):
    """Of two, mean and variance are the two values; of three, each works out the two others."""
    x = np.r_[np.random.default_rng(1).lognormal(3, 1, 30), few]
    data = Microdata({"x": numbers(x), "s": Column.texts_of(["a"] * 30 + ["b"] * len(few))})
    for i in range(4):
        with pytest.raises(NotRestored):
            done("restore-variance", data, f"s{i}", columns=["x"], within=["s"], step=NOISE)
        after = done("restore-variance", data, f"s{i}", columns=["x"], within=["s"], step=NOISE, block=10)
        shown = after.column("x").values
        assert abs(shown[30:].mean() - np.mean(few)) > 1e-3
    four = data.take(np.arange(29)).with_columns({"s": Column.texts_of(["a"] * 25 + ["b"] * 4)})
    assert len(done("restore-variance", four, columns=["x"], within=["s"], step=NOISE)) == 29


def test_blocks_of_fewer_than_four_owners_are_left_as_the_step_made_them():
    """Ten large values of three owners, then ten of four."""
    y = np.arange(20.0, 0, -1)
    x = y + np.tile([3.0, -3.0], 10)
    for owners, left in ((3, True), (4, False)):
        who = np.r_[np.arange(10) % owners, 10 + np.arange(10) % 4]
        out, some_left = kim_corrected(x, y, who, np.array([0, 20]), 10)
        assert some_left.tolist() == [left]
        assert np.array_equal(out[:10], y[:10]) is left
        assert out[10:].std() == pytest.approx(x[10:].std())


def test_steps_that_do_not_fit():
    data = firms()
    with pytest.raises(StepUnfit):
        done(
            "restore-variance",
            data,
            columns=["turnover"],
            step={"use": "microdata.drop", "columns": ["turnover"]},
        )
    for wrong in ({"use": "microdata.nothing"}, {}, {"use": "risk.k-anonymity"}, averaged(k=1)):
        with pytest.raises(ParameterWrong):
            done("restore-variance", data, columns=["turnover"], step=wrong)


def test_sign_changes_are_counted_for_the_office():
    data = firms()
    step = catalogue["microdata.restore-variance"](columns=("turnover",), step=averaged())
    after = done("restore-variance", data, columns=["turnover"], step=averaged())
    ((header, rows),) = step.keeps(data, after).values()
    changed = int(np.sum(after.column("turnover").values < 0))
    assert header == ("column", "values", "signs_changed")
    assert rows == [("turnover", "240", str(changed))]


def facts_of(step, **more):
    data = firms()
    method = RestoreVariance(columns=("turnover",), step=step, **more)
    return method.id, method.tells(
        data, done("restore-variance", data, columns=["turnover"], step=step, **more)
    )


def test_receivers_learn_which_step_was_done_first_and_its_kind_of_noise():
    noise = {"use": "microdata.noise", "columns": ["turnover"], "signs": "free", "within": ["branch"]}
    _, facts = facts_of(noise, within=("branch",), block=20)
    assert facts == {
        "restored": ["turnover"],
        "in_blocks": True,
        "within": ["branch"],
        "rounded": [],
        "step": {
            "method": "microdata.noise",
            "within": ["branch"],
            "noise": "additive, independent, normal",
            "records": "all",
        },
    }
    id, facts = facts_of(averaged(columns=["turnover"], within=["branch"]))
    assert facts["step"] == {"method": "microdata.mdav", "within": ["branch"]}
    rows = {name.de: value.de for name, value in told(id, facts)}
    assert rows["zuerst getan · Verfahren"] == catalogue["microdata.mdav"].title.de
    assert rows["zuerst getan · getrennt behandelt innerhalb von"] == "branch"


@pytest.mark.parametrize(
    "step",
    [
        {"use": "microdata.correlated-noise", "columns": ["turnover", "wages"]},
        {"use": "microdata.factor-noise", "columns": ["turnover"]},
        {"use": "microdata.random-average", "columns": ["turnover"]},
        {"use": "microdata.swap", "columns": ["turnover"]},
    ],
)
def test_no_figure_of_the_step_is_told(step):
    """Ratios, moments, constants and shares kept held for the result of the step, not for what is released."""
    _, facts = facts_of(step, block=20)
    for fact in facts["step"].values():
        assert isinstance(fact, str) or all(isinstance(word, str) for word in fact)
    assert not {"variance_ratio", "kim_a", "factor", "variance_kept", "rounded", "signs"} & set(facts["step"])
