"""Schenker (2019): incomes in classes with one very wealthy person (L33-41); our specification 12, SV-02 and SV-06."""

from __future__ import annotations

import pytest

from tables.class_tables import BASIC, INCOME, MARRIED, distribution, merged, shown
from tarnkappe.data.pattern import Status


@pytest.mark.parametrize("loss", ["detail", "cuts"])
@pytest.mark.parametrize("sparse", [True, False])
def test_the_lone_rich_person(loss, sparse):
    """SV-02 and SV-06: the visible rows of the printed table, k = 4."""
    after = merged(distribution(INCOME, {"basic": BASIC, "married": MARRIED}, sparse), k=4, loss=loss)
    assert shown(after, "basic") == {"0": 27, "100-30000": 31, "30100+": 16}
    assert shown(after, "married") == {"0": 23, "100-30000": 32, "30100+": 51}
    assert (after.status == Status.OPEN).all()
