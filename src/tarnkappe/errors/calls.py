"""Errors about what functions are called with in Python."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class NotAsked(InputWrong, TypeError):
    code = "table.not-asked"
    says = Text(
        "{where} was given something else than {what}.", "{where} braucht {what}, bekam aber etwas anderes."
    )
    fix = Text(
        "See the chapter on tables in Python in the manual.",
        "Siehe das Kapitel zu Tabellen in Python im Handbuch.",
    )


class NotAStream(InputWrong, TypeError):
    code = "call.not-a-stream"
    says = Text(
        "{who} was given something else than a stream or a secret.",
        "{who} braucht einen Zufallsstrom oder ein Geheimnis, bekam aber etwas anderes.",
    )
    fix = Text(
        "Write apply(data, tk.stream(secret)); without a secret one is drawn and forgotten.",
        "Schreiben Sie apply(data, tk.stream(geheimnis)); ohne Geheimnis wird eines gezogen und vergessen.",
    )
