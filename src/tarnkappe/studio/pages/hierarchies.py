"""Step 3: see the hierarchy of a column as a tree, and build one by digits, bands, quantiles, groups or from a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.plan.hierarchies import KINDS, WAYS
from tarnkappe.studio.blocks import nothing_yet
from tarnkappe.studio.forms import known_columns
from tarnkappe.studio.frame import Here, heading, icon_button, page, panel
from tarnkappe.studio.group_editor import GroupEditor
from tarnkappe.studio.hierarchy_view import show
from tarnkappe.studio.hierarchy_ways import BandsWay, CutsWay, DatesWay, DigitsWay, FileWay, QuantilesWay, Way
from tarnkappe.studio.tasks.columns import KnownColumn
from tarnkappe.studio.tasks.hierarchy import Grouped, Lost, grouped, proposed_ladder, tried
from tarnkappe.studio.words import NO_DATA, OPEN_ONE
from tarnkappe.vocab import Role

_HINT = Text(
    "Open a file first; then its columns can be given hierarchies.",
    "Öffnen Sie zuerst eine Datei; dann können ihre Spalten Hierarchien erhalten.",
)
_COLUMNS = Text("Columns", "Spalten")
_NONE = Text("none", "keine")
_NOTHING = Text("The column has no hierarchy yet.", "Die Spalte hat noch keine Hierarchie.")
_GROUPS = Text("Groups", "Gruppen")
_BUILD = Text("Build a hierarchy", "Hierarchie bauen")
_CHANGE = Text("Build another one", "Andere bauen")
_NOW = Text("As it is in the plan", "Wie sie im Plan steht")
_PREVIEW = Text("As it would be", "Wie sie wäre")
_USE = Text("Use this hierarchy", "Diese Hierarchie verwenden")
_PROPOSED = Text("The usual hierarchy for such a column.", "Die übliche Hierarchie für eine solche Spalte.")
_NO_PROPOSAL = Text(
    "There is no natural hierarchy for this column; choose another way.",
    "Für diese Spalte gibt es keine naheliegende Hierarchie; wählen Sie einen anderen Weg.",
)
_REMOVE = Text("Remove the hierarchy", "Hierarchie entfernen")
_REMOVED = Text("remove the hierarchy of {name}", "Hierarchie von {name} entfernen")
_USED = Text("hierarchy of {name}", "Hierarchie von {name}")
_GROUPED = Text("group categories of {name}", "Kategorien von {name} gruppieren")
_ADOPTED = Text("give all codes of {name} a place", "allen Codes von {name} einen Platz geben")
_NAMES = Text(
    "Names of the levels below the total, parted by semicolons",
    "Namen der Ebenen unter der Summe, durch Semikolon getrennt",
)
_NAMED = Text("name the levels of {name}", "Ebenen von {name} benennen")
_WAY_WORDS = {
    "proposal": Text("Proposal", "Vorschlag"), "digits": Text("Digits", "Stellen"),
    "bands": Text("Bands", "Feste Breite"), "cuts": Text("Limits", "Grenzen"),
    "quantiles": Text("Quantiles", "Quantile"), "dates": Text("Periods", "Zeiträume"),
    "tree": Text("Group by hand", "Von Hand gruppieren"), "file": Text("File", "Datei"),
    "total": Text("Total only", "Nur Summe"),
}  # fmt: skip
_WAYS: dict[str, type[Way]] = {
    "digits": DigitsWay, "bands": BandsWay, "cuts": CutsWay, "quantiles": QuantilesWay, "dates": DatesWay, "file": FileWay,
}  # fmt: skip
_CHOSEN, _WAY = "hierarchies.column", "hierarchies.way"


@page(
    3,
    "hierarchies",
    Text("Hierarchies", "Hierarchien"),
    Text(
        "Say how the values of a column become coarser: postcodes to regions, ages to classes, codes to sections.",
        "Legen Sie fest, wie die Werte einer Spalte gröber werden: Postleitzahlen zu Regionen, Alter zu Klassen, Codes zu Abschnitten.",
    ),
    "account_tree",
    wide=True,
)
async def build(here: Here) -> None:
    """The page."""
    if not here.session.draft.get("data"):
        nothing_yet(here, "account_tree", NO_DATA, _HINT, (OPEN_ONE, "/open"))
        return
    await _Hierarchies(here).draw()


class _Hierarchies:
    """Columns at the left, the hierarchy of the chosen one at the right."""

    def __init__(self, here: Here) -> None:
        self._here = here
        self._rows: dict[str, ui.element] = {}

    async def draw(self) -> None:
        with ui.element("div").classes("tk-hierarchies"):
            with panel(self._here.say(_COLUMNS)).classes("tk-column-panel"):
                self._list = ui.column().classes("w-full gap-1")
                with self._list:
                    for _ in range(6):
                        ui.skeleton().classes("w-full").style("height: 2.4rem")
            self._place = ui.column().classes("w-full gap-6 tk-grow")
        with self._list:
            ui.timer(0, self._fill, once=True)

    async def _fill(self) -> None:
        self._columns = await known_columns(self._here)
        self._list.clear()
        with self._list:
            for column in self._columns:
                self._draw_row(column)
        chosen = self._here.session.asides.get(_CHOSEN)
        first = next((c for c in self._columns if c.name == chosen), None) or _first(self._columns)
        if first:
            self.choose(first)

    def _draw_row(self, column: KnownColumn) -> None:
        here = self._here
        given = here.session.draft.get("data", "hierarchies", column.name)
        row = ui.element("button").classes("tk-column-row").props("type=button").mark(f"column-{column.name}")
        row.on("click", lambda: self.choose(column))
        with row:
            with ui.column().classes("gap-0 tk-grow"):
                ui.label(column.name).classes("tk-step-title")
                said = [here.say(Role(role).text) for role in column.roles] or [here.say(column.kind.text)]
                ui.label(", ".join(said)).classes("tk-soft tk-small")
            way = here.say({**_WAY_WORDS, "tree": _GROUPS}[_way_of(given)] if given else _NONE)
            ui.label(way).classes("tk-chip" if given else "tk-soft tk-small")
        self._rows[column.name] = row

    def choose(self, column: KnownColumn) -> None:
        """Show a column."""
        self._here.session.asides[_CHOSEN] = column.name
        for name, row in self._rows.items():
            row.classes(**{"add" if name == column.name else "remove": "tk-step-chosen"})
        self._place.clear()
        with self._place:
            _Column(self._here, column).draw()


def _first(columns: tuple[KnownColumn, ...]) -> KnownColumn | None:
    """A key variable without a hierarchy is what one came for, first of all one with many values."""
    keys = [c for c in columns if "key" in c.roles]
    bare = [c for c in keys if not c.levels]
    return next(iter([*(c for c in bare if not c.values), *bare, *keys, *columns]), None)


def _way_of(given: Mapping[str, Any]) -> str:
    return next((way for way in WAYS if given.get(way) is not None), "total")


class _Column:
    """The hierarchy of one column, and the ways to build another."""

    def __init__(self, here: Here, column: KnownColumn) -> None:
        self._here, self._column, self._name = here, column, column.name
        self._draft: dict[str, Any] | None = None

    @property
    def _given(self) -> dict[str, Any]:
        return dict(self._here.session.draft.get("data", "hierarchies", self._name, default={}))

    def _put(self, says: Text, value: Mapping[str, Any] | None) -> None:
        named = says.filled(name=self._name)
        self._here.put(named, "data", "hierarchies", self._name, value=dict(value) if value else None)

    def draw(self) -> None:
        here = self._here
        with panel():
            with ui.row().classes("w-full items-center no-wrap gap-2"):
                heading(self._name)
                ui.label(here.say(self._column.kind.text)).classes("tk-chip")
                ui.space()
                if self._given:
                    icon_button("delete_outline", here.say(_REMOVE), self._remove).mark("remove-hierarchy")
            self._now = ui.column().classes("w-full gap-4")
            self._show_now()
        with panel(here.say(_CHANGE if self._given else _BUILD)):
            ways = self._ways()
            at = here.session.asides.get(f"{_WAY}.{self._name}") or self._first_way(ways)
            toggle = ui.toggle(ways, value=at, on_change=lambda e: self._choose_way(e.value))
            toggle.props("no-caps unelevated dense").classes("tk-families").mark("ways")
            self._asked = ui.column().classes("w-full gap-3")
            self._shown = ui.column().classes("w-full gap-4").props("aria-live=polite")
        self._choose_way(at)

    def _ways(self) -> dict[str, str]:
        fits = {way: self._column.kind in KINDS[way] for way in KINDS}
        fits |= {"quantiles": fits["cuts"], "proposal": True}
        return {way: self._here.say(text) for way, text in _WAY_WORDS.items() if fits[way]}

    def _first_way(self, ways: Mapping[str, str]) -> str:
        if self._given:
            return _way_of(self._given)
        return "proposal" if "proposal" in ways else next(iter(ways))

    # -- the hierarchy in the plan ----------------------------------------------------------------------------------

    def _show_now(self) -> None:
        self._now.clear()
        given = self._given
        with self._now:
            if not given:
                ui.label(self._here.say(_NOTHING)).classes("tk-soft")
                return
            self._try(given, self._adopt if _way_of(given) == "tree" else None)
            self._draw_names(given)

    def _draw_names(self, given: Mapping[str, Any]) -> None:
        names = ui.input(self._here.say(_NAMES), value="; ".join(given.get("levels", ())))
        names.props("outlined dense").classes("w-full").mark("level-names")

        def renamed() -> None:
            levels = [part.strip() for part in names.value.split(";") if part.strip()]
            if levels != list(self._given.get("levels", ())):
                rest = {k: v for k, v in self._given.items() if k != "levels"}
                self._put(_NAMED, {**rest, "levels": levels} if levels else rest)
                self._show_now()

        names.on("blur", renamed).on("keydown.enter", renamed)

    def _try(self, given: Mapping[str, Any], adopt: Any) -> None:
        session = self._here.session
        self._here.later(
            lambda found: show(self._here, self._name, given, found, adopt),
            tried, session.folder, session.draft.get("data"), self._name, dict(given), height="12rem",
        )  # fmt: skip

    def _remove(self) -> None:
        self._put(_REMOVED, None)
        self._here.redraw()

    def _adopt(self, lost: tuple[Lost, ...]) -> None:
        """Codes without a place get one right below the total."""
        tree = self._given["tree"]
        parts = [{name: branch} for name, branch in tree.items()] if isinstance(tree, dict) else list(tree)
        self._put(_ADOPTED, {**self._given, "tree": [*parts, *(one.code for one in lost)]})
        self._here.redraw()

    # -- building another -------------------------------------------------------------------------------------------

    def _choose_way(self, way: str) -> None:
        self._here.session.asides[f"{_WAY}.{self._name}"] = way
        self._asked.clear()
        self._shown.clear()
        with self._asked:
            if way == "tree":
                self._draw_groups()
            elif way == "proposal":
                self._draw_proposal()
            elif way == "total":
                self._told({"total": self._given.get("total", "Total")})
            else:
                given = self._given if _way_of(self._given) == way else {}
                made = _WAYS[way](self._here, self._name, self._told)
                with ui.column().classes("w-full gap-3"):
                    made.draw(given)

    def _draw_proposal(self) -> None:
        session = self._here.session

        def shown(found: Mapping[str, Any] | None) -> None:
            ui.label(self._here.say(_NO_PROPOSAL if found is None else _PROPOSED)).classes("tk-soft")
            self._told(dict(found) if found else None)

        self._here.later(
            shown, proposed_ladder, session.folder, session.draft.get("data"), self._name, height="3rem"
        )

    def _draw_groups(self) -> None:
        session = self._here.session

        def shown(found: Grouped) -> None:
            GroupEditor(self._here, found, self._regrouped)

        self._here.later(
            shown, grouped, session.folder, session.draft.get("data"), self._name, self._given or None
        )

    def _regrouped(self, tree: Any) -> None:
        kept = {k: v for k, v in self._given.items() if k in ("total", "labels")}
        flat = isinstance(tree, list) and all(isinstance(part, str) for part in tree)
        self._put(_GROUPED, None if flat and not kept else {"tree": tree, **kept})
        self._show_now()

    def _told(self, description: dict[str, Any] | None) -> None:
        """A way has a description: show what it would do."""
        self._shown.clear()
        if not description:
            return
        with self._shown:
            heading(self._here.say(_PREVIEW), 3)
            session = self._here.session

            def shown(found: Any) -> None:
                use = ui.button(self._here.say(_USE), on_click=lambda: self._use(description))
                use.props("unelevated no-caps").mark("use")
                use.set_enabled(not found.lost_codes and description != self._given)
                show(self._here, self._name, description, found, None)

            self._here.later(
                shown,
                tried,
                session.folder,
                session.draft.get("data"),
                self._name,
                description,
                height="10rem",
            )

    def _use(self, description: Mapping[str, Any]) -> None:
        kept = {k: v for k, v in self._given.items() if k in ("total", "labels") and k not in description}
        self._put(_USED, {**description, **kept})
        self._here.redraw()
