"""Errors of risk measures: what they need to know of the data, of the population and of the attacker."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text


class NoSensitive(InputWrong):
    code = "risk.no-sensitive"
    says = Text("No column has the role 'sensitive'.", "Keine Spalte hat die Rolle 'sensitive'.")
    fix = Text(
        "Name the columns nobody may learn under data: roles: sensitive, or give the measure its sensitive columns.",
        "Nennen Sie die Spalten, die niemand erfahren darf, unter data: roles: sensitive oder beim Maß.",
    )


class SensitiveIsKey(InputWrong):
    code = "risk.sensitive-is-key"
    says = Text(
        "Column {name!r} is a key and a sensitive column at once: what an attacker knows already cannot be learnt.",
        "Die Spalte {name!r} ist zugleich Schlüssel und sensibel: Was ein Angreifer schon weiß, kann er nicht erfahren.",
    )
    fix = Text("Leave it in one of the lists only.", "Lassen Sie sie nur in einer der Listen stehen.")


class OrderNeeded(InputWrong):
    code = "risk.order-needed"
    says = Text(
        "The values of column {name!r} are not in order: {count} of them have no place.",
        "Die Werte der Spalte {name!r} haben keine Ordnung: {count} von ihnen haben keinen Platz.",
    )
    fix = Text(
        "Name all values from the lowest to the highest under order, or choose ground: equal.",
        "Nennen Sie unter order alle Werte vom niedrigsten zum höchsten, oder wählen Sie ground: equal.",
    )


class TreeNeeded(InputWrong):
    code = "risk.tree-needed"
    says = Text("Column {name!r} has no hierarchy.", "Die Spalte {name!r} hat keine Hierarchie.")
    fix = Text(
        "Give it one under data: hierarchies, or choose ground: equal.",
        "Geben Sie ihr eine unter data: hierarchies, oder wählen Sie ground: equal.",
    )


class RegisterTooSmall(InputWrong):
    code = "risk.register-too-small"
    says = Text(
        "The population has {found} persons, the release {needed} records: it cannot be a part of that population.",
        "Die Grundgesamtheit hat {found} Personen, die Freigabe {needed} Datensätze: Sie kann kein Teil davon sein.",
    )
    fix = Text(
        "Give the register or the size of the whole population.",
        "Geben Sie das Register oder die Größe der ganzen Grundgesamtheit an.",
    )


class PopulationNeeded(InputWrong):
    code = "risk.population-needed"
    says = Text(
        "{who} compares the release with a population, but none is known.",
        "{who} vergleicht die Freigabe mit einer Grundgesamtheit, aber keine ist bekannt.",
    )
    fix = Text("{hint}", "{hint}")


class WeightsNotPositive(InputWrong):
    code = "risk.weights-not-positive"
    says = Text(
        "Column {name!r} has the role 'weight' but {count} of its values are missing, infinite or not above 0 (first in record {first}).",
        "Die Spalte {name!r} hat die Rolle 'weight', aber {count} ihrer Werte fehlen, sind unendlich oder nicht größer als 0 "
        "(zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Repair the weights, or give the size of the population.",
        "Berichtigen Sie die Gewichte oder geben Sie die Größe der Grundgesamtheit an.",
    )


class TableTooLarge(InputWrong):
    code = "risk.table-too-large"
    says = Text(
        "The keys have {found} combinations of values; a model with effects of two keys or with an offset takes at most {most}.",
        "Die Schlüssel haben {found} Wertekombinationen; ein Modell mit Effekten von zwei Schlüsseln oder mit Offset nimmt höchstens {most}.",
    )
    fix = Text(
        "Leave pairs out, choose model: log-linear or log-linear-pml, or take fewer or coarser keys.",
        "Lassen Sie pairs weg, wählen Sie model: log-linear oder log-linear-pml, oder nehmen Sie weniger oder gröbere Schlüssel.",
    )


class TooManySets(InputWrong):
    code = "risk.too-many-sets"
    says = Text(
        "{keys} keys have {found} sets of at most {largest}; at most {most} sets are searched.",
        "{keys} Schlüssel haben {found} Teilmengen von höchstens {largest}; durchsucht werden höchstens {most}.",
    )
    fix = Text(
        "Lower subsets, or take fewer keys.", "Verkleinern Sie subsets oder nehmen Sie weniger Schlüssel."
    )


class AttackerFileNeeded(InputWrong):
    code = "risk.attacker-file-needed"
    says = Text(
        "{who} needs a file that an attacker has, or the original to make one from.",
        "{who} braucht eine Datei, die ein Angreifer hat, oder das Original, um eine daraus zu bilden.",
    )
    fix = Text(
        "Measure with the original data, or hold the release against a file of your own with .against(release, file).",
        "Messen Sie mit den Originaldaten, oder halten Sie die Freigabe mit .against(release, file) gegen eine eigene Datei.",
    )


class IdentityUnclear(InputWrong):
    code = "risk.identity-unclear"
    says = Text(
        "Column {name!r} does not tell who is who: {count} of its values are missing or stand for several records.",
        "Die Spalte {name!r} sagt nicht, wer wer ist: {count} ihrer Werte fehlen oder stehen für mehrere Datensätze.",
    )
    fix = Text(
        "Name a column that has another value in every record of both files, or several that together do.",
        "Nennen Sie eine Spalte, die in jedem Datensatz beider Dateien einen anderen Wert hat, oder mehrere, die es zusammen haben.",
    )


class RegisterColumn(InputWrong):
    code = "risk.register-column"
    says = Text(
        "The register {file!r} has no column {name!r}.", "Das Register {file!r} hat keine Spalte {name!r}."
    )
    fix = Text(
        "Its columns are matched by name: rename that column, or give the measure other keys. {hint}",
        "Spalten werden nach dem Namen zugeordnet: Benennen Sie die Spalte um, oder geben Sie dem Maß andere Schlüssel. {hint}",
    )


class MeaningNeeded(InputWrong):
    code = "risk.meaning-needed"
    says = Text(
        "Nothing tells which sensitive values are alike: {names} have no hierarchy and are no numbers.",
        "Nichts sagt, welche sensiblen Werte ähnlich sind: {names} haben keine Hierarchie und sind keine Zahlen.",
    )
    fix = Text(
        "Give the sensitive column a hierarchy under data: hierarchies.",
        "Geben Sie der sensiblen Spalte eine Hierarchie unter data: hierarchies.",
    )


class OriginalNeeded(InputWrong):
    code = "risk.original-needed"
    says = Text(
        "{who} compares the release with the original data, which was not given.",
        "{who} vergleicht die Freigabe mit den Originaldaten, die nicht angegeben sind.",
    )
    fix = Text("Measure with the original data.", "Messen Sie mit den Originaldaten.")


class RecordsUnmatched(InputWrong):
    code = "risk.records-unmatched"
    says = Text(
        "{who} compares records one by one, but nothing tells which record of the release is which of the original.",
        "{who} vergleicht Datensatz für Datensatz, aber nichts sagt, welcher Datensatz der Freigabe welcher des Originals ist.",
    )
    fix = Text(
        "Name the measure in the plan of the run, or give a column that tells in both files who is who (--id).",
        "Nennen Sie das Maß im Plan des Laufs, oder geben Sie eine Spalte an, die in beiden Dateien sagt, wer wer ist (--id).",
    )


class KnownNotAttacked(InputWrong):
    code = "risk.known-not-attacked"
    says = Text(
        "The attacker knows {name}, which is not among the columns that are attacked.",
        "Der Angreifer kennt {name}; das gehört nicht zu den angegriffenen Spalten.",
    )
    fix = Text("Name it under columns, too.", "Nennen Sie es auch unter columns.")


class ColumnsMissing(InputWrong):
    code = "risk.columns-missing"
    says = Text(
        "There is no column to attack with: release, original and hold-out have none in common that says something about a person.",
        "Es gibt keine Spalte für den Angriff: Freigabe, Original und Vergleichsgruppe haben keine gemeinsam, die etwas über eine Person sagt.",
    )
    fix = Text(
        "Name the columns, or give them roles under data: roles.",
        "Nennen Sie die Spalten, oder geben Sie ihnen Rollen unter data: roles.",
    )


class SidesOverlap(InputWrong):
    code = "risk.sides-overlap"
    says = Text(
        "Column {name!r} is on both sides: records that share a column are linked already.",
        "Die Spalte {name!r} steht auf beiden Seiten: Datensätze mit einer gemeinsamen Spalte sind schon verknüpft.",
    )
    fix = Text("Leave it on one side only.", "Lassen Sie sie nur auf einer Seite stehen.")


class ReleasesNeeded(InputWrong):
    code = "risk.releases-needed"
    says = Text("{who} was given no release.", "{who} hat keine Freigabe erhalten.")
    fix = Text("Give it at least one.", "Geben Sie mindestens eine an.")


class NoAmounts(InputWrong):
    code = "risk.no-amounts"
    says = Text("No column has the role 'numeric'.", "Keine Spalte hat die Rolle 'numeric'.")
    fix = Text(
        "Name the amounts under data: roles: numeric, or give the measure its columns.",
        "Nennen Sie die Beträge unter data: roles: numeric oder beim Maß.",
    )


class TotalUnknown(InputWrong):
    code = "risk.total-unknown"
    says = Text(
        "Published totals name {name}, which is not among the columns.",
        "Die veröffentlichten Summen nennen {name}; das gehört nicht zu den Spalten.",
    )
    fix = Text(
        "Name it under columns, too, or leave it out.",
        "Nennen Sie es auch unter columns oder lassen Sie es weg.",
    )


class TooManyPatterns(InputWrong):
    code = "risk.too-many-patterns"
    says = Text(
        "The keys have {found} patterns of agreement; at most {most} are counted.",
        "Die Schlüssel haben {found} Muster der Übereinstimmung; gezählt werden höchstens {most}.",
    )
    fix = Text(
        "Take fewer keys or fewer tolerances.",
        "Nehmen Sie weniger Schlüssel oder weniger Stufen (tolerances).",
    )


class BoundsBroken(Refused):
    code = "attack.bounds"
    says = Text("The bounds do not hold:\n{reasons}", "Die Schranken halten nicht:\n{reasons}")
    fix = Text(
        "Protect more strongly, or give the reason why more risk is borne.",
        "Schützen Sie stärker, oder begründen Sie, warum mehr Risiko getragen wird.",
    )


class NotAnAttack(InputWrong):
    code = "attack.unknown"
    says = Text(
        "There is no measure of risk {id!r} for records.", "Es gibt kein Risikomaß {id!r} für Datensätze."
    )
    fix = Text("{hint}", "{hint}")


class NothingToCompare(InputWrong):
    code = "attack.one-file"
    says = Text(
        "{file!r} is a file, and nothing is named to hold it against.",
        "{file!r} ist eine Datei, und nichts ist genannt, womit sie verglichen wird.",
    )
    fix = Text(
        "Give the folder of a release, or the original and the protected file: tarnkappe attack ORIGINAL PROTECTED.",
        "Nennen Sie den Ordner einer Freigabe oder Original und geschützte Datei: tarnkappe attack ORIGINAL GESCHÜTZT.",
    )


class StrangerFound(Refused):
    code = "attack.originals-come-back"
    says = Text(
        "A stranger gets originals back from this release:\n{reasons}",
        "Ein Fremder holt aus dieser Freigabe Originale zurück:\n{reasons}",
    )


class NothingToLearn(InputWrong):
    code = "risk.nothing-to-learn"
    says = Text(
        "{who} finds no column that an attacker could learn: all numeric and sensitive columns are keys, or gone.",
        "{who} findet keine Spalte, die ein Angreifer erfahren könnte: Alle numerischen und sensiblen Spalten sind Schlüssel oder entfernt.",
    )
    fix = Text("Name some under columns.", "Nennen Sie welche unter columns.")


class SeriesNeeded(InputWrong):
    code = "risk.series-needed"
    says = Text(
        "{who} looks at series, but nothing tells which records belong to one unit, or to which period.",
        "{who} betrachtet Zeitreihen, aber nichts sagt, welche Datensätze zu einer Einheit gehören oder zu welcher Periode.",
    )
    fix = Text(
        "Name the columns under unit and period, or give them the roles owner and period.",
        "Nennen Sie die Spalten unter unit und period, oder geben Sie ihnen die Rollen owner und period.",
    )


class WeightNeeded(InputWrong):
    code = "risk.weight-needed"
    says = Text(
        "{who} looks at the weights, but no column has the role 'weight'.",
        "{who} betrachtet die Gewichte, aber keine Spalte hat die Rolle 'weight'.",
    )
    fix = Text(
        "Name the weights under data: roles: weight.", "Nennen Sie die Gewichte unter data: roles: weight."
    )
