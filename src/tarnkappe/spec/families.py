"""``tk.rule.PPercent``, ``tk.table.Quader``: declared things under the names of their classes, read from the catalogue."""

from __future__ import annotations

from dataclasses import dataclass

from tarnkappe.errors import did_you_mean
from tarnkappe.spec.catalogue import catalogue
from tarnkappe.spec.contract import Declared


@dataclass(frozen=True, slots=True)
class Family:
    """The things whose id begins with a word."""

    word: str

    def __getattr__(self, name: str) -> type[Declared]:
        known = self._known()
        if name not in known:
            raise AttributeError(f"{self.word} has no {name!r}. {did_you_mean(name, known)}")
        return known[name]

    def __dir__(self) -> list[str]:
        return sorted(self._known())

    def _known(self) -> dict[str, type[Declared]]:
        return {cls.__name__: cls for cls in catalogue if cls.id.startswith(f"{self.word}.")}


rule = Family("rule")
table = Family("table")
