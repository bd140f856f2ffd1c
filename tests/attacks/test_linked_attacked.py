"""Attacks on linked tables protected together, with linear programs written in the tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tables.linked_tables import leaks, named, random_set, rests
from tables.quader_tables import at, primary
from tarnkappe.attack.respondents import respondents_of
from tarnkappe.attack.together import Attacker, attacked, joint_of
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.pattern_set import PatternSet, as_published
from tarnkappe.data.tabulate import tabulate
from tarnkappe.errors import Refused
from tarnkappe.errors.linked import LinkedUnprotectable, PublishedAlready
from tarnkappe.errors.release import Cancelled
from tarnkappe.methods.tables.quader import Quader
from tarnkappe.plan.linked_audit import set_findings
from tarnkappe.plan.linked_protection import Member, protect_linked
from tarnkappe.plan.progress import Progress
from tarnkappe.risk.table_audit import TableAudit

METHOD = Quader(insiders="none")
OUTSIDER = Attacker(insiders="none")


def protected(seed, attacker=OUTSIDER, method=METHOD):
    start = random_set(seed).aligned()
    return start, protect_linked(start, [Member(method)] * len(start.patterns), attacker)


def survivors(seeds, **how):
    for seed in seeds:
        try:
            yield protected(seed, **how)
        except Refused:
            continue


def test_no_outsider_finds_a_protected_cell():
    done = list(survivors(range(14)))
    assert len(done) > 10
    for _, after in done:
        assert leaks(after.patterns) == []


@pytest.mark.long
def test_no_outsider_finds_a_protected_cell_in_many_sets():
    done = list(survivors(range(1000, 1600)))
    assert len(done) > 300
    for _, after in done:
        assert leaks(after.patterns) == []


def test_every_shared_cell_has_one_status_and_what_must_stay_open_does():
    for start, after in survivors(range(100, 116)):
        after.refuse_differences()
        assert not (after.suppressed & start.forced_open).any()
        assert not (start.suppressed & ~after.suppressed).any()


def test_a_set_says_what_is_being_done_and_can_be_cancelled():
    start, told = random_set(0).aligned(), []
    members = [Member(METHOD)] * len(start.patterns)
    protect_linked(start, members, OUTSIDER, Progress(lambda doing, *_: told.append(doing.en)))
    assert "linked tables: table t0, round 1" in told
    assert "linked tables: attacked together, turn 1" in told
    with pytest.raises(Cancelled):
        protect_linked(start, members, OUTSIDER, Progress(cancelled=lambda: True))


def test_tables_protected_one_by_one_leak_together():
    """What linking is for: each table alone is safe, both together are not."""
    leaking = 0
    for seed in range(12):
        start = random_set(seed, keep=0.0)
        try:
            alone = [METHOD.protect(p, None) for p in start.patterns]
        except Refused:
            continue
        assert all(leaks([p]) == [] for p in alone)
        leaking += bool(leaks(alone))
    assert leaking >= 1


def test_the_audit_and_the_attack_agree():
    for seed in range(12):
        start = random_set(seed, keep=0.0)
        try:
            alone = PatternSet(tuple(METHOD.protect(p, None) for p in start.patterns))
        except Refused:
            continue
        found = set_findings(alone, [TableAudit(insiders="none")])[0]
        assert bool(found.value) == (leaks(alone.patterns) == [])
        for leak in found.details["leaks"]:
            assert leak["proof"] == "shown" or leak.get("steps") or leak.get("sums"), "the sums are named"


def test_no_single_respondent_finds_the_cell_of_another():
    done = list(survivors(range(200, 209), attacker=Attacker(), method=Quader()))
    assert len(done) > 3
    for _, after in done:
        owner = respondents_of(after, "owners").owner
        names = {}
        for pattern, numbers in zip(after.patterns, after.tables.numbers, strict=True):
            names |= {int(numbers[i]): name for i, name in named(pattern)}
        for one in np.unique(owner[(owner >= 0) & after.suppressed]):
            own = frozenset(names[int(c)] for c in np.flatnonzero(owner == one))
            assert leaks(after.patterns, own, own, rests(after.patterns, person(after, owner, one))) == []


def test_a_table_is_judged_alike_alone_and_as_a_set():
    """Insiders included: whoever contributes to a cell is owed no more than the rest of it, in a set too."""
    breached = 0
    for seed in range(300, 309):
        start = random_set(seed, keep=0.0)
        for pattern in start.patterns:
            try:
                done = METHOD.protect(pattern, None)
            except Refused:
                continue
            alone = TableAudit().audit(done).breaches
            over = PatternSet((done,))
            together = attacked(joint_of(over, Attacker())).breaches
            assert {int(over.tables.numbers[0][b.cell]) for b in alone} == {b.cell for b in together}
            breached += bool(alone)
    assert breached > 2


def person(over, owner, one):
    """The number that the tables have for somebody who stands alone behind a cell."""
    table, row = over.tables.home[np.flatnonzero(owner == one)[0]]
    kept = over.tables.tables[table].contributions
    assert kept.count[row] == 1
    return int(kept.who[row, 0])


def late(seed):
    """The first table is published already; the others come late."""
    start = random_set(seed, keep=0.0).aligned()
    first = METHOD.protect(start.patterns[0], None)
    first = replace(first, mark=np.where(first.status == Status.OPEN, np.uint8(Mark.PUBLISHED), first.mark))
    return PatternSet((first, *start.patterns[1:]))


def test_a_late_table_does_not_change_what_is_published():
    done, refused = 0, 0
    for seed in range(12):
        before = late(seed)
        try:
            start = before.aligned()
            after = protect_linked(
                start, [Member(None), *[Member(METHOD)] * (len(start.patterns) - 1)], OUTSIDER
            )
        except Refused as told:
            refused += 1
            assert isinstance(told, LinkedUnprotectable | PublishedAlready)
            continue
        done += 1
        assert (after.patterns[0].status == before.patterns[0].status).all()
        assert leaks(after.patterns) == []
    assert done > 5
    assert refused < 15


def test_a_late_table_is_refused_with_the_published_cells_in_the_way():
    rows = Microdata(
        {
            "a": Column.texts_of(["p", "p", "q"]),
            "b": Column.texts_of(["1", "2", "1"]),
            "x": Column.numbers_of(np.array([57.0, 71.0, 43.0])),
        }
    )
    margins = [as_published(Pattern(tabulate(rows, [by], "x", name=by))) for by in "ab"]
    table = tabulate(rows, ["a", "b"], "x", name="late")
    start = PatternSet((primary(table, [at(table, "p", "1")], 2.0, 2.0), *margins)).aligned()
    with pytest.raises(LinkedUnprotectable) as told:
        protect_linked(start, [Member(METHOD), Member(None), Member(None)], OUTSIDER)
    text = told.value.text("en")
    assert "late: p × 1" in text
    assert "in the way: late: " in text
    assert not any(number in text for number in ("57", "71", "43"))
    alone = PatternSet((start.patterns[0], margins[0])).aligned()
    free = replace(
        alone.patterns[0], mark=np.where(table.cells[:, 1] == 0, alone.patterns[0].mark, np.uint8(0))
    )
    after = protect_linked(PatternSet((free, margins[0])).aligned(), [Member(METHOD), Member(None)], OUTSIDER)
    assert leaks(after.patterns) == []


def test_a_cell_that_one_table_shows_is_no_secret_in_the_other():
    seen = 0
    for _, after in survivors(range(300, 312)):
        shared = np.flatnonzero(after.primary & after.tables.shared)
        first = np.isin(after.tables.numbers[0], shared[:1])
        if first.any():
            seen += 1
            opened = replace(after.patterns[0], status=np.where(first, np.uint8(0), after.patterns[0].status))
            torn = PatternSet((opened, *after.patterns[1:]))
            found = set_findings(torn, [TableAudit(insiders="none")])
            assert not any(f.value for f in found)
            assert leaks(torn.patterns) != []
    assert seen > 3
