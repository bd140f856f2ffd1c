"""The table on the page: what stands where, the legend, the grid, and the cell that is looked at."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
from nicegui import ui

from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.language import Text
from tarnkappe.report.grids import named
from tarnkappe.studio.frame import Here
from tarnkappe.studio.table_cell import facts_of
from tarnkappe.studio.table_grid import TableGrid
from tarnkappe.studio.table_panel import cell_panel
from tarnkappe.studio.table_view import (
    KINDS,
    LEAKS,
    SIGNS,
    Layout,
    View,
    codes_of,
    counts_of,
    leaking,
    view_of,
)
from tarnkappe.studio.tasks.table import MarkedTable, mark_cell
from tarnkappe.studio.worker import TaskFailed

_ROWS, _COLUMNS = Text("Rows", "Zeilen"), Text("Columns", "Spalten")
_SWAP = Text("Swap rows and columns", "Zeilen und Spalten tauschen")
_LEVEL = Text("{axis} to level", "{axis} bis Ebene")
_REVEAL = Text("Show values under suppressed cells", "Werte unter gesperrten Zellen zeigen")
_LEFT_OUT = Text(
    "{n} codes of the finest levels are not shown: the table is too large to be shown at once. All are protected.",
    "{n} Codes der feinsten Ebenen sind nicht gezeigt: Die Tabelle ist zu groß für eine Ansicht. Geschützt werden alle.",
)
_SAYS = {
    "label": Text("Table {name}: arrow keys move, Enter opens a cell or a branch", "Tabelle {name}: Pfeiltasten bewegen, Eingabe öffnet Zelle oder Zweig"),
    "open": Text("Open", "Aufklappen"),
    "close": Text("Close", "Zuklappen"),
    "sum": Text("together", "zusammen"),
}  # fmt: skip
_MARKED = {
    "keep": Text("keep a cell open", "Zelle offen halten"),
    "suppress": Text("suppress a cell", "Zelle sperren"),
    "safe": Text("treat a cell as safe", "Zelle als sicher behandeln"),
    None: Text("take a mark back", "Entscheidung zurücknehmen"),
}
_LISTED = 2000
"""A filter offers so many codes."""


class Sheet:
    """A table that is looked at. Draw it with `await sheet.draw()` where it is to stand."""

    def __init__(self, here: Here, index: int, table: MarkedTable) -> None:
        self._here, self._index, self._table = here, index, table
        self._dimensions = table.pattern.table.dimensions
        self._view: View | None = None
        kept = self._memory()
        self._layout = Layout.of(len(self._dimensions), kept.get("down", 0), kept.get("across", 1))
        self._hold(kept.get("held", {}))

    def _memory(self) -> dict[str, Any]:
        """What was chosen for this table, found again on the next visit."""
        kept: dict[str, Any] = self._here.session.asides.setdefault(f"tables.view.{self._table.name}", {})
        return kept

    def _hold(self, held: dict[int, int]) -> None:
        self._layout = Layout(
            self._layout.down, self._layout.across,
            tuple((j, min(held.get(j, node), len(self._dimensions[j]) - 1)) for j, node in self._layout.held),
        )  # fmt: skip

    # -- drawing --------------------------------------------------------------------------------------------------

    async def draw(self) -> None:
        """The tools, the legend and the table."""
        with ui.row().classes("tk-table-tools"):
            self._tools = ui.row().classes("items-center gap-3")
            _legend(self._here, self._table)
            if self._table.pattern.suppressed.any():
                ui.switch(
                    self._here.say(_REVEAL), value=bool(self._memory().get("reveal")),
                    on_change=lambda e: self._reveal(shown=e.value),
                ).props("dense").classes("tk-at-end").mark("reveal")  # fmt: skip
        with ui.element("div").classes("tk-table-with-cell"):
            self._place = ui.column().classes("w-full gap-2 tk-grid-place")
            self._beside = ui.column().classes("tk-cell-place")
        await self._fill()
        if not self._beside.is_deleted:
            self._open_again()

    async def _fill(self) -> None:
        """Lay out the table as chosen and show it."""
        reveal = bool(self._memory().get("reveal"))
        lang = self._here.session.lang
        self._view = view = await asyncio.to_thread(view_of, self._table, self._layout, lang, reveal=reveal)
        if self._place.is_deleted:
            return
        says = {name: text.filled(name=self._table.name).in_(lang) for name, text in _SAYS.items()}
        self._place.clear()
        with self._place:
            if view.left_out:
                ui.label(self._here.say(_LEFT_OUT, n=self._here.number(view.left_out))).classes("tk-note")
            self._grid = TableGrid({**view.content, "says": says}, self._choose).mark("table-grid")
        self._tools.clear()
        with self._tools:
            self._draw_tools(view)

    def _draw_tools(self, view: View) -> None:
        say = self._here.say
        if self._layout.across is not None:
            names = {j: tree.name for j, tree in enumerate(self._dimensions)}
            _small_select(names, self._layout.down, say(_ROWS), lambda e: self._turn(down=e.value)).mark(
                "rows"
            )
            ui.button(icon="swap_horiz", on_click=self._swap).props(
                f'flat round dense aria-label="{say(_SWAP)}"'
            ).tooltip(say(_SWAP))
            _small_select(
                names, self._layout.across, say(_COLUMNS), lambda e: self._turn(across=e.value)
            ).mark("columns")
        for j, node in self._layout.held:
            self._filter(j, node)
        for axis, name in enumerate((_ROWS, _COLUMNS)):
            deepest, first = view.levels[axis], view.content["open"][axis]
            if deepest > 1:
                levels = {n: str(n) for n in range(1, deepest + 1)}
                label = say(_LEVEL, axis=say(name))
                _small_select(
                    levels, min(first, deepest), label, lambda e, a=axis: self._grid.open_to(a, e.value)
                ).mark(f"level-{axis}")

    def _filter(self, dimension: int, node: int) -> None:
        tree = self._dimensions[dimension]
        options = {n: _indented(tree, n) for n in range(min(len(tree), _LISTED))}

        async def hold(event: Any) -> None:
            held = dict(self._layout.held) | {dimension: event.value}
            self._memory()["held"] = held
            self._hold(held)
            await self._fill()

        ui.select(options, value=node, label=tree.name, with_input=True, on_change=hold).props(
            "outlined dense"
        ).classes("tk-small-select").mark(f"filter-{tree.name}")

    # -- choosing -------------------------------------------------------------------------------------------------

    async def _turn(self, down: int | None = None, across: int | None = None) -> None:
        """Another dimension down or across; the one that stood there takes its place."""
        old = self._layout
        assert old.across is not None, "only tables of several dimensions can be turned"
        new_down = old.down if down is None else down
        new_across = old.across if across is None else across
        if new_down == new_across:
            new_down, new_across = (new_down, old.down) if down is not None else (old.across, new_across)
        self._memory().update(down=new_down, across=new_across, held={})
        self._layout = Layout.of(len(self._dimensions), new_down, new_across)
        await self._fill()

    async def _swap(self) -> None:
        await self._turn(down=self._layout.across)

    async def _reveal(self, *, shown: bool) -> None:
        self._memory()["reveal"] = shown
        await self._fill()

    def _choose(self, row: int, column: int) -> None:
        """Show a cell; places come from the browser and are looked up, not trusted."""
        assert self._view is not None, "the table was drawn"
        rows, columns = self._view.cells.shape
        if 0 <= row < rows and 0 <= column < columns and self._view.cells[row, column] >= 0:
            self._show(int(self._view.cells[row, column]))

    def _show(self, cell: int) -> None:
        codes = codes_of(self._table.pattern, cell)
        self._memory()["cell"] = codes
        self._beside.clear()
        with self._beside:
            cell_panel(
                self._here, facts_of(self._table, cell), lambda mark: self._decide(codes, mark), self._close
            )

    def _close(self) -> None:
        self._memory().pop("cell", None)
        self._beside.clear()

    def _open_again(self) -> None:
        """The cell that was looked at before the page was drawn anew."""
        codes = self._memory().get("cell")
        if not codes or len(codes) != len(self._dimensions):
            return
        nodes = [int(tree.positions([code])[0]) for tree, code in zip(self._dimensions, codes, strict=True)]
        if min(nodes) >= 0:
            (cell,) = self._table.pattern.table.find(np.array([nodes], dtype=np.int32))
            if cell >= 0:
                self._show(int(cell))
                assert self._view is not None, "the table was drawn"
                for row, column in np.argwhere(self._view.cells == cell)[:1].tolist():
                    self._grid.look_at(row, column)

    async def _decide(self, codes: tuple[str, ...], mark: str | None) -> None:
        session = self._here.session
        described = session.draft.get("tables", self._index)
        try:
            file = await session.quick.do(mark_cell, None, session.folder, described, codes, mark)
        except TaskFailed as problem:
            ui.notify(self._here.say(problem.trouble.what), type="negative")
            return
        self._here.put(_MARKED[mark], "tables", self._index, "marks", value=file)
        self._here.redraw()


def _legend(here: Here, table: MarkedTable) -> None:
    """Kinds with colour, sign and number of cells."""
    leaks = int(leaking(table).sum())
    with ui.row().classes("gap-2 items-center").mark("legend"):
        for letter, count in counts_of(table).items():
            with ui.row().classes("tk-legend").props(f"data-kind={letter}"):
                if letter in SIGNS:
                    ui.label(SIGNS[letter]).classes("tk-strong").props("aria-hidden=true")
                ui.label(f"{here.say(KINDS[letter])}: {here.number(count)}")
        if leaks:
            with ui.row().classes("tk-legend").props("data-leak"):
                ui.label("!").classes("tk-strong").props("aria-hidden=true")
                ui.label(f"{here.say(LEAKS)}: {here.number(leaks)}")


def _small_select(options: Any, value: Any, label: str, on_change: Any) -> ui.select:
    made = ui.select(options, value=value, label=label, on_change=on_change).props(
        "outlined dense options-dense"
    )
    return made.classes("tk-small-select")


def _indented(tree: Hierarchy, node: int) -> str:
    return "\u2003" * int(tree.level[node]) + named(tree, node)
