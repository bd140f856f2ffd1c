"""The register of releases that a plan names: opened before the run, asked before the gates, entered when the release is written."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from tarnkappe.data.digest import digest_of
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.release_signature import Earlier, ReleaseSignature, Signer, signature
from tarnkappe.errors.register import RegisterSecret
from tarnkappe.io.paths import inside
from tarnkappe.io.release_register import ReleaseRegister, entered, read_register
from tarnkappe.language import Text, listed, number
from tarnkappe.plan.check_register import MEASURE
from tarnkappe.plan.implied import steps_of
from tarnkappe.plan.ledger import GateEntry, MeasureEntry, TableEntry
from tarnkappe.plan.model import Asked, Gate, Plan
from tarnkappe.plan.policy import EDITIONS
from tarnkappe.plan.policy_gates import accepted
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.registered_tables import RegisteredTables, registered_tables, signatures_of
from tarnkappe.randomness import Secret, look_up
from tarnkappe.spec import Declared, Family, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.vocab import Role

LEAST = 2
"""Smallest common class where neither the register nor a gate says otherwise."""
_PURPOSE = "release register"


@dataclass(frozen=True, slots=True, eq=False)
class Book:
    """An open register."""

    path: Path
    held: ReleaseRegister
    secret: Secret
    k: int
    of_records: bool = True
    """The plan releases records, not only tables."""

    @property
    def earlier(self) -> Earlier:
        return Earlier(self.held.releases, self._signer)

    @property
    def _signer(self) -> Signer:
        return Signer(self.secret.derive(_PURPOSE))

    def source(self, before: Microdata) -> str:
        """The signature of the data."""
        return self._signer.sign("source", digest_of(before))

    def tables(self, before: Microdata) -> RegisteredTables:
        """The tables of earlier releases."""
        return registered_tables(self.held.releases, self.source(before), before)

    def noise(self, plan: Plan, after: Microdata, secret: Secret) -> dict[str, str]:
        """How noise was put on every released column: two releases that say the same have the same noise."""
        out: dict[str, str] = {}
        for step, _ in steps_of(plan):
            if step.family is Family.NOISE:
                drawn = self._signer.sign("noise", secret.fingerprint, step.id, step.model_dump_json())
                out |= {n: out.get(n, "") + drawn for n in step.treated_columns() if n in after.names}
        return out

    def averaging(self, noise: Mapping[str, str], source: str) -> list[str]:
        """Columns that were released before from the same data with other noise: the mean of both is nearer to the truth."""
        same_data = [r for r in self.held.releases if r.source == source]
        return sorted({n for r in same_data for n, drawn in r.noise.items() if noise.get(n, drawn) != drawn})

    def entry(self, run: Releasing, secret: Secret, when: datetime) -> Entry:
        """What will stand in the register of this release."""
        plan, before, after, tables = run
        date = when.date().isoformat()
        if plan.releases_data:
            new = signature(before, after, self._signer, plan.title, date)
        else:
            new = ReleaseSignature(plan.title, date, 0, 0, (), {})
        plain = tuple(n for n in after.names if n in before.names and Role.KEY not in after.roles_of(n))
        new = replace(
            new, plain=plain if plan.releases_data else (), source=self.source(before), tables=signatures_of(tables),
            noise=self.noise(plan, after, secret) if plan.releases_data else {},
        )  # fmt: skip
        return Entry(self.path, self.held, self.secret.fingerprint, new)


class Releasing(NamedTuple):
    """What a run has made."""

    plan: Plan
    before: Microdata
    after: Microdata
    tables: tuple[TableEntry, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A release that is entered when it is written."""

    path: Path
    checked: ReleaseRegister
    secret: str
    """Keyed fingerprint."""
    new: ReleaseSignature


def opened(plan: Plan) -> Book | None:
    """Open the register of a plan, if it names one; the secret must be the one it was written with."""
    if plan.register is None:
        return None
    path = inside(plan.folder, plan.register.file)
    held = read_register(path)
    secret = look_up(plan.register.secret_name, plan.folder)
    if held.seal and held.secret != secret.fingerprint:
        raise RegisterSecret(file=plan.register.file, name=secret.name)
    return Book(path, held, secret, plan.register.k or _asked_k(plan.gates), plan.releases_data)


def needs_book(asked: Asked) -> bool:
    """Can it only be measured with a register of releases?"""
    return _is_held_against(asked.measure)


def measured_with(
    book: Book | None, asked: Iterable[Asked], before: Microdata, after: Microdata, progress: Progress
) -> list[MeasureEntry]:
    """Hold the release against the register: as the plan asks for it, and at any rate once."""
    if book is None or len(after) == 0 or not book.of_records:
        return []
    measures: list[Any] = [one.measure for one in asked if needs_book(one)]
    if not measures:
        measures = [build(catalogue[MEASURE], {})]
        progress.expect_also(1)
    found = []
    for measure in measures:
        progress.next(Text(f"measuring: {measure.title.en}", f"Messung: {measure.title.de}"))
        began = time.perf_counter()
        finding = measure.held_against(book.earlier, after, before)
        found.append(MeasureEntry(measure, None, finding, time.perf_counter() - began))
    return found


_TOGETHER = Text(
    "Make keys coarser, leave out a key that an earlier release has, or give both receivers the same file.",
    "Schlüssel vergröbern, einen Schlüssel weglassen, den eine frühere Freigabe hat, oder beiden Empfängern dieselbe Datei geben.",
)


def register_gate(
    book: Book | None, gates: Iterable[Gate], found: Iterable[MeasureEntry]
) -> Iterator[GateEntry]:
    """With a register, a release that earlier ones undo is refused; a gate of the plan on the same measure goes before."""
    if book is None or any(_is_held_against(gate.measure) for gate in gates):
        return
    for entry in found:
        if _is_held_against(entry.measure):
            finding = entry.after
            says = Text(
                f"together with earlier releases every class has at least {book.k} records",
                f"zusammen mit früheren Freigaben hat jede Klasse mindestens {book.k} Datensätze",
            )
            value = Text(number(finding.value, "en"), number(finding.value, "de"))
            because = (
                finding.because
                if not finding.trusted
                else (finding.reads or entry.measure.reads).filled(value=value)
            )
            held = finding.trusted and finding.value >= book.k
            yield GateEntry(says=says, held=held, because=because, public=False, helps=_TOGETHER)


_AVERAGES = Text(
    "Release the same file again, with the same secret and the same steps; or sign it with a written reason (accept: what: editions).",
    "Dieselbe Datei noch einmal freigeben, mit demselben Geheimnis und denselben Schritten; oder mit schriftlicher Begründung zeichnen (accept: what: "
    "editions).",
)


def edition_gates(
    book: Book | None, run: Releasing, secret: Secret, found: Iterable[MeasureEntry]
) -> Iterator[GateEntry]:
    """What earlier releases of the register tell together with this one beside classes: noise that averages out, and who came or went."""
    if book is None or not book.of_records or len(run.after) == 0:
        return
    signed = accepted(run.plan, EDITIONS)
    names = book.averaging(book.noise(run.plan, run.after, secret), book.source(run.before))
    says = Text(
        "no noise averages out over releases of the register",
        "kein Rauschen mittelt sich über Freigaben des Registers heraus",
    )
    because = Text(
        "the same data was released before with other noise on {names}",
        "dieselben Daten wurden schon mit anderem Rauschen auf {names} freigegeben",
    ).filled(names=listed(names))
    if names or book.held.releases:
        yield GateEntry(
            says,
            held=not names or bool(signed),
            because=because if names else Text("", ""),
            public=False,
            helps=_AVERAGES,
        )
    changed = sum(int(count) for e in found if _is_held_against(e.measure) for count in _changed_classes(e))
    if book.held.releases:
        says = Text(
            "no class differs from an earlier release by one or two records",
            "keine Klasse weicht von einer früheren Freigabe um ein oder zwei Datensätze ab",
        )
        because = Text(
            "{n} classes do: the difference of the files shows who came or went",
            "{n} Klassen tun es: Die Differenz der Dateien zeigt, wer kam oder ging",
        ).filled(n=changed)
        yield GateEntry(
            says, held=not changed or bool(signed), because=because if changed else Text("", ""), public=False,
            helps=_NEWCOMERS,
        )  # fmt: skip


_NEWCOMERS = Text(
    "Wait until more have come, make classes coarser so that each changes by none or by three and more, or sign it with a written reason (accept: what: "
    "editions).",
    "Warten, bis mehr dazugekommen sind, Klassen vergröbern, sodass jede sich um keinen oder um drei und mehr ändert, oder mit schriftlicher Begründung "
    "zeichnen (accept: what: editions).",
)


def _changed_classes(entry: MeasureEntry) -> list[int]:
    told = entry.after.details.get("classes_changed")
    return list(told.values()) if isinstance(told, dict) else []


@contextmanager
def written_with(entry: Entry | None) -> Iterator[None]:
    """Around the moment in which a release is moved into place."""
    if entry is None:
        yield
        return
    with entered(entry.path, entry.checked, entry.secret, entry.new):
        yield


def _is_held_against(measure: Declared) -> bool:
    return measure.id == MEASURE


def _asked_k(gates: Iterable[Gate]) -> int:
    """The k that the plan asks of the release alone."""
    asked = [g.at_least for g in gates if g.measure.id == "risk.k-anonymity" and g.at_least is not None]
    return max([LEAST, *(int(-(-k // 1)) for k in asked)])
