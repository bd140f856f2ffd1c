"""What can go wrong around the studio: starting it, coming in, uploading, working."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, OurFault
from tarnkappe.language import Text


class StudioMissing(InputWrong, ImportError):
    """The web part is an extra."""

    code = "studio.missing"
    says = Text("The studio is not installed.", "Das Studio ist nicht installiert.")
    fix = Text("pip install 'tarnkappe[studio]'", "pip install 'tarnkappe[studio]'")


class StudioAddress(InputWrong):
    """The port is taken or the host is not one of this machine."""

    code = "studio.address"
    says = Text(
        "The studio cannot listen on {host}, port {port}.",
        "Das Studio kann auf {host}, Port {port}, keine Verbindungen annehmen.",
    )
    fix = Text("Give another one: --port, --host.", "Geben Sie etwas anderes an: --port, --host.")


class PrivateFolder(InputWrong):
    """What stands where the private folder should be is not ours."""

    code = "studio.private-folder"
    says = Text(
        "The private folder {folder!r} for uploads cannot be used: {why}.",
        "Der private Ordner {folder!r} für hochgeladene Dateien ist nicht verwendbar: {why}.",
    )
    fix = Text(
        "Nothing in it was touched. Take it away, or name another place for temporary files in TMPDIR.",
        "Darin wurde nichts angerührt. Entfernen Sie ihn oder nennen Sie in TMPDIR einen anderen Ort für temporäre Dateien.",
    )


class StudioToken(InputWrong):
    """A token that can be guessed protects nothing."""

    code = "studio.token"
    says = Text(
        "The token has {length} signs; at least {least} are needed.",
        "Das Kennwort (Token) hat {length} Zeichen; nötig sind mindestens {least}.",
    )
    fix = Text(
        "Leave --token out to have one drawn at random.",
        "Ohne --token wird eines zufällig gezogen.",
    )


class UploadTooLarge(InputWrong):
    """Larger than the studio accepts."""

    code = "studio.file-too-large"
    says = Text(
        "The file is larger than {largest}, the most that this studio accepts.",
        "Die Datei ist größer als {largest}; mehr nimmt dieses Studio nicht an.",
    )
    fix = Text(
        "Start it with a higher --largest, or run the plan with `tarnkappe run`.",
        "Starten Sie es mit einem höheren --largest oder führen Sie den Plan mit `tarnkappe run` aus.",
    )


class UploadNotKept(InputWrong):
    """No room, or a folder that cannot be written to."""

    code = "studio.upload-not-kept"
    says = Text(
        "The file did not arrive: {why}.",
        "Die Datei ist nicht angekommen: {why}.",
    )
    fix = Text(
        "Free some space on the disk of the studio, or name another place for temporary files in TMPDIR and start it again.",
        "Schaffen Sie Platz auf dem Datenträger des Studios, oder nennen Sie in TMPDIR einen anderen Ort für temporäre Dateien und starten Sie es neu.",
    )


class FileNameWrong(InputWrong):
    """A name that a browser gave for a file."""

    code = "studio.file-name"
    says = Text(
        "This name cannot be used for a file.",
        "Dieser Name lässt sich für eine Datei nicht verwenden.",
    )
    fix = Text(
        "Use letters, digits, dots, hyphens and underscores, beginning with a letter or digit.",
        "Verwenden Sie Buchstaben, Ziffern, Punkte, Binde- und Unterstriche, vorn einen Buchstaben oder eine Ziffer.",
    )


class SeveralFiles(InputWrong):
    """More than one file that could be the data."""

    code = "studio.several-files"
    says = Text(
        "{count} files came together that could each be opened.",
        "{count} Dateien kamen zusammen an, von denen jede geöffnet werden könnte.",
    )
    fix = Text(
        "Drop one data file, or a plan or table together with the files that belong to it.",
        "Legen Sie eine Datendatei ab, oder einen Plan oder eine Tabelle mit den zugehörigen Dateien.",
    )


class JjAlone(InputWrong):
    """A JJ file without what its cells mean."""

    code = "studio.jj-alone"
    says = Text(
        "A JJ file numbers its cells: it does not say which codes they stand for.",
        "Eine JJ-Datei zählt ihre Zellen: Für welche Codes sie stehen, sagt sie nicht.",
    )
    fix = Text(
        "Drop it together with a plan (.yaml) that names it as the file of a table, with by and a hierarchy for every dimension, and with the files of the hierarchies.",
        "Legen Sie sie zusammen mit einem Plan (.yaml) ab, der sie als Datei einer Tabelle nennt, mit by und einer Hierarchie je Dimension, und mit den Dateien der Hierarchien.",
    )


class TooManyColumns(InputWrong):
    """More columns than people can look at one by one."""

    code = "studio.too-many-columns"
    says = Text(
        "The file has {found} columns or more; the studio takes at most {most}.",
        "Die Datei hat {found} Spalten oder mehr; das Studio nimmt höchstens {most}.",
    )
    fix = Text(
        "Check the separator; leave columns out that will not be shared, or run the plan with `tarnkappe run`.",
        "Prüfen Sie das Trennzeichen; lassen Sie Spalten weg, die nicht weitergegeben werden, oder führen Sie den Plan mit `tarnkappe run` aus.",
    )


class NotInProject(InputWrong):
    """A name that is not on the list of the project folder."""

    code = "studio.not-in-project"
    says = Text(
        "This file is no longer in the project folder.", "Diese Datei liegt nicht mehr im Projektordner."
    )
    fix = Text("Choose one of the list.", "Wählen Sie eine aus der Liste.")


class PlanNameWrong(InputWrong):
    """A name under which no plan can be kept."""

    code = "studio.plan-name"
    says = Text(
        "A plan cannot be kept under this name.", "Unter diesem Namen lässt sich kein Plan speichern."
    )
    fix = Text(
        "Give the name of a file in the project folder that ends in .yaml.",
        "Geben Sie den Namen einer Datei im Projektordner an, die auf .yaml endet.",
    )


class PlanNotKept(InputWrong):
    """The folder cannot be written to."""

    code = "studio.plan-not-kept"
    says = Text("{file} could not be written.", "{file} ließ sich nicht schreiben.")
    fix = Text(
        "Check that you may write into the project folder and that there is space.",
        "Prüfen Sie, ob Sie in den Projektordner schreiben dürfen und ob Platz ist.",
    )


class StudioFull(InputWrong):
    """More people than the studio can serve."""

    code = "studio.full"
    says = Text(
        "{sessions} sessions are open; more are not taken.",
        "{sessions} Sitzungen sind offen; mehr werden nicht angenommen.",
    )
    fix = Text("Try again later.", "Versuchen Sie es später noch einmal.")


class CallUnknown(InputWrong):
    """No such address, or not with this verb."""

    code = "studio.call-unknown"
    says = Text("There is no such call.", "Diesen Aufruf gibt es nicht.")
    fix = Text("/api/docs lists all calls.", "/api/docs nennt alle Aufrufe.")


class CallWrong(InputWrong):
    """A call whose parts do not fit."""

    code = "studio.call-wrong"
    says = Text("The call does not fit: {places}.", "Der Aufruf passt nicht: {places}.")
    fix = Text("/api/docs says what it takes.", "/api/docs sagt, was er erwartet.")


class RunMissing(InputWrong):
    """No run of this session."""

    code = "studio.run-missing"
    says = Text("There is no such run.", "Diesen Lauf gibt es nicht.")


class RunNotReleased(InputWrong):
    """Asked for what a run has not made."""

    code = "studio.not-released"
    says = Text(
        "The run is not over, or nothing was released.",
        "Der Lauf ist nicht beendet oder hat nichts freigegeben.",
    )
    fix = Text(
        "Ask how far it is, and for its findings.", "Fragen Sie nach seinem Stand und nach seinen Befunden."
    )


class WorkEnded(OurFault):
    """The process that did the work is gone."""

    code = "studio.work-ended"
    says = Text(
        "The work ended before it was done; often the machine has too little memory.",
        "Die Arbeit brach ab, bevor sie fertig war; oft hat der Rechner zu wenig Speicher.",
    )
    fix = Text(
        "Close other programs and start it again, or run the plan with `tarnkappe run`.",
        "Schließen Sie andere Programme und starten Sie sie erneut, oder führen Sie den Plan mit `tarnkappe run` aus.",
    )
