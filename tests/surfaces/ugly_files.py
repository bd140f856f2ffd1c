"""Files as offices have them: encodings, signs, dates, umlauts, empty columns, numbers of units, too few records. All values are made."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

STREETS = ("Mühlweg", "Hauptstraße", "Am Gänsebühl", "Große Gasse")


def german(value: float) -> str:
    """A number with a decimal comma and points between thousands."""
    return f"{value:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")


Draw = Callable[[random.Random, int], str]
FIELDS: Mapping[str, Draw] = {
    "Betriebsnummer": lambda r, i: f"F{i}",
    "Lfd. Nr.": lambda r, i: str(i + 1),
    "Straße": lambda r, i: r.choice(STREETS),
    "PLZ": lambda r, i: r.choice(("01067", "10115", "80331")),
    "Größenklasse": lambda r, i: r.choice(("groß", "mittel", "klein")),
    "Umsatz (T€)": lambda r, i: german(r.lognormvariate(8, 2)),
    "Umsatz": lambda r, i: f"{r.lognormvariate(8, 2):.2f}",
    "Anteil": lambda r, i: f"{r.random():.3f}".replace(".", ","),
    "Beschäftigte": lambda r, i: str(r.randint(1, 90)),
    "Gründung": lambda r, i: f"{r.randint(1, 28):02}.{r.randint(1, 12):02}.{r.randint(1950, 2020)}",
    "gemeldet": lambda r, i: f"{r.randint(2020, 2024)}-0{r.randint(1, 9)}-1{r.randint(0, 9)}",
    "Bemerkung": lambda r, i: "",
    "leer": lambda r, i: "NA",
    "Land": lambda r, i: "DE",
    "Diagnose": lambda r, i: f"{r.choice('IJKF')}{r.randint(10, 40)}",
    "Gewicht": lambda r, i: f"{1 + r.random():.4f}".replace(".", ","),
    "Jahr": lambda r, i: str(2020 + i % 3),
    "Name": lambda r, i: f"Jürgen Müller-{i}",
}


@dataclass(frozen=True)
class Ugly:
    """A made file: how it is written and what is in it."""

    fields: tuple[str, ...]
    records: int = 40
    encoding: str = "utf-8"
    separator: str = ";"
    end: str = "\n"
    quoted: bool = False
    options: tuple[str, ...] = ()
    """Options of the command where the file cannot tell."""

    def content(self) -> bytes:
        r = random.Random(7)
        rows = [list(self.fields)]
        rows += [[FIELDS[name](r, i) for name in self.fields] for i in range(self.records)]
        mark = '"' if self.quoted else ""
        lines = [self.separator.join(f"{mark}{field}{mark}" for field in row) for row in rows]
        return (self.end.join(lines) + self.end).encode(self.encoding)


FIRMS = (
    "Betriebsnummer",
    "Straße",
    "PLZ",
    "Größenklasse",
    "Umsatz (T€)",
    "Beschäftigte",
    "Gründung",
    "Bemerkung",
)
UGLY: Mapping[str, Ugly] = {
    "windows": Ugly(FIRMS, encoding="cp1252", end="\r\n"),
    "marked utf-8": Ugly(FIRMS, encoding="utf-8-sig", end="\r\n"),
    "utf-16": Ugly(FIRMS, encoding="utf-16", separator="\t", end="\r\n"),
    "old mac": Ugly(("Name", "Größenklasse", "Umsatz"), encoding="cp1252", separator=",", end="\r"),
    "quoted": Ugly(("Name", "PLZ", "Anteil", "gemeldet"), quoted=True),
    "bars": Ugly(("Lfd. Nr.", "Größenklasse", "Anteil", "Beschäftigte"), separator="|"),
    "both signs": Ugly(("PLZ", "Umsatz", "Anteil"), encoding="cp1252"),
    "marks": Ugly(("PLZ", "leer", "Umsatz (T€)", "Gründung"), options=("--missing", "NA")),
    "a letter as mark": Ugly(("leer", "PLZ", "Umsatz")),
    "only empty": Ugly(("Bemerkung", "leer"), options=("--missing", "NA")),
    "only identifiers": Ugly(("Name", "Betriebsnummer")),
    "only numbers": Ugly(("Umsatz", "Beschäftigte"), separator=","),
    "one column": Ugly(("Größenklasse",), encoding="cp1252"),
    "one record": Ugly(FIRMS, records=1),
    "one record of numbers": Ugly(("Umsatz", "Anteil"), records=1),
    "two records": Ugly(("Name", "PLZ", "Umsatz", "Diagnose"), records=2),
    "four records": Ugly(("Name", "PLZ", "Umsatz", "Diagnose", "Gründung"), records=4),
    "constant": Ugly(("Land", "PLZ", "Umsatz")),
    "all constant": Ugly(("Land",)),
    "panel": Ugly(("Betriebsnummer", "Jahr", "Größenklasse", "Gewicht", "Umsatz (T€)"), records=90),
    "diagnoses": Ugly(("Name", "Diagnose", "PLZ", "Gründung", "Gewicht"), records=90, encoding="cp1252"),
    "dos": Ugly(
        ("Straße", "Größenklasse", "Beschäftigte"), encoding="cp850", options=("--encoding", "cp850")
    ),
}
