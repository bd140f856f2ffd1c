"""The risk–utility map as a chart: safer is lower, more useful is further right, whatever the measures count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tarnkappe.language import Lang, Text
from tarnkappe.plan.risk_map import Bound, RiskMap
from tarnkappe.plan.trial import Trial
from tarnkappe.report.charts import Spec
from tarnkappe.report.drawing import AFTER, EDGE, INK, MINUS, SOFT, drawable
from tarnkappe.report.measures import value_of
from tarnkappe.report.readings import reading
from tarnkappe.spec import Goal, Measure

_WIDTH, _HEIGHT = 700, 400
_NEAR = 0.012
"""Points nearer than this share of both axes are one with several labels."""
_LONG, _MANY = 18, 8
"""Names stand beside the points where they are few and short; else numbers do."""
_PERCENT = {"en": "%", "de": "\u00a0%"}
_SAFER = Text("{title} (lower is safer)", "{title} (unten: sicherer)")
_USEFUL = Text("{title} (further right is more useful)", "{title} (rechts: nützlicher)")
_ORIGINAL = Text("original", "Original")
_RESULT = Text("result", "Ergebnis")
_KINDS = ("front", "released", "refused", "original")
_LEGEND = {
    "front": Text(
        "on the front: no other plan is better in both", "auf der Front: kein Plan ist in beidem besser"
    ),
    "released": Text("would be released", "würde freigegeben"),
    "refused": Text("would be refused", "würde verweigert"),
    "original": _ORIGINAL,
}


@dataclass(frozen=True, slots=True)
class Axis:
    """One side of the map."""

    measure: Measure
    share: bool
    """Shown as a percentage."""
    reverse: bool

    def number(self, value: float) -> float:
        return 100 * value if self.share else value


def numbers_of(found: RiskMap) -> dict[str, int]:
    """The number of every plan, as in the table."""
    return {trial.name: i for i, trial in enumerate(found.trials, start=1)}


def kind_of(found: RiskMap, trial: Trial) -> str:
    """front, released, refused or failed."""
    if not trial.measured:
        return "failed"
    front = {one.name for one in found.front}
    return "front" if trial.name in front else "released" if trial.released else "refused"


def legend() -> Sequence[tuple[str, Text]]:
    """What the marks mean, in the order of the picture."""
    return tuple((kind, _LEGEND[kind]) for kind in _KINDS)


def risk_map(found: RiskMap, lang: Lang, *, key: bool = False) -> Spec:
    """Every plan a point, the front a line, gates dashed lines, the original a square; with `key`, the marks are explained."""
    x, y = axes_of(found)
    points = list(_points(found, x, y, lang))
    at = {"x": _scaled("x", x, points, lang), "y": _scaled("y", y, points, lang)}
    layers = [
        *(_bound(bound, x if bound.axis == "utility" else y, lang) for bound in found.bounds),
        {**_front(points), "encoding": at},
        _with(at, _marks(points, lang, key=key)),
        _with(at, _labels(points, beside=_direct(found))),
    ]
    return {"width": _WIDTH, "height": _HEIGHT, "layer": layers}


def axes_of(found: RiskMap) -> tuple[Axis, Axis]:
    """Utility to the right, risk upwards."""
    return (
        Axis(found.utility, _is_share(found.utility), found.utility.goal is not Goal.HIGH),
        Axis(found.risk, _is_share(found.risk), found.risk.goal is Goal.HIGH),
    )


def _is_share(measure: Measure) -> bool:
    return tuple(measure.bounds) == (0.0, 1.0)


# -- parts --------------------------------------------------------------------------------------------------------


def _with(at: Spec, layer: Spec) -> Spec:
    """A layer whose marks stand at places on both axes."""
    return {**layer, "encoding": {**at, **layer["encoding"]}}


def _points(found: RiskMap, x: Axis, y: Axis, lang: Lang) -> Iterator[Spec]:
    """One row per point; plans at the same place share a label."""
    drawn = [(t, kind_of(found, t)) for t in found.trials if t.measured]
    drawn += [(found.original, "original")] if found.original.measured else []
    places = [_place(trial, x, y) for trial, _ in drawn]
    size = [max(p[j] for p in places) - min(p[j] for p in places) or 1.0 for j in (0, 1)]
    names = [_label(found, t, kind, lang) for t, kind in drawn]
    for i, ((trial, kind), place) in enumerate(zip(drawn, places, strict=True)):
        near = [j for j, other in enumerate(places) if _same(place, other, size)]
        text = ", ".join(dict.fromkeys(names[j] for j in near)) if near[0] == i else ""
        yield {
            "x": place[0], "y": place[1], "kind": kind, "label": drawable(text, 40), "says": _says(found, trial, kind, lang),
        }  # fmt: skip


def _same(one: tuple[float, float], other: tuple[float, float], size: Sequence[float]) -> bool:
    return all(abs(a - b) <= _NEAR * s for a, b, s in zip(one, other, size, strict=True))


def _place(trial: Trial, x: Axis, y: Axis) -> tuple[float, float]:
    assert trial.risk is not None, "only measured plans have a place"
    assert trial.utility is not None, "only measured plans have a place"
    return x.number(trial.utility.value), y.number(trial.risk.value)


def _label(found: RiskMap, trial: Trial, kind: str, lang: Lang) -> str:
    if kind == "original":
        return _ORIGINAL.in_(lang)
    return trial.name if _direct(found) else str(numbers_of(found)[trial.name])


def _direct(found: RiskMap) -> bool:
    """The names are few and short enough to stand beside the points."""
    shown = [t.name for t in found.trials if t.measured]
    return len(shown) <= _MANY and all(len(name) <= _LONG for name in shown)


def _says(found: RiskMap, trial: Trial, kind: str, lang: Lang) -> str:
    assert trial.risk is not None, "only measured plans have a place"
    assert trial.utility is not None, "only measured plans have a place"
    name = _ORIGINAL.in_(lang) if kind == "original" else trial.name
    figures = [
        (measure.title, value_of(measure, finding.value))
        for measure, finding in ((found.risk, trial.risk), (found.utility, trial.utility))
    ]
    return reading(name, [*figures, (_RESULT, _LEGEND[kind])], lang)


def _scaled(field: str, axis: Axis, points: Sequence[Spec], lang: Lang) -> Spec:
    whole = all(float(point[field]).is_integer() for point in points) and not axis.share
    titled = (_USEFUL if field == "x" else _SAFER).filled(title=axis.measure.title)
    return {
        "field": field,
        "type": "quantitative",
        "title": titled.in_(lang),
        "scale": {"zero": False, "nice": True, "padding": 26, "reverse": axis.reverse},
        "axis": {
            "labelExpr": f"datum.label + '{_PERCENT[lang] if axis.share else ''}'",
            "grid": True,
            "tickCount": 5,
            **({"tickMinStep": 1} if whole else {}),
        },
    }


def _bound(bound: Bound, axis: Axis, lang: Lang) -> Spec:
    """A gate as a dashed line with its condition."""
    channel, place = (
        ("x", {"y": {"value": 8}}) if bound.axis == "utility" else ("y", {"x": {"value": _WIDTH - 6}})
    )
    value = axis.number(bound.value)
    line = {
        "mark": {"type": "rule", "color": SOFT, "strokeDash": [4, 4]},
        "encoding": {channel: {"datum": value}},
    }
    style = {
        "type": "text",
        "align": "left" if channel == "x" else "right",
        "baseline": "bottom",
        "dx": 4 if channel == "x" else 0,
        "dy": -4,
        "fontSize": 10.5,
        "color": SOFT,
    }
    words = {
        "mark": {**style, "text": bound.says.in_(lang)},
        "encoding": {channel: {"datum": value}, **place},
    }
    return {"data": {"values": [{}]}, "layer": [line, words]}


def _front(points: Sequence[Spec]) -> Spec:
    """Joins the plans that no other beats."""
    rows = sorted((p for p in points if p["kind"] == "front"), key=lambda p: (p["x"], p["y"]))
    return {
        "data": {"values": [{"x": p["x"], "y": p["y"]} for p in rows]},
        "mark": {"type": "line", "color": AFTER, "strokeWidth": 1.6, "opacity": 0.6},
    }


def _marks(points: Sequence[Spec], lang: Lang, *, key: bool) -> Spec:
    """Form and colour say the same, so that either alone is enough."""
    words = [_LEGEND[kind].in_(lang) for kind in _KINDS]
    rows = [{**p, "kind": _LEGEND[p["kind"]].in_(lang)} for p in points]
    shown = (
        {"title": None, "orient": "bottom", "direction": "vertical", "labelLimit": 0, "labelColor": SOFT, "labelFontSize": 11}
        if key
        else None
    )  # fmt: skip

    def by(values: Sequence[str]) -> Spec:
        return {
            "field": "kind", "type": "nominal", "legend": shown, "scale": {"domain": words, "range": list(values)},
        }  # fmt: skip

    return {
        "data": {"values": rows},
        "mark": {"type": "point", "size": 110, "strokeWidth": 1.8, "opacity": 1, "aria": True},
        "encoding": {
            "shape": by(("circle", "circle", "triangle-up", "square")),
            "stroke": by((AFTER, AFTER, MINUS, EDGE)),
            "fill": by((AFTER, "transparent", MINUS, EDGE)),
            "description": {"field": "says"},
        },
    }


def _labels(points: Sequence[Spec], *, beside: bool) -> Spec:
    """Names to the lower right, numbers below: the front runs to the upper right."""
    place = {"align": "left", "dx": 9, "dy": 10} if beside else {"align": "center", "dy": 16}
    return {
        "data": {"values": [p for p in points if p["label"]]},
        "mark": {"type": "text", **place, "fontSize": 11, "color": INK},
        "encoding": {"text": {"field": "label"}},
    }
