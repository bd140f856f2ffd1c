"""The pages that the code writes: cards, limits, errors, plan, command line, bibliography.

`conf.py` calls `generate` before every build. Whole pages go to reference/, parts that a written page includes go to
_generated/. All of them are ignored by git; files that did not change are left alone, so builds stay quick.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import Any

from documents import documents_page
from typer.testing import CliRunner

from tarnkappe import errors
from tarnkappe.cli.app import app
from tarnkappe.errors import TarnkappeError
from tarnkappe.language import LANGUAGES, Lang, Text, both
from tarnkappe.plan import model
from tarnkappe.plan.document import step_as_plain, to_yaml
from tarnkappe.plan.frame import standard_frame
from tarnkappe.plan.which_method import SITUATIONS
from tarnkappe.spec import Declared, Mark, Method, catalogue
from tarnkappe.spec.allowed import takes
from tarnkappe.spec.card import kind_of, markdown
from tarnkappe.spec.composition import ORDERS, acts_of
from tarnkappe.spec.effects import ESTIMATES, TABLE, Effect
from tarnkappe.spec.parameters import build
from tarnkappe.testing.example import ROLES

HERE = Path(__file__).parent
CARDS = "reference/catalogue"
FAMILIES = {
    "attack": Text("Attacks on a finished release", "Angriffe auf eine fertige Freigabe"),
    "microdata": Text("Methods for microdata", "Verfahren für Mikrodaten"),
    "risk": Text("Measures of risk", "Risikomaße"),
    "rule": Text("Rules for tables", "Regeln für Tabellen"),
    "table": Text("Methods for tables", "Verfahren für Tabellen"),
    "utility": Text("Measures of utility", "Maße des Nutzens"),
}
MANY = 12
"""Methods that are named one by one."""
NO_SYNTHESIS = "*left out: synthetic data are not part of this version*"
IN_A_PLAN = {"method": "steps", "measure": "measures", "rule": "rules"}
"""Kind of entry -> the part of a plan that lists it."""


def generate(folder: Path) -> None:
    """Write every generated page below `folder`; take away cards of things that are no longer declared."""
    pages = dict(_pages())
    for name, text in pages.items():
        _write(folder / name, text)
    for left in (folder / CARDS).glob("*.md"):
        if f"{CARDS}/{left.name}" not in pages:
            left.unlink()


def _pages() -> Iterator[tuple[str, str]]:
    yield from ((f"{CARDS}/{cls.id}.md", card(cls)) for cls in catalogue)
    yield f"{CARDS}/index.md", catalogue_index()
    yield "reference/errors.md", error_page()
    yield "reference/bibliography.md", bibliography((HERE / "references.bib").read_text(encoding="utf-8"))
    yield "reference/documents.md", documents_page()
    yield "reference/effects.md", effects_page()
    yield "_generated/composition.md", composition_rules()
    yield "_generated/which-method.md", which_method_table()
    yield "_generated/techniques.md", techniques()
    yield "_generated/limits.md", limits()
    yield "_generated/plan.md", plan_parts()
    yield "_generated/command-line.md", command_line()


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.is_file() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


# -- the catalogue ----------------------------------------------------------------------------------------------


def card(cls: type[Declared]) -> str:
    """One page: the card in English, how it stands in a plan, the card in German."""
    english, german = (_with_links(markdown(cls, lang), cls) for lang in LANGUAGES)
    return "\n".join([english, *_in_a_plan(cls), _one_level_down(german)])


def _in_a_plan(cls: type[Declared]) -> list[str]:
    part = IN_A_PLAN.get(kind_of(cls))
    if part is None:
        return []
    step = to_yaml({part: [step_as_plain(build(cls, cls.example))]})
    return ["## In a plan", "", f"```yaml\n{step}```", ""]


def _with_links(text: str, cls: type[Declared]) -> str:
    for source in cls.sources:
        text = text.replace(f"- {source.key}: ", f"- [{source.key}](#ref-{source.key}): ")
    return text


def _one_level_down(text: str) -> str:
    return re.sub(r"^#", "##", text, flags=re.MULTILINE)


def catalogue_index() -> str:
    """A table per family, and the table of contents of all cards."""
    lines = ["# Catalogue", "", "Everything that is declared; `tarnkappe methods` shows the same.", ""]
    for family in dict.fromkeys(cls.id.split(".")[0] for cls in catalogue):
        members = [cls for cls in catalogue if cls.id.split(".")[0] == family]
        lines += [
            f"## {FAMILIES.get(family, family)}",
            "",
            "| | English | Deutsch | Maturity |",
            "|---|---|---|---|",
        ]
        lines += [*map(_row, members), ""]
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", *(cls.id for cls in catalogue), "```", ""])


def _row(cls: type[Declared]) -> str:
    return f"| [`{cls.id}`]({cls.id}.md) | {cls.title.en} | {cls.title.de} | {cls.maturity.text.en} |"


def composition_rules() -> str:
    """What must not follow what, with the methods that leave and do it in their examples."""
    made = [(cls, build(cls, cls.example)) for cls in catalogue.methods()]
    steps = [(cls, step) for cls, step in made if isinstance(step, Method)]
    left = {cls.id: step.leaves_behind(ROLES) for cls, step in steps}
    lines: list[str] = []
    for order in ORDERS:
        leave = [id for id, traces in left.items() if any(t.mark is order.after for t in traces)]
        lines += [f"## After {order.after.text.en}", "", f"*{order.after.text.de}*", ""]
        lines += [
            f"Left by {_cards(leave)}.",
            "",
            "| A later step must not be one that | such as |",
            "|---|---|",
        ]
        for act in order.acts:
            does = [cls for cls, step in steps if act in acts_of(step, tuple(_everything(step)), ROLES)]
            lines.append(f"| {act.text.en} | {_such_as(does)} |")
        lines += ["", f"{_sentence_case(order.why.en)}. {order.instead.en}", ""]
        lines += [f"*{_sentence_case(order.why.de)}. {order.instead.de}*", ""]
    promised = [id for id, traces in left.items() if any(t.mark is Mark.PROMISED for t in traces)]
    lines += [
        "## Promises",
        "",
        f"{_cards(promised)} with `leak: masked-later` need a later step that changes or drops what they name.",
        "",
    ]
    return "\n".join(lines)


def _everything(step: Method) -> Iterator[str]:
    """All columns that a step treats or hides."""
    yield from (*step.treated_columns(), *step.hides(ROLES))


def _such_as(methods: list[type[Method]]) -> str:
    """The methods, or how many of each family where they are many."""
    if len(methods) <= MANY:
        return _cards([cls.id for cls in methods])
    families = Counter(cls.family for cls in methods)
    return ", ".join(f"*{family.text.en}* ({count})" for family, count in families.items())


def _cards(ids: list[str]) -> str:
    return ", ".join(f"[`{id.partition('.')[2]}`](../{CARDS}/{id}.md)" for id in ids)


def _sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def effects_page() -> str:
    """Table A.2 of Gottschalk: what the text says, and where the print differs."""
    lines = [
        "# What to expect of analyses",
        "",
        "Table A.2 of [Gottschalk (2002)](#ref-gottschalk2002): what each method does to estimates from the data it leaves. Entries follow the text of the",
        "work; where its printed table says something else, the printed entry stands in brackets and the reason below. Cards show the row of their method.",
        "",
        f"| | | {' | '.join(text.en for text in ESTIMATES.values())} | here |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in TABLE:
        cells = [_effect(told, printed) for told, printed in zip(row.effects, row.as_printed, strict=True)]
        here = "<br>".join(f"[`{id}`](catalogue/{id}.md)" for id in row.here)
        lines.append(f"| {row.kind.en} | {row.method.en} | {' | '.join(cells)} | {here or NO_SYNTHESIS} |")
    lines += [
        "",
        "In the second half of the print, from *wrong values* on, one entry stands for both kinds of distributions.",
        "",
    ]
    return "\n".join(
        [*lines, *(f"- **{row.method.en}.** {row.remark.en}" for row in TABLE if row.remark), ""]
    )


def _effect(told: Effect, printed: Effect) -> str:
    return told.text.en if told is printed else f"{told.text.en} (printed: {printed.text.en})"


def which_method_table() -> str:
    """Situations and what suits them; `inspect` knows those that columns show."""
    lines = ["| Situation | Take | Because | `inspect` |", "|---|---|---|---|"]
    for one in SITUATIONS:
        take = ", ".join(f"[`{id}`](/{CARDS}/{id}.md)" for id in one.take)
        lines.append(f"| {one.says.en} | {take} | {one.because.en} | {'sees it' if one.sign else ''} |")
    return "\n".join([*lines, ""])


def techniques() -> str:
    """The table of WP216 as the standard frame holds it."""
    words = {"yes": "still a risk", "no": "no risk", "may-not": "may not be a risk"}
    lines = ["| Technique | Singling out | Linkability | Inference |", "|---|---|---|---|"]
    for one in standard_frame().techniques:
        left = " | ".join(words[part] for part in (one.singling_out, one.linkability, one.inference))
        lines.append(f"| {one.name.en} | {left} |")
    return "\n".join([*lines, ""])


def limits() -> str:
    """What each entry says it does not do."""
    lines = []
    for cls in catalogue:
        lines += [f"[{cls.title.en}](/{CARDS}/{cls.id}.md) (`{cls.id}`) does not", ""]
        lines += [f"- {text.en}" for text in cls.does_not] + [""]
    return "\n".join(lines)


# -- errors -----------------------------------------------------------------------------------------------------


def error_classes() -> list[type[TarnkappeError]]:
    """Every declared error, in the order of the codes."""
    for module in pkgutil.iter_modules(errors.__path__, "tarnkappe.errors."):
        importlib.import_module(module.name)
    return sorted((cls for cls in _below(TarnkappeError) if _ours(cls)), key=lambda cls: cls.code)


def _below(cls: type[TarnkappeError]) -> Iterator[type[TarnkappeError]]:
    for child in cls.__subclasses__():
        yield child
        yield from _below(child)


def _ours(cls: type[TarnkappeError]) -> bool:
    return "code" in vars(cls) and cls.__module__.startswith("tarnkappe.")


def error_page() -> str:
    """Code, exit code, what is wrong and how to put it right, in both languages."""
    lines = [
        "# Errors", "",
        "The code never changes; the wording may improve. Words in *italics* are filled in: names, counts and positions,",
        "never a value from the data.", "",
        "In Python every error is a `TarnkappeError` and also what Python calls it: input that is wrong is a `ValueError`, a fault",
        "of Tarnkappe a `RuntimeError`; further names stand beside the exit code.", "",
    ]  # fmt: skip
    area = ""
    for cls in error_classes():
        if cls.code.split(".")[0] != area:
            area = cls.code.split(".")[0]
            lines += [f"## {area}", ""]
        lines += [
            f"(error-{cls.code})=",
            f"### `{cls.code}`",
            "",
            f"Exit code {cls.exit_code}.{_in_python(cls)}",
            "",
        ]
        lines += [f"- {_sentence(cls, lang)}" for lang in LANGUAGES] + [""]
    return "\n".join(lines)


def _in_python(cls: type[TarnkappeError]) -> str:
    """The exceptions of Python that an error is besides what all of its kind are."""
    names = [base.__name__ for base in cls.__bases__ if not issubclass(base, TarnkappeError)]
    return f" In Python a `{names[0]}`." if names else ""


def _sentence(cls: type[TarnkappeError], lang: Lang) -> str:
    says, fix = _shown(cls.says.in_(lang)), _shown(cls.fix.in_(lang))
    return f"{says} → {fix}" if fix else says


def _shown(words: str) -> str:
    """Placeholders in italics; signs that Markdown would take for its own are kept as they are."""
    parts = (
        re.sub(r"([\\`*_<>\[\]{}])", r"\\\1", text.replace("\n", " ")) + (f"*{name}*" if name else "")
        for text, name, _, _ in Formatter().parse(words)
    )
    return "".join(parts).strip()


# -- plan -------------------------------------------------------------------------------------------------------

Schema = Mapping[str, Any]


def plan_parts() -> str:
    """The fields of every part of a plan, each part below the field that holds it."""
    return "\n".join(line for title, part, known in parts_of_a_plan() for line in _part(title, part, known))


def parts_of_a_plan() -> Iterator[tuple[str, Schema, Schema]]:
    """(title, JSON schema, definitions) of the plan, of what its fields hold, of a gate and of a measure."""
    plan = model.PlanDescription.model_json_schema()
    yield "The plan", plan, plan["$defs"]
    yield from _inner("", plan, plan["$defs"])
    gate = model.GateDescription.model_json_schema()
    yield "release_if", gate, gate["$defs"]
    yield from _inner("release_if", gate, gate["$defs"])
    listed = model.MeasureDescription.model_json_schema()
    yield "measures", listed, listed["$defs"]


def _inner(title: str, part: Schema, known: Schema) -> Iterator[tuple[str, Schema, Schema]]:
    for name, field in part["properties"].items():
        place = f"{title}: {name}" if title else name
        for held in (known[ref] for ref in re.findall(r"#/\$defs/(\w+)", str(field))):
            if "properties" in held:
                yield place, held, known
                yield from _inner(place, held, known)


def _part(title: str, part: Schema, known: Schema) -> Iterator[str]:
    yield from (f"## {title}", "", "| Field | Takes | Default | English | Deutsch |", "|---|---|---|---|---|")
    for name, field in part["properties"].items():
        default = "required" if name in part.get("required", ()) else _default(field.get("default"))
        says = both(" ".join(field.get("description", "").split()))
        yield f"| `{name}` | {takes(field, known).en} | {default} | {says.en} | {says.de} |".replace(
            "->", "→"
        )
    yield ""


def _default(value: Any) -> str:
    if value in (None, [], {}):
        return ""
    if isinstance(value, dict):
        return "see below"
    return ", ".join(f"`{_spelt(word)}`" for word in (value if isinstance(value, list) else [value]))


def _spelt(value: Any) -> str:
    """As in YAML."""
    return str(value).lower() if isinstance(value, bool) else str(value) or '""'


# -- command line -----------------------------------------------------------------------------------------------


def command_line() -> str:
    """What --help says, of the whole and of every command."""
    lines = _help("tarnkappe", [])
    for name in (command.name or command.callback.__name__ for command in app.registered_commands):
        lines += [f"## {name}", "", *_help(f"tarnkappe {name}", [name])]
    return "\n".join(lines)


def _help(called: str, arguments: list[str]) -> list[str]:
    said = CliRunner().invoke(app, [*arguments, "--help"], prog_name="tarnkappe", terminal_width=100).output
    return ["```text", f"$ {called} --help", *map(str.rstrip, said.rstrip().splitlines()), "```", ""]


# -- bibliography -----------------------------------------------------------------------------------------------


def entries(text: str) -> dict[str, dict[str, str]]:
    """The entries of a BibTeX file whose values stand in braces, one field per line."""
    found = {}
    for key, body in re.findall(r"^@\w+\{\s*([^,\s]+)\s*,\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        fields = re.findall(r"^\s*(\w+)\s*=\s*\{(.*)\},?\s*$", body, re.MULTILINE)
        found[key] = {name.lower(): value.strip("{}") for name, value in fields}
    return found


def bibliography(text: str) -> str:
    """One paragraph per work, with the target that the cards link to."""
    lines = [
        "# Bibliography",
        "",
        "The card of a method names the place in the work; below a work stands what is built on it.",
        "",
    ]
    for key, work in sorted(entries(text).items()):
        rest = (work.get(field, "") for field in ("publisher", "school", "howpublished"))
        where = ", ".join(filter(None, (_journal(work), _report(work), *rest)))
        cited = f"{work['author'].replace(' and ', '; ')} ({work['year']}): *{work['title']}*. {where}."
        lines += [f"(ref-{key})=", f"`{key}`", f": {cited}", "", *_built_on(key)]
    return "\n".join(lines)


def _built_on(key: str) -> list[str]:
    """Which entries of the catalogue come from a work, each with the place: the way from the work to them."""
    places = [(cls.id, source.where) for cls in catalogue for source in cls.sources if source.key == key]
    rows = [f"  - [`{id}`](catalogue/{id}.md): {where}" for id, where in places]
    return [*rows, ""] if rows else []


def _journal(work: Mapping[str, str]) -> str:
    name = work.get("journal") or work.get("series") or work.get("booktitle", "")
    number = f" {work['volume']}" if "volume" in work else ""
    number += f"({work['number']})" if "journal" in work and "number" in work else ""
    pages = f", {work['pages'].replace('--', '–')}" if "pages" in work else ""
    return f"{name}{number}{pages}" if name else ""


def _report(work: Mapping[str, str]) -> str:
    number = f"{work.get('type', '')} {work.get('number', '')}".strip() if "institution" in work else ""
    return ", ".join(w for w in (work.get("institution", ""), number) if w)
