"""What is at risk in a file and why, in sentences. They name columns, counts and shares, never values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tarnkappe.language import Text, listed
from tarnkappe.plan.candidates import Candidate
from tarnkappe.plan.dependencies import Dependency
from tarnkappe.plan.drivers import KeyRisk
from tarnkappe.plan.first_plan import Columns, Treatment
from tarnkappe.plan.guess import amount, percent
from tarnkappe.plan.naming import topic_of
from tarnkappe.plan.words import COUNT
from tarnkappe.vocab import Role

_SKEWED = 5.0
"""From this skewness on, the largest values stand out."""
_FIRST_DRIVERS = 3
_PERIODS = 1.5
"""A number that stands in so many records on average is one of units over periods."""


def remarks(
    columns: Columns,
    articles: Mapping[str, int],
    risk: KeyRisk | None,
    follows: Sequence[Dependency],
    done: Treatment | None,
) -> tuple[Text, ...]:
    """Say what is at risk, the gravest first, and what the first plan does about it."""
    return (
        *_identifiers(columns),
        *(key_remarks(risk) if risk else ()),
        *_protected_by_law(articles),
        *_groups(columns),
        *_over_periods(columns),
        *_large_values(columns),
        *_dependent(columns, follows),
        *_cells(columns),
        *(_plan(done, columns) if done else _hopeless(columns)),
    )


def _identifiers(columns: Columns) -> Iterator[Text]:
    if names := columns.having(Role.IDENTIFIER):
        said = Text(
            "These columns identify directly and must not be released: {names}.",
            "Diese Spalten identifizieren unmittelbar und dürfen nicht hinaus: {names}.",
        )
        yield said.filled(names=listed(names))


def key_remarks(risk: KeyRisk) -> Iterator[Text]:
    """Say how many records are unique on the keys, and which keys drive that."""
    said = Text(
        "{count} records ({share}) are the only ones with their combination of {names}; k is {k}.",
        "{count} Datensätze ({share}) sind die einzigen mit ihrer Kombination von {names}; k ist {k}.",
    )
    yield said.filled(
        names=listed(risk.keys),
        count=amount(risk.uniques),
        share=percent(risk.unique_share),
        k=amount(risk.k),
    )
    for driver in risk.drivers[:_FIRST_DRIVERS]:
        if driver.drop > 0 and len(risk.keys) > 1:
            fall = Text(
                "Without {name} the share of unique records would fall from {before} to {after}.",
                "Ohne {name} fiele der Anteil einmaliger Datensätze von {before} auf {after}.",
            )
            yield fall.filled(
                name=driver.name,
                before=percent(risk.unique_share),
                after=percent(driver.unique_share_without),
            )


def _protected_by_law(articles: Mapping[str, int]) -> Iterator[Text]:
    for article in (9, 10):
        if names := [name for name, number in articles.items() if number == article]:
            said = Text(
                "GDPR Art. {article} protects these columns specially: {names}.",
                "Art. {article} DSGVO schützt diese Spalten besonders: {names}.",
            )
            yield said.filled(article=article, names=listed(names))


def _groups(columns: Columns) -> Iterator[Text]:
    if names := columns.having(Role.HOUSEHOLD, Role.UNIT, Role.OWNER):
        said = Text(
            "Records that belong together betray each other: {names}. The first plan drops these columns.",
            "Zusammengehörige Datensätze verraten einander: {names}. Der erste Plan entfernt diese Spalten.",
        )
        yield said.filled(names=listed(names))


def _over_periods(columns: Columns) -> Iterator[Text]:
    """Numbers that come back in every period tie the records of a unit together."""
    known = set(columns.having(Role.IDENTIFIER)) if columns.having(Role.PERIOD) else set()
    names = [p.name for p in columns.profiles if p.name in known and 0 < p.distinct <= p.records / _PERIODS]
    if names:
        said = Text(
            "These columns tell which records over the periods belong to one unit: {names}. To keep series, give one of them the role unit, or pseudonymise it.",
            "Diese Spalten sagen, welche Datensätze über die Perioden zu einer Einheit gehören: {names}. Um Reihen zu erhalten, geben Sie einer die Rolle unit "
            "oder pseudonymisieren Sie sie.",
        )
        yield said.filled(names=listed(names))


def _large_values(columns: Columns) -> Iterator[Text]:
    numeric = set(columns.having(Role.NUMERIC))
    skewed = [p.name for p in columns.profiles if p.name in numeric and abs(p.skewness or 0.0) >= _SKEWED]
    if skewed:
        said = Text(
            "A few very large values can be recognised by their size: {names}.",
            "Einige sehr große Werte sind an ihrer Größe zu erkennen: {names}.",
        )
        yield said.filled(names=listed(skewed))
    if unsound := [p.name for p in columns.profiles if not p.sound]:
        said = Text(
            "These columns hold infinite values, or values so near to zero that digits are lost, and are dropped until they are cleaned: {names}.",
            "Diese Spalten enthalten unendliche Werte oder Werte so nahe an null, dass Stellen fehlen, und entfallen, bis sie bereinigt sind: {names}.",
        )
        yield said.filled(names=listed(unsound))
    if empty := [p.name for p in columns.profiles if p.distinct == 0]:
        said = Text(
            "These columns have no value at all and are dropped: {names}.",
            "Diese Spalten haben keinen einzigen Wert und entfallen: {names}.",
        )
        yield said.filled(names=listed(empty))


def _dependent(columns: Columns, follows: Sequence[Dependency]) -> Iterator[Text]:
    pointing = set(columns.having(Role.IDENTIFIER, Role.HOUSEHOLD, Role.UNIT, Role.OWNER))
    pairs = [f"{d.on} → {d.of}" for d in follows if not {d.on, d.of} & pointing]
    if pairs:
        said = Text(
            "One column gives another away, so both must be coarsened together: {pairs}.",
            "Eine Spalte verrät eine andere, darum sind beide gemeinsam zu vergröbern: {pairs}.",
        )
        yield said.filled(pairs=listed(pairs))


def _cells(columns: Columns) -> Iterator[Text]:
    """Say that a file with one count for each combination of codes is a table and not microdata."""
    counts = [p.name for p in columns.profiles if topic_of(p.name) is COUNT and p.kind.is_number]
    if len(counts) == 1 and columns.cells:
        said = Text(
            "This looks like a table of counts ({name}), one record per cell: protect it as a table.",
            "Das sieht nach einer Tabelle von Anzahlen aus ({name}), ein Datensatz je Zelle: schützen Sie "
            "sie als Tabelle.",
        )
        yield said.filled(name=counts[0])


def _plan(done: Treatment, columns: Columns) -> Iterator[Text]:
    gone = [name for name in columns.having(Role.KEY) if name not in done.keys]
    if gone:
        said = Text(
            "To reach k = {k} the first plan leaves out these keys: {names}.",
            "Um k = {k} zu erreichen, lässt der erste Plan diese Schlüssel weg: {names}.",
        )
        yield said.filled(k=columns.k, names=listed(gone))
    if done.generalise:
        said = Text("The first plan coarsens {names}.", "Der erste Plan vergröbert {names}.")
        yield said.filled(names=listed(list(done.generalise)))
    if done.keys:
        said = Text(
            "The first plan suppresses {count} records, and k is {k} or more.",
            "Der erste Plan unterdrückt {count} Datensätze, und k ist {k} oder mehr.",
        )
        yield said.filled(count=amount(done.suppressed), k=columns.k)


def _hopeless(columns: Columns) -> Iterator[Text]:
    records = columns.profiles[0].records
    if records < columns.k:
        said = Text(
            "With fewer than {k} records nobody can hide among others: the first plan will be refused. More records are needed.",
            "Bei weniger als {k} Datensätzen kann sich niemand unter anderen verbergen: Der erste Plan wird verweigert. Es braucht mehr "
            "Datensätze.",
        )
        yield said.filled(k=columns.k)
    else:
        yield Text(
            "Nothing would be left to release: the first plan will be refused. Name the roles of the columns, or give a hierarchy to a key "
            "that was left out.",
            "Es bliebe nichts zum Freigeben: Der erste Plan wird verweigert. Nennen Sie die Rollen der Spalten, oder geben Sie einem "
            "weggelassenen Schlüssel eine Hierarchie.",
        )


def candidate_remarks(found: Sequence[Candidate]) -> Iterator[Text]:
    """Say which columns one should think of leaving out, and what that costs (Gottschalk 2002, section 4.2)."""
    if not found:
        return
    each = [(one.name, one.why) for one in found]
    said = Text(
        "Think of leaving out, making coarser or masking: {columns}. But what is left out is missing in every model that needs it.",
        "Zu bedenken, ob sie wegfallen, vergröbert oder überlagert werden: {columns}. Was wegfällt, fehlt aber jedem Modell, das es braucht.",
    )
    columns = Text(
        "; ".join(f"{name} ({', '.join(w.en for w in why)})" for name, why in each),
        "; ".join(f"{name} ({', '.join(w.de for w in why)})" for name, why in each),
    )
    yield said.filled(columns=columns)
