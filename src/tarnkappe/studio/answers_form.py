"""Fields for the answers of the process: words, lists, dates and choices that go into the plan when they are left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from nicegui import ui
from pydantic import BaseModel

from tarnkappe.language import Text, both
from tarnkappe.studio.frame import Here

Place = tuple[str | int, ...]
_LINES = Text("One per line.", "Je Zeile eine Angabe.")
_ANSWER = Text("answer: {label}", "Antwort: {label}")
_DATE = Text("Write it as 2027-12-31.", "Bitte als 2027-12-31 schreiben.")


def described(model: type[BaseModel], name: str) -> Text:
    """What the declaration of a part of a plan says of one of its fields."""
    text = both(model.model_fields[name].description or name)
    return Text(text.en.removesuffix("."), text.de.removesuffix("."))


@dataclass(eq=False)
class Asked:
    """Draws fields and counts them; each puts its answer into the plan when it is left, as one step of undo."""

    here: Here
    changed: Callable[[], Any]
    answers: list[Callable[[], Any]] = field(default_factory=list)
    """What the fields hold, for counting."""

    def answered(self) -> int:
        """How many of the fields have an answer."""
        return sum(bool(answer()) for answer in self.answers)

    def counts(self, *place: str | int) -> None:
        """What stands at a place of the plan counts as an answer."""
        self.answers.append(lambda: self._get(place))

    def words(self, label: Text, *place: str | int) -> ui.textarea:
        """A sentence or two."""
        box = ui.textarea(self.here.say(label), value=self._text(place))
        self._leave(box, label, place, lambda: box.value.strip() or None)
        box.props("outlined autogrow dense").props("rows=1")
        return box

    def lines(self, label: Text, *place: str | int) -> None:
        """Several answers, one per line."""
        given = self._get(place) or []
        told = [given] if isinstance(given, str) else [str(one) for one in given]
        box = ui.textarea(self.here.say(label), value="\n".join(told))
        box.props("outlined autogrow dense").props("rows=2").props(f'hint="{self.here.say(_LINES)}"')
        self._leave(
            box, label, place, lambda: [line.strip() for line in box.value.splitlines() if line.strip()]
        )

    def day(self, label: Text, *place: str | int) -> None:
        """A date."""
        box = ui.input(self.here.say(label), value=self._text(place))
        box.props("outlined dense type=date stack-label").classes("tk-day")
        box.validation = {self.here.say(_DATE): lambda value: not value or is_date(value)}
        self._leave(box, label, place, lambda: box.value if is_date(box.value or "") else None)

    def choice(self, label: Text, offered: Mapping[str, str], *place: str | int, then: Any = None) -> None:
        """One of several; `then` is called with the choice instead of putting it into the plan."""
        value = self._get(place)
        box = ui.select(
            dict(offered),
            value=value if value in offered else None,
            label=self.here.say(label),
            clearable=True,
        )

        def chosen(event: Any) -> None:
            if then:
                then(event.value)
            else:
                self.put(label, place, event.value)

        box.on_value_change(chosen)
        box.props("outlined dense").classes("w-full").mark(_mark(place))
        self.counts(*place)

    def several(self, label: Text, offered: Sequence[str], *place: str | int, then: Any = None) -> None:
        """Some of several."""
        known = [one for one in self._get(place) or () if one in offered]
        box = ui.select(list(offered), value=known, label=self.here.say(label), multiple=True, clearable=True)
        box.on_value_change(lambda event: (then or self._putter(label, place))(list(event.value or ())))
        box.props("outlined dense use-chips").classes("w-full").mark(_mark(place))
        self.counts(*place)

    def _putter(self, label: Text, place: Place) -> Callable[[Any], None]:
        return lambda value: self.put(label, place, value)

    def put(self, label: Text, place: Place, value: Any) -> None:
        """Put an answer into the plan."""
        self.here.put(_ANSWER.filled(label=label), *place, value=value)
        self.changed()

    def _leave(self, box: Any, label: Text, place: Place, told: Callable[[], Any]) -> None:
        """Take the answer when the field is left, not with every sign."""

        def left() -> None:
            answer = told()
            if answer != (self._get(place) or ([] if isinstance(answer, list) else None)):
                self.put(label, place, answer)

        box.on("blur", left)
        box.classes("w-full").mark(_mark(place))
        self.counts(*place)

    def _get(self, place: Place) -> Any:
        return self.here.session.draft.get(*place)

    def _text(self, place: Place) -> str:
        told = self._get(place)
        return "" if told is None else str(told)


def is_date(text: str) -> bool:
    """Whether a text is a date as plans write it."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _mark(place: Place) -> str:
    return "-".join(str(part) for part in place)
