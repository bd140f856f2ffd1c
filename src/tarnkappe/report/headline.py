"""The first screen of a report: the verdict in plain words and the figures that matter most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.ledger import Colour, MeasureEntry, Run
from tarnkappe.report.columns import Story
from tarnkappe.report.measures import value_of
from tarnkappe.report.numbers import percent, shown


@dataclass(frozen=True, slots=True)
class Tile:
    """One headline figure."""

    name: Text
    now: Text
    note: Text = NOTHING


_REFUSED = (
    Text("The {what} must not be released", "Die {what} dürfen nicht freigegeben werden"),
    Text(
        "Not met: {closed} of {all} conditions. Nothing was released.",
        "Nicht erfüllt: {closed} von {all} Bedingungen. Es wurde nichts freigegeben.",
    ),
)
_SIGNED = (
    Text(
        "The {what} may be released, but something stands out",
        "Die {what} können freigegeben werden, doch etwas fällt auf",
    ),
    Text(
        "All {all} conditions for the release as {kind} are met. What stands out, or is less than the default policy, was signed with a "
        "reason: {signed}.",
        "Alle {all} Bedingungen der Freigabe ({kind}) sind erfüllt. Was auffällt oder weniger ist als die Standardrichtlinie, wurde mit einer "
        "Begründung gezeichnet: {signed}.",
    ),
)
_CLEAR = (
    Text("The {what} may be released", "Die {what} können freigegeben werden"),
    Text(
        "All {all} conditions for the release as {kind} are met, every step kept what it claims, and nothing stands out.",
        "Alle {all} Bedingungen der Freigabe ({kind}) sind erfüllt, jeder Schritt hält ein, was er zusagt, und nichts fällt auf.",
    ),
)
_COLOURS = {Colour.REFUSED: _REFUSED, Colour.SIGNED: _SIGNED, Colour.CLEAR: _CLEAR}


def verdict(run: Run) -> tuple[Text, Text]:
    """Say in plain words whether the data may leave, and why."""
    closed = sum(not gate.held for gate in run.gates)
    facts = {
        "kind": run.plan.release.kind.text, "all": shown(len(run.gates)), "closed": shown(closed),
        "signed": shown(len(run.accepted)),
    }  # fmt: skip
    what = Text("data", "Daten") if run.plan.releases_data else Text("tables", "Tabellen")
    title, says = _COLOURS[run.colour]
    return title.filled(what=what), says.filled(**facts)


def tiles(run: Run, stories: Sequence[Story]) -> tuple[Tile, ...]:
    """Records, k, uniques, the largest error of a mean, changed columns, tables: as far as there are any."""
    found = {entry.measure.id: entry for entry in run.measures}
    measured = [
        _measured(found.get(measure_id), name, note)
        for measure_id, name, note in (
            ("risk.k-anonymity", Text("Smallest class, k", "Kleinste Klasse, k"), _BEFORE),
            ("risk.uniques", Text("Unique records", "Einzigartige Datensätze"), _BEFORE),
        )
    ]
    data = (_records(run), *measured, _error(found.get("utility.moments")), _columns(stories))
    return tuple(t for t in (*(data if run.plan.releases_data else ()), *_tables(run)) if t)


_BEFORE = Text("before: {before}", "vorher: {before}")


def _tables(run: Run) -> Iterator[Tile]:
    if not run.tables:
        return
    cells = sum(len(entry.pattern.table) for entry in run.tables)
    gone = sum(int(entry.pattern.suppressed.sum()) for entry in run.tables)
    held = sum(bool(entry.audit.value) and entry.audit.trusted for entry in run.tables)
    count = Text("{n} cells", "{n} Zellen").filled(n=shown(cells))
    yield Tile(Text("Tables", "Tabellen"), shown(len(run.tables)), count)
    share = Text("{share} of all cells", "{share} aller Zellen").filled(share=percent(gone / max(cells, 1)))
    yield Tile(Text("Suppressed cells", "Gesperrte Zellen"), shown(gone), share)
    now = Text("{n} of {all}", "{n} von {all}").filled(n=shown(held), all=shown(len(run.tables)))
    yield Tile(
        Text("Audits that hold", "Prüfungen, die halten"), now, Text("one per table", "eine je Tabelle")
    )


def _records(run: Run) -> Tile:
    gone = len(run.before) - len(run.after)
    note = (
        _BEFORE.filled(before=shown(len(run.before))) if gone else Text("none left out", "keiner entfallen")
    )
    return Tile(Text("Records", "Datensätze"), shown(len(run.after)), note)


def _measured(entry: MeasureEntry | None, name: Text, note: Text) -> Tile | None:
    if entry is None:
        return None
    before = entry.before.value if entry.before else entry.after.baseline
    said = note.filled(before=value_of(entry.measure, before)) if before is not None else NOTHING
    return Tile(name, value_of(entry.measure, entry.after.value), said)


def _error(entry: MeasureEntry | None) -> Tile | None:
    if entry is None:
        return None
    name = Text("Largest mean error", "Größter Mittelwertfehler")
    return Tile(name, percent(entry.after.value), Text("against the original", "gegenüber Original"))


def _columns(stories: Sequence[Story]) -> Tile:
    released = [s for s in stories if not s.dropped]
    changed, dropped = sum(s.changed for s in stories), sum(s.dropped for s in stories)
    now = Text("{n} of {all}", "{n} von {all}").filled(n=shown(changed), all=shown(len(released)))
    note = Text("{n} removed", "{n} entfernt").filled(n=shown(dropped)) if dropped else NOTHING
    return Tile(Text("Columns changed", "Veränderte Spalten"), now, note)
