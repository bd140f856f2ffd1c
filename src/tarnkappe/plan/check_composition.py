"""Check the order of the steps, before data is read: what a step leaves behind must not be undone by a later one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tarnkappe.data.microdata import Roles
from tarnkappe.language import Text, listed
from tarnkappe.plan.document import Place
from tarnkappe.plan.model import PlanDescription
from tarnkappe.plan.problems import Problem
from tarnkappe.spec import Mark, Method, Trace
from tarnkappe.spec.composition import ANY_NUMBER, NOT_KEPT, ORDERS, counts_again, keeps_promise

_BAD_ORDER = Text(
    "{id} must not come after {earlier} (steps[{number}]), because it {act}: {why}. {instead}",
    "{id} darf nicht nach {earlier} (steps[{number}]) kommen, denn dieser Schritt {act}: {why}. {instead}",
)
_PROMISE = Text("{id} {says}", "{id} {says}")


def composition_problems(plan: PlanDescription, steps: Mapping[Place, Method]) -> Iterator[Problem]:
    """Steps that undo an earlier one, and promises that no later step keeps."""
    roles: Roles = plan.data.roles if plan.data else {}
    left: list[tuple[int, Method, Trace]] = []
    later = list(steps.values())
    for number, (place, step) in enumerate(steps.items(), start=1):
        yield from (Problem(place, says) for says in _undone(left, step, roles))
        yield from (Problem(place, says) for says in _not_kept(step, later[number:], roles))
        left += [(number, step, trace) for trace in step.leaves_behind(roles)]
        roles = step.roles_after(roles)


def _undone(left: Sequence[tuple[int, Method, Trace]], step: Method, roles: Roles) -> Iterator[Text]:
    """What the earlier steps left and this one must not do."""
    for number, earlier, trace in left:
        for order in ORDERS:
            act = order.broken_by(trace, step, roles) if order.after is trace.mark else None
            if act is not None and not counts_again(trace, step, roles):
                yield _BAD_ORDER.filled(
                    id=step.id,
                    earlier=earlier.id,
                    number=number,
                    act=act.text,
                    why=order.why,
                    instead=order.instead,
                )


def _not_kept(step: Method, later: Sequence[Method], roles: Roles) -> Iterator[Text]:
    """Promises of a later masking that no later step keeps."""
    for trace in step.leaves_behind(roles):
        if trace.mark is Mark.PROMISED and not any(keeps_promise(trace, other) for other in later):
            names = listed(list(trace.columns)) if trace.columns else ANY_NUMBER
            yield _PROMISE.filled(id=step.id, says=NOT_KEPT.filled(names=names))
