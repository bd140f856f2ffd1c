"""Errors of the risk–utility map: plans that cannot be compared, grids that name nothing."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class MapDataDiffers(InputWrong):
    code = "map.different-data"
    says = Text(
        "{first!r} and {second!r} work on different data: their risks cannot be compared.",
        "{first!r} und {second!r} arbeiten mit verschiedenen Daten: Ihre Risiken sind nicht vergleichbar.",
    )
    fix = Text("Map plans of one data file.", "Vergleichen Sie Pläne derselben Datendatei.")


class MapRolesDiffer(InputWrong):
    code = "map.different-roles"
    says = Text(
        "{first!r} and {second!r} give the role {role!r} to different columns: an attacker would know other things.",
        "{first!r} und {second!r} geben die Rolle {role!r} verschiedenen Spalten: Ein Angreifer wüsste anderes.",
    )
    fix = Text("Give the same roles in all plans.", "Geben Sie in allen Plänen dieselben Rollen an.")


class MapWithoutRecords(InputWrong):
    code = "map.no-records"
    says = Text(
        "The plan {plan!r} releases no records and others do; the map compares plans for records, or plans for tables.",
        "Der Plan {plan!r} gibt keine Datensätze frei, andere schon; die Karte vergleicht Pläne für Datensätze oder Pläne für Tabellen.",
    )
    fix = Text(
        "Compare plans of tables with each other, and plans of records with each other.",
        "Vergleichen Sie Pläne für Tabellen untereinander und Pläne für Datensätze untereinander.",
    )


class MapMeasure(InputWrong):
    code = "map.measure"
    says = Text(
        "{id!r} is no measure of {family} that can stand on an axis.",
        "{id!r} ist kein Maß für {family}, das auf einer Achse stehen kann.",
    )
    fix = Text("{hint}", "{hint}")


class MapEmpty(InputWrong):
    code = "map.nothing-measured"
    says = Text("No plan could be measured:\n{reasons}", "Kein Plan ließ sich messen:\n{reasons}")


class GridWrong(InputWrong):
    code = "map.grid"
    says = Text("{file!r}: {why}", "{file!r}: {why}")
    fix = Text(
        "Write a path as it stands in the plan, positions from 1, and a list of values: steps.2.k: [3, 5, 10].",
        "Schreiben Sie den Pfad wie im Plan, Positionen ab 1, und eine Liste von Werten: steps.2.k: [3, 5, 10].",
    )
