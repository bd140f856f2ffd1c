"""The figures an actuary works with, before and after."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST, original
from tarnkappe.errors.models import ModelImpossible
from tarnkappe.kernels.estimates import Estimate
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.utility.actuarial_figures import Columns, Figures, figures, periods, relativities, tariff
from tarnkappe.utility.compared_models import common
from tarnkappe.utility.comparing import joined
from tarnkappe.utility.model_matrix import impossible, shared_model

_NOTHING = Text(
    f"no ratio of columns with at least {LEAST} records",
    f"kein Verhältnis von Spalten mit mindestens {LEAST} Datensätzen",
)
_GONE = Text(
    "Not in the release in the same form, so what needs it is lost: {names}.",
    "Nicht in gleicher Form in der Freigabe; was sie braucht, ist verloren: {names}.",
)
_NO_TARIFF = Text(
    "The relativities cannot be estimated from the release: {why}.",
    "Die Tariffaktoren lassen sich aus der Freigabe nicht schätzen: {why}.",
)
_EXPOSURE = Text("it has no exposure", "ihr fehlt das Exposure")
Name = Annotated[str, Field(min_length=1)]


@measure(
    "utility.actuarial",
    title=Text("Actuarial figures before and after", "Aktuarielle Kennzahlen vorher und nachher"),
    compares=True,
    does=Text(
        "Compares claim frequency and severity, loss ratio, rates by age band, actual against expected, relativities and run-off totals.",
        "Vergleicht Schadenhäufigkeit und Schadenhöhe, Schadenquote, Raten nach Altersklassen, Ist zu Erwartet, Tariffaktoren und Abwicklungssummen.",
    ),
    sources=(
        Source("dav2025", "section 6.5: analyses of the end user (specification, D-U16); age bands of five years, section 8"),
        Source("karr2006", "overlap of confidence intervals"),
        Source("mccullaghnelder1989", "log-linear models of rates with exposure"),
    ),
    reads=Text(
        "On average a share of {value} of the overlap of the confidence intervals is lost.",
        "Im Mittel geht ein Anteil von {value} der Überlappung der Konfidenzintervalle verloren.",
    ),
    knows=Text(
        "All records of each file; each figure uses the records that have what it needs.",
        "Alle Datensätze jeder Datei; jede Kennzahl nutzt die Datensätze, die alles Nötige haben.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "tell about figures of fewer than ten records",
            "Kennzahlen aus weniger als zehn Datensätzen nennen",
        ),
        Text(
            "project run-off triangles: it compares their totals by period of origin",
            "Abwicklungsdreiecke fortschreiben: Es vergleicht ihre Summen nach Anfalljahr",
        ),
        Text("use weights of a sample", "Stichprobengewichte verwenden"),
    ),
    words={
        "actual_to_expected": Text("actual to expected", "Ist zu Erwartet"),
        "all": Text("all", "alle"),
        "figures_lost": Text("figures that the release does not allow", "Kennzahlen, die die Freigabe nicht zulässt"),
        "frequency": Text("claim frequency", "Schadenhäufigkeit"),
        "loss_ratio": Text("loss ratio", "Schadenquote"),
        "relativity": Text("relativity of", "Tariffaktor von"),
        "run_off": Text("run-off total of period", "Abwicklungssumme der Periode"),
        "severity": Text("claim severity", "Schadenhöhe"),
    },
    example={
        "claims": "employees", "exposure": "w", "amount": "income", "premium": "age", "expected": "w", "events": ["employees"], "age": "age",
        "band": 20, "relativities": ["sex"], "origin": "year", "confidence": 0.9,
    },
)  # fmt: skip
class Actuarial(Measure):
    """What is lost of the overlap of the confidence intervals of the figures of an insurance portfolio.

    *Frequency* is claims/exposure, *severity* amount/claims, *loss ratio* amount/premium, *actual to expected* claims/expected; the rate of an event
    (death, illness, lapse) is events/exposure by band of `age`. Intervals of these ratios come from the spread of the records. *Relativities* of
    `relativities` are from a Poisson regression of claims with exposure; ``region[2]`` is the effect, as a factor, of the second category against the most
    frequent one. *Run-off* are totals of the amount by period of `origin`. Only what the named columns allow is computed; a figure that
    the release does not allow any more counts as lost.
    """

    claims: Name | None = None
    """Column with the number of claims. | Spalte mit der Zahl der Schäden."""
    exposure: Name | None = None
    """Column with the exposure, as in years; without it, each record counts one. | Spalte mit dem Exposure, etwa in Jahren; ohne sie zählt jeder Datensatz
    eins."""
    amount: Name | None = None
    """Column with the amount of the claims. | Spalte mit der Schadensumme."""
    premium: Name | None = None
    """Column with the premium. | Spalte mit der Prämie."""
    expected: Name | None = None
    """Column with the expected number of claims. | Spalte mit der erwarteten Schadenzahl."""
    events: tuple[Name, ...] = ()
    """Columns with events (0 or 1, or numbers of them) whose rates are compared. | Spalten mit Ereignissen (0 oder 1 oder ihre Zahl), deren Raten
    verglichen werden."""
    age: Name | None = None
    """Column with the age, for rates by band. | Spalte mit dem Alter, für Raten nach Klassen."""
    band: Annotated[float, Field(gt=0)] = 5.0
    """Width of the bands of age. | Breite der Altersklassen."""
    relativities: tuple[Name, ...] = ()
    """Columns whose relativities are compared. | Spalten, deren Tariffaktoren verglichen werden."""
    origin: Name | None = None
    """Column with the period in which a claim arose. | Spalte mit der Periode, in der ein Schaden anfiel."""
    confidence: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    """Probability with which the intervals cover. | Überdeckungswahrscheinlichkeit der Intervalle."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        what = Columns(
            self.claims, self.exposure, self.amount, self.premium, self.expected, self.events, self.age, self.band, self.origin,
            periods(before, self.origin), self.confidence, self.id,
        )  # fmt: skip
        old = figures(before, what)
        gone = _lost_columns(self._named(), before, after)
        new = figures(after, _without(what, gone))
        if self.exposure in gone:
            new.pop(("frequency", ""), None)
        factors = self._relativities(before, after, what)
        old, new = old | factors[0], new | factors[1]
        if not old:
            raise ModelImpossible(why=_NOTHING)
        said = joined(_GONE.filled(names=listed(gone)) if gone else NOTHING, factors[2])
        return _finding(old, new, said)

    def _named(self) -> list[str]:
        single = (self.claims, self.exposure, self.amount, self.premium, self.expected, self.age, self.origin)
        return list(dict.fromkeys([*(n for n in single if n), *self.events, *self.relativities]))

    def _relativities(
        self, before: Microdata, after: Microdata, what: Columns
    ) -> tuple[Figures, Figures, Text]:
        if not (self.claims and self.relativities):
            return {}, {}, NOTHING
        for name in (self.claims, *self.relativities):
            before.column(name)
        model = shared_model(tariff(self.claims, self.relativities), "poisson", before, after, self.id)
        first = relativities(before, model, what)
        if isinstance(first, Text):
            raise ModelImpossible(why=first)
        lost = impossible(model, before, after)
        if what.exposure and _lost_columns([what.exposure], before, after):
            lost = lost or _EXPOSURE
        second = lost or relativities(after, model, what)
        if isinstance(second, Text):
            return first, {}, _NO_TARIFF.filled(why=second)
        return first, second, NOTHING


def _lost_columns(names: list[str], before: Microdata, after: Microdata) -> list[str]:
    """Columns that the release has no more, or not as numbers where the original does."""
    gone = [n for n in names if n not in after.columns]
    numbers = [n for n in names if n not in gone and before.column(n).kind.is_number]
    return gone + [n for n in numbers if not after.column(n).kind.is_number]


def _without(what: Columns, gone: list[str]) -> Columns:
    """Only what the release still has; what needs a column that is gone is not computed."""

    def kept(name: str | None) -> str | None:
        return None if name in gone else name

    blind = {what.exposure, what.age} & set(gone)
    return what._replace(
        claims=kept(what.claims),
        exposure=kept(what.exposure),
        amount=kept(what.amount),
        premium=kept(what.premium),
        expected=kept(what.expected),
        events=() if blind else tuple(e for e in what.events if e not in gone),
        age=kept(what.age),
        origin=kept(what.origin),
    )


def _finding(old: Figures, new: Figures, said: Text) -> Finding:
    told: dict[str, dict[str, Json]] = {}
    losses = []
    for (kind, part), first in old.items():
        second = new.get((kind, part))
        overlap = 0.0 if second is None else common(first, second)
        losses.append(1 - max(0.0, overlap))
        figure = {"before": _shown(kind, first), "overlap": overlap}
        if second is not None:
            figure |= {"after": _shown(kind, second), "inside": first.holds(second.value)}
        told.setdefault(kind, {})[part or "all"] = figure
    lost = sum(key not in new for key in old)
    value = min(max(float(np.mean(losses)), 0.0), 1.0)
    return Finding(value, because=said, details={"figures": told, "figures_lost": lost})


def _shown(kind: str, one: Estimate) -> dict[str, Json]:
    """Relativities are shown as factors."""
    shown = [_factor(v) for v in one] if kind == "relativity" else list(one)
    return dict(zip(("estimate", "low", "high"), shown, strict=True))


def _factor(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf
