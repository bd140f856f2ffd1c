"""Small drawings in a table: a distribution in a line, and how much is missing. Plain SVG, coloured by the style sheet."""

from __future__ import annotations

import html
from collections.abc import Sequence

from tarnkappe.studio.tasks.look import Bars

WIDTH, HEIGHT, WIDEST = 120, 28, 14


def spark(bars: Bars, says: str) -> str:
    """A distribution; classes touch each other, categories do not."""
    highest = max(bars.counts, default=0)
    if not highest:
        return ""
    step = min(WIDTH / len(bars.counts), WIDEST)
    gap = 0.5 if bars.classes else min(2.0, step / 4)
    drawn = "".join(_bar(at * step, step - gap, count / highest) for at, count in enumerate(bars.counts))
    return _svg("tk-spark", WIDTH, HEIGHT, drawn, says)


def share_bar(share: float, says: str) -> str:
    """A thin bar that is full where all is missing."""
    length = max(2.0, 100 * share) if share else 0.0
    drawn = f'<rect class="tk-track" width="100" height="4" rx="2"/><rect width="{length:.1f}" height="4" rx="2"/>'
    return _svg("tk-share", 100, 4, drawn, says)


def table(names: Sequence[str], rows: Sequence[Sequence[str | None]], right: Sequence[bool]) -> str:
    """Records as a table; a missing cell is a dash."""
    heads = "".join(
        f'<th scope="col"{_right(r)}>{html.escape(n)}</th>' for n, r in zip(names, right, strict=True)
    )
    body = "".join(
        "<tr>" + "".join(_cell(text, r) for text, r in zip(row, right, strict=True)) + "</tr>" for row in rows
    )
    return f'<table class="tk-table tk-preview"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'


def _bar(x: float, width: float, share: float) -> str:
    height = max(1.0, share * HEIGHT)
    return f'<rect x="{x:.1f}" y="{HEIGHT - height:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _svg(style: str, width: int, height: int, drawn: str, says: str) -> str:
    return (
        f'<svg class="{style}" viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(says)}" '
        f'preserveAspectRatio="none">{drawn}</svg>'
    )


def _cell(text: str | None, right: bool) -> str:  # noqa: FBT001 - a cell of a table
    shown = '<span class="tk-absent">–</span>' if text is None else html.escape(text)
    return f"<td{_right(right)}>{shown}</td>"


def _right(right: bool) -> str:  # noqa: FBT001 - as above
    return ' class="tk-right"' if right else ""
