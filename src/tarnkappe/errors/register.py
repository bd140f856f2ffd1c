"""Errors of the register of releases."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text


class RegisterDamaged(InputWrong):
    code = "register.damaged"
    says = Text(
        "The register of releases {file!r} cannot be used: {why}",
        "Das Freigaberegister {file!r} ist nicht verwendbar: {why}",
    )
    fix = Text(
        "Bring it back from a copy. Without it nothing tells what was released before.",
        "Holen Sie es aus einer Sicherung zurück. Ohne es weiß niemand, was schon freigegeben ist.",
    )


class RegisterSecret(InputWrong):
    code = "register.secret"
    says = Text(
        "The register of releases {file!r} was written with another secret than {name!r}.",
        "Das Freigaberegister {file!r} wurde mit einem anderen Geheimnis geschrieben als {name!r}.",
    )
    fix = Text(
        "Put the secret it was written with back into .tarnkappe/secrets or into the environment; one register has one secret for good.",
        "Legen Sie das Geheimnis, mit dem es geschrieben wurde, wieder in .tarnkappe/secrets oder in die Umgebung; ein Register hat auf "
        "Dauer ein Geheimnis.",
    )


class RegisterChanged(Refused):
    code = "register.changed"
    says = Text(
        "While this run was at work, another release was entered into the register {file!r}; this one was not checked against it.",
        "Während dieser Lauf arbeitete, wurde eine andere Freigabe in das Register {file!r} eingetragen; gegen sie wurde diese nicht geprüft.",
    )
    fix = Text(
        "Nothing was written. Run the plan again.",
        "Es wurde nichts geschrieben. Starten Sie den Plan noch einmal.",
    )
