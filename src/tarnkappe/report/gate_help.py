"""What would help when a release is refused: in words, by what the condition measures."""

from __future__ import annotations

from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.ledger import GateEntry, Run

_KEYS = Text(
    "Make more records look alike: coarsen a key by a level, leave out a key that few users need, suppress the rarest values or "
    "records, or microaggregate with a larger k.",
    "Machen Sie mehr Datensätze gleich: einen Schlüssel um eine Ebene vergröbern, einen Schlüssel weglassen, den kaum jemand "
    "braucht, die seltensten Werte oder Datensätze unterdrücken oder mit größerem k mikroaggregieren.",
)
_RECORDS = Text(
    "Gather more records: the file has {n}, so nobody in it can be hidden among {k}.",
    "Nehmen Sie mehr Datensätze auf: Die Datei hat {n}, niemand darin kann unter {k} verborgen sein.",
)
_DRIVER = Text("{says} “{name}” drives the risk most.", "{says} Am stärksten treibt „{name}“ das Risiko.")
_SENSITIVE = Text(
    "Records that look alike show too few different sensitive values: coarsen the keys further so that groups grow, or coarsen the "
    "sensitive column itself.",
    "Datensätze, die sich gleichen, zeigen zu wenige verschiedene sensible Werte: Vergröbern Sie die Schlüssel weiter, damit die "
    "Gruppen wachsen, oder die sensible Spalte selbst.",
)
_NUMBERS = Text(
    "The numbers lead back to people: microaggregate with a larger k, add stronger noise, swap over wider ranks, or cap extreme "
    "values.",
    "Die Zahlen führen zu Menschen zurück: mit größerem k mikroaggregieren, stärker überlagern, über weitere Ränge tauschen oder "
    "Extremwerte kappen.",
)
_TABLES = Text(
    "A table gives away what it should protect: choose another protector or stronger rules, or free cells that were marked “keep open”.",
    "Eine Tabelle verrät, was sie schützen soll: Wählen Sie ein anderes Schutzverfahren oder strengere Regeln, oder geben Sie "
    "Zellen frei, die offen bleiben sollten.",
)
_UTILITY = Text(
    "The data has lost too much: protect less strongly (a smaller k, a finer level, less noise), use another method, or ask less of "
    "the result.",
    "Die Daten haben zu viel verloren: weniger stark schützen (kleineres k, feinere Ebene, schwächere Überlagerung), ein anderes "
    "Verfahren nehmen oder weniger vom Ergebnis verlangen.",
)
_IDENTIFIER = Text(
    "Drop or pseudonymise the columns named here: they hold values of a direct identifier.",
    "Entfernen oder pseudonymisieren Sie die genannten Spalten: Sie enthalten Werte eines direkten Identifikators.",
)
_EMPTY = Text(
    "The steps leave nothing over: suppress less, or coarsen the keys first.",
    "Die Schritte lassen nichts übrig: weniger unterdrücken oder zuerst die Schlüssel vergröbern.",
)
_GENERAL = Text(
    "Protect more strongly, or change the condition and write down why.",
    "Schützen Sie stärker oder ändern Sie die Bedingung und halten Sie fest, warum.",
)
_BY_FAMILY = {
    _SENSITIVE: (
        "l-diversity", "t-closeness", "alpha-k", "homogeneity", "background-knowledge", "skewness", "similarity",
        "elimination", "beta-likeness", "delta-disclosure", "inference", "best-guess",
    ),
    _NUMBERS: (
        "linkage", "probable-linkage", "bayes-linkage", "simple-matching", "interval-disclosure", "value-disclosure",
        "certain-bounds", "ratio-attack", "published-totals", "useful-hits", "linkability", "outliers",
        "structural-outliers", "series-breaks", "swaps-undone",
    ),
    _GENERAL: ("row-order", "dependencies", "weight-leakage", "earlier-releases", "membership", "delta-presence"),
    _TABLES: ("table-audit",),
}  # fmt: skip
_BY_ID = {f"risk.{name}": says for says, names in _BY_FAMILY.items() for name in names}
"""All other measures of risk count records that look alike on the keys."""


def help_for(entry: GateEntry, run: Run) -> Text:
    """What would open a gate; nothing where it is open."""
    if entry.held:
        return NOTHING
    if entry.helps:
        return entry.helps
    if entry.gate is None:
        return _built_in(entry, run)
    id = entry.gate.measure.id
    if id.startswith("utility."):
        return _UTILITY
    wanted = entry.gate.at_least
    if id == "risk.k-anonymity" and wanted is not None and len(run.before) < wanted:
        return _RECORDS.filled(n=len(run.before), k=f"{wanted:g}")
    return _BY_ID.get(id) or _on_keys(run)


def _built_in(entry: GateEntry, run: Run) -> Text:
    if not entry.public:
        return _IDENTIFIER
    if any(table.name in entry.says.en for table in run.tables):
        return _TABLES
    return _EMPTY if len(run.after) == 0 else _GENERAL


def _on_keys(run: Run) -> Text:
    """With the key that contributes most, where that was measured."""
    found = next(
        (e.after.details.get("adds") for e in run.measures if e.measure.id == "risk.attribution"), None
    )
    if not found or max(found.values()) <= 0:
        return _KEYS
    return _DRIVER.filled(says=_KEYS, name=max(found, key=found.__getitem__))
