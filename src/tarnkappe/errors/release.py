"""Errors while a plan is checked and run, and while a release is gated, written and verified."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tarnkappe.errors import InputWrong, OurFault, Refused
from tarnkappe.language import Text


class PlanWrong(InputWrong):
    code = "plan.wrong"
    says = Text(
        "Problems in the plan {file!r} ({count}):\n{problems}",
        "Fehler im Plan {file!r} ({count}):\n{problems}",
    )
    places: Mapping[tuple[str | int, ...], Text] = MappingProxyType({})
    """What is wrong, by the place in the plan; the first where there are several."""


class YamlWrong(InputWrong):
    code = "plan.yaml"
    says = Text(
        "The plan {file!r} is not valid YAML: {why}", "Der Plan {file!r} ist kein gültiges YAML: {why}"
    )
    fix = Text("{hint}", "{hint}")


class UnknownDeclared(InputWrong, LookupError):
    code = "plan.unknown"
    says = Text("Nothing in the catalogue is called {id!r}.", "Im Katalog heißt nichts {id!r}.")
    fix = Text("{hint}", "{hint}")


class ParameterWrong(InputWrong):
    code = "plan.parameter"
    says = Text("{id}: {problems}", "{id}: {problems}")


class SecretWeak(InputWrong):
    code = "secret.weak"
    says = Text(
        "The secret {name!r} is too weak: it needs at least 128 bits.",
        "Das Geheimnis {name!r} ist zu schwach: es braucht mindestens 128 Bit.",
    )
    fix = Text(
        "Use 32 random hexadecimal digits, for example: python -c 'import secrets; print(secrets.token_hex(32))'",
        "Nehmen Sie 32 zufällige Hexadezimalziffern, etwa: python -c 'import secrets; print(secrets.token_hex(32))'",
    )


class SecretOpen(InputWrong):
    code = "secret.readable-by-others"
    says = Text(
        "The file of the secret {name!r} can be read by other users.",
        "Die Datei des Geheimnisses {name!r} ist für andere Benutzer lesbar.",
    )
    fix = Text("chmod 600 {file}", "chmod 600 {file}")


class SecretUnreadable(InputWrong):
    code = "secret.unreadable"
    says = Text(
        "The secret {name!r} cannot be read: {why}.",
        "Das Geheimnis {name!r} ist nicht lesbar: {why}.",
    )
    fix = Text("Look at {file} beside the plan.", "Sehen Sie {file} neben dem Plan an.")


class SecretNotKept(InputWrong):
    code = "secret.not-kept"
    says = Text(
        "The secret {name!r} was drawn but cannot be kept beside the plan: {why}.",
        "Das Geheimnis {name!r} wurde gezogen, lässt sich aber neben dem Plan nicht aufbewahren: {why}.",
    )
    fix = Text(
        "Put the plan into a folder you may write to, or set {variable} in the environment.",
        "Legen Sie den Plan in einen Ordner, in den Sie schreiben dürfen, oder setzen Sie {variable} in der "
        "Umgebung.",
    )


class SecretName(InputWrong):
    """The name is not repeated: somebody may have written the secret itself."""

    code = "secret.name"
    says = Text(
        "What is given as the name of a secret cannot be one.",
        "Was als Name eines Geheimnisses angegeben ist, kann keiner sein.",
    )
    fix = Text(
        "Use letters, digits, '-', '_' and '.', beginning with a letter or digit.",
        "Verwenden Sie Buchstaben, Ziffern, '-', '_' und '.', zuerst Buchstabe oder Ziffer.",
    )


class ReleaseExists(InputWrong, FileExistsError):
    code = "release.exists"
    says = Text("The folder {folder!r} exists already.", "Den Ordner {folder!r} gibt es schon.")
    fix = Text(
        "Choose another folder, or have the old release replaced (--replace on the command line).",
        "Wählen Sie einen anderen Ordner oder lassen Sie die alte Freigabe ersetzen (auf der Befehlszeile mit --replace).",
    )


class FileExists(InputWrong, FileExistsError):
    code = "release.file-exists"
    says = Text("The file {file!r} exists already.", "Die Datei {file!r} gibt es schon.")
    fix = Text(
        "Choose another name or folder; what is there is left as it is.",
        "Wählen Sie einen anderen Namen oder Ordner; was da ist, bleibt, wie es ist.",
    )


class NotOurRelease(InputWrong):
    code = "release.not-a-release"
    says = Text(
        "The folder {folder!r} is not a release made by Tarnkappe: {why}",
        "Der Ordner {folder!r} ist keine Freigabe von Tarnkappe: {why}",
    )
    fix = Text(
        "Give the folder that holds certificate.json. Only releases are ever replaced.",
        "Geben Sie den Ordner mit certificate.json an. Nur Freigaben werden ersetzt.",
    )


class NoRoom(InputWrong, OSError):
    code = "release.no-room"
    says = Text(
        "There is no room left to write the release into {folder!r}.",
        "Für die Freigabe ist in {folder!r} kein Platz mehr.",
    )
    fix = Text(
        "Free some space or choose another disk. Nothing was written.",
        "Schaffen Sie Platz oder wählen Sie einen anderen Datenträger. Es wurde nichts geschrieben.",
    )


class NotWritable(InputWrong, OSError):
    code = "release.not-writable"
    says = Text(
        "Nothing can be written into {folder!r}: {why}", "In {folder!r} kann nicht geschrieben werden: {why}"
    )
    fix = Text("Choose a folder you may write to.", "Wählen Sie einen Ordner, in den Sie schreiben dürfen.")


class GateClosed(Refused):
    code = "gate.closed"
    says = Text("The release was refused:\n{reasons}", "Die Freigabe wurde verweigert:\n{reasons}")
    fix = Text(
        "Nothing was written. Protect more strongly, or change the gate and document why.",
        "Es wurde nichts geschrieben. Schützen Sie stärker oder ändern Sie die Bedingung mit Begründung.",
    )


class Unattainable(Refused):
    code = "run.unattainable"
    says = Text(
        "{who} cannot reach its goal: {goal}. Best reached: {best}.",
        "{who} kann das Ziel nicht erreichen: {goal}. Bestes Ergebnis: {best}.",
    )
    fix = Text("{hint}", "{hint}")


class ClaimBroken(OurFault):
    code = "run.claim-broken"
    says = Text(
        "Step {number} ({id}) did not keep what it claims: {claim}.",
        "Schritt {number} ({id}) hält seine Zusage nicht ein: {claim}.",
    )
    fix = Text(
        "Nothing was written. This is a fault of Tarnkappe; please report it with the step and the version.",
        "Es wurde nichts geschrieben. Das ist ein Fehler von Tarnkappe; bitte melden Sie ihn mit Schritt und Version.",
    )


class Unexpected(OurFault):
    code = "run.unexpected"
    says = Text(
        "Something failed inside Tarnkappe ({kind} in {place}).",
        "In Tarnkappe ist ein Fehler aufgetreten ({kind} in {place}).",
    )
    fix = Text(
        "Nothing was written. Please report it with the version and these words; they hold no data.",
        "Es wurde nichts geschrieben. Bitte melden Sie es mit Version und diesem Wortlaut; er enthält keine Daten.",
    )


class FailedAfterwards(OurFault):
    code = "run.failed-afterwards"
    says = Text(
        "The release is written and whole; afterwards something failed inside Tarnkappe ({kind} in {place}).",
        "Die Freigabe ist vollständig geschrieben; danach ist in Tarnkappe ein Fehler aufgetreten ({kind} in {place}).",
    )
    fix = Text(
        "The release can be used. Please report it with the version and these words; they hold no data.",
        "Die Freigabe ist verwendbar. Bitte melden Sie es mit Version und diesem Wortlaut; er enthält keine Daten.",
    )


class OutputLost(InputWrong):
    code = "run.output-lost"
    says = Text(
        "What was to be shown could not be written to the output: {why}.",
        "Was gezeigt werden sollte, ließ sich nicht in die Ausgabe schreiben: {why}.",
    )
    fix = Text(
        "Free some space or send the output somewhere else, and give the command again.",
        "Schaffen Sie Platz oder leiten Sie die Ausgabe anderswohin und geben Sie den Befehl noch einmal.",
    )


class Cancelled(Refused):
    code = "run.cancelled"
    says = Text("Cancelled. Nothing was written.", "Abgebrochen. Es wurde nichts geschrieben.")


class VerifyFailed(Refused):
    code = "verify.failed"
    says = Text(
        "The release {folder!r} does not hold:\n{reasons}", "Die Freigabe {folder!r} hält nicht:\n{reasons}"
    )
    fix = Text(
        "Do not use these files; make the release again.",
        "Verwenden Sie diese Dateien nicht; erzeugen Sie die Freigabe neu.",
    )


class SolverFailed(OurFault):
    code = "solve.failed"
    says = Text(
        "The solver {solver} did not finish a problem: {status}.",
        "Der Löser {solver} hat ein Problem nicht gelöst: {status}.",
    )
    fix = Text(
        "Nothing was written. Please report it with the version; values of very different size in one table may be the cause.",
        "Es wurde nichts geschrieben. Bitte melden Sie es mit der Version; Ursache können Werte sehr verschiedener Größe in einer Tabelle sein.",
    )
