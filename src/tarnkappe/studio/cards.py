"""Cards of declared things: what it does, preserves, protects against and does not do. Chosen from a shelf by family or by search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.spec import Declared, Maturity, Method
from tarnkappe.spec.card import SIDES, WORDS, claims_of, limits_of, told
from tarnkappe.spec.effects import ESTIMATES, effect_of
from tarnkappe.spec.limits import on_a_card
from tarnkappe.spec.parameters import fit
from tarnkappe.studio.frame import Here, heading, icon_button, open_dialog
from tarnkappe.studio.words import BACK, CLOSE

_SEARCH = Text("Search by name, purpose or source", "Nach Name, Zweck oder Quelle suchen")
_ALL = Text("All", "Alle")
_NONE = Text("Nothing fits the search.", "Nichts passt zur Suche.")
_FIRST = Text(
    "Choose a card at the left to read what it does, what it keeps and what it does not do.",
    "Wählen Sie links eine Karte, um zu lesen, was sie tut, was sie erhält und was sie nicht leistet.",
)
_EXPERIMENTAL = Text("Show experimental ones", "Experimentelle zeigen")
_EXPERIMENTAL_SAYS = Text(
    "Experimental ones are not reviewed yet. Using one writes `allow: [experimental]` into the plan.",
    "Experimentelle sind noch nicht begutachtet. Wer eines verwendet, schreibt `allow: [experimental]` in den Plan.",
)
_RANDOM = Text("random", "zufällig")
_RULES = Text("Rules", "Regeln")
_TABLES = Text("Tables", "Tabellen")
_RISK = Text("Risk", "Risiko")
_UTILITY = Text("Utility", "Nutzen")
_ATTACKS = Text("Attacks", "Angriffe")
_BY_KIND = {"rule": _RULES, "table": _TABLES, "risk": _RISK, "utility": _UTILITY, "attack": _ATTACKS}


def family_of(cls: type[Declared]) -> Text:
    """The family under which a card stands."""
    return cls.family.text if issubclass(cls, Method) else _BY_KIND[cls.id.partition(".")[0]]


def takes_numbers(cls: type[Declared]) -> bool:
    """Whether it belongs to a family that works on numbers."""
    return issubclass(cls, Method) and cls.family.takes_numbers


def as_set(cls: type[Declared], parameters: Mapping[str, Any]) -> type[Declared] | Declared:
    """The thing with its parameters, as far as they fit: its card then tells what it claims with them."""
    return fit(cls, parameters)[0] or cls


def card(here: Here, thing: type[Declared] | Declared, *, titled: bool = True) -> None:
    """The whole card, drawn where it is called; of a thing with its parameters, the claims that it makes with them."""
    cls = thing if isinstance(thing, type) else type(thing)
    if titled:
        heading(here.say(cls.title), 3)
    with ui.row().classes("gap-2 items-center"):
        ui.label(cls.id).classes("tk-code")
        ui.label(here.say(cls.maturity.text)).classes("tk-chip")
        if getattr(cls, "random", False):
            ui.label(here.say(_RANDOM)).classes("tk-chip")
    ui.label(here.say(cls.does))
    for word in SIDES:
        claims = claims_of(thing, word)
        _points(here, word, [f"{here.say(c.says)} ({here.say(told(thing, c))})" for c in claims])
    for word in ("flags", "reads", "knows"):
        if hasattr(cls, word):
            _points(here, word, [here.say(getattr(cls, word))])
    expected = effect_of(cls.id)
    if expected:
        pairs = zip(ESTIMATES.values(), expected.effects, strict=True)
        _points(here, "effects", [f"{here.say(name)}: {here.say(effect.text)}" for name, effect in pairs])
    _points(
        here, "does_not", [on_a_card(text, here.session.lang).replace("*", "") for text in limits_of(thing)]
    )
    _points(here, "sources", [f"{source.key}: {source.where}" for source in cls.sources])


def _points(here: Here, word: str, said: Sequence[str]) -> None:
    if not said:
        return
    with ui.column().classes("gap-1 w-full"):
        ui.label(here.say(WORDS[word])).classes("tk-card-word")
        with ui.element("ul").classes("tk-points"):
            for one in said:
                with ui.element("li"):
                    ui.label(one)


@dataclass(slots=True)
class Shelf:
    """What can be chosen, and what happens then."""

    here: Here
    title: Text
    choose: Text
    """What the button of a card says."""
    things: Sequence[type[Declared]]
    on_pick: Callable[[type[Declared]], Any]

    def open(self) -> None:
        """Show the shelf in a dialog."""
        _Opened(self)


class _Opened:
    """A shelf that is looked at."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf, self._here = shelf, shelf.here
        self._word, self._family, self._chosen = "", "", None
        self._tried = "experimental" in self._here.session.draft.get("allow", default=[])
        with (
            open_dialog(self._here.say(shelf.title)) as self._dialog,
            ui.card().classes("tk-dialog tk-shelf"),
        ):
            with ui.row().classes("w-full items-center justify-between no-wrap"):
                heading(self._here.say(shelf.title))
                icon_button("close", self._here.say(CLOSE), self._dialog.close)
            self._draw_filters()
            with ui.element("div").classes("tk-shelf-body"):
                self._list = ui.column().classes("tk-shelf-list").props("role=group")
                self._list.props["aria-label"] = self._here.say(shelf.title)
                self._detail = ui.column().classes("tk-shelf-card")
        self._dialog.on("hide", self._dialog.delete)
        self._draw_list()
        self._draw_card(None)

    def _draw_filters(self) -> None:
        say, things = self._here.say, self._shelf.things
        search = ui.input(placeholder=say(_SEARCH), on_change=lambda e: self._search(e.value))
        search.props(f'outlined dense clearable autofocus debounce=200 aria-label="{say(_SEARCH)}"')
        search.classes("w-full").mark("search")
        families = list(dict.fromkeys(say(family_of(cls)) for cls in things))
        if len(families) > 1:
            toggle = ui.toggle(
                {"": say(_ALL), **{name: name for name in families}}, value="", on_change=self._filter
            )
            toggle.props("no-caps unelevated dense").classes("tk-families")
        if any(cls.maturity is Maturity.EXPERIMENTAL for cls in things):
            switch = ui.switch(say(_EXPERIMENTAL), value=self._tried, on_change=self._try)
            switch.props("dense").mark("experimental")
            switch.tooltip(say(_EXPERIMENTAL_SAYS))

    def _search(self, word: str | None) -> None:
        self._word = (word or "").casefold()
        self._draw_list()

    def _filter(self, event: Any) -> None:
        self._family = event.value or ""
        self._draw_list()

    def _try(self, event: Any) -> None:
        self._tried = bool(event.value)
        self._draw_list()

    def _shown(self) -> Iterable[type[Declared]]:
        for cls in self._shelf.things:
            tried = self._tried or cls.maturity is not Maturity.EXPERIMENTAL
            fits = not self._family or self._here.say(family_of(cls)) == self._family
            if tried and fits and all(part in _text_of(cls) for part in self._word.split()):
                yield cls

    def _draw_list(self) -> None:
        self._list.clear()
        shown = list(self._shown())
        with self._list:
            for cls in shown:
                self._draw_row(cls)
            if not shown:
                ui.label(self._here.say(_NONE)).classes("tk-soft")

    def _draw_row(self, cls: type[Declared]) -> None:
        say = self._here.say
        row = ui.element("button").classes("tk-shelf-row").props("type=button").mark(cls.id)
        row.on("click", lambda: self._draw_card(cls))
        with row:
            ui.label(say(cls.title)).classes("tk-shelf-title")
            ui.label(say(cls.does)).classes("tk-soft tk-small tk-clamp")
            if cls.maturity is Maturity.EXPERIMENTAL:
                ui.label(say(cls.maturity.text)).classes("tk-chip")

    def _draw_card(self, cls: type[Declared] | None) -> None:
        self._detail.clear()
        self._detail.classes(**{"add" if cls else "remove": "tk-shelf-open"})
        with self._detail:
            if cls is None:
                ui.label(self._here.say(_FIRST)).classes("tk-soft")
                return
            with ui.row().classes("tk-shelf-head"):
                heading(self._here.say(cls.title), 3)
                back = icon_button("arrow_back", self._here.say(BACK), lambda: self._draw_card(None))
                back.classes("tk-shelf-back")
                take = ui.button(
                    self._here.say(self._shelf.choose), icon="add", on_click=lambda: self._take(cls)
                )
                take.props("unelevated no-caps").mark("take")
            card(self._here, cls, titled=False)

    async def _take(self, cls: type[Declared]) -> None:
        self._dialog.close()
        made = self._shelf.on_pick(cls)
        if made is not None and hasattr(made, "__await__"):
            await made


def _text_of(cls: type[Declared]) -> str:
    """What a search looks through."""
    words = [cls.id, cls.title.en, cls.title.de, cls.does.en, cls.does.de, *(s.key for s in cls.sources)]
    return " ".join(words).casefold()
