"""Losses that the book names: SSE of microaggregation (U10), the objective ZF (U12), and F_H and F_T of planned tables (U11)."""

import numpy as np
import pytest

from tarnkappe import catalogue
from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import BeforeNeeded
from tarnkappe.errors.models import CategoriesNeeded
from tarnkappe.kernels.controlled import targets
from tarnkappe.randomness import public_stream as stream
from tarnkappe.utility.means_and_spreads import MeansAndSpreads
from tarnkappe.utility.squared_error import SquaredError
from tarnkappe.utility.table_fidelity import TableFidelity
from tarnkappe.vocab import Kind, Role

SORTED = np.array([1200, 1210, 1220, 1230, 1240, 1250, 1260, 1270, 1280, 1290, 1300, 1490.0])


def numbers(**columns):
    made = {n: Column.numbers_of(np.asarray(x, dtype=float)) for n, x in columns.items()}
    return Microdata(made, {Role.NUMERIC: tuple(made)})


def test_the_sum_of_squared_errors_is_that_of_the_book():
    """TV-10 in groups of three, from the largest: SSE 26000 (specification 5.1)."""
    data = numbers(x=SORTED)
    after = numbers(x=np.repeat([1210, 1240, 1270, 1360.0], 3))
    found = SquaredError(scale="value").measure(after, before=data)
    sst = ((SORTED - SORTED.mean()) ** 2).sum()
    assert found.details["sse"] == found.details["columns"]["x"]["sse"] == pytest.approx(26000)
    assert found.details["sst"] == pytest.approx(sst)
    assert found.value == pytest.approx(26000 / sst) == SquaredError().measure(after, before=data).value
    assert found.details["between"] == pytest.approx(1 - 26000 / sst)


def test_columns_count_alike_unless_values_are_asked_for():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 50)) * np.array([[1.0], [1e6]])
    data = numbers(x=x, y=y)
    after = catalogue["microdata.mdav"](columns=("x", "y"), k=5).apply(data, stream("any", "m"))
    released = after.numbers(("x", "y"))
    parts = ((data.numbers(("x", "y")) - released) ** 2).sum(axis=0) / (50 * np.array([x.var(), y.var()]))
    assert SquaredError().measure(after, before=data).value == pytest.approx(parts.mean())
    assert SquaredError(scale="value").measure(after, before=data).value == pytest.approx(parts[1])
    only_y = SquaredError(columns=("y",)).measure(after, before=data)
    assert only_y.value == pytest.approx(parts[1])
    assert SquaredError().measure(data, before=data).value == 0


def test_gaps_constants_and_few_records_are_told():
    data = numbers(x=SORTED, c=np.ones(12))
    state = np.array([MISSING] + [0] * 11, dtype=np.uint8)
    gap = data.with_columns({"x": Column(Kind.NUMBER, SORTED + 1, state)})
    found = SquaredError().measure(gap, before=data)
    assert found.details["columns"]["x"]["sse"] == pytest.approx(11)
    assert "c" in found.because.en
    few = SquaredError().measure(data.take(np.arange(5)), before=data.take(np.arange(5)))
    assert np.isnan(few.value)
    assert few.because
    with pytest.raises(BeforeNeeded):
        SquaredError().measure(data)


def test_the_objective_is_that_of_controlled_noise():
    rng = np.random.default_rng(2)
    x = np.exp(rng.normal(size=(60, 3)))
    y = x * rng.uniform(0.9, 1.2, x.shape)
    for alpha in (0.0, 0.3, 1.0):
        found = MeansAndSpreads(alpha=alpha).measure(
            numbers(a=y[:, 0], b=y[:, 1], c=y[:, 2]), before=numbers(a=x[:, 0], b=x[:, 1], c=x[:, 2])
        )
        t = targets(x, np.zeros(60, dtype=np.int64), 1, alpha)  # what the method makes small
        zf = (t.mean_weight * np.abs((y - x).sum(axis=0))).sum() + (
            t.sd_weight * np.abs(y.std(axis=0) - x.std(axis=0))
        ).sum()
        assert found.value == pytest.approx(zf)


def test_controlled_noise_makes_the_objective_small():
    data = numbers(
        a=np.exp(np.random.default_rng(3).normal(size=300)),
        b=np.exp(np.random.default_rng(4).normal(size=300)),
    )
    one, other = (
        catalogue[f"microdata.{m}"](columns=("a", "b")).apply(data, stream("any", m))
        for m in ("factor-noise", "controlled-noise")
    )
    assert (
        MeansAndSpreads(alpha=1).measure(other, before=data).value
        < MeansAndSpreads(alpha=1).measure(one, before=data).value / 5
    )


def firms():
    return Microdata(
        {
            "branch": Column.texts_of(list("aaaabbbccccc")),
            "land": Column.texts_of(list("xxyyxxxyyyyy")),
            "turnover": Column.numbers_of(np.array([1, 2, 3, 4, 5, 6, 7, 80, 1, 1, 1, 1.0])),
        }
    )


def test_tables_by_hand():
    """Record 1 goes from branch a to c; values of the last record grow by 2."""
    data = firms()
    values = data.column("turnover").values.copy()
    values[-1] += 2
    after = data.with_columns(
        {"branch": Column.texts_of(list("caaabbbccccc")), "turnover": Column.numbers_of(values)}
    )
    found = TableFidelity(tables=(("branch",), ("branch", "land")), columns=("turnover",)).measure(
        after, before=data
    )
    assert found.value == found.details["f_h"] == 1
    told = found.details["tables"]
    assert told["branch"]["f_t"] == {"turnover": 1 + 3}  # c gains record 1 and 2, a loses 1
    assert told["branch"]["sensitive_cells"] == 0
    assert told["branch × land"]["cells"] == 5
    assert told["branch × land"]["sensitive_cells"] == 3  # (a, x), (a, y) and (c, x), which is new
    assert told["branch × land"]["f_t"] == {"turnover": 2}
    assert found.details["f_t"] == {"turnover": 6}
    assert told["branch"]["largest_relative"] == pytest.approx(1 / 4)


def test_dominated_cells_are_sensitive_too():
    data = firms()
    values = data.column("turnover").values + 1
    after = data.with_columns({"turnover": Column.numbers_of(values)})
    plain, masked = (
        TableFidelity(tables=(("branch",),), columns=("turnover",), dominance=d).measure(after, before=data)
        for d in (None, 0.9)
    )
    assert plain.details["f_t"] == {"turnover": 12}
    assert masked.details["f_t"] == {"turnover": 7}  # 80 of 84 in branch c
    assert masked.details["f_t_of_total"]["turnover"] == pytest.approx(7 / 28)


def test_without_a_plan_all_small_tables_are_built():
    found = TableFidelity().measure(firms(), before=firms())
    assert found.value == 0
    assert set(found.details["tables"]) == {"branch", "land", "branch × land"}
    few = TableFidelity().measure(firms().take(np.arange(5)), before=firms())
    assert np.isnan(few.value)
    assert few.because
    with pytest.raises(CategoriesNeeded):
        TableFidelity().measure(numbers(x=SORTED), before=numbers(x=SORTED))
