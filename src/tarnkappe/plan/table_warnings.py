"""What the office must know of the tables of a plan before any work is done."""

from __future__ import annotations

from collections.abc import Iterator

from tarnkappe.attack.naming import LEFT_OUT
from tarnkappe.language import Text
from tarnkappe.plan.model import TablePlan

_NOBODY = Text(
    "{method} does not reckon with attackers from inside, and the audit does (insiders: {audit}): the table may be refused after the "
    "work. Protect it by a method with insiders, such as table.quader. {how}.",
    "{method} rechnet nicht mit Angreifern von innen, die Prüfung aber schon (insiders: {audit}): die Tabelle wird vielleicht nach der "
    "Arbeit abgelehnt. Schützen Sie sie mit einem Verfahren, das insiders kennt, etwa table.quader. {how}.",
)
_OTHERS = Text(
    "{method} reckons with other attackers from inside (insiders: {method_insiders}) than the audit (insiders: {audit}): the table may be "
    "refused after the work. Name the same in both.",
    "{method} rechnet mit anderen Angreifern von innen (insiders: {method_insiders}) als die Prüfung (insiders: {audit}): die Tabelle wird "
    "vielleicht nach der Arbeit abgelehnt. Nennen Sie in beiden dieselben.",
)
_TOGETHER = Text(
    "{method} reckons with one attacker from inside, and the audit with {n} who act together: the table may be refused after the work.",
    "{method} rechnet mit einem Angreifer von innen, die Prüfung mit {n}, die gemeinsam handeln: die Tabelle wird vielleicht nach der "
    "Arbeit abgelehnt.",
)


def warnings_of(table: TablePlan) -> tuple[Text, ...]:
    """What its method warns of, and where method and audit do not reckon with the same attackers."""
    own = table.protect.warnings if table.protect else ()
    return (*own, *_insiders(table))


def _insiders(table: TablePlan) -> Iterator[Text]:
    method, attacker = table.protect, table.audit.attacker()
    if method is None or not method.hides or not _marked(table) or attacker.insiders == "none":
        return
    own = getattr(method, "insiders", "none")
    if own == "none":
        yield _NOBODY.filled(method=method.id, audit=attacker.insiders, how=LEFT_OUT)
    elif own != attacker.insiders:
        yield _OTHERS.filled(method=method.id, method_insiders=own, audit=attacker.insiders)
    elif attacker.coalition > 1:
        yield _TOGETHER.filled(method=method.id, n=attacker.coalition)


def _marked(table: TablePlan) -> bool:
    """Whether rules mark cells of a table that tells who contributes."""
    columns, described = table.described.columns, table.described
    told = described.file is None or columns.count is not None or columns.owner_count is not None
    return bool(table.rules) and told
