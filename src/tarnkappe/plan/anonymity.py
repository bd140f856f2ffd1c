"""How anonymous a release is meant to be, and how people come to it: fields of a plan that both documents show."""

from __future__ import annotations

from enum import StrEnum

from tarnkappe.language import Text


class Anonymity(StrEnum):
    """The three degrees of German statistics (Höhne 2010, 1.1; Gottschalk 2002, section 2)."""

    FORMAL = "formal"
    FACTUAL = "factual"
    ABSOLUTE = "absolute"

    @property
    def text(self) -> Text:
        return _DEGREES[self]


class Access(StrEnum):
    """How people come to the data."""

    ON_SITE = "on-site"
    REMOTE = "remote"
    OFF_SITE = "off-site"
    PUBLIC = "public"

    @property
    def text(self) -> Text:
        return _ROUTES[self]


class Leaves(StrEnum):
    """What leaves the house."""

    DATA = "data"
    MODEL = "model"


_DEGREES = {
    Anonymity.FORMAL: Text(
        "formal: names and addresses are removed; units may still be recognised",
        "formal: Namen und Anschriften sind entfernt; Einheiten können noch erkannt werden",
    ),
    Anonymity.FACTUAL: Text(
        "factual: finding a unit would cost more time, money and work than it is worth",
        "faktisch: eine Einheit zu finden kostete mehr Zeit, Geld und Arbeit, als es wert ist",
    ),
    Anonymity.ABSOLUTE: Text(
        "absolute: no unit can be found for certain, whatever somebody knows",
        "absolut: keine Einheit lässt sich sicher finden, was immer jemand weiß",
    ),
}
_ROUTES = {
    Access.ON_SITE: Text(
        "on-site: at a workplace of the office", "vor Ort: an einem Arbeitsplatz des Hauses"
    ),
    Access.REMOTE: Text(
        "remote: programs are sent in, results are checked before they leave",
        "Fernrechnen: Programme werden eingesandt, Ergebnisse vor der Herausgabe geprüft",
    ),
    Access.OFF_SITE: Text("off-site: the file is handed over", "außer Haus: die Datei wird übergeben"),
    Access.PUBLIC: Text("public: for everybody", "öffentlich: für jedermann"),
}
IN_THE_HOUSE = (Access.ON_SITE, Access.REMOTE)
STAYS = Text(
    "formally anonymous data stays in the house: access must be on-site or remote, and it is no public-use file",
    "formal anonyme Daten bleiben im Haus: access muss on-site oder remote sein, und sie sind kein Public-Use-File",
)
FOR_EVERYBODY = Text(
    "public access is for public-use files: say kind: public-use, or another access",
    "öffentlicher Zugang gilt für Public-Use-Files: geben Sie kind: public-use oder einen anderen Zugang an",
)
