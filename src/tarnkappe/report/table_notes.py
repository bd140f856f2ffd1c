"""What stands in the head of a table: how its values came about."""

from __future__ import annotations

from collections.abc import Iterator

from tarnkappe.data.table import Table
from tarnkappe.language import Text, listed
from tarnkappe.plan.ledger import TableEntry

_WEIGHTED = Text(
    "Weighted: a cell adds up weight × value of the records.",
    "Gewichtet: Eine Zelle summiert Gewicht × Wert der Datensätze.",
)
_PLAIN = Text("Not weighted: every record counts once.", "Ungewichtet: Jeder Datensatz zählt einmal.")
_UNITS = Text(
    "Rules count units, not records: records of one unit, by an identifier that repeats or because a step made them from one record, are one "
    "contributor.",
    "Die Regeln zählen Einheiten, nicht Datensätze: Datensätze einer Einheit, nach einem wiederkehrenden Identifikator oder weil ein Schritt sie "
    "aus einem Datensatz gemacht hat, sind ein Beitragender.",
)
_COMPUTED = Text(
    "The file has no sums along {names}; they were computed and are part of the table.",
    "Die Datei hat keine Summen nach {names}; sie wurden berechnet und gehören zur Tabelle.",
)
_RESPONDENTS = Text(
    "Weighted. The rules count respondents and look at what they told, without weights.",
    "Gewichtet. Die Regeln zählen Befragte und betrachten deren Angaben ohne Gewichte.",
)
_INSIDE = Text(
    "Weighted. By choice these rules take the weights in: {rules}. Cells with too few respondents are marked all the same.",
    "Gewichtet. Auf Wunsch rechnen diese Regeln mit den Gewichten: {rules}. Zellen mit zu wenigen Befragten werden trotzdem markiert.",
)


def public_notes(entry: TableEntry) -> tuple[Text, ...]:
    """For everybody: whether the table is weighted, where it is made of records, and which sums were computed."""
    if entry.plan.described.file is not None:
        return tuple(computed_sums(entry.pattern.table))
    return (_WEIGHTED if entry.pattern.table.weighted else _PLAIN,)


def computed_sums(table: Table) -> Iterator[Text]:
    """That a file came without sums."""
    if table.computed:
        yield _COMPUTED.filled(names=listed(list(table.computed)))


def office_notes(entry: TableEntry) -> tuple[Text, ...]:
    """For the office: what the method warns of, and what the weights mean for the rules."""
    protect = entry.plan.protect
    said = (*protect.warnings, *protect.notes(entry.pattern)) if protect else ()
    return (*said, *_office(entry))


def _office(entry: TableEntry) -> Iterator[Text]:
    if entry.plan.described.file is not None:
        yield from computed_sums(entry.pattern.table)
        return
    if entry.pattern.table.of_units:
        yield _UNITS
    if not entry.pattern.table.weighted:
        yield _PLAIN
        return
    inside = [rule for rule in entry.plan.rules if getattr(rule, "weighted", False)]
    if not inside:
        yield _RESPONDENTS
        return
    yield Text(
        _INSIDE.en.format(rules=listed([rule.title.en for rule in inside])),
        _INSIDE.de.format(rules=listed([rule.title.de for rule in inside])),
    )
