"""Errors about the data itself: columns, roles, types, values."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text


class ColumnMissing(InputWrong, KeyError):
    code = "data.column-missing"
    says = Text("Column {name!r} is not in the data.", "Die Spalte {name!r} gibt es in den Daten nicht.")
    fix = Text("{hint}", "{hint}")


class DuplicateColumn(InputWrong):
    code = "data.duplicate-column"
    says = Text("Column names occur more than once: {names}.", "Spaltennamen kommen mehrfach vor: {names}.")
    fix = Text("Give every column its own name.", "Geben Sie jeder Spalte einen eigenen Namen.")


class EmptyData(InputWrong):
    code = "data.empty"
    says = Text("The data has no records.", "Die Daten enthalten keine Datensätze.")
    fix = Text(
        "Check that the right file was given and that it has lines below the header.",
        "Prüfen Sie, ob die richtige Datei angegeben ist und ob unter der Kopfzeile Zeilen stehen.",
    )


class LengthsDiffer(InputWrong):
    code = "data.lengths-differ"
    says = Text(
        "Column {name!r} has {found} values, the data has {expected} records.",
        "Die Spalte {name!r} hat {found} Werte, die Daten haben {expected} Datensätze.",
    )
    fix = Text("Give every column one value per record.", "Jede Spalte braucht einen Wert je Datensatz.")


class WrongKind(InputWrong):
    code = "data.wrong-kind"
    says = Text(
        "Column {name!r} holds {found}; {who} needs {needed}.",
        "Die Spalte {name!r} enthält {found}; {who} braucht {needed}.",
    )
    fix = Text(
        "Choose another column, or set its type under data: types.",
        "Wählen Sie eine andere Spalte oder setzen Sie ihren Typ unter data: types.",
    )


class NotFinite(InputWrong):
    code = "data.not-finite"
    says = Text(
        "Column {name!r} has {count} infinite values (first in record {first}).",
        "Die Spalte {name!r} hat {count} unendliche Werte (zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Set them to missing, or top and bottom code the column before this step.",
        "Setzen Sie sie auf fehlend oder schneiden Sie die Spalte vor diesem Schritt oben und unten ab.",
    )


class TooNearZero(InputWrong):
    code = "data.too-near-zero"
    says = Text(
        "Column {name!r} has {count} values that are not zero but nearer to it than about 2.2e-308 (first in record {first}): numbers so small do not "
        "have all their digits, and no result for them would be exact.",
        "Die Spalte {name!r} hat {count} Werte, die nicht null sind, aber näher an null als etwa 2,2e-308 (zuerst in Datensatz {first}): so kleine Zahlen "
        "haben nicht alle Stellen, und kein Ergebnis für sie wäre genau.",
    )
    fix = Text(
        "State the column in a smaller unit, so that its numbers become larger, or set these values to zero or to missing.",
        "Geben Sie die Spalte in einer kleineren Einheit an, so dass ihre Zahlen größer werden, oder setzen Sie diese Werte auf null oder auf fehlend.",
    )


class TypeNotPossible(InputWrong):
    code = "data.type-not-possible"
    says = Text(
        "Column {name!r} cannot be read as {kind}: {count} values do not fit (first in record {first}).",
        "Die Spalte {name!r} lässt sich nicht als {kind} lesen: {count} Werte passen nicht (zuerst in "
        "Datensatz {first}).",
    )
    fix = Text(
        "Choose another type for the column, or name the marks of missing values under data: missing.",
        "Wählen Sie einen anderen Typ oder nennen Sie die Zeichen für fehlende Werte unter data: missing.",
    )


class RoleKind(InputWrong):
    code = "data.role-kind"
    says = Text(
        "Column {name!r} has the role {role!r} but holds {found}.",
        "Die Spalte {name!r} hat die Rolle {role!r}, enthält aber {found}.",
    )
    fix = Text(
        "Give it another role, or set its type under data: types.",
        "Geben Sie ihr eine andere Rolle oder setzen Sie ihren Typ unter data: types.",
    )


class RoleTwice(InputWrong):
    code = "data.role-twice"
    says = Text("The role {role!r} is given to {count} columns.", "Die Rolle {role!r} haben {count} Spalten.")
    fix = Text("Give it to one column only.", "Geben Sie sie nur einer Spalte.")


class RolesClash(InputWrong):
    code = "data.roles-clash"
    says = Text(
        "Column {name!r} is a direct identifier and has other roles too.",
        "Die Spalte {name!r} ist direkter Identifikator und hat noch andere Rollen.",
    )
    fix = Text("Leave it in one of the lists only.", "Lassen Sie sie nur in einer der Listen stehen.")


class NoKeys(InputWrong):
    code = "data.no-keys"
    says = Text("No column has the role 'key'.", "Keine Spalte hat die Rolle 'key'.")
    fix = Text(
        "Name the columns an attacker may know under data: roles: key, or give the measure its keys.",
        "Nennen Sie die Spalten, die ein Angreifer kennen kann, unter data: roles: key oder beim Maß.",
    )


class MissingKeys(InputWrong):
    code = "data.missing-keys"
    says = Text(
        "{count} records have a missing key and the policy is to refuse them (first in record {first}).",
        "{count} Datensätze haben einen fehlenden Schlüssel, was hier nicht erlaubt ist (zuerst in "
        "Datensatz {first}).",
    )
    fix = Text(
        "Fill them, or choose missing: category or missing: wildcard.",
        "Füllen Sie sie auf oder wählen Sie missing: category oder missing: wildcard.",
    )


class TooFewRecords(InputWrong):
    code = "data.too-few-records"
    says = Text(
        "{who} needs groups of {needed} records; {where} has only {found}.",
        "{who} braucht Gruppen von {needed} Datensätzen; {where} hat nur {found}.",
    )
    fix = Text(
        "Lower k, merge small strata, or say too_small: suppress where the method has it.",
        "Verkleinern Sie k, fassen Sie kleine Schichten zusammen, oder sagen Sie too_small: suppress, wo das Verfahren es kennt.",
    )


class TooFewContributors(TooFewRecords):
    code = "data.too-few-contributors"
    says = Text(
        "{who} needs groups of {needed} contributors; {where} has only {found}. Records of one owner are one contributor.",
        "{who} braucht Gruppen von {needed} Beitragenden; {where} hat nur {found}. Datensätze eines Eigentümers sind ein Beitragender.",
    )


class NothingToUse(InputWrong):
    code = "data.all-missing"
    says = Text("Column {name!r} has no observed value.", "Die Spalte {name!r} hat keinen vorhandenen Wert.")
    fix = Text("Leave the column out of this step.", "Lassen Sie die Spalte in diesem Schritt weg.")


class RecordOutOfRange(InputWrong, IndexError):
    code = "data.record-out-of-range"
    says = Text(
        "Record numbers must lie between 1 and {last}; {count} of those given do not.",
        "Datensatznummern müssen zwischen 1 und {last} liegen; {count} der angegebenen tun das nicht.",
    )
    fix = Text(
        "Count records from 1, without the header line.",
        "Zählen Sie die Datensätze ab 1, ohne die Kopfzeile.",
    )


class NotOneFrame(InputWrong, TypeError):
    code = "data.not-a-frame"
    says = Text(
        "An object of type {found!r} cannot be read as data.",
        "Ein Objekt vom Typ {found!r} lässt sich nicht als Daten lesen.",
    )
    fix = Text(
        "Give a path, or a pandas, polars, pyarrow or DuckDB table.",
        "Geben Sie einen Pfad oder eine Tabelle aus pandas, polars, pyarrow oder DuckDB an.",
    )


class ExampleSize(InputWrong):
    code = "data.example-size"
    says = Text(
        "Example data cannot have {size} records.",
        "Beispieldaten können nicht {size} Datensätze haben.",
    )
    fix = Text("Ask for at least one record.", "Verlangen Sie mindestens einen Datensatz.")


class IdentifierTouched(InputWrong):
    code = "data.identifier"
    says = Text(
        "Column {name!r} is a direct identifier; {who} does not take those.",
        "Die Spalte {name!r} ist ein direkter Identifikator; {who} nimmt solche nicht an.",
    )
    fix = Text(
        "Drop or pseudonymise it first: microdata.drop, microdata.pseudonymise.",
        "Entfernen oder pseudonymisieren Sie sie zuerst: microdata.drop, microdata.pseudonymise.",
    )


class NameTaken(InputWrong):
    code = "data.name-taken"
    says = Text(
        "{who} adds the column {name!r}, but the data has one of that name.",
        "{who} fügt die Spalte {name!r} hinzu, aber die Daten haben schon eine dieses Namens.",
    )
    fix = Text("Choose another {parameter}.", "Wählen Sie einen anderen Wert für {parameter}.")


class NothingLeft(Refused):
    code = "data.nothing-left"
    says = Text("{who} would leave no column.", "{who} ließe keine Spalte übrig.")
    fix = Text(
        "Nothing was written. Keep at least one column: give one that does not identify anybody another role than identifier, or make a "
        "key coarser (microdata.generalise with a hierarchy) instead of dropping it.",
        "Es wurde nichts geschrieben. Behalten Sie mindestens eine Spalte: Geben Sie einer, die niemanden identifiziert, eine andere Rolle "
        "als identifier, oder vergröbern Sie einen Schlüssel (microdata.generalise mit einer Hierarchie), statt ihn wegzulassen.",
    )


class ValueUnknown(InputWrong):
    code = "data.value-unknown"
    says = Text(
        "{count} of the values given for column {name!r} do not occur in it (first: number {first} of the "
        "list).",
        "{count} der für die Spalte {name!r} angegebenen Werte kommen in ihr nicht vor (zuerst Nummer "
        "{first} der Liste).",
    )
    fix = Text(
        "Check the spelling, upper and lower case and leading zeros.",
        "Prüfen Sie die Schreibweise, Groß- und Kleinschreibung und führende Nullen.",
    )


class LimitsCross(InputWrong):
    code = "data.limits-cross"
    says = Text(
        "Column {name!r}: the lower limit lies above the upper one.",
        "Spalte {name!r}: die untere Grenze liegt über der oberen.",
    )
    fix = Text("Give limits further apart, or smaller shares.", "Legen Sie die Grenzen weiter auseinander.")


class BaseTooFine(InputWrong):
    code = "data.base-too-fine"
    says = Text(
        "Column {name!r} has {count} values so large that multiples of the base cannot be told apart (first "
        "in record {first}).",
        "Die Spalte {name!r} hat {count} Werte, die so groß sind, dass Vielfache der Basis nicht zu "
        "unterscheiden sind (zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Take a larger base, or top and bottom code the column before this step.",
        "Nehmen Sie eine größere Basis oder schneiden Sie die Spalte vor diesem Schritt oben und unten ab.",
    )


class LimitTells(Refused):
    code = "data.limit-tells"
    says = Text(
        "Column {name!r}: every {side} limit near the one asked for would be, or nearly be, the value of one or two contributors.",
        "Spalte {name!r}: Jede Grenze am {side} Ende nahe der verlangten wäre der Wert von ein oder zwei Beitragenden oder läge dicht daneben.",
    )
    fix = Text(
        "State the limit as a number, or ask for a larger share.",
        "Geben Sie die Grenze als Zahl an oder verlangen Sie einen größeren Anteil.",
    )


class TooFewBeyond(Refused):
    code = "data.too-few-beyond-limit"
    says = Text(
        "Column {name!r}: {count} contributors lie beyond the {side} limit; it takes {needed}, or none "
        "where the limit is a number.",
        "Spalte {name!r}: jenseits der {side} Grenze liegen {count} Beitragende; nötig sind {needed}, oder "
        "keiner, wenn die Grenze eine Zahl ist.",
    )
    fix = Text(
        "Move the limit inwards, or leave this tail as it is: with fewer, a published total gives the value "
        "away.",
        "Ziehen Sie die Grenze enger oder lassen Sie dieses Ende, wie es ist: bei weniger verrät eine "
        "veröffentlichte Summe den Wert.",
    )


class StrataWithoutTail(Refused):
    code = "data.strata-without-tail"
    says = Text(
        "Column {name!r}: in {count} strata no {side} limit leaves {needed} contributors, and fewer than half of the values, beyond it.",
        "Spalte {name!r}: in {count} Schichten lässt keine Grenze am {side} Ende {needed} Beitragende, und weniger als die Hälfte der Werte, "
        "jenseits.",
    )
    fix = Text(
        "Take larger strata under within (records without a value there form one too), lower at_least, or give the limit as a number.",
        "Nehmen Sie größere Schichten unter within (Datensätze ohne Wert bilden auch eine), verkleinern Sie at_least, oder geben Sie die "
        "Grenze als Zahl an.",
    )


class LoneCell(Refused):
    code = "data.lone-suppression"
    says = Text(
        "Column {name!r} would have {count} groups of records with exactly one suppressed value.",
        "In der Spalte {name!r} hätten {count} Gruppen von Datensätzen genau einen unterdrückten Wert.",
    )
    fix = Text(
        "A single gap points at its unit: suppress a second value in the same group, or say lone: allow.",
        "Eine einzelne Lücke zeigt auf ihren Träger: unterdrücken Sie einen zweiten Wert in derselben "
        "Gruppe oder setzen Sie lone: allow.",
    )


class GapNamesValue(Refused):
    code = "data.gap-names-value"
    says = Text(
        "In column {name!r}, {count} groups of records hold too few other values to be suppressed beside the named ones: whoever knows the codes would see what stood in the gaps.",
        "In der Spalte {name!r} haben {count} Gruppen von Datensätzen zu wenige andere Werte, um sie neben den genannten zu unterdrücken: Wer die Codes kennt, sähe, was in den Lücken "
        "stand.",
    )
    fix = Text(
        "Coarsen the column (microdata.generalise) or drop it (microdata.drop), name fewer values or fewer columns under within, or allow with share that named values are a larger part of the gaps.",
        "Vergröbern Sie die Spalte (microdata.generalise) oder entfernen Sie sie (microdata.drop), nennen Sie weniger Werte oder unter within weniger Spalten, oder lassen Sie mit share zu, "
        "dass genannte Werte einen größeren Teil der Lücken ausmachen.",
    )


class BeforeNeeded(InputWrong):
    code = "data.before-needed"
    says = Text(
        "{who} compares the data before and after; only one was given.",
        "{who} vergleicht die Daten vorher und nachher; es wurde nur ein Datensatz angegeben.",
    )
    fix = Text("Give the original data as well.", "Geben Sie auch die Originaldaten an.")


class NumbersNeeded(InputWrong):
    code = "data.numbers-needed"
    says = Text(
        "{who} needs at least {needed} columns that hold numbers before and after; there are {found}.",
        "{who} braucht mindestens {needed} Spalten, die vorher und nachher Zahlen enthalten; es gibt "
        "{found}.",
    )
    fix = Text(
        "Leave this measure out, or name numeric columns under columns.",
        "Lassen Sie dieses Maß weg oder nennen Sie numerische Spalten unter columns.",
    )


class WeightsWrong(InputWrong):
    code = "data.weights-wrong"
    says = Text(
        "Column {name!r} has the role 'weight' but {count} of its values are missing or negative (first in "
        "record {first}).",
        "Die Spalte {name!r} hat die Rolle 'weight', aber {count} ihrer Werte fehlen oder sind negativ "
        "(zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Repair the weights, or set weighted: false.",
        "Berichtigen Sie die Gewichte oder setzen Sie weighted: false.",
    )


class WordUnknown(InputWrong):
    code = "data.word-unknown"
    says = Text("There is no {what} {word!r}.", "{what} {word!r} gibt es nicht.")
    fix = Text("{hint}", "{hint}")
