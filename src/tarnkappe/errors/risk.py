"""Errors of risk measures: what they need to know of the data, of the population and of the attacker."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
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
