"""What receivers of a release do about a method, where several methods ask the same of them."""

from __future__ import annotations

from tarnkappe.language import Text

ERRORS = Text(
    "Random errors were added whose size is known. Plain regressions are mostly biased towards zero, and variances too large where they were not brought back: use `tarnkappe correct`.",
    "Den Werten wurden Zufallsfehler bekannter Größe überlagert. Einfache Regressionen sind meist zur Null hin verzerrt, Varianzen zu groß, wo sie nicht zurückgeführt wurden: `tarnkappe correct` verwenden.",
)
FACTORS = Text(
    "Values were multiplied by random factors whose distribution is known. Sums stay right on average; for regressions and variances use `tarnkappe correct`.",
    "Werte wurden mit Zufallsfaktoren bekannter Verteilung multipliziert. Summen stimmen im Mittel; für Regressionen und Varianzen `tarnkappe correct` verwenden.",
)
EMPTIED = Text(
    "Cells were suppressed. Records without them are not a random sample; say how many you leave out.",
    "Zellen wurden unterdrückt. Datensätze ohne sie sind keine zufällige Auswahl; geben Sie an, wie viele Sie weglassen.",
)
