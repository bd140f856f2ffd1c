"""The words of the trade as enumerations: one spelling for Python, plans, the command line and reports."""

from __future__ import annotations

from enum import StrEnum

from tarnkappe.language import Text


class Role(StrEnum):
    """What a column means for disclosure."""

    IDENTIFIER = "identifier"
    KEY = "key"
    SENSITIVE = "sensitive"
    NUMERIC = "numeric"
    WEIGHT = "weight"
    HOUSEHOLD = "household"
    UNIT = "unit"
    OWNER = "owner"
    PERIOD = "period"
    STRATUM = "stratum"
    OTHER = "other"

    @property
    def text(self) -> Text:
        return _ROLES[self]

    @property
    def single(self) -> bool:
        """At most one column may have this role."""
        return self in (Role.WEIGHT, Role.HOUSEHOLD, Role.UNIT, Role.OWNER, Role.PERIOD)


_ROLES = {
    Role.IDENTIFIER: Text("direct identifier", "direkter Identifikator"),
    Role.KEY: Text("key variable", "Schlüsselvariable"),
    Role.SENSITIVE: Text("sensitive attribute", "sensibles Attribut"),
    Role.NUMERIC: Text("numeric variable", "numerisches Merkmal"),
    Role.WEIGHT: Text("weight", "Gewicht"),
    Role.HOUSEHOLD: Text("household", "Haushalt"),
    Role.UNIT: Text("unit over periods", "Einheit über Perioden"),
    Role.OWNER: Text("owner", "Eigentümer"),
    Role.PERIOD: Text("period", "Periode"),
    Role.STRATUM: Text("stratum", "Schicht"),
    Role.OTHER: Text("other", "übrige"),
}


class Kind(StrEnum):
    """What a column holds."""

    CATEGORY = "category"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    DATE = "date"
    DATETIME = "datetime"

    @property
    def text(self) -> Text:
        return _KINDS[self]

    @property
    def is_number(self) -> bool:
        return self in (Kind.INTEGER, Kind.NUMBER)


_KINDS = {
    Kind.CATEGORY: Text("category", "Kategorie"),
    Kind.BOOLEAN: Text("yes/no", "ja/nein"),
    Kind.INTEGER: Text("whole number", "ganze Zahl"),
    Kind.NUMBER: Text("number", "Zahl"),
    Kind.DATE: Text("date", "Datum"),
    Kind.DATETIME: Text("date and time", "Datum und Uhrzeit"),
}


class Missing(StrEnum):
    """How a value that was already missing in the original counts when records are compared."""

    CATEGORY = "category"
    """Missing equals missing and nothing else."""
    WILDCARD = "wildcard"
    """Missing is compatible with every value."""
    REFUSE = "refuse"
    """A missing key is an error."""


class Suppressed(StrEnum):
    """How a value that we suppressed counts when records are compared."""

    ATTACKER = "attacker"
    """For each person, the released records compatible with that person's true values: what an attacker sees."""
    WILDCARD = "wildcard"
    """A suppressed value is compatible with every value on both sides; too optimistic."""
    CATEGORY = "category"
    """Suppressed equals suppressed only: the printed table taken literally."""


class ReleaseKind(StrEnum):
    """Who receives the release."""

    PUBLIC = "public-use"
    SCIENTIFIC = "scientific-use"
    INTERNAL = "internal"

    @property
    def text(self) -> Text:
        return _RELEASES[self]


_RELEASES = {
    ReleaseKind.PUBLIC: Text("public-use file", "Public-Use-File"),
    ReleaseKind.SCIENTIFIC: Text("scientific-use file", "Scientific-Use-File"),
    ReleaseKind.INTERNAL: Text("internal use", "interne Nutzung"),
}


class Attacker(StrEnum):
    """What the attacker knows and wants."""

    PROSECUTOR = "prosecutor"
    JOURNALIST = "journalist"
    MARKETER = "marketer"

    @property
    def text(self) -> Text:
        return _ATTACKERS[self]


_ATTACKERS = {
    Attacker.PROSECUTOR: Text(
        "prosecutor: knows that one person is in the data",
        "Ankläger: weiß, dass eine Person in den Daten ist",
    ),
    Attacker.JOURNALIST: Text(
        "journalist: wants to find anybody, knows nobody", "Journalist: will irgendjemanden finden"
    ),
    Attacker.MARKETER: Text(
        "marketer: wants to find as many as possible", "Vermarkter: will möglichst viele finden"
    ),
}
