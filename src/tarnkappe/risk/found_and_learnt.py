"""Found and learnt: how likely persons are found by their keys, and how many of their true numbers are then known."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import original
from tarnkappe.errors import InputWrong
from tarnkappe.kernels.around import Scale
from tarnkappe.language import Text
from tarnkappe.risk.counting import OnKeys
from tarnkappe.risk.interval_disclosure import IntervalDisclosure
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Finding, Goal, Json, Source, measure


@measure(
    "risk.found-and-learnt",
    title=Text("Found and learnt", "Gefunden und erfahren"),
    does=Text(
        "Weighs the chance that a person is found by the keys with the share of the true numbers that the record then tells.",
        "Gewichtet die Wahrscheinlichkeit, dass eine Person an den Schlüsseln gefunden wird, mit dem Anteil der wahren Zahlen, den der Datensatz "
        "dann verrät.",
    ),
    sources=(
        Source("hoehne2010", "section 2.2.2: a hit harms only as far as the values found are useful; spec R18"),
        Source("mateosanz2004", "intervals by standard deviation (SDID)"),
        Source("duncan2001", "one measure of risk for a map of plans that change keys and numbers"),
    ),
    reads=Text(
        "On average a person is found, and all numbers learnt, with a chance of {value}.",
        "Im Mittel wird eine Person mit einer Wahrscheinlichkeit von {value} gefunden, samt allen Zahlen.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data and the true values of all keys, and takes the released numbers of the records that fit "
        "for the true ones, up to the interval.",
        "Der Angreifer weiß, dass die Person in den Daten ist, kennt die wahren Werte aller Schlüssel und hält die freigegebenen Zahlen der "
        "passenden Datensätze bis auf das Intervall für die wahren.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "find anybody by numbers: see risk.linkage",
            "jemanden an Zahlen finden: siehe risk.linkage",
        ),
        Text(
            "count what the records that fit have in common: see risk.l-diversity and risk.best-guess",
            "zählen, was die passenden Datensätze gemeinsam haben: siehe risk.l-diversity und risk.best-guess",
        ),
    ),
    words={
        "chance_of_being_found": Text("chance of being found", "Wahrscheinlichkeit, gefunden zu werden"),
        "share_of_numbers_learnt": Text("share of the numbers learnt", "Anteil der erfahrenen Zahlen"),
    },
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "columns": ["income", "wealth"], "scale": "value",
        "width": 0.1,
    },
)  # fmt: skip
class FoundAndLearnt(OnKeys):
    """The mean over all persons of (1/f)·(1 + d)/2.

    f is the number of released records that fit the person's keys, as in `risk.k-anonymity`; d is the share of the record's numbers whose true value lies
    in the interval around the released one, as in `risk.interval-disclosure` with `joint: false`. To be found counts half, and whole where all numbers are learnt
    too: coarser keys and stronger noise both lower it, so that plans which change keys, numbers or both can be compared. The baseline is the original.
    """

    columns: tuple[str, ...] = ()
    """Numeric columns; without them, all that hold quantities in both files. | Numerische Spalten; ohne Angabe alle, die in beiden
    Dateien Größen enthalten."""
    scale: Scale = "sd"
    """What the width is a part of: the standard deviation, all ranks, or the released value. | Wovon die Breite ein Teil ist: von der
    Standardabweichung (sd), von allen Rängen (rank) oder vom freigegebenen Wert (value)."""
    width: Annotated[float, Field(gt=0, le=10)] = 0.05
    """Half width of the interval. | Halbe Breite des Intervalls."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        risk, learnt = self._risk(after, before)
        doubt = self.doubt(after) or doubt_of(after, after.keys(self.keys))
        details: dict[str, Json] = {
            **self.policy(after), "records": len(after), "scale": self.scale, "width": self.width,
            "chance_of_being_found": float(np.mean(1 / self.counts(after))), "share_of_numbers_learnt": float(np.mean(learnt)),
        }  # fmt: skip
        return Finding(
            value=float(risk.mean()),
            baseline=self._before(before),
            trusted=not doubt,
            because=doubt,
            details=details,
            per_record=risk,
        )

    def _risk(self, after: Microdata, before: Microdata) -> tuple[Floats, Floats]:
        """Risk of every record, and the share of its numbers that is learnt; a record without a true number tells none."""
        attack = IntervalDisclosure(columns=self.columns, scale=self.scale, width=self.width, joint=False)
        found = attack.measure(after, before=before).per_record
        assert found is not None
        learnt = np.nan_to_num(found, nan=0.0)
        return (1 / self.counts(after)) * (1 + learnt) / 2, learnt

    def _before(self, before: Microdata) -> float | None:
        """What the original has, where it has the keys."""
        with suppress(InputWrong):
            return float(self._risk(before, before)[0].mean())
        return None
