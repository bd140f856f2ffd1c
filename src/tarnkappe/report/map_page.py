"""The risk–utility map as a page and as data for programs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial

from tarnkappe.language import NOTHING, Lang, Text
from tarnkappe.plan.ledger import parameters
from tarnkappe.plan.risk_map import RiskMap
from tarnkappe.plan.trial import Trial
from tarnkappe.report.map_chart import kind_of, legend, risk_map
from tarnkappe.report.measures import value_of
from tarnkappe.report.numbers import NONE, seconds, shown
from tarnkappe.report.pages import map_page as render
from tarnkappe.report.pictures import Drawing, drawn
from tarnkappe.spec import Finding, Measure, catalogue, plain

NOTICE = Text(
    "Internal: these figures compare releases with the original.",
    "Intern: Diese Zahlen vergleichen Freigaben mit dem Original.",
)
_SAYS = Text(
    "Risk–utility map of {count} plans: {risk} against {utility}",
    "Risiko-Nutzen-Karte von {count} Plänen: {risk} gegen {utility}",
)
_STATES = {
    "front": Text("on the front", "auf der Front"),
    "released": Text("would be released", "würde freigegeben"),
    "refused": Text("refused", "verweigert"),
    "failed": Text("not possible", "nicht möglich"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One plan in the table below the map."""

    number: int
    name: str
    kind: str
    state: Text
    risk: Text
    utility: Text
    reasons: tuple[Text, ...]
    seconds: Text


def rows(found: RiskMap) -> tuple[Row, ...]:
    """The plans in the order in which they were given."""
    return tuple(_row(found, trial, number) for number, trial in enumerate(found.trials, start=1))


def drawing(found: RiskMap) -> Drawing:
    """The map, to be drawn."""
    says = _SAYS.filled(count=len(found.trials), risk=found.risk.title, utility=found.utility.title)
    return drawn(partial(risk_map, found), says)


def map_page(found: RiskMap, title: str, lang: Lang) -> str:
    """The whole page."""
    original = _shown(found.risk, found.original.risk), _shown(found.utility, found.original.utility)
    return render(
        title,
        lang,
        found=found,
        drawing=drawing(found),
        marks=legend(),
        rows=rows(found),
        original=original,
        parts_of=[_parts(measure) for measure in (found.risk, found.utility)],
    )


def as_json(found: RiskMap, title: str) -> str:
    """The map for programs."""
    content = {
        "notice": NOTICE,
        "title": title,
        "risk": _axis(found.risk),
        "utility": _axis(found.utility),
        "original": {"risk": _plain(found.original.risk), "utility": _plain(found.original.utility)},
        "bounds": [{"axis": b.axis, "value": b.value, "says": b.says} for b in found.bounds],
        "plans": [_entry(found, trial) for trial in found.trials],
        "front": [trial.name for trial in found.front],
    }
    return json.dumps(plain(content), ensure_ascii=False, indent=2, allow_nan=False)


def _axis(measure: Measure) -> dict[str, object]:
    return {
        "id": measure.id, "title": measure.title, "goal": measure.goal.value, "parameters": parameters(measure),
    }  # fmt: skip


def _entry(found: RiskMap, trial: Trial) -> dict[str, object]:
    return {
        "name": trial.name, "plan": trial.plan, "changed": dict(trial.changed), "state": kind_of(found, trial),
        "risk": _plain(trial.risk), "utility": _plain(trial.utility), "closed": list(trial.closed),
        "failed": trial.failed or None, "seconds": round(trial.seconds, 3), "cached": trial.cached,
    }  # fmt: skip


def _plain(finding: Finding | None) -> object:
    return finding.as_json() if finding else None


def _parts(measure: Measure) -> list[Text]:
    """What a score is made of, in words."""
    said = Text(
        "{title}: weight {weight}; nothing is left at {worst}",
        "{title}: Gewicht {weight}; nichts bleibt bei {worst}",
    )
    return [
        said.filled(title=catalogue[one.use].title, weight=shown(one.weight), worst=shown(one.scale()))
        for one in getattr(measure, "analyses", ())
    ]


def _row(found: RiskMap, trial: Trial, number: int) -> Row:
    kind = kind_of(found, trial)
    doubts = [f.because for f in (trial.risk, trial.utility) if f is not None and not f.trusted]
    reasons = (*((trial.failed,) if trial.failed else ()), *trial.closed, *doubts)
    return Row(
        number, trial.name, kind, _STATES[kind], _shown(found.risk, trial.risk), _shown(found.utility, trial.utility), tuple(r for r in reasons if r is not NOTHING),
        seconds(trial.seconds) if trial.risk else NONE,
    )  # fmt: skip


def _shown(measure: Measure, finding: Finding | None) -> Text:
    return value_of(measure, finding.value if finding else None)
