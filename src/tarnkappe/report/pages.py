"""Reports as self-contained HTML pages, English and German in one file, without any address outside of it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tarnkappe.language import NOTHING, Lang, Text, same
from tarnkappe.plan.document import to_yaml
from tarnkappe.plan.ledger import AttackEntry, Colour, MeasureEntry, Run
from tarnkappe.plan.stranger_files import StrangerAttack
from tarnkappe.report.about import about
from tarnkappe.report.attacks import said_of
from tarnkappe.report.attacks import verdict as stranger_verdict
from tarnkappe.report.columns import stories
from tarnkappe.report.exposure import Exposure, exposure_of
from tarnkappe.report.gallery import Gallery, gallery
from tarnkappe.report.headline import tiles, verdict
from tarnkappe.report.measures import views
from tarnkappe.report.numbers import percent, seconds, shown
from tarnkappe.report.process import process_view
from tarnkappe.report.protected import office_view, public_view
from tarnkappe.report.steps import moves_of, step_view
from tarnkappe.report.terms import meaning
from tarnkappe.report.told import told
from tarnkappe.spec.limits import for_analysis

_REPORT = Text("Report on the release", "Bericht zur Freigabe")
_ABOUT = Text("About this data", "Über diese Daten")
_TABLES = Text("Tables", "Tabellen")
_COMPARE = Text("Comparison", "Vergleich")
_MAP = Text("Risk–utility map", "Risiko-Nutzen-Karte")
_ATTACK = Text("Attack", "Angriff")
_STRANGER = Text("What a stranger tried", "Was ein Fremder versucht hat")
_FOUND = Text("Who could find whom", "Wer wen finden könnte")
_RELATIONS = Text("Columns together", "Spalten zusammen")
_RELEASE = Text("What this release is", "Was diese Freigabe ist")
_WITHOUT_PICTURES = "about.html"
Contents = Sequence[tuple[str, Text]]


def report_page(run: Run, lang: Lang) -> str:
    """internal/report.html: everything, for the office alone."""
    told = stories(run) if run.plan.releases_data else ()
    pictures = gallery(run.before, run.after, [s for s in told if s.changed]) if told else Gallery()
    risk, utility = views(run.measures, "risk"), views(run.measures, "utility")
    found = exposure_of(run)
    process = process_view(run)
    contents = (
        ("summary", Text("Summary", "Zusammenfassung")),
        *((("exposure", _FOUND),) if found else ()),
        *((("findings", Text("What stands out", "Was auffällt")),) if run.standing or run.less else ()),
        ("gates", Text("Conditions", "Bedingungen")),
        *((("attacks", _STRANGER),) if run.attacks else ()),
        *((("risk", Text("Risk", "Risiko")),) if risk else ()),
        *((("utility", Text("Utility", "Nutzen")),) if utility else ()),
        *((("columns", Text("Changed columns", "Veränderte Spalten")),) if pictures.columns else ()),
        *((("relations", _RELATIONS),) if pictures.relations else ()),
        *((("tables", _TABLES),) if run.tables else ()),
        *((("steps", Text("Steps", "Schritte")),) if run.steps else ()),
        *((("consistency", Text("Consistency", "Stimmigkeit")),) if process.consistency else ()),
        ("process", Text("The twelve steps", "Die zwölf Schritte")),
        ("legal", Text("Legal basis", "Rechtsgrundlage")),
        ("audience", Text("Recipients, attackers", "Empfänger, Angreifer")),
        ("use", Text("Intended use", "Vorgesehene Nutzung")),
        ("decisions", Text("Decisions", "Entscheidungen")),
        ("data", Text("Data and plan", "Daten und Plan")),
    )
    return _page(
        "report.html", lang, run.plan.title, _REPORT, contents,
        version=run.versions.tarnkappe, run=run, verdict=verdict(run), tiles=tiles(run, told), stories=told,
        pictures=pictures, further=_further(pictures.further), risk=risk, utility=utility, exposure=found,
        tables=[office_view(entry) for entry in run.tables], steps=[step_view(entry) for entry in run.steps],
        moves=moves_of(run.steps),
        attacks=_attacks(run.attacks, scored=True), spent=_spent(run), plan=to_yaml(run.plan.source), process=process,
    )  # fmt: skip


def about_page(run: Run, lang: Lang) -> str:
    """about.html: the same facts as about.json, for people."""
    facts = about(run)
    tables = [public_view(entry) for entry in run.tables]
    limits: dict[tuple[Text, tuple[Text, ...]], list[str]] = {}
    for view in tables:
        found = for_analysis(view.method) if view.method else ()
        if view.method and found:
            limits.setdefault((view.method.title, found), []).append(view.name)
    contents = (
        ("what", Text("What this file is", "Was diese Datei ist") if not tables else _RELEASE),
        ("how", Text("How it was protected", "Wie geschützt wurde")),
        *(
            (("limits", Text("Limits for analysis", "Grenzen für die Auswertung")),)
            if limits or facts["limits"]
            else ()
        ),
        *((("guide", Text("Working with the data", "Mit den Daten arbeiten")),) if facts["guide"] else ()),
        *(
            (("corrections", Text("Corrected estimates", "Korrigierte Schätzungen")),)
            if facts["corrections"]
            else ()
        ),
        *((("tables", _TABLES),) if tables else ()),
        *((("dictionary", Text("Data dictionary", "Datensatzbeschreibung")),) if facts["columns"] else ()),
        ("verify", Text("Verify", "Prüfen")),
    )
    gates = [gate for gate in run.gates if gate.public and gate.held]
    return _page(
        "about.html", lang, run.plan.title, _ABOUT, contents,
        version=run.versions.tarnkappe, about=facts, gates=gates, tables=tables, limits=limits,
    )  # fmt: skip


def measures_page(
    title: str, measures: Sequence[MeasureEntry], made_with: str, lang: Lang, pictures: Gallery | None = None
) -> str:
    """Measures and pictures alone, for `tarnkappe compare`."""
    risk, utility = views(measures, "risk"), views(measures, "utility")
    pictures = pictures or Gallery()
    contents = (
        *((("risk", Text("Risk", "Risiko")),) if risk else ()),
        *((("utility", Text("Utility", "Nutzen")),) if utility else ()),
        *((("columns", Text("Changed columns", "Veränderte Spalten")),) if pictures.columns else ()),
        *((("relations", _RELATIONS),) if pictures.relations else ()),
    )
    return _page(
        "compare.html", lang, title, _COMPARE, contents,
        version=made_with, risk=risk, utility=utility, pictures=pictures, further=_further(pictures.further),
    )  # fmt: skip


def map_page(title: str, lang: Lang, **facts: Any) -> str:
    """For `tarnkappe map`: the picture, the plans below it, and what the two measures say."""
    contents = (
        ("map", Text("The map", "Die Karte")),
        ("plans", Text("The plans", "Die Pläne")),
        ("measures", Text("The measures", "Die Maße")),
    )
    return _page("map.html", lang, title, _MAP, contents, version=version("tarnkappe"), **facts)


def attack_page(
    title: str, found: Exposure, measures: Sequence[MeasureEntry], lang: Lang, **said: Sequence[Any]
) -> str:
    """For `tarnkappe attack`: the summary and every attack; `said` gives what was attacked (basis) and bounds (gates)."""
    risk = views(measures, "risk")
    contents = (
        *((("basis", Text("What was attacked", "Was angegriffen wurde")),) if said["basis"] else ()),
        *((("gates", Text("Bounds", "Schranken")),) if said["gates"] else ()),
        *((("exposure", _FOUND),) if found else ()),
        *((("risk", Text("All attacks", "Alle Angriffe")),) if risk else ()),
    )
    return _page(
        "attack.html",
        lang,
        title,
        _ATTACK,
        contents,
        version=version("tarnkappe"),
        exposure=found,
        risk=risk,
        **said,
    )


def stranger_page(title: str, found: StrangerAttack, lang: Lang) -> str:
    """For `tarnkappe attack RELEASE`: what a stranger has, what he tried and what it is worth."""
    contents = (
        ("basis", Text("What the stranger has", "Was der Fremde hat")),
        ("attacks", _STRANGER),
    )
    return _page(
        "stranger.html", lang, title, _ATTACK, contents, version=version("tarnkappe"), found=found,
        verdict=stranger_verdict(found), attacks=_attacks(found.entries, scored=found.scored),
    )  # fmt: skip


def _attacks(entries: Sequence[AttackEntry], *, scored: bool) -> list[tuple[AttackEntry, Text]]:
    """Every attack with what it reached in words, where it reached something."""
    return [
        (entry, said_of(entry, scored=scored) if entry.colour is not Colour.CLEAR else NOTHING)
        for entry in entries
    ]


def _page(template: str, lang: Lang, title: str, kind: Text, contents: Contents, **facts: Any) -> str:
    drawn = template != _WITHOUT_PICTURES
    style, script = _part("style.css"), _part("page.js") + (_part("figures.js") if drawn else "")
    return _templates().get_template(template).render(
        lang=lang, title=title, kind=kind, contents=contents, drawn=drawn,
        style=style, style_hash=_digest(style), script=script, script_hash=_digest(script), **facts,
    )  # fmt: skip


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("tarnkappe.report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.globals |= {
        "t": _bilingual, "prose": prose, "n": lambda value: _bilingual(shown(value)), "share": _share, "seconds": seconds,
        "told": told, "term": _term,
    }  # fmt: skip
    return made


def _bilingual(en: Text | Mapping[str, str] | str, de: str = "") -> Markup:
    """Both languages; the page shows the one it is set to."""
    if isinstance(en, Mapping):
        text = Text(en["en"], en["de"])
    else:
        text = en if isinstance(en, Text) else Text(en, de or en)
    if text.en == text.de:
        return Markup("{}").format(text.en)
    return Markup('<span lang="en">{}</span><span lang="de">{}</span>').format(text.en, text.de)


def prose(text: Text | Mapping[str, str]) -> Markup:
    """What a declared thing says of itself in both languages; words between grave accents are what one types."""
    words = text if isinstance(text, Text) else Text(text["en"], text["de"])
    said = Markup('<span lang="{}">{}</span>')
    return said.format("en", _typed(words.en)) + said.format("de", _typed(words.de))


def _typed(words: str) -> Markup:
    plain, typed = Markup("{}"), Markup("<code>{}</code>")
    parts = words.split("`")
    return Markup("").join((typed if i % 2 else plain).format(part) for i, part in enumerate(parts))


def _term(text: Text | Mapping[str, str], means: Text | None = None) -> Markup:
    """A word with its meaning, where it needs one."""
    word = text if isinstance(text, Text) else Text(text["en"], text["de"])
    means = means or meaning(word)
    if means is None:
        return _bilingual(word)
    said = Markup('<span lang="{}"><dfn title="{}">{}</dfn></span>')
    return said.format("en", means.en, word.en) + said.format("de", means.de, word.de)


@cache
def _part(name: str) -> Markup:
    return Markup(files("tarnkappe.report").joinpath(name).read_text("utf-8"))  # noqa: S704 - our own file


def _digest(part: str) -> str:
    """What the page's own policy allows: this text and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()


def _share(share: float | None) -> Markup:
    """A share of cells; None stands for one or two of them."""
    return _bilingual(Text("< 3 cells", "< 3 Zellen") if share is None else percent(share))


def _further(count: int) -> Text | None:
    said = Text("And {n} further changed columns.", "Und {n} weitere veränderte Spalten.")
    return said.filled(n=shown(count)) if count else None


_PARTS = {
    "read": Text("Reading", "Lesen"),
    "steps": Text("Steps", "Schritte"),
    "tables": Text("Tables", "Tabellen"),
    "measures": Text("Measures", "Maße"),
    "gates": Text("Conditions", "Bedingungen"),
}


def _spent(run: Run) -> list[tuple[Text, Text]]:
    """Time by part of the run."""
    return [(_PARTS.get(name, same(name)), seconds(spent)) for name, spent in run.seconds.items()]
