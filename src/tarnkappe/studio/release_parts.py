"""What the page of the release shows of an attempt: the verdict, what would help, the documents, and the files."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.plan.ledger import Colour
from tarnkappe.randomness import FOLDER as SECRETS
from tarnkappe.randomness import is_name
from tarnkappe.report.verify import Check
from tarnkappe.studio.blocks import more, sentences
from tarnkappe.studio.findings import findings
from tarnkappe.studio.frame import Here, job_box, panel, trouble_box
from tarnkappe.studio.jobs import Job, State
from tarnkappe.studio.tasks.release import ABOUT, REPORT, Attempt, audit
from tarnkappe.studio.worker import Trouble

VERIFY = "verify"
_HELP = Text("What would help", "Was helfen würde")
_PROTECT = Text("To the steps", "Zu den Schritten")
_DESCRIBE = Text("To the columns", "Zu den Spalten")
_TABLES = Text("To the tables", "Zu den Tabellen")
_WRITTEN = Text("Released as “{name}”.", "Freigegeben als „{name}“.")
_TRIED = Text("Tried without releasing anything.", "Erprobt, ohne etwas freizugeben.")
_OLDER = Text(
    "The plan has changed since: try it again.", "Der Plan wurde seitdem geändert: Erproben Sie ihn erneut."
)
_FAILED = Text("The plan could not be carried out", "Der Plan ließ sich nicht ausführen")
_FAILED_HELP = {
    "run.unattainable": Text(
        "A step cannot reach its goal with this data. Change the step, or put a coarser one before it.",
        "Ein Schritt kann sein Ziel mit diesen Daten nicht erreichen. Ändern Sie den Schritt oder setzen Sie einen gröberen davor.",
    ),
    "policy.keys-needed": Text(
        "Say on the page “Describe” what others may know of people or firms: give these columns the role key.",
        "Sagen Sie auf der Seite „Beschreiben“, was andere von Personen oder Firmen wissen können: Geben Sie diesen Spalten die Rolle key.",
    ),
    "policy.roles-needed": Text(
        "Say on the page “Describe” what these columns are, or leave them out with a step.",
        "Sagen Sie auf der Seite „Beschreiben“, was diese Spalten sind, oder lassen Sie sie mit einem Schritt weg.",
    ),
    "plan.wrong": Text(
        "The plan is not complete. The problems are listed above, each with its place in the plan.",
        "Der Plan ist nicht vollständig. Oben stehen alle Fehler, jeder mit seiner Stelle im Plan.",
    ),
}
_DOCUMENTS = Text("Documents", "Dokumente")
_PREVIEW_SAYS = Text("As they would be released.", "So würden sie freigegeben.")
_REPORT_ONLY = Text(
    "A plan that is refused has a report for the office alone; recipients get nothing.",
    "Ein verweigerter Plan hat nur einen Bericht für das Haus; Empfänger erhalten nichts.",
)
_NAMES = {
    ABOUT: Text("For the recipients", "Für die Empfänger"),
    REPORT: Text("For the office", "Für das Haus"),
}
_INTERNAL = Text("Internal: must not leave the house.", "Intern: Darf das Haus nicht verlassen.")
_NEW_TAB = Text("Open in a new tab", "In neuem Tab öffnen")
_FILES = Text("Files", "Dateien")
_GET = Text("Download the release", "Freigabe herunterladen")
_GET_SAYS = Text(
    "Data, tables, external documentation and certificate: what recipients get.",
    "Daten, Tabellen, externe Dokumentation und Bescheinigung: was die Empfänger erhalten.",
)
_GET_INTERNAL = Text("Download the internal documentation", "Interne Dokumentation herunterladen")
_GET_INTERNAL_SAYS = Text(
    "Report, ledger and riskiest records. It describes how to attack the data: keep it in the house.",
    "Bericht, Protokoll und gefährdetste Datensätze. Sie beschreibt, wie die Daten anzugreifen wären: Sie bleibt im Haus.",
)
_GET_PLAN = Text("Download the plan", "Plan herunterladen")
_GET_PLAN_SAYS = Text(
    "`tarnkappe run plan.yaml --out DIR --lang {lang}` makes the same release from the same data and secret.",
    "`tarnkappe run plan.yaml --out DIR --lang {lang}` ergibt aus denselben Daten und demselben Geheimnis dieselbe Freigabe.",
)
_GET_SECRET = Text("Download the secret", "Geheimnis herunterladen")
_GET_SECRET_SAYS = Text(
    "Needed to make this release again; it is wiped with your session. Whoever has it can undo the protection: keep it apart from the "
    "release, beside the plan as {file}.",
    "Nötig, um diese Freigabe noch einmal zu erzeugen; es wird mit Ihrer Sitzung gelöscht. Wer es hat, kann den Schutz rückgängig "
    "machen: Bewahren Sie es getrennt von der Freigabe auf, neben dem Plan als {file}.",
)
_FOLDER = Text("The release lies in your project folder:", "Die Freigabe liegt in Ihrem Projektordner:")
_FOLDER_SAYS = Text(
    "Give away the folder without internal/: that part must not leave the house.",
    "Geben Sie den Ordner ohne internal/ weiter: Dieser Teil darf das Haus nicht verlassen.",
)
_VERIFY = Text("Verify", "Prüfen")
_VERIFY_SAYS = Text(
    "Audits the release again from its files alone, as a recipient can with `tarnkappe verify`.",
    "Prüft die Freigabe noch einmal allein aus ihren Dateien, wie es Empfänger mit `tarnkappe verify` können.",
)
_VERIFYING = Text("Verifying the release", "Freigabe wird geprüft")
_HOLDS = Text("The release holds: {n} checks.", "Die Freigabe hält: {n} Prüfungen.")
_CHECKS = Text("What was checked", "Was geprüft wurde")


def outcome(here: Here, attempt: Attempt, *, fresh: bool) -> None:
    """Whether the data may leave, what stands out and, where it may not leave, what would help."""
    mood, icon = _MOODS[attempt.colour]
    with ui.element("section").classes(f"tk-judged {mood}").props("role=status"):
        ui.icon(icon).props("aria-hidden=true")
        with ui.column().classes("gap-1"):
            ui.label(here.say(attempt.title)).classes("tk-h2")
            ui.label(here.say(attempt.says))
            if attempt.held:
                name = attempt.name.rpartition("/")[2]
                ui.label(here.say(_WRITTEN, name=name) if name else here.say(_TRIED)).classes("tk-small")
            if not fresh:
                ui.label(here.say(_OLDER)).classes("tk-small tk-warn")
    findings(here, attempt.standing, attempt.less)
    if any(not light.held and not light.finding for light in attempt.lights):
        _what_helps(here, attempt)


_MOODS = {
    Colour.REFUSED: ("tk-judged-bad", "cancel"),
    Colour.SIGNED: ("tk-judged-mid", "error"),
    Colour.CLEAR: ("tk-judged-good", "check_circle"),
}


def _what_helps(here: Here, attempt: Attempt) -> None:
    with panel(here.say(_HELP)):
        for light in attempt.lights:
            if not light.held and not light.finding:
                with ui.column().classes("gap-1"):
                    ui.label(f"{here.say(light.says)} – {here.say(light.because)}").classes("tk-help-what")
                    ui.label(here.say(light.help)).classes("tk-soft")
        _ways(here)


def _ways(here: Here) -> None:
    with ui.row().classes("gap-3"):
        if here.session.draft.get("data"):
            ui.button(here.say(_DESCRIBE), on_click=lambda: ui.navigate.to("/describe")).props(
                "outline no-caps"
            )
        ui.button(here.say(_PROTECT), on_click=lambda: ui.navigate.to("/protect")).props("outline no-caps")
        if here.session.draft.get("tables"):
            ui.button(here.say(_TABLES), on_click=lambda: ui.navigate.to("/tables")).props("outline no-caps")


def failed(here: Here, trouble: Trouble) -> None:
    """A plan that could not be carried out, and the way out."""
    with panel(here.say(_FAILED)):
        trouble_box(here, trouble)
        if trouble.code in _FAILED_HELP:
            ui.label(here.say(_FAILED_HELP[trouble.code])).classes("tk-soft")
        _ways(here)


# -- documents ----------------------------------------------------------------------------------------------------


def documents(here: Here, names: Sequence[str], address: str, *, preview: bool) -> None:
    """The documents, each in a frame that knows nothing of the studio."""
    with panel(here.say(_DOCUMENTS)):
        if preview:
            ui.label(here.say(_PREVIEW_SAYS if ABOUT in names else _REPORT_ONLY)).classes("tk-soft tk-small")
        with ui.tabs().props("no-caps align=left dense").classes("tk-tabs") as tabs:
            for name in names:
                ui.tab(name, here.say(_NAMES[name]))
        with ui.tab_panels(tabs, value=names[0]).classes("w-full tk-tab-panels").props("keep-alive"):
            for name in names:
                with ui.tab_panel(name).classes("tk-tab-panel"):
                    _framed(here, name, f"{address}{name}")


def _framed(here: Here, name: str, address: str) -> None:
    with ui.row().classes("w-full items-center justify-between"):
        ui.label(here.say(_INTERNAL) if name == REPORT else "").classes("tk-warn tk-small")
        ui.link(here.say(_NEW_TAB), address, new_tab=True).classes("tk-link tk-small")
    title = here.say(_NAMES[name])
    frame = ui.element("iframe").classes("tk-frame")
    frame.props(f'src="{address}{themed(here)}" sandbox="allow-scripts" title="{title}"')


def themed(here: Here) -> str:
    """What is added to the address of a document in a frame, so that it is as light or dark as the studio."""
    dark = here.session.dark
    return "" if dark is None else f"?theme={'dark' if dark else 'light'}"


def release_address(name: str) -> str:
    """Where the documents of a release are read; what follows is the name of one."""
    return f"/releases/{quote(name)}/-/"


# -- files --------------------------------------------------------------------------------------------------------


def files(here: Here, name: str, plan: str) -> None:
    """Take the release away, or say where it lies; and verify it."""
    with panel(here.say(_FILES)):
        if here.session.in_project:
            ui.label(here.say(_FOLDER))
            ui.label(str(here.session.folder / name)).classes("tk-code tk-path")
            ui.label(here.say(_FOLDER_SAYS)).classes("tk-soft tk-small")
        else:
            where = quote(name)
            _download(here, _GET, _GET_SAYS, f"/downloads/release/{where}", main=True)
            _download(here, _GET_INTERNAL, _GET_INTERNAL_SAYS, f"/downloads/internal/{where}", warn=True)
        _plan(here, plan)
        _secret(here)
        _verify_row(here, name)


def _plan(here: Here, plan: str) -> None:
    def get() -> None:
        ui.download.content(plan.encode(), "plan.yaml", "application/yaml")

    with ui.element("div").classes("tk-file-row"):
        button = ui.button(here.say(_GET_PLAN), icon="description", on_click=get)
        button.props("outline no-caps align=left").mark("get-plan")
        ui.label(here.say(_GET_PLAN_SAYS, lang=here.session.lang)).classes("tk-soft tk-small")


def _secret(here: Here) -> None:
    """The secret that was drawn for uploads: gone with the session, so it can be taken away."""
    name = here.session.draft.get("seed", "secret")
    if here.session.in_project or not isinstance(name, str) or not is_name(name):
        return
    file = here.session.folder / SECRETS / name
    if not file.is_file():
        return

    def get() -> None:
        ui.download.content(file.read_bytes(), name)

    with ui.element("div").classes("tk-file-row"):
        button = ui.button(here.say(_GET_SECRET), icon="key", on_click=get)
        button.props("outline no-caps align=left").mark("get-secret")
        ui.label(here.say(_GET_SECRET_SAYS, file=f"{SECRETS}/{name}")).classes("tk-warn tk-small")


def _download(
    here: Here, says: Text, hint: Text, address: str, *, main: bool = False, warn: bool = False
) -> None:
    with ui.element("div").classes("tk-file-row"):
        button = ui.button(here.say(says), icon="lock" if warn else "download")
        button.props(
            f'{"unelevated" if main else "outline"} no-caps align=left tag=a href="{address}" download'
        )
        ui.label(here.say(hint)).classes("tk-small " + ("tk-warn" if warn else "tk-soft"))


def _verify_row(here: Here, name: str) -> None:
    with ui.element("div").classes("tk-file-row"):
        button = (
            ui.button(here.say(_VERIFY), icon="fact_check").props("outline no-caps align=left").mark("verify")
        )
        ui.label(here.say(_VERIFY_SAYS)).classes("tk-soft tk-small")
    place = ui.column().classes("w-full gap-3")

    def start() -> None:
        job = here.session.jobs.start(_VERIFYING, VERIFY, audit, here.session.folder, name)
        job.note = name
        place.clear()
        with place:
            job_box(here, job, lambda done: _verified(here, done))

    button.on_click(start)
    last = here.session.jobs.latest(VERIFY)
    if last is not None and last.note == name:
        with place:
            if last.state.over:
                _verified(here, last)
            else:
                job_box(here, last, lambda done: _verified(here, done))


def _verified(here: Here, job: Job) -> None:
    if job.state is not State.DONE:
        if job.trouble:
            trouble_box(here, job.trouble)
        return
    checks: tuple[Check, ...] = job.result
    with ui.row().classes("items-center gap-2 tk-good").props("role=status"):
        ui.icon("verified").props("aria-hidden=true")
        ui.label(here.say(_HOLDS, n=len(checks)))
    with more(here.say(_CHECKS)):
        sentences(f"✓ {here.say(check.says)}" for check in checks)
