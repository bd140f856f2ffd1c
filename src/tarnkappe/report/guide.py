"""How to work with a release, method by method: what needs no correction, what `tarnkappe correct` corrects, and what nothing can."""

from __future__ import annotations

from typing import Any

from tarnkappe.correct.told import READERS
from tarnkappe.language import Text
from tarnkappe.plan.ledger import Run, StepEntry
from tarnkappe.report.columns import touched
from tarnkappe.spec import Family, Leaves, Method
from tarnkappe.spec.told_figures import counted

COMMAND = 'tarnkappe correct RELEASE --model "y ~ x1 + x2"'
_DERIVED = Text(
    "The columns were computed from others; they are as exact as those were.",
    "Die Spalten wurden aus anderen berechnet; sie sind so genau, wie diese es waren.",
)
_NOTHING = Text("No correction is needed.", "Eine Korrektur ist nicht nötig.")
_NO_WAY = Text(
    "There is no correction: relations with other columns and subgroups may be distorted. Means of the whole file are more reliable than details.",
    "Eine Korrektur gibt es nicht: Zusammenhänge mit anderen Spalten und Teilgruppen können verzerrt sein. Mittelwerte der ganzen Datei sind verlässlicher als Einzelheiten.",
)  # fmt: skip
_BY_FAMILY = {
    Family.AVERAGE: Text(
        "Values were drawn together in small groups of records. Means of the whole file are kept or nearly so; single values and small subgroups are unreliable. There is no correction.",
        "Werte wurden in kleinen Gruppen von Datensätzen zusammengeführt. Mittelwerte der ganzen Datei bleiben (fast) erhalten; einzelne Werte und kleine Teilgruppen sind unsicher. Eine Korrektur gibt es nicht.",
    ),
    Family.SWAP: Text(
        "Values were exchanged between records. Each column by itself has the values it had: counts, means and distributions are those of the original. Relations with other columns are mostly too weak; there is no correction.",
        "Werte wurden zwischen Datensätzen getauscht. Jede Spalte für sich hat die Werte, die sie hatte: Häufigkeiten, Mittelwerte und Verteilungen sind die des Originals. Zusammenhänge mit anderen Spalten sind meist zu schwach; eine Korrektur gibt es nicht.",
    ),
}  # fmt: skip
"""What is so for all methods of a family that give no advice of their own."""


def guide(run: Run) -> list[dict[str, Any]]:
    """One entry per step that a recipient notices, in order."""
    return [_entry(step, run) for step in run.steps if _noticed(step, run)]


def advice(method: type[Method]) -> Text:
    """What a recipient does about a method."""
    if method.advice is not None:
        return method.advice
    if method.leaves is Leaves.DERIVED:
        return _DERIVED
    return _NOTHING if method.leaves.true else _BY_FAMILY.get(method.family, _NO_WAY)


def _entry(step: StepEntry, run: Run) -> dict[str, Any]:
    changed = [n for n, change in step.changes.items() if n in run.after.names and touched(change)]
    return {
        "step": counted(step.number),
        "method": step.method.id,
        "title": step.method.title,
        "advice": advice(type(step.method)),
        "correctable": step.method.id in READERS,
        "columns": changed or [n for n, change in step.changes.items() if change.dropped],
    }


def _noticed(step: StepEntry, run: Run) -> bool:
    """Shuffled rows and the like need no advice."""
    changed = any(
        change.dropped or (n in run.after.names and touched(change)) for n, change in step.changes.items()
    )
    return advice(type(step.method)) is not _NOTHING and (
        changed or step.records_before != step.records_after
    )
