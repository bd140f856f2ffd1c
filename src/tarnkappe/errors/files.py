"""Errors about files that are read or written."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class FileMissing(InputWrong):
    code = "file.missing"
    says = Text("There is no file {file!r}.", "Die Datei {file!r} gibt es nicht.")
    fix = Text("{hint}", "{hint}")


class FileUnreadable(InputWrong):
    code = "file.unreadable"
    says = Text("The file {file!r} cannot be read: {why}", "Die Datei {file!r} ist nicht lesbar: {why}")
    fix = Text(
        "Check that it is complete and of the format its name says.",
        "Prüfen Sie, ob sie vollständig ist und das Format hat, das ihr Name sagt.",
    )


class FileEmpty(InputWrong):
    code = "file.empty"
    says = Text("The file {file!r} is empty.", "Die Datei {file!r} ist leer.")
    fix = Text("Give a file with a header and records.", "Geben Sie eine Datei mit Kopfzeile und Datensätzen an.")


class FormatUnknown(InputWrong):
    code = "file.format-unknown"
    says = Text(
        "The format {format!r} of {file!r} is not known.", "Das Format {format!r} von {file!r} ist unbekannt."
    )
    fix = Text("Known formats: {known}.", "Bekannte Formate: {known}.")


class EncodingWrong(InputWrong):
    code = "file.encoding"
    says = Text(
        "The file {file!r} is not text in the encoding {encoding!r} (first fault at byte {position}).",
        "Die Datei {file!r} ist kein Text in der Kodierung {encoding!r} (erster Fehler bei Byte {position}).",
    )
    fix = Text(
        "Name the encoding, for example encoding: cp1252 or encoding: utf-16.",
        "Nennen Sie die Kodierung, etwa encoding: cp1252 oder encoding: utf-16.",
    )


class Ragged(InputWrong):
    code = "file.ragged"
    says = Text(
        "Line {line} of {file!r} has {found} fields, the header has {expected}; {count} lines differ.",
        "Zeile {line} von {file!r} hat {found} Felder, die Kopfzeile hat {expected}; {count} Zeilen weichen ab.",
    )
    fix = Text(
        "Check the separator and the quotes; name the separator, for example separator: ';'.",
        "Prüfen Sie Trennzeichen und Anführungszeichen; nennen Sie das Trennzeichen, etwa separator: ';'.",
    )


class ExtraNeeded(InputWrong):
    code = "file.extra-needed"
    says = Text(
        "Files of the format {format!r} need the package {package!r}, which is not installed.",
        "Dateien im Format {format!r} brauchen das Paket {package!r}, das nicht installiert ist.",
    )
    fix = Text("Install it: pip install 'tarnkappe[{extra}]'", "Installieren: pip install 'tarnkappe[{extra}]'")


class PathEscapes(InputWrong):
    code = "file.outside"
    says = Text(
        "The path {file!r} leads out of the folder of the plan.",
        "Der Pfad {file!r} führt aus dem Ordner des Plans hinaus.",
    )
    fix = Text(
        "Put the file beside the plan or below it and name it from there.",
        "Legen Sie die Datei neben den Plan oder darunter und nennen Sie sie von dort aus.",
    )


class NameNotWritable(InputWrong):
    code = "file.name-not-writable"
    says = Text(
        "The format {format!r} cannot hold the column {name!r}: {why}",
        "Das Format {format!r} kann die Spalte {name!r} nicht aufnehmen: {why}",
    )
    fix = Text(
        "Rename the column, or leave this format out.", "Benennen Sie die Spalte um oder lassen Sie das Format weg."
    )
