"""What a method does not do, told apart: to those who choose it everything, to those who analyse a release what touches them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tarnkappe.language import Lang, Text
from tarnkappe.spec.conditions import Condition


@dataclass(frozen=True, slots=True)
class ForAnalysis(Text):
    """A limit that those who analyse a release must know, in words that need neither the plan nor the manual."""

    when: Condition | None = None
    """With which parameters it is a limit. Without it, always."""

    def applies(self, method: Any) -> bool:
        return self.when is None or self.when(method)


def for_analysis(method: Any) -> tuple[Text, ...]:
    """What those who analyse data treated by a method, with its parameters, must know."""
    return tuple(t for t in method.does_not if isinstance(t, ForAnalysis) and t.applies(method))


def on_a_card(limit: Text, lang: Lang) -> str:
    """A limit for those who choose: with which parameters it is one, where it is not always."""
    when = limit.when if isinstance(limit, ForAnalysis) else None
    return f"{limit.in_(lang)} *({when.says.in_(lang)})*" if when else limit.in_(lang)
