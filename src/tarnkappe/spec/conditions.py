"""With which parameters a claim is made: the same condition in words for the reader and as a test for the machine."""

from __future__ import annotations

from collections.abc import Callable, Sized
from dataclasses import dataclass
from typing import Any

from tarnkappe.language import NOTHING, Text

_WITH = Text("with `{spelt}`", "mit `{spelt}`")
_OR = Text("` or `", "` oder `")
_WITHOUT = Text("without `{parameter}`", "ohne `{parameter}`")
_UNLESS = Text("unless `{spelt}`", "außer mit `{spelt}`")
_ABOVE = Text("with `{parameter}` above {limit}", "mit `{parameter}` über {limit}")
_BELOW = Text("with `{parameter}` below {limit}", "mit `{parameter}` unter {limit}")
_AND = Text("{first} and {second}", "{first} und {second}")


@dataclass(frozen=True, slots=True)
class Condition:
    """What the parameters of a method must be; the words follow the claim, so they begin with *with*, *without* or *unless*."""

    says: Text
    test: Callable[[Any], bool]
    """(method) -> is it so?"""

    def __post_init__(self) -> None:
        if self.says == NOTHING or not self.says.de:
            raise TypeError("a condition needs its words in both languages")

    def __call__(self, method: Any) -> bool:
        return bool(self.test(method))

    def __and__(self, other: Condition) -> Condition:
        return Condition(
            _AND.filled(first=self.says, second=other.says), lambda method: self(method) and other(method)
        )


def where(parameter: str, *values: object) -> Condition:
    """The parameter has one of these values."""
    return Condition(_listed(_WITH, parameter, values), lambda method: getattr(method, parameter) in values)


def unless(parameter: str, *values: object) -> Condition:
    """The parameter has none of these values."""
    return Condition(
        _listed(_UNLESS, parameter, values), lambda method: getattr(method, parameter) not in values
    )


def given(parameter: str) -> Condition:
    """The parameter holds something: a name, a list with entries, a number."""
    return Condition(_WITH.filled(spelt=parameter), lambda method: _is_given(getattr(method, parameter)))


def not_given(parameter: str) -> Condition:
    """The parameter is empty."""
    return Condition(
        _WITHOUT.filled(parameter=parameter), lambda method: not _is_given(getattr(method, parameter))
    )


def above(parameter: str, limit: float) -> Condition:
    """The parameter is larger than a number."""
    return Condition(
        _ABOVE.filled(parameter=parameter, limit=limit), lambda method: getattr(method, parameter) > limit
    )


def below(parameter: str, limit: float) -> Condition:
    """The parameter is smaller than a number."""
    return Condition(
        _BELOW.filled(parameter=parameter, limit=limit), lambda method: getattr(method, parameter) < limit
    )


def _is_given(value: object) -> bool:
    return len(value) > 0 if isinstance(value, Sized) else value is not None and value is not False


def _listed(frame: Text, parameter: str, values: tuple[object, ...]) -> Text:
    spelt = [f"{parameter}: {str(v).lower() if isinstance(v, bool) else v}" for v in values]
    return frame.filled(spelt=Text(_OR.en.join(spelt), _OR.de.join(spelt)))
