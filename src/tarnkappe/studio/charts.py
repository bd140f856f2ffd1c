"""Small charts that read well on light and dark pages alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

TEXT = "#808890"
"""Readable on white and on near-black."""
LINE = "#80889055"
BEFORE, AFTER, WARN = "#848d97", "#0072b2", "#d55e00"
NUMBER = (
    "value => typeof value !== 'number' && isNaN(value) ? value : "
    "Number(value).toLocaleString(document.documentElement.lang, {useGrouping: Math.abs(value) >= 10000})"
)
"""How a browser writes a number in the language of the page; years need no separator."""


def base(**more: Any) -> dict[str, Any]:
    """What all charts share: no background of their own, quiet text, no animation."""
    return {
        "backgroundColor": "transparent", "animation": False, "color": [AFTER, BEFORE, WARN],
        "textStyle": {"color": TEXT, "fontFamily": "inherit"},
        "grid": {"left": 8, "right": 8, "top": 8, "bottom": 8, "containLabel": True},
        "tooltip": {"trigger": "axis", "confine": True, ":valueFormatter": NUMBER}, **more,
    }  # fmt: skip


def axis(kind: str, **more: Any) -> dict[str, Any]:
    """An axis with quiet lines, and numbers in the language of the page."""
    label = {"color": TEXT} | ({":formatter": NUMBER} if kind == "value" else {})
    return {
        "type": kind, "axisLine": {"lineStyle": {"color": LINE}}, "axisTick": {"show": False},
        "axisLabel": label, "splitLine": {"lineStyle": {"color": LINE}}, **more,
    }  # fmt: skip


def bars(labels: Sequence[str], series: dict[str, Sequence[float]]) -> dict[str, Any]:
    """Bars over labels, one series or several side by side."""
    colours = [AFTER] if len(series) == 1 else [BEFORE, AFTER, WARN]
    return base(
        color=colours,
        xAxis=axis("category", data=list(labels)),
        yAxis=axis("value"),
        legend={"show": len(series) > 1, "textStyle": {"color": TEXT}, "top": 0},
        series=[{"type": "bar", "name": name, "data": list(values)} for name, values in series.items()],
    )
