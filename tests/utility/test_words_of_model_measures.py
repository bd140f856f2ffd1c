"""Every figure that measures of categories and models tell has a name in both languages."""

import pytest

from tarnkappe.report.detail_names import NAMES
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.testing import example_data
from tarnkappe.testing.measures import protected

IDS = [
    "actuarial", "categories", "contingency", "entropy", "frequencies", "mincer", "plausibility", "prediction", "propensity", "recoding", "regression",
    "score",
]  # fmt: skip


def words(details):
    if isinstance(details, dict):
        for name, inner in details.items():
            yield str(name)
            yield from words(inner)
    elif isinstance(details, list | tuple):
        for inner in details:
            yield from words(inner)


def built_of_columns(word, data):
    """Names of tables, of regressors and of bands."""
    return word.isdigit() or any(sign in word for sign in ("×", "[", "**", "log(", "–")) or word in data.names


@pytest.mark.parametrize("name", IDS)
def test_figures_are_named(name):
    data = example_data()
    cls = catalogue[f"utility.{name}"]
    examples = [dict(cls.example)]
    if name == "recoding":
        examples = [
            dict(cls.example, loss=loss)
            for loss in ("certainty", "entropy", "ambiguity", "discernibility", "class-size")
        ]
    for example in examples:
        told = words(build(cls, example).measure(protected(data), data).details)
        assert {word for word in told if not built_of_columns(word, data)} <= NAMES.keys() | cls.words.keys()
