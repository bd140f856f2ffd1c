"""What a step does beyond what it declares is a fault in every run: faults are planted in every method of the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plans.workshop import SECRET, VARIABLE, changed, lay_out
from surfaces.command import command
from tarnkappe.data.column import SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.release import ClaimBroken
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import Method, catalogue
from tarnkappe.spec.step import apply_step
from tarnkappe.testing.example import example_data
from tarnkappe.testing.methods import made
from tarnkappe.vocab import Kind, Role

Fault = Callable[[Method, Microdata, Microdata], Microdata | None]
"""(method, before, after) -> the result with the fault, or None where there is no place for it."""


def _other(method: Method, before: Microdata, after: Microdata, numbers: bool = False) -> str | None:
    """A column that the step does not treat, with cells in it."""
    reach = method.reach(before)
    free = [n for n in after.names if n in before.names and n not in (*reach.changed, *reach.new)]
    return next((n for n in free if not numbers or before.column(n).kind.is_number), None)


def _with(after: Microdata, name: str, **parts: object) -> Microdata:
    return after.with_columns({name: replace(after.column(name), **parts)})


def one_cell(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    name = _other(method, before, after)
    if name is None or not len(after):
        return None
    values = after.column(name).values.copy()
    shown = np.flatnonzero((after.rows >= 0) & after.column(name).observed)
    others = values[shown][values[shown] != values[shown[0]]]
    values[shown[0]] = others[0]
    return _with(after, name, values=values)


def two_cells_exchanged(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    name = _other(method, before, after)
    if name is None:
        return None
    values = after.column(name).values.copy()
    different = np.flatnonzero((values != values[0]) & (after.rows >= 0) & after.column(name).observed)
    values[[0, different[0]]] = values[[different[0], 0]]
    return _with(after, name, values=values)


def a_cell_emptied(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    name = _other(method, before, after)
    cells = np.arange(len(after)) == 1
    return None if name is None else after.with_columns({name: after.column(name).suppress(cells)})


def rounded(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    name = _other(method, before, after, numbers=True)
    if name is None:
        return None
    column = after.column(name)
    return after.with_columns({name: column.with_numbers(np.where(column.observed, column.values + 1, 0))})


def another_label(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    name = _other(method, before, after)
    return None if name is None else _with(after, name, label="something else")


def another_value_label(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    name = _other(method, before, after)
    return None if name is None else _with(after, name, value_labels={"east": "Osten"})


def another_role(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    name = _other(method, before, after)
    if name is None:
        return None
    role = Role.SENSITIVE if Role.SENSITIVE not in before.roles_of(name) else Role.KEY
    roles = {r: tuple(n for n in names if n != name) for r, names in after.roles.items()}
    return after.with_roles({**roles, role: (*roles.get(role, ()), name)})


def a_column_lost(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    name = _other(method, before, after)
    return None if name is None else after.without([name])


def a_column_more(method: Method, before: Microdata, after: Microdata) -> Microdata:
    return after.with_columns({"surprise": Column(Kind.INTEGER, np.arange(len(after)))})


def a_treated_column_lost(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    reach = method.reach(before)
    name = next((n for n in reach.changed if n in after.names and n not in reach.gone), None)
    return None if name is None else after.without([name])


def a_record_lost(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    return None if method.loses_records else after.take(np.arange(1, len(after)))


def half_the_records_lost(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    return None if method.loses_records else after.take(np.arange(0, len(after), 2))


def a_record_twice(method: Method, before: Microdata, after: Microdata) -> Microdata:
    return after.take(np.append(np.arange(len(after)), 0))


def a_record_made(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    return None if method.makes_records else after.with_made(np.array([0]))


def a_record_from_nowhere(method: Method, before: Microdata, after: Microdata) -> Microdata:
    rows = after.rows.copy()
    rows[0] = before.rows.max() + 7
    return replace(after, rows=rows)


def another_order(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    return None if method.reorders else after.take(np.arange(len(after))[::-1])


def another_kind(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    if method.changes_kinds:
        return None
    name = next((n for n in method.reach(before).changed if n in after.names), None)
    if name is None or name in method.adds():
        return None
    column = after.column(name)
    texts = Column.texts_of([str(v) for v in column.values]) if column.categories is None else None
    new = texts or Column(Kind.INTEGER, column.values.astype(np.int64))
    roles = {r: tuple(n for n in names if n != name) for r, names in after.roles.items()}
    bare = after.with_roles(roles)
    return bare.with_columns({name: replace(new, state=column.state, label=column.label)})


def a_suppressed_cell_shown(method: Method, before: Microdata, after: Microdata) -> Microdata | None:
    old, _ = before.paired(after)
    for name in after.names:
        if name in old.names and old.column(name).suppressed.any() and name not in method.adds():
            state = after.column(name).state
            if state is not None:
                return _with(after, name, state=np.where(state == SUPPRESSED, 0, state).astype(np.uint8))
    return None


def fewer_reported(method: Method, before: Microdata, after: Microdata) -> Microdata:
    return replace(after, reported=after.reported + 1)


FAULTS: tuple[Fault, ...] = (
    one_cell, two_cells_exchanged, a_cell_emptied, rounded, another_label, another_value_label, another_role, a_column_lost,
    a_column_more, a_treated_column_lost, a_record_lost, half_the_records_lost, a_record_twice, a_record_made, a_record_from_nowhere,
    another_order, another_kind, a_suppressed_cell_shown, fewer_reported,
)  # fmt: skip


@pytest.fixture(scope="module", params=[cls.id for cls in catalogue.methods()])
def done(request: pytest.FixtureRequest) -> tuple[Method, Microdata, Microdata]:
    method, before = made(catalogue[request.param]), example_data()
    return method, before, apply_step(method, before, stream("a secret for faults", method.id))


def test_every_planted_fault_is_caught(
    done: tuple[Method, Microdata, Microdata], monkeypatch: pytest.MonkeyPatch
) -> None:
    method, before, after = done
    planted = 0
    for fault in FAULTS:
        wrong = fault(method, before, after)
        if wrong is None:
            continue
        planted += 1
        monkeypatch.setattr(type(method), "apply", lambda self, data, drawn, wrong=wrong: wrong)
        with pytest.raises(ClaimBroken):
            apply_step(method, before, stream("a secret for faults", method.id))
    assert planted >= 10


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_finds_a_place(fault: Fault) -> None:
    """In additive noise each of the faults can be planted."""
    method, before = made(catalogue["microdata.noise"]), example_data()
    after = apply_step(method, before, stream("a secret for faults", method.id))
    assert fault(method, before, after) is not None


LOSING = {
    "microdata.pram": {"columns": ["note"], "alpha": 0.3},
    "microdata.factor-noise": {"columns": ["income"]},
    "microdata.controlled-noise": {"columns": ["income", "wealth"]},
}


@pytest.mark.parametrize("id", LOSING)
def test_a_run_that_loses_a_record_ends_with_our_fault_and_writes_nothing(
    id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, SECRET)
    steps = [{"use": "microdata.drop", "columns": ["name", "number"]}, {"use": id, **LOSING[id]}]
    plan = lay_out(tmp_path, changed(steps=steps, release_if=[]))
    real = catalogue[id].apply
    monkeypatch.setattr(
        catalogue[id], "apply", lambda m, data, drawn: real(m, data, drawn).take(np.arange(1, len(data)))
    )
    said = command(capsys, "run", plan, "--out", tmp_path / "out")
    assert (said.code, "run.claim-broken" in said.all) == (1, True), said.all
    assert not list(tmp_path.rglob("data.csv"))
