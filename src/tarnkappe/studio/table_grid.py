"""The table as statisticians read it, in the browser: hierarchical rows and columns, drawn as far as they are seen.

Why it is ours and not AG Grid: docs/decisions/0013-table-grid.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import events, ui


class TableGrid(ui.element, component="table_grid.js"):
    """A grid of cells; `chosen` is called with the row and the column of a cell that is clicked or entered."""

    def __init__(self, content: Mapping[str, Any], chosen: Callable[[int, int], Any]) -> None:
        super().__init__()
        for name, value in content.items():
            self._props[name] = value

        def hear(event: events.GenericEventArguments) -> Any:
            return chosen(int(event.args["row"]), int(event.args["col"]))

        self.on("cell", hear)

    def open_to(self, axis: int, level: int) -> None:
        """Fold rows (0) or columns (1) below a level."""
        self.run_method("level", axis, level)

    def look_at(self, row: int, column: int) -> None:
        """Bring a cell into sight and mark it."""
        self.run_method("look", row, column)
