"""One model on two files: how far intervals overlap, which signs and significances change."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats
from tarnkappe.data.formula import Formula
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.models import ModelImpossible
from tarnkappe.kernels.estimates import Estimate, overlap
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.spec import Finding, Json, Measure
from tarnkappe.utility.comparing import weights
from tarnkappe.utility.estimating import Estimates, Setting, estimated
from tarnkappe.utility.model_matrix import CONSTANT, Model, design, impossible, shared_model

_IMPOSSIBLE = Text(
    "The model cannot be fitted to the release: {why}.",
    "Das Modell lässt sich für die Freigabe nicht schätzen: {why}.",
)
_UNIT = Text("the release has no column {names}", "die Freigabe hat keine Spalte {names}")
_LOST = Text(
    "Without a coefficient in the release: {count} categories.",
    "Ohne Koeffizient in der Freigabe: {count} Kategorien.",
)


def common(old: Estimate, new: Estimate) -> float:
    """How far two intervals overlap; those without width count as the same or as apart (specification D-U08)."""
    found = overlap(old, new)
    return 0.0 if math.isnan(found) else found


class ComparesModels(Measure):
    """A measure that fits one model to both files."""

    weighted: bool = False
    """Use the weights where both files have them; intervals are then robust (HC1). | Die Gewichte verwenden, wo beide Dateien sie haben;
    Intervalle sind dann robust (HC1)."""
    confidence: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    """Probability with which the intervals cover. | Überdeckungswahrscheinlichkeit der Intervalle."""

    def compared(self, after: Microdata, before: Microdata, formula: Formula, setting: Setting) -> Finding:
        """Fit the model to both files and compare."""
        for name in (*formula.columns, *setting.unit, *((setting.period,) if setting.period else ())):
            before.column(name)
        model = shared_model(formula, setting.family, before, after, self.id)
        old, new = (weights(data) if self.weighted else None for data in (before, after))
        if old is None or new is None:
            old = new = None
        first = _fitted(before, model, old, setting)
        if isinstance(first, Text):
            raise ModelImpossible(why=first)
        told: dict[str, Json] = {"model": str(formula), "family": setting.family, "weighted": old is not None}
        why = impossible(model, before, after) or _no_unit(after, setting)
        second = why or _fitted(after, model, new, setting)
        if isinstance(second, Text):
            return _lost_whole(first, second, told)
        return _finding(first, second, told)


def _no_unit(after: Microdata, setting: Setting) -> Text:
    needed = (*setting.unit, *((setting.period,) if setting.period else ()))
    gone = [n for n in needed if n not in after.columns]
    return _UNIT.filled(names=listed(gone)) if gone else NOTHING


def _fitted(data: Microdata, model: Model, w: Floats | None, setting: Setting) -> Estimates | Text:
    found = design(model, data)
    return found if isinstance(found, Text) else estimated(found, data, w, setting)


def _lost_whole(first: Estimates, why: Text, told: dict[str, Json]) -> Finding:
    """The release does not allow the model: everything is lost."""
    details = {**told, "possible": False, "records": {"before": first.records, "after": 0}}
    return Finding(1.0, because=_IMPOSSIBLE.filled(why=why), details=details)


def _finding(first: Estimates, second: Estimates, told: dict[str, Json]) -> Finding:
    figures = {name: _pair(name, first, second) for name in first.names}
    judged = [f for name, f in figures.items() if name != CONSTANT] or list(figures.values())
    lost = sum(name not in second.names for name in first.names)
    both = [f for f in figures.values() if "after" in f]
    shown = {n: f for n, f in figures.items() if n not in first.rare | second.rare}
    details = {
        **told,
        "possible": True,
        "coefficients": shown,
        "coefficients_hidden": len(figures) - len(shown),
        "coefficients_lost": lost,
        "inside": sum(f["inside"] for f in both),
        "sign_changed": sum(f["sign_changed"] for f in both),
        "significance_changed": sum(f["significance_changed"] for f in both),
        "explained": {"before": first.explained, "after": second.explained},
        "records": {"before": first.records, "after": second.records},
    }
    value = 1 - float(np.mean([max(0.0, f["overlap"]) for f in judged]))
    because = _LOST.filled(count=lost) if lost else NOTHING
    return Finding(min(max(value, 0.0), 1.0), because=because, details=details)


def _pair(name: str, first: Estimates, second: Estimates) -> dict[str, Json]:
    """A coefficient before and after."""
    old = _interval(first, name)
    if name not in second.names:
        return {"before": _shown(old), "overlap": 0.0}
    new = _interval(second, name)
    return {
        "before": _shown(old),
        "after": _shown(new),
        "overlap": common(old, new),
        "inside": old.holds(new.value),
        "sign_changed": old.value * new.value < 0,
        "significance_changed": _sign(old) != _sign(new),
    }


def _sign(one: Estimate) -> int:
    """The sign of an estimate that is significant, else 0."""
    return 1 if one.low > 0 else -1 if one.high < 0 else 0


def _interval(found: Estimates, name: str) -> Estimate:
    j = found.names.index(name)
    return Estimate(float(found.beta[j]), float(found.low[j]), float(found.high[j]))


def _shown(one: Estimate) -> dict[str, Json]:
    return {"estimate": one.value, "low": one.low, "high": one.high}
