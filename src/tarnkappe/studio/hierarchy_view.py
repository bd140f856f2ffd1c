"""A hierarchy on screen: its levels and how coarse each makes the data, its tree, and what has no place in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.studio.blocks import Cell, plain_table
from tarnkappe.studio.frame import Here, heading
from tarnkappe.studio.tasks.hierarchy import Lost, Node, Tried, below
from tarnkappe.studio.worker import TaskFailed

_LEVEL, _CODES = Text("Level", "Ebene"), Text("Codes", "Codes")
_SHOWN = Text("Values in the data", "Werte in den Daten")
_SMALLEST = Text("Records of the rarest", "Datensätze des seltensten")
_TOTAL = Text("total", "Summe")
_TREE = Text("Tree", "Baum")
_COARSER = Text("What each level leaves", "Was jede Ebene übrig lässt")
_RECORDS = Text("{n} records", "{n} Datensätze")
_REST = Text("and {n} more", "und {n} weitere")
_LOST = Text(
    "{codes} codes of the data ({records} records) have no place in it:",
    "{codes} Codes der Daten ({records} Datensätze) haben darin keinen Platz:",
)
_LOST_FILE = Text(
    "Add them to the file and upload it again, or group the categories by hand.",
    "Ergänzen Sie sie in der Datei und laden Sie sie neu hoch, oder gruppieren Sie die Kategorien von Hand.",
)
_ADOPT = Text("Put them right below the total", "Direkt unter die Summe setzen")
_COVERED = Text("Every code of the data has its place.", "Jeder Code der Daten hat seinen Platz.")
_LISTED = 12


def show(
    here: Here,
    name: str,
    given: Mapping[str, Any],
    found: Tried,
    adopt: Callable[[tuple[Lost, ...]], Any] | None,
) -> None:
    """Draw all of it; `adopt` puts codes without a place below the total, where that can be done here."""
    _draw_cover(here, found, adopt)
    with ui.element("div").classes("tk-ladder"):
        with ui.column().classes("w-full gap-2"):
            heading(here.say(_COARSER), 3)
            _draw_levels(here, found)
        with ui.column().classes("w-full gap-2"):
            heading(here.say(_TREE), 3)
            _Tree(here, name, given, found)


def _draw_cover(here: Here, found: Tried, adopt: Callable[[tuple[Lost, ...]], Any] | None) -> None:
    if not found.lost_codes:
        with ui.row().classes("items-center gap-2 tk-good"):
            ui.icon("check_circle").props("aria-hidden=true")
            ui.label(here.say(_COVERED))
        return
    with ui.element("section").classes("tk-trouble").props("role=alert").mark("lost"):
        numbers = {"codes": here.number(found.lost_codes), "records": here.number(found.lost_records)}
        ui.label(here.say(_LOST, **numbers)).classes("tk-trouble-what")
        codes = [f"{one.code} ({here.number(one.records)})" for one in found.lost[:_LISTED]]
        rest = found.lost_codes - len(codes)
        ui.label(", ".join(codes) + (f" … {here.say(_REST, n=here.number(rest))}" if rest > 0 else ""))
        if adopt is None:
            ui.label(here.say(_LOST_FILE))
        else:
            ui.button(here.say(_ADOPT), on_click=lambda: adopt(found.lost)).props("outline no-caps").mark(
                "adopt"
            )


def _draw_levels(here: Here, found: Tried) -> None:
    heads = [here.say(text) for text in (_LEVEL, _CODES, _SHOWN, _SMALLEST)]
    widest = max((level.shown for level in found.levels), default=1) or 1
    rows: list[list[Cell]] = []
    for number, level in enumerate(found.levels):
        named = here.say(_TOTAL) if number == 0 else level.name
        label = f"{number} · {named}" if named != str(number) else str(number)
        rows.append(
            [label, here.number(level.codes), _bar(here, level.shown, widest), here.number(level.smallest)]
        )
    plain_table(heads, rows, right=(1, 3))


def _bar(here: Here, value: int, widest: int) -> Callable[[], None]:
    def draw() -> None:
        with ui.row().classes("items-center gap-2 no-wrap"):
            ui.label(here.number(value)).classes("tk-bar-number")
            share = max(value / widest, 0.01)
            ui.element("div").classes("tk-bar-fill").style(f"width: {share * 5:.2f}rem")

    return draw


class _Tree:
    """The codes as a tree; what is below a code is fetched when it is opened."""

    def __init__(self, here: Here, name: str, given: Mapping[str, Any], found: Tried) -> None:
        self._here, self._name, self._given = here, name, given
        self._open: set[str] = {found.top.code}
        nodes = [{**self._node(found.top), "children": self._nodes(found.children, found.top.below)}]
        with ui.element("div").classes("tk-tree-box"):
            self._tree = ui.tree(nodes, on_expand=self._expanded).classes("tk-tree").mark("tree")
            self._tree.props(f'no-connectors aria-label="{here.say(_TREE)}"')
            self._tree.expand([found.top.code])

    def _node(self, node: Node) -> dict[str, Any]:
        label = f"{node.code} – {node.label}" if node.label else node.code
        counted = self._here.say(_RECORDS, n=self._here.number(node.records))
        made: dict[str, Any] = {"id": node.code, "label": f"{label}  ·  {counted}"}
        if node.below:
            made["children"] = [{"id": f"{node.code}\x00", "label": "…"}]
        return made

    def _nodes(self, nodes: tuple[Node, ...], count: int) -> list[dict[str, Any]]:
        made = [self._node(node) for node in nodes]
        if count > len(nodes):
            rest = self._here.say(_REST, n=self._here.number(count - len(nodes)))
            made.append({"id": f"{nodes[0].code if nodes else ''}\x01", "label": rest})
        return made

    async def _expanded(self, event: Any) -> None:
        session = self._here.session
        for code in [code for code in event.value if code not in self._open]:
            self._open.add(code)
            data = session.draft.get("data")
            try:
                found = await session.learn(below, session.folder, data, self._name, self._given, code)
            except TaskFailed:
                continue
            place = _find(self._tree.props["nodes"], code)
            if place is not None:
                place["children"] = self._nodes(found, len(found))
        self._tree.update()


def _find(nodes: list[dict[str, Any]], code: str) -> dict[str, Any] | None:
    for node in nodes:
        found = node if node["id"] == code else _find(node.get("children", []), code)
        if found is not None:
            return found
    return None
