"""Membership: whether the release shows that a person's data was used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.kernels.closeness import advantage, advantage_by_chance, area, area_interval, caught
from tarnkappe.kernels.excess import Rate
from tarnkappe.language import Text
from tarnkappe.risk.legal_criteria import FEW, LEVEL, TOO_FEW, OnHoldout, Sides, some, z_of
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Finding, Goal, Json, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats

FALSE_ALARMS = (0.001, 0.01, 0.1)
"""Shares of outsiders that an attacker may take for members by mistake."""
_MEASURED = Text(
    "Distances of {members} members to the nearest released record against those of {outside} persons outside. 0.5 is no better than a coin.",
    "Abstände von {members} Mitgliedern zum nächsten freigegebenen Datensatz gegen die von {outside} Außenstehenden. 0,5 ist nicht besser als eine "
    "Münze.",
)
_STAND_IN = Text(
    "There is no hold-out: {why} Released records stand in for persons outside, each with the nearest other one; that shows copies but is no "
    "measure of the risk.",
    "Es gibt keine Vergleichsgruppe: {why} Freigegebene Datensätze vertreten Außenstehende, jeder mit dem nächsten anderen; das zeigt Kopien, "
    "ist aber kein Maß des Risikos.",
)


@measure(
    "risk.membership",
    title=Text("Membership inference", "Erkennbarkeit der Teilnahme"),
    does=Text(
        "Compares how near persons in the release and persons outside are to their nearest released record: who is nearer is taken to be in it.",
        "Vergleicht, wie nahe Personen in der Freigabe und Außenstehende ihrem nächsten freigegebenen Datensatz sind: Wer näher ist, gilt als "
        "darin enthalten.",
    ),
    sources=(
        Source("dav2025", "section 2.4: an attacker who only wants to prove presence"),
        Source("chen2020", "distance to the closest released record as a test of membership"),
        Source("carlini2022", "true positives at few false alarms"),
        Source("hanleymcneil1982", "area under the curve"),
        Source("newcombe2006", "method 5: interval of the area"),
        Source("gower1971", "distance of records with numbers and categories"),
    ),
    reads=Text(
        "Of one person in the release and one outside, the attacker tells with chance {value} which is which.",
        "Von einer Person in der Freigabe und einer außerhalb sagt der Angreifer mit Wahrscheinlichkeit {value} richtig, welche welche ist.",
    ),
    knows=Text(
        "The attacker knows the true values of all columns of a person, and has the release.",
        "Der Angreifer kennt die wahren Werte aller Spalten einer Person und hat die Freigabe.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "bound stronger attackers: one who can repeat the making of the release, or who weighs rare values higher, may tell more",
            "stärkere Angreifer begrenzen: Wer die Freigabe nachbilden kann oder seltene Werte höher gewichtet, erkennt vielleicht mehr",
        ),
        Text(
            "mean much where it is known anyway who is in the data, as in a full count",
            "viel besagen, wenn ohnehin bekannt ist, wer in den Daten ist, etwa bei einer Vollerhebung",
        ),
        Text(
            "give a trusted value without a hold-out",
            "ohne Vergleichsgruppe einen vertrauenswürdigen Wert geben",
        ),
    ),
    words={
        "advantage": Text("largest difference between members and outsiders", "größter Unterschied zwischen Mitgliedern und Außenstehenden"),
        "advantage_by_chance": Text("of that by chance alone, at most", "davon höchstens allein durch Zufall"),
        "false_alarms": Text("at a share of false alarms of", "bei einem Anteil falscher Treffer von"),
        "found_at": Text("members found", "erkannte Mitglieder"),
    },
    example={
        "columns": ["age", "sex", "income", "wealth", "diagnosis"], "attacks": 500, "holdout": "left-out",
    },
)  # fmt: skip
class Membership(OnHoldout):
    """The chance that of two persons the one in the release is nearer to it (area under the ROC curve), with an interval of 95 %.

    Distances are Gower's: numbers and dates by their difference in parts of the range that the release shows, categories by being equal or
    not; missing equals missing only; a suppressed value counts as half a difference. Equally near persons count one half.

    The details tell how many members are found at few false alarms, with Wilson's interval, and the largest advantage: the share of members
    below a limit less the share of outsiders, at the best limit. Limits are chosen on the same persons, so the advantage is
    above zero even where there is none; how much that makes is told beside it. `against` takes a hold-out.
    """

    columns: tuple[str, ...] = ()
    """Columns the attacker knows of a person; without them, all that say something about one. | Spalten, die der Angreifer von einer Person
    kennt; ohne Angabe alle, die etwas über sie sagen."""

    def attack(self, between: Sides) -> Finding:
        names = some(between.chosen(self.columns))
        members, outside = self._distances(between, names)
        z = z_of(LEVEL)
        found = area(members, outside)
        low, high = area_interval(found, len(members), len(outside), z)
        details: dict[str, Json] = {
            "columns": names, "holdout": between.which, "level": LEVEL, "records": len(between.members),
            "members": len(members), "outside": len(outside), "found_at": _found_at(members, outside, z),
            "advantage": advantage(members, outside), "advantage_by_chance": advantage_by_chance(len(members), len(outside)),
        }  # fmt: skip
        doubt = doubt_of(between.release, names) or _doubt(between, len(members), len(outside))
        because = doubt or _MEASURED.filled(members=len(members), outside=len(outside))
        return Finding(found, low, high, 0.5, trusted=not doubt, because=because, details=details)

    def _distances(self, between: Sides, names: tuple[str, ...]) -> tuple[Floats, Floats]:
        """How far members and outsiders are from the nearest released record."""
        from tarnkappe.kernels.gower_tree import grow, nearest  # noqa: PLC0415 - numba is loaded when first used

        released, members, *others = between.cells(names)
        tree, draw = grow(released), self.draw(between)
        chosen = self.targets(len(members), draw)
        inside = nearest(tree, members[chosen], 1, draw)[1][:, 0]
        if others:
            apart = nearest(tree, others[0][self.targets(len(others[0]), draw)], 1, draw)[1][:, 0]
        else:
            own = self.targets(len(released), draw)
            rows, far = nearest(tree, released[own], min(2, len(released)), draw)
            apart = np.where(rows[:, 0] == own, far[:, -1], far[:, 0])
        return inside.astype(np.float64), apart.astype(np.float64)


def _doubt(between: Sides, members: int, outside: int) -> Text:
    if between.outside is None:
        return _STAND_IN.filled(why=between.why)
    fewest = min(members, outside)
    return TOO_FEW.filled(count=fewest, needed=FEW) if fewest < FEW else Text("", "")


def _found_at(members: Floats, outside: Floats, z: float) -> list[dict[str, Json]]:
    """The share of members found at given shares of false alarms; only such as the outsiders can tell apart."""
    rows = []
    for share in FALSE_ALARMS:
        if share * len(outside) >= 1:
            hits = Rate(caught(members, outside, share), len(members))
            low, high = hits.interval(z)
            rows.append({"false_alarms": share, "rate": hits.point(z), "low": low, "high": high})
    return rows
