"""The losses that `utility.recoding` can tell have other figures each: all of them have words in both languages."""

import pytest

from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.testing import example_data
from tarnkappe.testing.measures import protected
from tarnkappe.testing.wording import unnamed


@pytest.mark.parametrize("loss", ["certainty", "entropy", "ambiguity", "discernibility", "class-size"])
def test_figures_of_every_loss_are_named(loss):
    data, cls = example_data(), catalogue["utility.recoding"]
    found = build(cls, dict(cls.example, loss=loss)).measure(protected(data), before=data)
    assert unnamed(cls, found, data) == set()
