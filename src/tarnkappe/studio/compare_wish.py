"""What is compared: the plan at hand, variants that were kept, parameters with several values, and the two measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from nicegui import ui

from tarnkappe.errors import TarnkappeError
from tarnkappe.language import Text
from tarnkappe.plan.variants import MOST, grid_from
from tarnkappe.spec import Measure, catalogue
from tarnkappe.spec.card import facts
from tarnkappe.studio.draft import Content
from tarnkappe.studio.form_fields import resolved
from tarnkappe.studio.frame import Here, heading, icon_button, open_dialog
from tarnkappe.studio.kept_variants import keep, kept
from tarnkappe.studio.step_words import class_of, split
from tarnkappe.studio.tasks.map import Wanted
from tarnkappe.studio.words import CANCEL, REMOVE, SAVE

GRID, AXES = "compare.grid", "compare.axes"
"""Where a session remembers what is to be compared."""
_TITLE = Text("What is compared", "Was verglichen wird")
_CURRENT = Text("current plan", "aktueller Plan")
_KEEP = Text("Keep this plan as a variant", "Diesen Plan als Variante behalten")
_NAME = Text("Name of the variant", "Name der Variante")
_USUAL = Text("variant {n}", "Variante {n}")
_VARY = Text("Try several values of a parameter", "Mehrere Werte eines Parameters probieren")
_PARAMETER, _VALUES = (
    Text("Parameter", "Parameter"),
    Text("Values, separated by commas", "Werte, mit Komma getrennt"),
)
_STEP = Text("step {n}, {title}: {name}", "Schritt {n}, {title}: {name}")
_NOT_VALUES = Text(
    "give values separated by commas, such as 3, 5, 10",
    "geben Sie Werte mit Komma getrennt an, etwa 3, 5, 10",
)
_MANY = Text("{count} plans are too many; at most {most}", "{count} Pläne sind zu viele; höchstens {most}")
_RISK, _UTILITY = (
    Text("Measure of risk", "Maß für das Risiko"),
    Text("Measure of utility", "Maß für den Nutzen"),
)
_AUTO = Text("chosen for the data", "passend zu den Daten")
_DRAW = Text("Draw the map (plans: {n})", "Karte zeichnen (Pläne: {n})")
_NO_PARAMETERS = Text(
    "The steps have no parameters to vary.", "Die Schritte haben keine Parameter zum Variieren."
)
_SCALARS = ("integer", "number", "boolean")


class Wish:
    """The part of the page on which one says what is compared; `draw` is called with it."""

    def __init__(self, here: Here, draw: Callable[[Wanted], Any], *, busy: bool = False) -> None:
        self._here, self._draw_map, self._busy = here, draw, busy
        self._button: ui.button | None = None
        self._trouble: ui.label | None = None

    def draw(self) -> None:
        """The panel."""
        say = self._here.say
        with ui.column().classes("tk-panel"):
            heading(say(_TITLE))
            self._variants()
            self._grid()
            with ui.row().classes("w-full gap-4 items-end"):
                self._measure("risk", _RISK)
                self._measure("utility", _UTILITY)
                ui.space()
                self._button = ui.button(on_click=self._go).props("unelevated no-caps").mark("draw-map")
            self._trouble = ui.label().classes("tk-misfit").props("role=alert").mark("map-trouble")
        self._tell()

    # -- variants -------------------------------------------------------------------------------------------------

    def _variants(self) -> None:
        say = self._here.say
        with ui.row().classes("items-center gap-2"):
            ui.label(say(_CURRENT)).classes("tk-chip tk-chip-strong")
            for number, (name, _) in enumerate(kept(self._here.session)):
                with ui.row().classes("tk-chip gap-1 no-wrap"):
                    ui.label(name)
                    icon_button("close", f"{say(REMOVE)}: {name}", partial(self._forget, number)).props(
                        "size=xs"
                    )
            ui.button(say(_KEEP), icon="bookmark_add", on_click=self._ask_name).props(
                "flat no-caps dense"
            ).mark("keep-variant")

    def _ask_name(self) -> None:
        say = self._here.say
        with open_dialog(say(_KEEP)) as dialog, ui.card().classes("tk-dialog tk-dialog-small"):
            usual = say(_USUAL, n=len(kept(self._here.session)) + 1)
            name = (
                ui.input(say(_NAME), value=usual)
                .props("outlined autofocus")
                .classes("w-full")
                .mark("variant-name")
            )

            def done() -> None:
                told = (name.value or "").strip() or usual
                keep(self._here.session, [*kept(self._here.session), (told, plan_of(self._here))])
                dialog.close()
                self._here.redraw()

            name.on("keydown.enter", done)
            with ui.row().classes("w-full justify-end gap-2"):
                ui.button(say(CANCEL), on_click=dialog.close).props("flat no-caps")
                ui.button(say(SAVE), on_click=done).props("unelevated no-caps").mark("variant-done")
        dialog.on("hide", dialog.delete)

    def _forget(self, number: int) -> None:
        left = [one for at, one in enumerate(kept(self._here.session)) if at != number]
        keep(self._here.session, left)
        self._here.redraw()

    # -- values ---------------------------------------------------------------------------------------------------

    def _rows(self) -> list[dict[str, str]]:
        rows: list[dict[str, str]] = self._here.session.asides.setdefault(GRID, [])
        return rows

    def _grid(self) -> None:
        say, options = self._here.say, dict(parameters_of(self._here))
        self._rows()[:] = [row for row in self._rows() if row["path"] in options]
        for number, row in enumerate(self._rows()):
            with ui.row().classes("w-full items-center gap-2 no-wrap"):
                labels = {path: label for path, (label, _) in options.items()}
                ui.select(
                    labels,
                    value=row["path"],
                    label=say(_PARAMETER),
                    on_change=lambda e, r=row: self._other(r, e.value),
                ).props("outlined dense").classes("tk-vary").mark(f"vary-{number}")
                ui.input(
                    say(_VALUES), value=row["text"], on_change=lambda e, r=row: self._typed(r, e.value)
                ).props("outlined dense").classes("tk-vary").mark(f"values-{number}")
                icon_button("close", say(REMOVE), partial(self._drop, number))
        if not options:
            ui.label(say(_NO_PARAMETERS)).classes("tk-soft")
            return
        ui.button(say(_VARY), icon="add", on_click=self._more).props("flat no-caps dense").mark("vary")

    def _more(self) -> None:
        used = [row["path"] for row in self._rows()]
        free = [(path, usual) for path, (_, usual) in parameters_of(self._here) if path not in used]
        if free:
            path, usual = free[0]
            self._rows().append({"path": path, "text": usual})
            self._here.redraw()

    def _other(self, row: dict[str, str], path: str) -> None:
        row.update(path=path, text=dict(parameters_of(self._here))[path][1])
        self._here.redraw()

    def _typed(self, row: dict[str, str], text: str) -> None:
        row["text"] = text
        self._tell()

    def _drop(self, number: int) -> None:
        del self._rows()[number]
        self._here.redraw()

    # -- measures -------------------------------------------------------------------------------------------------

    def _measure(self, family: str, says: Text) -> None:
        say = self._here.say
        able: list[type[Measure]] = [one for one in catalogue.measures() if one.id.startswith(f"{family}.")]
        options = {"": say(_AUTO)} | dict(
            sorted(((one.id, say(one.title)) for one in able), key=lambda o: o[1].lower())
        )
        axes = self._here.session.asides.setdefault(AXES, {})
        ui.select(
            options, value=axes.get(family, ""), label=say(says), with_input=True,
            on_change=lambda e: axes.update({family: e.value or ""}),
        ).props("outlined dense").classes("tk-vary").mark(f"measure-{family}")  # fmt: skip

    # -- done -----------------------------------------------------------------------------------------------------

    def wanted(self) -> Wanted | Text:
        """What was entered, or what is wrong with it."""
        grid = []
        for row in self._rows():
            try:
                ((path, values),) = grid_from([f"{row['path']}={row['text'] or ''}"]).items()
            except TarnkappeError:
                return _NOT_VALUES
            if not values:
                return _NOT_VALUES
            grid.append((path, tuple(values)))
        axes = self._here.session.asides.get(AXES, {})
        made = Wanted(
            plan_of(self._here), self._here.say(_CURRENT), tuple(kept(self._here.session)), tuple(grid),
            axes.get("risk") or None, axes.get("utility") or None,
        )  # fmt: skip
        if made.plans > MOST:
            return _MANY.filled(count=made.plans, most=MOST)
        return made

    def _tell(self) -> None:
        assert self._button is not None, "the panel was drawn"
        assert self._trouble is not None, "the panel was drawn"
        made = self.wanted()
        fine = isinstance(made, Wanted)
        self._trouble.set_text("" if isinstance(made, Wanted) else self._here.say(made))
        self._trouble.set_visibility(not fine)
        self._button.set_enabled(fine and not self._busy)
        self._button.set_text(self._here.say(_DRAW, n=made.plans if isinstance(made, Wanted) else "…"))

    def _go(self) -> None:
        made = self.wanted()
        if isinstance(made, Wanted):
            self._draw_map(made)


def plan_of(here: Here) -> Content:
    """The plan at hand, every step written with its parameters beside it."""
    content: Content = dict(here.session.draft.get())
    if "steps" in content:
        content["steps"] = [{"use": id, **given} for id, given in map(split, content["steps"])]
    return content


def parameters_of(here: Here) -> Iterator[tuple[str, tuple[str, str]]]:
    """What can be varied: path in the plan, its words, and values to begin with."""
    for number, step in enumerate(here.session.draft.get("steps", default=[]), start=1):
        id, given = split(step)
        cls = class_of(id)
        if cls is None:
            continue
        defs = cls.model_json_schema().get("$defs", {})
        for parameter in facts(cls)["parameters"]:
            name, schema = parameter["name"], resolved(parameter["schema"], defs)
            usual = _usual(schema, given.get(name, parameter["default"]))
            if usual:
                label = here.say(_STEP, n=number, title=here.say(cls.title), name=name)
                yield f"steps.{number}.{name}", (label, usual)


def _usual(schema: Mapping[str, Any], now: Any) -> str:
    """Values around the present one; nothing for parameters that are no single value."""
    if "enum" in schema:
        return ", ".join(str(value) for value in schema["enum"])
    if schema.get("type") not in _SCALARS:
        return ""
    if isinstance(now, bool) or schema["type"] == "boolean":
        return "false, true"
    if not isinstance(now, int | float) or not now:
        return "1, 2, 3" if schema["type"] == "integer" else "0.1, 0.2, 0.5"
    values = (now, 2 * now, 3 * now) if schema["type"] == "integer" else (now / 2, now, 2 * now)
    most = schema.get("maximum", schema.get("exclusiveMaximum"))
    return ", ".join(f"{value:g}" for value in values if most is None or value <= most)
