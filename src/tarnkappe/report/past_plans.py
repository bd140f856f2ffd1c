"""The plans of earlier runs of a project folder, released or refused, to be tried beside new ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tarnkappe.plan.document import parse, to_yaml
from tarnkappe.plan.variants import Variant
from tarnkappe.report.history import Attempt, Past, history
from tarnkappe.report.release import as_json

_NO_DIFFERENCE = ("title", "process", "measures", "release")
"""Parts of a plan that move no point on a map."""


def past_plans(given: Sequence[Variant], refused: str) -> Iterator[Variant]:
    """Plans on the same data that were run in the folder of the first given plan, each once, the oldest first.

    `refused` is the word for runs that released nothing.
    """
    folder, data = given[0].folder, _content(given[0]).get("data")
    found = history(folder)
    seen = {_essence(_content(variant)) for variant in given}
    runs: list[Past | Attempt] = sorted((*found.runs, *found.refused), key=lambda one: one.started)
    for one in runs:
        if one.source.get("data") == data and _essence(one.source) not in seen:
            seen.add(_essence(one.source))
            when = one.started[:16].replace("T", " ")
            name = one.folder if isinstance(one, Past) else f"{refused} {when}"
            yield Variant(name, parse(to_yaml(one.source), name), folder)


def _content(variant: Variant) -> dict[str, Any]:
    content = variant.document.content
    return content if isinstance(content, dict) else {}


def _essence(plan: Mapping[str, Any]) -> str:
    return as_json({name: part for name, part in plan.items() if name not in _NO_DIFFERENCE})
