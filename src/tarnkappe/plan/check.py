"""Check a plan whole, before data is read: every problem at once, each with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tarnkappe.errors import TarnkappeError, did_you_mean
from tarnkappe.errors.files import FileMissing
from tarnkappe.io.write import FORMATS
from tarnkappe.language import Text
from tarnkappe.plan.accept import accept_problems
from tarnkappe.plan.check_columns import column_problems
from tarnkappe.plan.check_composition import composition_problems
from tarnkappe.plan.check_measures import checked_gates, checked_measures
from tarnkappe.plan.check_process import process_problems
from tarnkappe.plan.check_register import register_problems
from tarnkappe.plan.check_relations import checked_relations
from tarnkappe.plan.check_tables import checked_tables
from tarnkappe.plan.document import Document, Place, load
from tarnkappe.plan.files import named_files, path_of
from tarnkappe.plan.model import VERSION, Plan, PlanDescription
from tarnkappe.plan.policy import Policy, policy_of
from tarnkappe.plan.problems import Problem, wrong
from tarnkappe.plan.things import STEPS, things
from tarnkappe.randomness import found
from tarnkappe.spec import Declared, Maturity, Method
from tarnkappe.spec.parameters import fit
from tarnkappe.vocab import Role

_NOT_OUTSIDE = Text(
    "here a plan may only name data in its own folder or below; put the file there, or run the plan from the command line",
    "hier darf ein Plan nur Daten in seinem Ordner oder darunter nennen; legen Sie die Datei dorthin, oder führen Sie den Plan auf der "
    "Kommandozeile aus",
)


def check_file(path: str | Path, reading: Mapping[str, Any] | None = None) -> Plan:
    """Read and check a plan file; `reading` says how its data is read instead of what the plan says: encoding, separator …"""
    document = load(Path(path))
    if reading and isinstance(document.content, dict) and isinstance(document.content.get("data"), dict):
        data = {**document.content["data"], **reading}
        document = replace(document, content={**document.content, "data": data})
    return check(document, Path(path).resolve().parent, outside=True)


def check(document: Document, folder: Path, *, outside: bool = False) -> Plan:
    """Check a plan; raise one error that lists every problem. Only with `outside` may it name data outside its folder."""
    problems: list[Problem] = []
    content = document.content if isinstance(document.content, dict) else {}
    described, misfits = fit(PlanDescription, content)
    problems += [Problem(m.place, m.says) for m in misfits]
    steps = dict(things(("steps",), content.get("steps"), STEPS, problems))
    measures = dict(checked_measures(content.get("measures"), problems))
    gates = dict(checked_gates(content.get("release_if"), problems))
    tables = list(checked_tables(content.get("tables"), problems))
    sound = described or fit(PlanDescription, _without(content, [m.place for m in misfits]))[0]
    policy = _policy(sound, folder, problems) if sound else None
    relations = tuple(checked_relations(sound, problems)) if sound else ()
    if sound:
        problems += _version(sound)
        problems += _roles(sound)
        problems += _files(sound, folder, outside=outside)
        problems += _something(sound)
        problems += _tables(sound)
        problems += _published(sound)
        problems += _formats(sound)
        problems += _secret(sound, folder)
        problems += _identifiers(sound, steps)
        judged = {place: gate.measure for place, gate in gates.items()}
        taken = {place: asked.measure for place, asked in measures.items()}
        problems += _experimental(sound, {**steps, **taken, **judged})
        if not any(problem.place[:2] == ("data", "roles") for problem in problems):
            held = {place for place, asked in measures.items() if asked.against}
            held |= {place for place, gate in gates.items() if gate.against}
            problems += column_problems(sound, steps, {**taken, **judged}, held)
            problems += composition_problems(sound, steps)
        problems += register_problems(sound, folder, {**taken, **judged})
        problems += process_problems(sound, folder, steps)
    if problems or described is None or policy is None:
        raise wrong(document.name, problems, document.lines)
    return Plan(
        title=described.title, data=described.data, release=described.release,
        secret=described.seed.secret if described.seed else None,
        steps=tuple(steps.values()), measures=tuple(measures.values()), gates=tuple(gates.values()),
        folder=folder, source=content, lines=document.lines, file=document.name, tables=tuple(tables),
        published=described.published, register=described.releases, consistency=described.consistency,
        process=described.process, policy=policy, accept=described.accept, relations=relations,
    )  # fmt: skip


def _policy(plan: PlanDescription, folder: Path, problems: list[Problem]) -> Policy | None:
    """The policy of the release; what is wrong with it, or with what is accepted of it, becomes a problem."""
    file = plan.release.policy
    try:
        policy = policy_of(plan.release.kind, file, folder)
    except FileMissing:
        return None  # told among the files
    except TarnkappeError as problem:
        problems.append(Problem(("release", "policy"), problem.what))
        return None
    problems += accept_problems(plan.accept, policy)
    return policy


def _without(content: Mapping[str, Any], places: Iterable[Place]) -> dict[str, Any]:
    """The content without the parts at these places, so that the rest is checked in the same go."""
    faulty: dict[str, set[Place]] = {}
    for place in places:
        if place:
            faulty.setdefault(str(place[0]), set()).add(place[1:])
    out = dict(content)
    for name, inner in faulty.items():
        part = out.get(name)
        if isinstance(part, dict) and all(p and p[0] in part for p in inner):
            out[name] = _without(part, inner)
        else:
            out.pop(name, None)
    return out


def _version(plan: PlanDescription) -> Iterator[Problem]:
    if not 1 <= plan.tarnkappe <= VERSION:
        says = Text(
            f"this release of Tarnkappe reads plans up to format {VERSION}",
            f"diese Version von Tarnkappe liest Pläne bis Format {VERSION}",
        )
        yield Problem(("tarnkappe",), says)


def _roles(plan: PlanDescription) -> Iterator[Problem]:
    roles = plan.data.roles if plan.data else {}
    for role, names in roles.items():
        if role.single and len(names) > 1:
            yield Problem(("data", "roles", role.value), Text("takes one column", "nimmt nur eine Spalte"))
    others = {n for role, names in roles.items() if role is not Role.IDENTIFIER for n in names}
    for name in roles.get(Role.IDENTIFIER, ()):
        if name in others:
            says = Text(f"{name!r} has other roles too", f"{name!r} hat noch andere Rollen")
            yield Problem(("data", "roles", "identifier"), says)


def _something(plan: PlanDescription) -> Iterator[Problem]:
    """A plan needs data, or tables that all come from files."""
    if plan.data is None and (plan.steps or not plan.tables or any(t.file is None for t in plan.tables)):
        says = Text("data: is required", "data: muss angegeben werden")
        yield Problem((), says)


def _tables(plan: PlanDescription) -> Iterator[Problem]:
    identifiers = set(plan.data.roles.get(Role.IDENTIFIER, ())) if plan.data else set()
    for number, table in enumerate(plan.tables):
        if table.name in [t.name for t in plan.tables[:number]]:
            yield Problem(("tables", number, "name"), Text("is given twice", "steht doppelt"))
        if table.file is None and identifiers & set(table.by):
            says = Text(
                "a direct identifier is no dimension", "ein direkter Identifikator ist keine Dimension"
            )
            yield Problem(("tables", number, "by"), says)
        if len(set(table.by)) < len(table.by):
            yield Problem(
                ("tables", number, "by"), Text("names a dimension twice", "nennt eine Dimension doppelt")
            )


def _published(plan: PlanDescription) -> Iterator[Problem]:
    """An earlier publication is a release, or a file with its dimensions."""
    for number, earlier in enumerate(plan.published):
        if (earlier.release is None) == (earlier.file is None) or (earlier.file is not None) != bool(
            earlier.by
        ):
            says = Text(
                "names either a release, or a file with by",
                "nennt entweder eine Freigabe (release) oder eine Datei mit by",
            )
            yield Problem(("published", number), says)


def _files(plan: PlanDescription, folder: Path, *, outside: bool) -> Iterator[Problem]:
    if plan.data and plan.data.outside and not outside:
        yield Problem(("data", "outside"), _NOT_OUTSIDE)
        return
    for place, name in named_files(plan):
        try:
            found = path_of(plan, folder, place, name)
        except TarnkappeError as problem:
            yield Problem(place, problem.what)
            continue
        if not found.is_file():
            where = found.parent if found.parent.is_dir() else folder
            here = [p.name for p in where.iterdir() if p.is_file()]
            says = Text("there is no such file. {hint}", "diese Datei gibt es nicht. {hint}")
            yield Problem(place, says.filled(hint=did_you_mean(name, here)))


def _formats(plan: PlanDescription) -> Iterator[Problem]:
    formats = plan.release.formats
    for number, name in enumerate(formats):
        if name not in FORMATS:
            says = Text("is not a format. {hint}", "ist kein Format. {hint}")
            yield Problem(("release", "formats", number), says.filled(hint=did_you_mean(name, FORMATS)))
        elif name in formats[:number]:
            yield Problem(("release", "formats", number), Text("is given twice", "steht doppelt"))


def _secret(plan: PlanDescription, folder: Path) -> Iterator[Problem]:
    """A secret that is there already must be one that can be used; what is not there is drawn by the run."""
    if plan.seed:
        try:
            found(plan.seed.secret, folder)
        except TarnkappeError as problem:
            yield Problem(("seed", "secret"), _with_remedy(problem))


def _with_remedy(problem: TarnkappeError) -> Text:
    """An error as a problem of the plan: its code, what is wrong and what helps."""
    what, remedy = problem.what, problem.remedy
    return Text(f"[{problem.code}] {what.en} {remedy.en}", f"[{problem.code}] {what.de} {remedy.de}")


def _identifiers(plan: PlanDescription, steps: Mapping[Place, Method]) -> Iterator[Problem]:
    """An identifier is one until a step that may do so has treated it."""
    identifiers = set(plan.data.roles.get(Role.IDENTIFIER, ())) if plan.data else set()
    for place, step in steps.items():
        used = sorted(identifiers & (set(step.named_columns()) - set(step.unit_columns())))
        if step.takes_identifiers:
            identifiers -= set(used)
        elif used:
            says = Text(
                "{id} cannot treat the direct identifier {name!r}; drop or pseudonymise it first",
                "{id} kann den direkten Identifikator {name!r} nicht behandeln; entfernen oder "
                "pseudonymisieren Sie ihn zuerst",
            )
            yield Problem(place, says.filled(id=step.id, name=used[0]))


def _experimental(plan: PlanDescription, things: Mapping[Place, Declared]) -> Iterator[Problem]:
    if "experimental" in plan.allow:
        return
    for place, thing in things.items():
        if thing.maturity is Maturity.EXPERIMENTAL:
            says = Text(
                "{id} is experimental; say allow: [experimental] to use it",
                "{id} ist experimentell; zum Verwenden allow: [experimental] angeben",
            )
            yield Problem(place, says.filled(id=thing.id))
