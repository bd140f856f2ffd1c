"""Höhne (2010): verdicts on standard deviations (table 4, 4.2.3), bias of ratios (4.2.2), and Moore's law (2.2.3, appendix 2).

Table 4 prints means and standard deviations of three noisy files and their relative errors in per cent with two digits: these come out to the digit.
The ratio bias 1,00093 and the law of attenuation hold on average; the tolerances are four standard errors of the simulation.
"""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.moments import relative_error
from tarnkappe.utility.attenuation import Attenuation
from tarnkappe.utility.ratios import Ratios
from tarnkappe.utility.variances import Variances, verdict

ORIGINAL_SD = 1_289_556_816
TABLE_4 = [
    (1_389_153_778, 7.72, 1_380_141_896, 7.02),
    (1_202_424_614, -6.76, 1_194_607_387, -7.36),
    (1_232_190_321, -4.45, 1_224_183_098, -5.07),
]


def data(**columns):
    return Microdata({n: Column.numbers_of(np.asarray(c)) for n, c in columns.items()})


@pytest.mark.parametrize("row", TABLE_4)
def test_errors_of_table_4(row):
    for sd, printed in (row[:2], row[2:]):
        error, guarded = relative_error(sd, ORIGINAL_SD, ORIGINAL_SD)
        assert round(100 * error, 2) == printed
        assert not guarded
        assert verdict(error) == ("doubtful" if printed == -4.45 else "unusable")


def test_bands_of_the_verdict():
    assert [verdict(e) for e in (0, 0.01, -0.01, 0.0101, -0.049, 0.05, -0.2)] == [
        "usable", "usable", "usable", "doubtful", "doubtful", "unusable", "unusable",
    ]  # fmt: skip


def test_table_1_keeps_its_standard_deviation():
    before = [1200, 1210, 1220, 1230, 1240, 1250, 1260, 1270, 1280, 1290, 1300, 1490]
    after = np.repeat([1203.8, 1226.2, 1243.8, 1266.2, 1253.1, 1426.9], 2)
    found = Variances().measure(data(x=after), before=data(x=before)).details["columns"]["x"]
    assert round(found["sd_before"], 1) == round(found["sd_after"], 1) == 72.9
    assert found["verdict"] == "usable"


def test_bias_of_ratios_under_noise_with_one_direction():
    """f = 0.11, s = 0.03: the mean ratio grows by the factor 1.00093 (E(1/W) with the direction in common)."""
    rng, n = np.random.default_rng(11), 400_000
    sign = rng.choice([-0.11, 0.11], n)
    x, y = rng.uniform(50, 100, (2, n))
    noisy = [v * (1 + sign + 0.03 * rng.normal(size=n)) for v in (x, y)]
    found = Ratios(columns=("x", "y"), over=("y",)).measure(
        data(x=noisy[0], y=noisy[1]), before=data(x=x, y=y)
    )
    ratio = x / y
    error_of_simulation = np.sqrt(2) * 0.0303 * np.sqrt((ratio**2).mean()) / ratio.mean() / np.sqrt(n)
    assert found.value == pytest.approx(0.00093334, abs=4 * error_of_simulation)
    assert 4 * error_of_simulation < 0.0004


def test_a_common_factor_keeps_every_ratio():
    rng = np.random.default_rng(12)
    x, y = rng.lognormal(size=(2, 500))
    factor = rng.uniform(0.5, 1.5, 500)
    found = Ratios().measure(data(x=x * factor, y=y * factor), before=data(x=x, y=y))
    assert found.value == pytest.approx(0, abs=1e-12)


def test_moores_law_for_columns_masked_on_their_own():
    """Noise of its own in each column, with the variance restored: the law holds, the loss itself is large."""
    rng, n = np.random.default_rng(13), 40_000
    x = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], n)
    y = (x + rng.normal(size=x.shape) * 0.7) / np.sqrt(1 + 0.49)
    before, after = (data(a=v[:, 0], b=v[:, 1]) for v in (x, y))
    found = Attenuation().measure(after, before=before)
    assert found.value < 4 / np.sqrt(n)
    assert found.details["with_own_original"]["a"] == pytest.approx(1 / np.sqrt(1.49), abs=0.01)
    assert found.details["actual_loss"] == pytest.approx(0.8 * (1 - 1 / 1.49), abs=0.02)
    assert found.details["predicted_loss"] == pytest.approx(found.details["actual_loss"], abs=0.02)


def test_moores_law_does_not_hold_for_columns_masked_together():
    rng, n = np.random.default_rng(14), 5_000
    x = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], n)
    noise = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], n)
    before, after = (data(a=v[:, 0], b=v[:, 1]) for v in (x, x + 0.7 * noise))
    found = Attenuation().measure(after, before=before)
    assert found.value > 0.2
    assert found.details["actual_loss"] < 0.03
