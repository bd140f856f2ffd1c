"""Table A.2 of Gottschalk (2002) as data: as printed, as the text corrects it, on the cards, and as the methods behave."""

import hashlib

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.language import LANGUAGES
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.card import facts, markdown
from tarnkappe.spec.effects import ESTIMATES, TABLE, Effect, effect_of
from tarnkappe.spec.parameters import build

PRINTED = """
Grouping: biased, biased, biased, biased, biased
Truncation: biased, biased, biased, biased, biased
Variable suppression: –, –, mis-specified, –, –
New construction of variables: –, –, mis-specified, –, –
Local suppression: biased, biased, biased, biased, biased
Release of outdated data: unbiased, unbiased, unbiased, unbiased, unbiased
Sub-sample, random: unbiased, unbiased, un-/biased, unbiased, unbiased
Sub-sample, systematic: biased, biased, un-/biased, biased, biased
Data swapping: unbiased, unbiased, un-/biased, un-/biased, un-/biased
Imputation: unbiased, smaller, biased, biased, biased
Resampling: unbiased, unbiased, unbiased, unbiased, unbiased
Microaggregation: unbiased, smaller, biased, biased, biased
Naive noise: unbiased, biased, biased, biased, biased
Kim: unbiased, unbiased, biased, biased, biased
Sullivan: unbiased, unbiased, biased, biased, biased
Multiplicative noise: unbiased, biased, biased, biased, biased
"""
"""L467-487 of the work, merged entries twice."""


def test_the_table_as_printed():
    lines = [f"{row.method.en}: {', '.join(e.value for e in row.as_printed)}" for row in TABLE]
    assert lines == PRINTED.strip().splitlines()


def test_where_the_text_says_otherwise_it_is_followed_and_told():
    differ = {row.method.en: row for row in TABLE if row.effects != row.as_printed}
    assert set(differ) == {"Data swapping", "Kim", "Sullivan"}
    assert all(row.remark.en and row.remark.de for row in differ.values())
    assert not any(row.remark for row in TABLE if row.method.en not in differ)
    univariate, regression = list(ESTIMATES).index("univariate"), list(ESTIMATES).index("regression")
    assert differ["Sullivan"].effects[univariate] is Effect.UNBIASED
    assert differ["Kim"].effects[regression] is not Effect.BIASED


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.method.en)
def test_cards_show_their_row(row):
    for id in row.here:
        assert effect_of(id) is row
        card = facts(catalogue[id])["effects"]
        assert list(card["on"].values()) == [e.value for e in row.effects]
        assert list(card["printed"].values()) == [e.value for e in row.as_printed]
        for lang in LANGUAGES:
            shown = markdown(catalogue[id], lang)
            for name, effect in zip(ESTIMATES.values(), row.effects, strict=True):
                assert f"- {name.in_(lang)}: {effect.text.in_(lang)}" in shown
            assert row.remark.in_(lang) in shown


def test_methods_that_the_table_does_not_have_say_nothing():
    assert facts(catalogue["microdata.rotate"])["effects"] is None
    assert "Expected of analyses" not in markdown(catalogue["microdata.rotate"], "en")


SEEDS, RECORDS = 40, 400
STEPS = {
    "microdata.noise": {"columns": ["x"], "variance_ratio": 0.5},
    "microdata.factor-noise": {"columns": ["x"]},
    "microdata.correlated-noise": {"columns": ["x", "y"], "kim": "sample", "variance_ratio": 0.5},
    "microdata.sullivan": {"columns": ["x", "y"]},
    "microdata.swap": {"columns": ["x"], "share": 0.5},
    "microdata.rank-swap": {"columns": {"x": {"percent": 20}}},
    "microdata.mdav": {"columns": ["x", "y"], "k": 4},
    "microdata.sample": {"share": 0.5},
    "microdata.top-bottom-code": {"columns": ["x"], "upper": 6.0},
}


@pytest.mark.parametrize("id", STEPS)
def test_methods_do_what_the_table_says_to_means_and_variances(id):
    """Bias over many files and draws: none beyond three and a half standard errors, or clearly more."""
    draw = np.random.default_rng(20261118)
    method = build(catalogue[id], STEPS[id])
    off = []
    for seed in range(SEEDS):
        x = np.exp(1 + 0.5 * draw.standard_normal((RECORDS, 2)) @ [[1, 0.5], [0, 0.87]])
        data = Microdata({"x": Column.numbers_of(x[:, 0].copy()), "y": Column.numbers_of(x[:, 1].copy())})
        after = method.apply(data, stream(hashlib.sha256(b"%d" % seed).hexdigest(), id)).column("x").numbers()
        off.append((after.mean() / x[:, 0].mean() - 1, after.var() / x[:, 0].var() - 1))
    mean = np.mean(off, axis=0)
    error = np.std(off, axis=0, ddof=1) / np.sqrt(SEEDS) + 1e-12
    for effect, bias, spread in zip(effect_of(id).effects[:2], mean, error, strict=True):
        if effect is Effect.UNBIASED:
            assert abs(bias) < max(3.5 * spread, 1e-9)
        elif effect is Effect.SMALLER:
            assert bias < -3.5 * spread
        else:
            assert abs(bias) > 3.5 * spread
