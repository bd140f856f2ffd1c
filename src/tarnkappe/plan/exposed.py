"""The records that are found most surely: by their place in the file, never with a value. For the office alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.plan.ledger import Exposed, MeasureEntry
from tarnkappe.spec import Finding

MOST = 20
FILE = "riskiest-records.csv"
HEADER = ("record", "risk_before", "risk_after", "records_that_fit", "key", "sensitive_value_known")
VARIETY = "risk.l-diversity"


@runtime_checkable
class Counting(Protocol):
    """A measure that can count, by any keys, the records that fit a record."""

    keys: tuple[str, ...]

    def counts(self, data: Microdata) -> Ints: ...

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self: ...


_WORDS = {None: "", True: "yes", False: "no"}


def exposed(before: Microdata, after: Microdata, entries: Sequence[MeasureEntry]) -> tuple[Exposed, ...]:
    """The riskiest records in the eyes of the strongest attacker that was measured, the worst first.

    Of records that are equally at risk, those come first whose sensitive value becomes known for certain, then those that were more at
    risk before, then those that stand earlier in the file.
    Records that a method made up are nobody's.
    """
    entry = strongest(entries)
    if entry is None or not isinstance(entry.measure, Counting):
        return ()
    risk = entry.after.per_record
    assert risk is not None
    was = _of_rows(entry.before, before, after)
    real = np.flatnonzero(after.rows >= 0)
    former = np.nan_to_num(was, nan=0.0)
    learnt = _learnt(entries)
    told = np.zeros(len(after), dtype=np.bool_) if learnt is None else learnt
    worst = real[np.lexsort((after.rows[real], -former[real], ~told[real], -risk[real]))][:MOST]
    fitting, keys = _standing_out(entry.measure, after, worst)
    return tuple(
        Exposed(
            record=after.record(at), before=None if np.isnan(was[at]) else float(was[at]), after=float(risk[at]),
            fitting=int(fitting[i]), key=keys[i], learnt=None if learnt is None else bool(learnt[at]),
        )
        for i, at in enumerate(worst)
    )  # fmt: skip


def strongest(entries: Sequence[MeasureEntry]) -> MeasureEntry | None:
    """The attacker who finds most records on average; only measures that say so of every record count."""
    told = [e for e in entries if hasattr(e.measure, "attacker") and e.after.per_record is not None]
    return max(told, key=_average, default=None)


def as_rows(found: Sequence[Exposed]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """For internal/: the heading and the rows of the file."""
    rows: list[tuple[str, ...]] = [
        (
            str(one.record),
            _spelt(one.before),
            _spelt(one.after),
            str(one.fitting),
            one.key,
            _WORDS[one.learnt],
        )
        for one in found
    ]
    return HEADER, rows


def _average(entry: MeasureEntry) -> float:
    assert entry.after.per_record is not None
    return float(np.mean(entry.after.per_record)) if len(entry.after.per_record) else 0.0


def _of_rows(finding: Finding | None, before: Microdata, after: Microdata) -> Floats:
    """The risk that every released record had in the original; NaN where it is not known."""
    out = np.full(len(after), np.nan)
    if finding is None or finding.per_record is None:
        return out
    order = np.argsort(before.rows, kind="stable")
    place = np.minimum(np.searchsorted(before.rows[order], after.rows), len(order) - 1)
    there = before.rows[order[place]] == after.rows
    out[there] = finding.per_record[order[place[there]]]
    return out


def _standing_out(measure: Counting, data: Microdata, records: Ints) -> tuple[Ints, list[str]]:
    """How many records fit each of some records, and the key without which most would."""
    names = (*data.keys(measure.keys), *getattr(measure, "within", ()))

    def fitting(chosen: tuple[str, ...]) -> Ints:
        return measure.model_copy(update={"keys": chosen}).counts(data)[records]

    if len(names) == 1:
        return fitting(names), [""] * len(records)
    without = np.array([fitting(tuple(n for n in names if n != gone)) for gone in names])
    return fitting(names), [names[i] for i in without.argmax(axis=0)]


def _learnt(entries: Sequence[MeasureEntry]) -> Bools | None:
    """Of whom a sensitive value is known for certain: all records that fit show the same."""
    for entry in entries:
        if entry.measure.id == VARIETY and getattr(entry.measure, "kind", "") == "distinct":
            assert entry.after.per_record is not None
            return np.asarray(entry.after.per_record == 1)
    return None


def _spelt(risk: float | None) -> str:
    return "" if risk is None else f"{risk:.6g}"
