"""Errors about files that are read or written."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class FileMissing(InputWrong, FileNotFoundError):
    code = "file.missing"
    says = Text("There is no file {file!r}.", "Die Datei {file!r} gibt es nicht.")
    fix = Text("{hint}", "{hint}")


class FileUnreadable(InputWrong, OSError):
    code = "file.unreadable"
    says = Text("The file {file!r} cannot be read: {why}", "Die Datei {file!r} ist nicht lesbar: {why}")
    fix = Text(
        "Check that it is complete and of the format its name says.",
        "Prüfen Sie, ob sie vollständig ist und das Format hat, das ihr Name sagt.",
    )


class ReaderEnded(InputWrong):
    code = "file.reader-ended"
    says = Text(
        "The file {file!r} ended the process that opened it: it is damaged, made to do harm, or too large for this machine.",
        "Die Datei {file!r} hat den Prozess beendet, der sie geöffnet hat: Sie ist beschädigt, bösartig oder zu groß für diesen Rechner.",
    )
    fix = Text(
        "Open it in the program it comes from and save it again, there as CSV or Parquet if need be.",
        "Öffnen Sie sie in dem Programm, aus dem sie stammt, und speichern Sie sie neu, notfalls als CSV oder Parquet.",
    )


class NameTooLong(InputWrong):
    code = "file.name-too-long"
    says = Text(
        "A name of a file or folder is longer than this machine allows.",
        "Der Name einer Datei oder eines Ordners ist länger, als dieser Rechner erlaubt.",
    )
    fix = Text("Give a shorter name.", "Geben Sie einen kürzeren Namen an.")


class FileEmpty(InputWrong):
    code = "file.empty"
    says = Text("The file {file!r} is empty.", "Die Datei {file!r} ist leer.")
    fix = Text(
        "Give a file with a header and records.", "Geben Sie eine Datei mit Kopfzeile und Datensätzen an."
    )


class FormatUnknown(InputWrong):
    code = "file.format-unknown"
    says = Text(
        "The format {format!r} of {file!r} is not known.", "Das Format {format!r} von {file!r} ist unbekannt."
    )
    fix = Text("Known formats: {known}.", "Bekannte Formate: {known}.")


class NotText(InputWrong):
    code = "file.not-text"
    says = Text(
        "The file {file!r} is called a text file, but holds {kind}.",
        "Die Datei {file!r} heißt wie eine Textdatei, enthält aber {kind}.",
    )
    fix = Text(
        "Give it the ending of its format, or export the data as CSV.",
        "Geben Sie ihr die Endung ihres Formats, oder exportieren Sie die Daten als CSV.",
    )


class EncodingWrong(InputWrong, UnicodeError):
    code = "file.encoding"
    says = Text(
        "The file {file!r} is not text in the encoding {encoding!r} (first fault at byte {position}).",
        "Die Datei {file!r} ist kein Text in der Kodierung {encoding!r} (erster Fehler bei Byte {position}).",
    )
    fix = Text(
        "Name the encoding, for example encoding: cp850, cp1250 or utf-16, or save the file as UTF-8.",
        "Nennen Sie die Kodierung, etwa encoding: cp850, cp1250 oder utf-16, oder speichern Sie die Datei als UTF-8.",
    )


class Ragged(InputWrong):
    code = "file.ragged"
    says = Text(
        "Line {line} of {file!r} has {found} fields, the header has {expected}; {count} lines differ.",
        "Zeile {line} von {file!r} hat {found} Felder, die Kopfzeile hat {expected}; {count} Zeilen weichen "
        "ab.",
    )
    fix = Text(
        "Check the separator and the quotes; name the separator, for example separator: ';'.",
        "Prüfen Sie Trennzeichen und Anführungszeichen; nennen Sie das Trennzeichen, etwa separator: ';'.",
    )


class ExtraNeeded(InputWrong, ImportError):
    code = "file.extra-needed"
    says = Text(
        "Files of the format {format!r} need the package {package!r}, which is not installed.",
        "Dateien im Format {format!r} brauchen das Paket {package!r}, das nicht installiert ist.",
    )
    fix = Text(
        "Install it: pip install 'tarnkappe[{extra}]'", "Installieren: pip install 'tarnkappe[{extra}]'"
    )


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
        "Rename the column, or leave this format out.",
        "Benennen Sie die Spalte um oder lassen Sie das Format weg.",
    )


class EncodingUnknown(InputWrong, LookupError):
    code = "file.encoding-unknown"
    says = Text("There is no text encoding {encoding!r}.", "Eine Kodierung {encoding!r} gibt es nicht.")
    fix = Text("Name one such as utf-8, cp1252 or utf-16.", "Nennen Sie eine wie utf-8, cp1252 oder utf-16.")


class SignWrong(InputWrong):
    code = "file.sign"
    says = Text(
        "The {what} of a text file cannot be {sign!r}.",
        "Das {what} einer Textdatei kann nicht {sign!r} sein.",
    )
    fix = Text(
        "A separator is one sign such as , ; | or a tab; the decimal sign is . or , and another sign than "
        "the separator.",
        "Ein Trennzeichen ist ein Zeichen wie , ; | oder ein Tabulator; das Dezimalzeichen ist . oder , und "
        "nicht dasselbe wie das Trennzeichen.",
    )


class QuotesWrong(InputWrong):
    code = "file.quotes"
    says = Text(
        "Line {line} of {file!r} has a quotation mark where none can stand.",
        "In Zeile {line} von {file!r} steht ein Anführungszeichen, wo keines stehen kann.",
    )
    fix = Text(
        "A quoted field begins and ends with a quotation mark; one inside it is doubled. Check the "
        "separator too.",
        "Ein Feld in Anführungszeichen beginnt und endet mit einem; eines darin wird verdoppelt. Prüfen Sie "
        "auch das Trennzeichen.",
    )


class HeaderMissing(InputWrong):
    code = "file.header-missing"
    says = Text(
        "The first line of {file!r} looks like a record and not like names of columns: {count} of {columns} fields could be values of the column "
        "below them. As names they would be published.",
        "Die erste Zeile von {file!r} sieht wie ein Datensatz aus und nicht wie Spaltennamen: {count} von {columns} Feldern könnten Werte der Spalte "
        "darunter sein. Als Namen würden sie veröffentlicht.",
    )
    fix = Text(
        "Put a line of names in front, or say that the file has none (header: false in a plan, --no-header, header=False in Python): then columns are "
        "called column_1, column_2, … If these are names, say header: true (--header).",
        "Stellen Sie eine Zeile mit Namen voran oder sagen Sie, dass die Datei keine hat (im Plan header: false, --no-header, in Python header=False): Dann "
        "heißen die Spalten column_1, column_2, … Sind es doch Namen, sagen Sie header: true (--header).",
    )


class NamesMissing(InputWrong):
    code = "file.names-missing"
    says = Text(
        "{count} columns of {file!r} have no name (first: column {position}).",
        "{count} Spalten von {file!r} haben keinen Namen (zuerst Spalte {position}).",
    )
    fix = Text("Name every column in the header.", "Benennen Sie jede Spalte in der Kopfzeile.")


class NamesTooLong(InputWrong):
    code = "file.names-too-long"
    says = Text(
        "{count} column names of {file!r} are longer than {most} signs (first: column {position}).",
        "{count} Spaltennamen von {file!r} sind länger als {most} Zeichen (zuerst Spalte {position}).",
    )
    fix = Text(
        "Check the separator and that the first line is the header; shorten the names.",
        "Prüfen Sie das Trennzeichen und ob die erste Zeile die Kopfzeile ist; kürzen Sie die Namen.",
    )


class UnpacksTooLarge(InputWrong):
    code = "file.unpacks-too-large"
    says = Text(
        "The file {file!r} would take about {need} of memory once unpacked; for a file of its size on this "
        "machine, {most} is the most that is allowed.",
        "Die Datei {file!r} würde entpackt etwa {need} Speicher belegen; für eine Datei ihrer Größe sind auf "
        "diesem Rechner höchstens {most} zugelassen.",
    )
    fix = Text(
        "If it holds data, write it as several smaller files, leave columns out, or store it without compression.",
        "Wenn sie Daten enthält: Teilen Sie sie auf, lassen Sie Spalten weg, oder speichern Sie sie "
        "unkomprimiert.",
    )


class SheetMissing(InputWrong):
    code = "file.sheet-missing"
    says = Text("The file {file!r} has no sheet {sheet!r}.", "Die Datei {file!r} hat kein Blatt {sheet!r}.")
    fix = Text("{hint}", "{hint}")


class ColumnType(InputWrong):
    code = "file.column-type"
    says = Text(
        "Column {name!r} is of the type {found!r}, which cannot be read.",
        "Die Spalte {name!r} ist vom Typ {found!r}, der nicht lesbar ist.",
    )
    fix = Text(
        "Turn it into text, numbers, dates or yes/no values first, or leave it out.",
        "Machen Sie daraus vorher Text, Zahlen, Datumsangaben oder Ja/Nein-Werte, oder lassen Sie sie weg.",
    )


class ColumnMixed(InputWrong):
    code = "file.column-mixed"
    says = Text(
        "Column {name!r} holds values of several types, or of one that cannot be read.",
        "Die Spalte {name!r} enthält Werte verschiedener Typen oder eines nicht lesbaren Typs.",
    )
    fix = Text("Give all its values one type.", "Geben Sie allen ihren Werten einen Typ.")


class TooManyRows(InputWrong):
    code = "file.too-many-rows"
    says = Text(
        "The format {format!r} holds at most {most} {what}; the data has {found}.",
        "Das Format {format!r} fasst höchstens {most} {what}; die Daten haben {found}.",
    )
    fix = Text("Leave this format out.", "Lassen Sie dieses Format weg.")


class ValuesNotWritable(InputWrong):
    code = "file.values-not-writable"
    says = Text(
        "The format {format!r} cannot hold {count} values of column {name!r} (first in record {first}): "
        "{why}",
        "Das Format {format!r} kann {count} Werte der Spalte {name!r} nicht aufnehmen "
        "(zuerst in Datensatz {first}): {why}",
    )
    fix = Text(
        "Leave this format out, change the values, or set the type of the column to category under "
        "data: types.",
        "Lassen Sie dieses Format weg, ändern Sie die Werte oder setzen Sie den Typ der Spalte unter "
        "data: types auf category.",
    )


class FrameFailed(InputWrong):
    code = "file.frame-failed"
    says = Text(
        "The {kind} frame could not be computed.",
        "Der Frame aus {kind} ließ sich nicht berechnen.",
    )
    fix = Text(
        "Compute it by itself to see why; the reason is not repeated here because it may quote the data.",
        "Berechnen Sie ihn für sich, um den Grund zu sehen; er wird hier nicht wiederholt, weil er Daten "
        "enthalten kann.",
    )
