"""The frame around every page: the eight steps at the left, undo and redo, language and light, the plan at hand."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from nicegui import ui

from tarnkappe.language import Text, number
from tarnkappe.studio.draft import Content
from tarnkappe.studio.guard import SESSION
from tarnkappe.studio.jobs import Job
from tarnkappe.studio.sessions import Session, Sessions
from tarnkappe.studio.toolbar import Toolbar
from tarnkappe.studio.words import CANCEL
from tarnkappe.studio.worker import Task, TaskFailed, Trouble

R = TypeVar("R")

_STUDIO = Text("Studio", "Studio")
_SKIP = Text("Skip to content", "Zum Inhalt springen")
_STEPS = Text("Steps", "Schritte")
_WRITTEN = Text(
    "A file of the plan was written again on the disk: everything is computed anew.",
    "Eine Datei des Plans wurde auf der Festplatte neu geschrieben: Alles wird neu berechnet.",
)
_WAITING = Text("waiting for its turn", "wartet, bis es an der Reihe ist")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the studio."""

    order: int
    path: str
    title: Text
    lead: Text
    """What one does here, in a sentence."""
    icon: str
    build: Callable[[Here], Awaitable[None] | None]
    wide: bool


_pages: dict[str, Page] = {}


def page(
    order: int, path: str, title: Text, lead: Text, icon: str, *, wide: bool = False
) -> Callable[[Callable[[Here], Any]], Callable[[Here], Any]]:
    """Declare a page: one file in `studio.pages`, found by the frame."""

    def declare(build: Callable[[Here], Any]) -> Callable[[Here], Any]:
        _pages[path] = Page(order, path, title, lead, icon, build, wide)
        return build

    return declare


def all_pages() -> list[Page]:
    """Every page, in the order of the steps."""
    from tarnkappe.studio import pages  # noqa: PLC0415 - the pages import this module

    for info in pkgutil.iter_modules(pages.__path__, f"{pages.__name__}."):
        importlib.import_module(info.name)
    return sorted(_pages.values(), key=lambda one: one.order)


class Here:
    """A page as it is open in a tab: its session, its words, and how it is drawn anew."""

    def __init__(self, session: Session, at: Page) -> None:
        self.session = session
        self.at = at
        self._content: ui.column | None = None
        self._tools: Toolbar | None = None

    def say(self, text: Text, **facts: object) -> str:
        return self.session.say(text, **facts)

    def number(self, value: float, digits: int = 4) -> str:
        return number(value, self.session.lang, digits)

    def change(self, says: Text, how: Callable[[Content], None]) -> None:
        """Change the plan; undo will name it `says`."""
        self.session.draft.change(says, how)
        self.touched()

    def put(self, says: Text, *place: str | int, value: Any) -> None:
        """Set a part of the plan."""
        self.session.draft.put(says, *place, value=value)
        self.touched()

    def touched(self) -> None:
        """The plan has changed: undo, redo and the title follow; the page itself stays as it is."""
        if self._tools is not None:
            self._tools.touched()

    def redraw(self) -> None:
        """Draw the content of the page anew."""
        if self._content is not None:
            self._content.clear()
            with self._content:  # what called may have stood in what is gone
                ui.timer(0, self._fill, once=True)

    async def _fill(self) -> None:
        assert self._content is not None, "the page was built"
        with self._content:
            made = self.at.build(self)
            if inspect.isawaitable(made):
                await made

    def later(self, show: Callable[[R], Any], task: Task[R], *args: Any, height: str = "8rem") -> ui.column:
        """Ask a worker and show what it found when it is there; until then a grey place of that height."""
        place = ui.column().classes("w-full gap-4")
        with place:
            ui.skeleton().classes("w-full").style(f"height: {height}")

        async def fetch() -> None:
            try:
                found = await self.session.learn(task, *args)
            except TaskFailed as problem:
                place.clear()
                with place:
                    trouble_box(self, problem.trouble)
                return
            place.clear()
            with place:
                made = show(found)
                if inspect.isawaitable(made):
                    await made

        ui.timer(0, fetch, once=True)  # beside the place: cleared with it, it would end what it has begun
        return place

    # -- the frame ------------------------------------------------------------------------------------------------

    async def draw(self) -> None:
        """Draw the whole page."""
        lang = self.session.lang
        ui.page_title(f"{self.say(self.at.title)} · Tarnkappe")
        ui.query("html").props(f'lang="{lang}"')
        ui.dark_mode(self.session.dark)
        with ui.header().classes("tk-header"), ui.row().classes("tk-bar"):
            with ui.link(target="/").classes("tk-brand"):
                ui.label("Tarnkappe").classes("tk-name")
                ui.label(self.say(_STUDIO)).classes("tk-soft")
            ui.space()
            with ui.row().classes("tk-tools"):
                self._tools = Toolbar(self)
        with ui.element("div").classes("tk-body"):
            with (
                ui.element("nav").classes("tk-rail").props(f'aria-label="{self.say(_STEPS)}"'),
                ui.element("ol").classes("tk-steps"),
            ):
                for step in all_pages():
                    self._draw_step(step)
            with ui.column().classes("tk-main" + (" tk-wide" if self.at.wide else "")) as main:
                heading(self.say(self.at.title), 1)
                ui.label(self.say(self.at.lead)).classes("tk-lead")
                self._content = ui.column().classes("tk-content")
        ui.skip_link(self.say(_SKIP), target=main)
        if self.session.renew():
            ui.notify(self.say(_WRITTEN), type="info")
        await self._fill()

    def _draw_step(self, step: Page) -> None:
        current = step.path == self.at.path
        with (
            ui.element("li"),
            ui.link(target=f"/{step.path}").classes("tk-step" + (" tk-current" if current else "")) as link,
        ):
            if current:
                link.props("aria-current=page")
            ui.label(str(step.order)).classes("tk-number").props("aria-hidden=true")
            ui.label(self.say(step.title))


def mount(sessions: Sessions) -> None:
    """Give every page its address."""
    for one in all_pages():
        _mount(one, f"/{one.path}", sessions)
    _mount(all_pages()[0], "/", sessions)


def _mount(at: Page, address: str, sessions: Sessions) -> None:
    async def build() -> None:
        request = ui.context.client.request
        await Here(sessions.of(request.scope[SESSION]), at).draw()

    ui.page(address)(build)


# -- parts that every page may use --------------------------------------------------------------------------------


def heading(says: str, level: int = 2) -> None:
    """A heading that readers of the page's structure find."""
    ui.label(says).classes(f"tk-h{level}").props(f"role=heading aria-level={level}")


def icon_button(icon: str, says: str, on_click: Callable[[], Any], *, enabled: bool = True) -> ui.button:
    """A button that shows a sign; what it does stands in its tooltip and for those who cannot see it."""
    button = ui.button(icon=icon, on_click=on_click).props(f'flat round dense aria-label="{says}"')
    button.tooltip(says)
    button.set_enabled(enabled)
    return button


def open_dialog(says: str) -> ui.dialog:
    """A dialog that is open, with a name for those who cannot see it."""
    made = ui.dialog(value=True)
    made.props["aria-label"] = says
    return made


def fold(says: str, *, shown: bool = True, value: bool = False) -> ui.expansion:
    """What is unfolded on demand; `shown` is whether its words stand in its head, or something richer is drawn there."""
    made = ui.expansion(says if shown else "", value=value)
    made.props["toggle-aria-label"] = says
    return made


def panel(says: str = "", *, level: int = 2) -> ui.column:
    """A white box for things that belong together: ``with panel("Title"):``."""
    made = ui.column().classes("tk-panel")
    if says:
        with made:
            heading(says, level)
    return made


def job_box(here: Here, job: Job, over: Callable[[Job], Any]) -> None:
    """How far a job is, with a way to stop it; `over` is called in its place when it has ended."""
    place = ui.column().classes("w-full gap-4")
    with place, ui.column().classes("tk-panel"):
        heading(here.say(job.title), 3)
        doing = ui.label().classes("tk-soft").props("aria-live=polite")
        bar = ui.linear_progress(job.share, show_value=False).props("rounded")
        with ui.row().classes("w-full items-center justify-between"):
            clock = ui.label().classes("tk-soft tk-small")
            cancel = ui.button(here.say(CANCEL)).props("flat no-caps")

    async def stop() -> None:
        cancel.props("loading")  # seen at once; what is being computed may need some seconds to end
        await here.session.jobs.cancel(job)

    cancel.on_click(stop)

    async def look() -> None:
        if job.state.over:
            timer.cancel()
            place.clear()
            with place:
                made = over(job)
                if inspect.isawaitable(made):
                    await made
            return
        doing.set_text(here.say(job.doing) if job.doing else here.say(_WAITING))
        clock.set_text(
            f"{job.done} / {job.parts} · {job.seconds:.0f} s" if job.parts else f"{job.seconds:.0f} s"
        )
        bar.set_value(job.share)

    timer = ui.timer(0.2, look)  # beside the place: cleared with it, it would end what it has begun


def trouble_box(here: Here, trouble: Trouble) -> None:
    """An error in words, with the way out."""
    with ui.element("section").classes("tk-trouble").props("role=alert"):
        ui.label(_without_folders(here, trouble.what)).classes("tk-trouble-what")
        if trouble.remedy:
            ui.label(_without_folders(here, trouble.remedy))
        ui.label(trouble.code).classes("tk-code")


def _without_folders(here: Here, text: Text) -> str:
    """A sentence in which files are called by their names: where they lie is nobody's concern."""
    session = here.session
    said = here.say(text)
    for folder in filter(None, (session.home, session.settings.project)):
        for spelt in {str(folder), str(folder.resolve())}:
            said = re.sub(rf"{re.escape(spelt)}/(?:[0-9a-f]{{16}}/)?", "", said)
    return said
