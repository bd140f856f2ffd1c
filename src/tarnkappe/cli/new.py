"""new: the twelve steps as questions, and a commented plan from the answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tarnkappe.cli.interview import Interview
from tarnkappe.cli.look import show_columns, tell_reading
from tarnkappe.cli.screen import language, out, say
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.release import FileExists
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.read import read_telling
from tarnkappe.io.staging import write_new, write_over
from tarnkappe.language import Lang, Text
from tarnkappe.plan.answers import Answers, checked_answers, read_answers
from tarnkappe.plan.data_source import data_source
from tarnkappe.plan.document import Document
from tarnkappe.plan.frame import Frame, frame_of, standard_frame
from tarnkappe.plan.new_plan import NewPlan, new_plan
from tarnkappe.plan.open_points import NO_AGREEMENT
from tarnkappe.plan.process import Profile
from tarnkappe.plan.propose import ColumnProposal, Proposal, propose
from tarnkappe.plan.public_variables import public_list
from tarnkappe.plan.similar import similar
from tarnkappe.vocab import Role


def new(asked: Any, options: ReadOptions) -> None:
    """Ask or read the answers, propose, write the plan and say what is open."""
    spoken, plan = language(asked.lang), asked.out
    if plan.exists() and not asked.replace:
        raise FileExists(file=str(plan))
    told = read_answers(asked.answers) if asked.answers else None
    file = asked.data or _data_file(told, asked.answers, spoken)
    home = plan.resolve().parent
    records, how = read_telling(file, options)
    tell_reading(file, how, spoken)
    public = public_list(asked.public)
    told = told or _asked(records, file.name, spoken)
    made = new_plan(records, data_source(file, home, options, how), home, told, spoken, public)
    (write_over if asked.replace else write_new)(plan, made.text.encode())
    _summary(made, plan, frame_of(told.process.frame, home), spoken)


def _data_file(told: Answers | None, answers: Path | None, lang: Lang) -> Path:
    """The data file of the answers lies beside them; otherwise it is asked for."""
    if told and answers and told.data:
        return answers.parent / told.data
    question = Text("Data file", "Datendatei")
    while True:
        given = Interview(lang).words(question)
        if given:
            return Path(given)


def _summary(made: NewPlan, plan: Path, frame: Frame, lang: Lang) -> None:
    for one in made.alike:
        out.print(f"• {one.text.in_(lang)}", markup=False, soft_wrap=True)
    for remark in made.proposal.remarks:
        out.print(f"• {remark.in_(lang)}", markup=False, soft_wrap=True)
    if made.open:
        out.print(Text("\nStill open:", "\nNoch offen:").in_(lang), markup=False)
    for point in made.open:
        step = frame.steps[point.step - 1].title.text.in_(lang)
        out.print(f"  {point.step:>2}  {step}: {point.says.in_(lang)}", markup=False, soft_wrap=True)
    done = Text(
        "\nPlan written. Look at it, then: tarnkappe check {plan} and tarnkappe run {plan} --out DIR\n{notice}",
        "\nPlan geschrieben. Ansehen, dann: tarnkappe check {plan} und tarnkappe run {plan} --out DIR\n{notice}",
    )
    say(done, lang, plan=plan, notice=frame.notice.text)


# -- the questions --------------------------------------------------------------------------------------------------


def _asked(data: Microdata, file: str, lang: Lang) -> Answers:
    """Ask everything that only people can answer; an empty answer leaves a question open."""
    ask = _Questions(Interview(lang), data, propose(data, file), standard_frame())
    say(
        Text(
            "Questions along the twelve steps. Enter leaves a question open or takes what stands in brackets.",
            "Fragen entlang der zwölf Schritte. Eingabetaste lässt eine Frage offen oder übernimmt, was in Klammern steht.",
        ),
        lang,
    )
    content: dict[str, Any] = {"title": ask.talk.words(Text("Title of the release", "Titel der Freigabe"))}
    process: dict[str, Any] = {"need": ask.need()}
    content["roles"] = ask.roles()
    dispensable = ask.preparation(process)
    process["audience"] = ask.audience()
    process["scenarios"] = ask.scenarios(process["audience"]["profile"])
    process["use"] = ask.use(dispensable)
    ask.release(process)
    content["process"] = process
    return checked_answers(Document(content, name=file))


@dataclass(frozen=True, slots=True)
class _Questions:
    """The questions of the steps, with what the data says to them."""

    talk: Interview
    data: Microdata
    found: Proposal
    frame: Frame

    def _begin(self, number: int) -> None:
        step = self.frame.steps[number - 1]
        self.talk.title(number, step.title.text, step.asks.text)

    def need(self) -> dict[str, Any]:
        """Step 1, without the roles."""
        self._begin(1)
        words = self.talk.words
        told: dict[str, Any] = {
            "why": words(Text("Why must the data be protected?", "Warum sind die Daten zu schützen?")),
            "basis": self.talk.several(
                Text(
                    "Legal basis, such as GDPR Art. 6(1)(e); …",
                    "Rechtsgrundlage, etwa Art. 6 Abs. 1 Buchst. e DSGVO; …",
                )
            ),
        }
        if special := [c.name for c in self.found.columns if c.article]:
            says = Text("Specially protected: {names}", "Besonders geschützt: {names}")
            self.talk.tell(says.filled(names=", ".join(special)))
            told["special"] = words(
                Text(
                    "Basis for special categories (Art. 9, 10)",
                    "Grundlage für besondere Kategorien (Art. 9, 10)",
                )
            )
        told["officer"] = words(
            Text(
                "How was the data protection officer involved?",
                "Wie war die oder der Datenschutzbeauftragte beteiligt?",
            )
        )
        told["assessment"] = {
            "reference": words(
                Text("Where is the impact assessment filed?", "Wo liegt die Datenschutz-Folgenabschätzung?")
            ),
            "consequences": words(
                Text(
                    "What would follow if somebody were recognised?",
                    "Welche Folgen hätte es, wenn jemand erkannt würde?",
                )
            ),
        }
        return told

    def roles(self) -> dict[str, str]:
        """Step 1: the role of every column, as proposed or otherwise."""
        show_columns(self.found, self.talk.lang)
        question = Text("Other roles, as column=role, …", "Andere Rollen, als Spalte=Rolle, …")
        return self.talk.pairs(question, self.data.names, [role.value for role in Role])

    def preparation(self, process: dict[str, Any]) -> list[str]:
        """Step 2: what says the same or depends on each other; the columns that can go."""
        self._begin(2)
        for one in similar(self.data, self.found.dependencies):
            self.talk.tell(one.text)
        pairs = [f"{d.on} → {d.of}" for d in self.found.dependencies]
        if pairs:
            says = Text("One follows from the other: {pairs}", "Eines folgt aus dem anderen: {pairs}")
            self.talk.tell(says.filled(pairs=", ".join(pairs[:12])))
        process["preparation"] = self.talk.words(
            Text(
                "What was cleaned, merged or removed before?",
                "Was wurde vorher bereinigt, zusammengeführt oder entfernt?",
            )
        )
        question = Text("Columns to leave out, with commas", "Spalten, die wegfallen, mit Kommas")
        return self.talk.names(question, self.data.names)

    def audience(self) -> dict[str, Any]:
        """Step 3: who receives it."""
        self._begin(3)
        profiles = {p.value: p.text for p in Profile}
        profile = self.talk.one_of(Text("Who receives the data?", "Wer erhält die Daten?"), profiles)
        told: dict[str, Any] = {
            "profile": profile,
            "who": self.talk.words(Text("The target group in words", "Die Zielgruppe in Worten")),
        }
        if profile != Profile.PUBLIC:
            told["other_data"] = self.talk.words(
                Text(
                    "What other data on these people do they hold?",
                    "Welche Daten über diese Personen haben sie sonst?",
                )
            )
        if profile not in NO_AGREEMENT:
            for advice in self.frame.reductions:
                self.talk.tell(advice.text)
            told["agreement"] = self.talk.words(
                Text("What have they agreed to?", "Wozu haben sie sich verpflichtet?")
            )
        return told

    def scenarios(self, profile: str | None) -> list[dict[str, Any]]:
        """Step 4: which attacks are to be expected; the reason is part of the answer."""
        self._begin(4)
        likely = self.frame.likely(Profile(profile) if profile else None)
        told = []
        for one in self.frame.scenarios:
            self.talk.tell(one.says.text)
            expected = self.talk.sure(Text("To be expected?", "Zu erwarten?"), default=one in likely)
            because = self.talk.words(Text("Why?", "Warum?"))
            if because:
                told.append({
                    "attack": one.id, "because": because, "excluded": not expected,
                    "attacker": one.attacker.value if one.attacker else None,
                })  # fmt: skip
        return told

    def use(self, dispensable: list[str]) -> dict[str, Any]:
        """Step 5: analyses, granularity, cadence."""
        self._begin(5)
        analyses = self.talk.several(
            Text("Planned analyses; between semicolons", "Geplante Auswertungen; mit Semikolons")
        )
        granularity = {
            column.name: level
            for column in self.found.columns
            if column.hierarchy and column.name not in dispensable
            if (level := self._level(column)) is not None
        }
        cadence = self.talk.words(Text("How often is data released?", "Wie oft werden Daten freigegeben?"))
        return {
            "analyses": analyses,
            "granularity": granularity,
            "dispensable": dispensable,
            "cadence": cadence,
        }

    def _level(self, column: ColumnProposal) -> int | None:
        """The coarsest level that is still of use, by number: 1 is the coarsest."""
        way, levels = next(iter((column.hierarchy or {}).items()))
        question = Text(
            "{name}, {way} {levels}: coarsest level still of use, 1 to {n}",
            "{name}, {way} {levels}: gröbste noch brauchbare Ebene, 1 bis {n}",
        )
        steps = levels if isinstance(levels, list) else [levels]
        asked = question.filled(name=column.name, way=way, levels=", ".join(map(str, steps)), n=len(steps))
        while True:
            given = self.talk.words(asked)
            if given is None or (given.isdigit() and 1 <= int(given) <= len(steps)):
                return None if given is None else int(given)
            self.talk.tell(Text("Please give a number of a level.", "Bitte die Nummer einer Ebene angeben."))

    def release(self, process: dict[str, Any]) -> None:
        """Step 12: who will approve, and when it is looked at again."""
        self._begin(12)
        who = self.talk.words(Text("Who approves?", "Wer stimmt zu?"))
        process["approvals"] = [{"who": who}] if who else []
        process["review"] = self.talk.words(
            Text("Date of review, such as 2027-12-31", "Termin der Überprüfung, etwa 2027-12-31")
        )
