"""Attacks on tables protected by the Quader method, by the audit that shares no logic with it."""

from __future__ import annotations

import numpy as np
import pytest

from tables.quader_tables import random_pattern
from tarnkappe.data.pattern import Status
from tarnkappe.errors.unsafe_tables import Unprotectable
from tarnkappe.methods.tables.quader import Quader
from tarnkappe.risk.table_audit import TableAudit


def _protected(seeds):
    for seed in seeds:
        try:
            yield Quader().protect(random_pattern(seed), None)
        except Unprotectable:
            continue


def test_the_audit_holds_against_outsiders():
    done = list(_protected(range(2000, 2022)))
    assert len(done) > 20
    assert all(TableAudit(insiders="none").audit(pattern).holds for pattern in done)


@pytest.mark.parametrize("owners", [False, True])
def test_the_default_audit_accepts_the_default_method(owners):
    """Insiders included: what the method returns is never refused by the audit afterwards."""
    done = 0
    for seed in range(2300, 2307):
        try:
            after = Quader().protect(random_pattern(seed, records=14, owners=owners), None)
        except Unprotectable:
            continue
        assert TableAudit().audit(after).holds, seed
        done += 1
    assert done > 4


def test_every_secondary_suppression_is_in_doubt():
    """Nobody can work out a suppressed cell exactly, be it a secondary one."""
    for pattern in _protected(range(2100, 2111)):
        assert not TableAudit(insiders="none").audit(pattern, exact=True).disclosed.any()


def test_taking_a_cuboid_apart_is_noticed():
    """The audit is not blind: one secondary cell shown again opens some protected table."""
    opened = 0
    for pattern in _protected(range(2200, 2208)):
        secondary = np.flatnonzero(pattern.status == Status.SECONDARY)
        for cell in secondary[:3]:
            status = pattern.status.copy()
            status[cell] = Status.OPEN
            fields = {n: getattr(pattern, n) for n in ("reason", "reasons", "lower", "upper", "low", "high")}
            opened += (
                not TableAudit(insiders="none").audit(type(pattern)(pattern.table, status, **fields)).holds
            )
    assert opened > 0


@pytest.mark.parametrize("seed", range(3))
def test_nothing_secret_is_told_in_a_refusal(seed):
    for s in range(3000 + 40 * seed, 3040 + 40 * seed):
        before = random_pattern(s)
        try:
            Quader().run(before)
        except Unprotectable as told:
            shown = told.text("en") + told.text("de")
            cells = np.abs(before.table.value[before.primary])
            assert not any(f"{v:g}" in shown.replace(str(told.facts["count"]), "") for v in cells if v > 99)
