"""A commented plan from answers and from what the data itself tells."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Lang, Text
from tarnkappe.plan.answers import Answers
from tarnkappe.plan.check import check
from tarnkappe.plan.data_source import with_source
from tarnkappe.plan.document import parse, to_yaml
from tarnkappe.plan.first_plan import K
from tarnkappe.plan.frame import Frame, frame_of
from tarnkappe.plan.open_points import OpenPoint, open_points
from tarnkappe.plan.policy import standard_policies
from tarnkappe.plan.propose import Proposal, Wishes, propose
from tarnkappe.plan.public_variables import PublicVariables, standard_list
from tarnkappe.plan.similar import Similar, similar
from tarnkappe.vocab import Role

_WIDTH = 108
_ORDER = (
    "tarnkappe", "title", "process", "data", "release", "seed", "steps", "consistency", "measures", "release_if",
)  # fmt: skip
COMMENTS: Mapping[str, Text] = {
    "process": Text(
        "What people decided, with reasons (steps 1 to 5 and 12). internal/report.html shows it; recipients read in about.html only who, agreement and analyses.",
        "Was Menschen entschieden haben, mit Gründen (Schritte 1 bis 5 und 12). internal/report.html zeigt es; Empfänger lesen in about.html nur who, agreement und analyses.",
    ),
    "  need": Text("Step 1: need for protection.", "Schritt 1: Schutzbedarf."),
    "  preparation": Text("Step 2: preparation.", "Schritt 2: Aufbereitung."),
    "  audience": Text("Step 3: kind of release.", "Schritt 3: Art der Freigabe."),
    "  scenarios": Text(
        "Step 4: attack scenarios, also those ruled out.",
        "Schritt 4: Angriffsszenarien, auch ausgeschlossene.",
    ),
    "  use": Text(
        "Step 5: use. A plan that is coarser than `least` is refused by `tarnkappe check`.",
        "Schritt 5: Nutzung. Einen Plan, der gröber als `least` ist, weist `tarnkappe check` zurück.",
    ),
    "data": Text(
        "The data and what its columns mean (steps 1 and 2). Look at every role: what is no key is not protected as one.",
        "Die Daten und was ihre Spalten bedeuten (Schritte 1 und 2). Jede Rolle prüfen: Was kein Schlüssel ist, wird nicht wie einer geschützt.",
    ),
    "release": Text(
        "Who receives it and against whom it is guarded (steps 3 and 4).",
        "Wer sie erhält und gegen wen sie geschützt wird (Schritte 3 und 4).",
    ),
    "seed": Text("Only the name of the secret; the secret itself is kept apart.", "Nur der Name des Geheimnisses; das Geheimnis selbst liegt woanders."),
    "steps": Text(
        "What is done, in order (step 8). Other methods: tarnkappe methods.",
        "Was getan wird, der Reihe nach (Schritt 8). Andere Verfahren: tarnkappe methods.",
    ),
    "consistency": Text(
        "Rules that the result must keep (step 11), as found in the data. Look at them: what is only chance should go.",
        "Regeln, die das Ergebnis einhalten muss (Schritt 11), wie in den Daten gefunden. Prüfen: Was nur Zufall ist, sollte weg.",
    ),
    "measures": Text("Further measures for the report (steps 6, 7, 9, 10).", "Weitere Maße für den Bericht (Schritte 6, 7, 9, 10)."),
    "release_if": Text(
        "Conditions: if one is not met, nothing is released (steps 9, 10).",
        "Bedingungen: Ist eine nicht erfüllt, wird nichts freigegeben (Schritte 9, 10).",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewPlan:
    """A plan as it will be written, and what was found on the way."""

    text: str
    proposal: Proposal
    alike: tuple[Similar, ...]
    open: tuple[OpenPoint, ...]


def new_plan(
    data: Microdata,
    source: Mapping[str, Any],
    folder: Path,
    answers: Answers,
    lang: Lang,
    public: PublicVariables | None = None,
) -> NewPlan:
    """Write the plan that follows from the data and the answers; it is checked before it is returned.

    `source` is the beginning of its part `data`: the file as seen from the folder of the plan, and how it was read.
    """
    use = answers.process.use
    wishes = Wishes(
        roles=answers.roles,
        least={n: g.least for n, g in use.granularity.items() if g.least is not None and n in data.names},
        dispensable=use.dispensable,
        public=public or standard_list(),
        k=_class_size(answers),
    )
    found = propose(data, str(source["file"]), wishes)
    frame = frame_of(answers.process.frame, folder)
    left = open_points(answers.process, frame, data.names, date.today())  # noqa: DTZ011 - the day of the office
    text = _commented(with_source(_content(found, data, answers), source), left, frame, lang)
    check(parse(text, "plan"), folder, outside=True)
    return NewPlan(text, found, similar(data, found.dependencies), left)


def _class_size(answers: Answers) -> int:
    """The k that the default policy asks of this kind of release."""
    asked = [one.gate for one in standard_policies()[answers.release_kind].gates]
    sizes = [gate.at_least for gate in asked if gate.measure.id == "risk.k-anonymity" and gate.at_least]
    return max(K, *(int(size) for size in sizes))


def _content(found: Proposal, data: Microdata, answers: Answers) -> dict[str, Any]:
    """The proposed plan with what people decided."""
    process = _plain(answers.process)
    plan = dict(found.plan)
    plan |= {
        "title": answers.title or plan["title"],
        "release": {"kind": answers.release_kind.value, "attackers": [a.value for a in answers.attackers]},
        "consistency": _rules(found, data, plan),
        "process": process,
    }
    return {part: plan[part] for part in _ORDER if plan.get(part) not in (None, [], {})}


def _plain(process: Any) -> Any:
    told = process.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    return _without_nothing(told)


def _without_nothing(told: Any) -> Any:
    if isinstance(told, dict):
        kept = {name: _without_nothing(part) for name, part in told.items()}
        return {name: part for name, part in kept.items() if part not in (None, {}, [])}
    return [_without_nothing(part) for part in told] if isinstance(told, list) else told


def _rules(found: Proposal, data: Microdata, plan: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Dependencies between columns that stay as they are or become coarser, and numbers that are never negative."""
    steps = {step["use"]: step["columns"] for step in plan["steps"] if "columns" in step}
    gone = set(steps.get("microdata.drop", ()))
    averaged = set(steps.get("microdata.mdav", ()))
    pairs = [d for d in found.dependencies if not {d.of, d.on} & (gone | averaged)]
    numbers = [
        p.name
        for p, c in zip(found.profiles, found.columns, strict=True)
        if Role.NUMERIC in c.roles
        and p.name not in gone
        and not p.negative
        and data.column(p.name).kind.is_number
    ]
    return [
        *({"column": name, "at_least": 0} for name in numbers),
        *({"column": d.of, "follows": d.on} for d in pairs),
    ]


# -- comments -----------------------------------------------------------------------------------------------------


def _commented(content: Mapping[str, Any], left: Iterable[OpenPoint], frame: Frame, lang: Lang) -> str:
    head = [
        Text(
            "Written by `tarnkappe new`: a first plan to look at, change and run.",
            "Geschrieben von `tarnkappe new`: ein erster Plan zum Prüfen, Ändern und Ausführen.",
        ).in_(lang),
        frame.notice.text.in_(lang),
    ]
    lines = [line for words in head for line in _comment(words, "")]
    lines += _open(left, frame, lang)
    for line in to_yaml(content).splitlines():
        key = re.match(r"( {0,2}[a-z_]+):", line)
        says = COMMENTS.get(key.group(1)) if key else None
        if says is not None and (not line.startswith(" ") or _inside_process(lines)):
            indent = "  " if line.startswith(" ") else ""
            lines += ([] if indent else [""]) + _comment(says.in_(lang), indent)
        lines.append(line)
    return "\n".join(lines) + "\n"


def _inside_process(lines: list[str]) -> bool:
    """Whether the last part that began is the process."""
    begun = [line for line in lines if re.match(r"[a-z_]+:", line)]
    return bool(begun) and begun[-1].startswith("process:")


def _open(left: Iterable[OpenPoint], frame: Frame, lang: Lang) -> list[str]:
    points = list(left)
    if not points:
        return []
    title = Text("Still open (the report lists it too):", "Noch offen (auch im Bericht aufgeführt):").in_(
        lang
    )
    lines = ["#", f"# {title}"]
    for point in points:
        step = frame.steps[point.step - 1].title.text.in_(lang)
        lines += _comment(f"  {point.step} {step}: {point.says.in_(lang)}", "")
    return lines


def _comment(words: str, indent: str) -> list[str]:
    return textwrap.wrap(words, _WIDTH, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ")
