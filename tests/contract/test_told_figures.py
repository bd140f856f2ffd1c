"""No method tells a bare figure that is a value of one or two contributors; counts and figures of many are marked as such."""

from __future__ import annotations

import pytest

from tarnkappe.plan.policy import ToldDescription
from tarnkappe.plan.told_gate import own_figures, tell_few
from tarnkappe.spec import catalogue
from tarnkappe.testing.example import example_data
from tarnkappe.testing.methods import made, run

METHODS = catalogue.methods()


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.id)
def test_the_example_tells_nobody(cls):
    before = example_data()
    after, method = run(cls, before), made(cls)
    figures = own_figures(method.tells(before, after), method, after.names)
    assert list(tell_few(before, figures, ToldDescription())) == []
