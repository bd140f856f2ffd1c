"""The plan while it is being built: every change is a new version, so that each can be undone and done again."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.document import to_yaml

Content = dict[str, Any]
Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Off:
    """A step that is switched off: no part of the plan, remembered to be switched on again."""

    at: int
    """Where it stood among the steps."""
    step: Any


@dataclass(frozen=True, slots=True)
class Version:
    """The plan as it stood, and what led to it."""

    content: Mapping[str, Any]
    says: Text
    off: tuple[Off, ...] = ()


@dataclass(slots=True)
class Draft:
    """A plan with its whole history. Content is plain data as in a plan file and never changed in place."""

    _versions: list[Version] = field(default_factory=lambda: [Version({}, NOTHING)])
    _at: int = 0

    @property
    def content(self) -> Mapping[str, Any]:
        return self._versions[self._at].content

    @property
    def number(self) -> int:
        """Grows with every change and shrinks with every undo: equal numbers, equal plans, until something new is done."""
        return self._at

    def get(self, *place: str | int, default: Any = None) -> Any:
        """The part at a place, such as ``("data", "roles")``; a copy, so that nobody changes the plan by accident."""
        part: Any = self.content
        for name in place:
            try:
                part = part[name]
            except (KeyError, IndexError, TypeError):
                return default
        return copy.deepcopy(part)

    def put(self, says: Text, *place: str | int, value: Any) -> None:
        """Set the part at a place; None, or nothing in it, takes the part out."""

        def change(content: Content) -> None:
            _set(content, place, value)

        self.change(says, change)

    def change(self, says: Text, how: Callable[[Content], None]) -> None:
        """Change the plan by a function that works on a copy of it; what changes nothing is no version."""
        self._go_on(says, how, self.off)

    def _go_on(self, says: Text, how: Callable[[Content], None], off: tuple[Off, ...]) -> None:
        content = copy.deepcopy(dict(self.content))
        how(content)
        if content != self.content or off != self.off:
            self._versions[self._at + 1 :] = [Version(content, says, off)]
            self._at += 1

    @property
    def off(self) -> tuple[Off, ...]:
        """The steps that are switched off, in the order in which they were."""
        return self._versions[self._at].off

    def switch_off(self, says: Text, at: int) -> None:
        """Take a step out of the plan for a while."""
        off = (*self.off, Off(at, self.get("steps", at)))
        self._go_on(says, lambda content: _set(content, ("steps",), _without(content["steps"], at)), off)

    def switch_on(self, says: Text, number: int) -> int:
        """Put a step that is switched off back to where it stood; tells where that is."""
        one = self.off[number]
        at = min(one.at, len(self.get("steps", default=[])))

        def change(content: Content) -> None:
            content.setdefault("steps", []).insert(at, copy.deepcopy(one.step))

        self._go_on(says, change, tuple(_without(list(self.off), number)))
        return at

    def replace(self, says: Text, content: Mapping[str, Any]) -> None:
        """Put another plan in the place of this one."""

        def change(current: Content) -> None:
            current.clear()
            current.update(copy.deepcopy(dict(content)))

        self.change(says, change)

    @property
    def undoes(self) -> Text:
        """What undo would take back; nothing at the beginning."""
        return self._versions[self._at].says if self._at else NOTHING

    @property
    def redoes(self) -> Text:
        """What redo would do again; nothing at the end."""
        return self._versions[self._at + 1].says if self._at + 1 < len(self._versions) else NOTHING

    def undo(self) -> None:
        self._at = max(0, self._at - 1)

    def redo(self) -> None:
        self._at = min(len(self._versions) - 1, self._at + 1)

    def text(self) -> str:
        """The plan as it is downloaded and run."""
        order = {name: self.content[name] for name in _ORDER if name in self.content}
        return to_yaml({**order, **self.content})


_ORDER = (
    "tarnkappe", "title", "process", "data", "release", "seed", "relations", "steps", "tables", "published", "consistency", "measures",
    "release_if", "accept", "register", "allow",
)  # fmt: skip


def _without(parts: list[Any], at: int) -> list[Any]:
    return [part for number, part in enumerate(parts) if number != at]


def _set(content: Any, place: Place, value: Any) -> None:
    """Set or take out a part; mappings on the way are made, and go again when nothing is left in them."""
    name, rest = place[0], place[1:]
    if rest:
        if isinstance(content, dict):
            content.setdefault(name, {})
        _set(content[name], rest, value)
        if isinstance(content, dict) and content[name] == {}:
            del content[name]
    elif value is not None and value not in ({}, [], ()):
        content[name] = copy.deepcopy(value)
    elif isinstance(content, dict):
        content.pop(name, None)
    else:
        del content[name]
