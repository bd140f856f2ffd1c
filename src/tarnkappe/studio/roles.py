"""Roles as a plan holds them, seen from the columns: what each column is, and how that changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tarnkappe.language import Text
from tarnkappe.studio.draft import Content
from tarnkappe.vocab import Role

ALONE = (Role.IDENTIFIER, Role.OTHER)
"""Roles that no column has together with another."""
EXPLAINED: Mapping[Role, Text] = {
    Role.IDENTIFIER: Text(
        "Points to a person or firm by itself: a name, a number. Never released as it is.",
        "Weist für sich allein auf eine Person oder Firma: Name, Nummer. Wird nie so freigegeben.",
    ),
    Role.KEY: Text(
        "Others may know it, and together with other keys it can single somebody out.",
        "Kann anderen bekannt sein und zusammen mit anderen Schlüsseln jemanden herausgreifen.",
    ),
    Role.SENSITIVE: Text(
        "What nobody must learn about a person: a diagnosis, an income.",
        "Was niemand über eine Person erfahren darf: Diagnose, Einkommen.",
    ),
    Role.NUMERIC: Text(
        "A quantity that is analysed: turnover, claims, hours.",
        "Eine Größe, die ausgewertet wird: Umsatz, Schäden, Stunden.",
    ),
    Role.WEIGHT: Text(
        "How many units of the population a record stands for.",
        "Für wie viele Einheiten der Grundgesamtheit ein Datensatz steht.",
    ),
    Role.HOUSEHOLD: Text(
        "Says which persons belong together; recognising one betrays the others.",
        "Sagt, welche Personen zusammengehören; wer eine erkennt, erkennt alle.",
    ),
    Role.UNIT: Text(
        "Says which records over periods belong to one firm or person; what one shows tells the others.",
        "Sagt, welche Datensätze über Perioden zu einem Betrieb oder einer Person gehören; was einer zeigt, verrät die anderen.",
    ),
    Role.OWNER: Text(
        "Says which units belong to one enterprise group; they count as one contributor.",
        "Sagt, welche Einheiten zu einer Unternehmensgruppe gehören; sie zählen als ein Beitragender.",
    ),
    Role.PERIOD: Text(
        "The time to which a record of a panel belongs.", "Die Zeit, zu der ein Datensatz eines Panels gehört."
    ),
    Role.STRATUM: Text(
        "The layer from which the sample was drawn; kept as it is.",
        "Die Schicht, aus der die Stichprobe gezogen wurde; bleibt, wie sie ist.",
    ),
    Role.OTHER: Text(
        "Nothing of this: harmless, and released unless a step drops it.",
        "Nichts davon: unbedenklich und wird freigegeben, wenn kein Schritt sie entfernt.",
    ),
}  # fmt: skip


def roles_by_column(data: Mapping[str, Any]) -> dict[str, tuple[Role, ...]]:
    """Column -> its roles, in the order of the vocabulary; columns without one are left out."""
    out: dict[str, list[Role]] = {}
    given = data.get("roles") or {}
    for role in Role:
        names = given.get(role.value) or ()
        for name in (names,) if isinstance(names, str) else names:
            out.setdefault(str(name), []).append(role)
    return {name: tuple(roles) for name, roles in out.items()}


def toggled(roles: tuple[Role, ...], role: Role) -> tuple[Role, ...]:
    """The roles of a column after one of them was clicked: taken away, added, or alone."""
    if role in roles:
        return tuple(one for one in roles if one is not role)
    if role in ALONE:
        return (role,)
    return (*(one for one in roles if one not in ALONE), role)


def set_roles(content: Content, wanted: Mapping[str, Iterable[Role]]) -> None:
    """Give columns these roles instead of theirs; a role that only one column may have leaves the other."""
    data = content["data"]
    current = roles_by_column(data)
    for name, roles in wanted.items():
        given = tuple(roles)
        for single in (role for role in given if role.single):
            for other, theirs in current.items():
                current[other] = tuple(one for one in theirs if one is not single)
        current[name] = given
    out: dict[str, Any] = {}
    for role in Role:
        names = [name for name, roles in current.items() if role in roles]
        if names:
            out[role.value] = names[0] if role.single else names
    data.pop("roles", None)
    if out:
        data["roles"] = out
