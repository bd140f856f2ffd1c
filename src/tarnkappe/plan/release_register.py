"""The register of releases that a plan names: opened before the run, asked before the gates, entered when the release is written."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.release_signature import Earlier, ReleaseSignature, Signer, signature
from tarnkappe.errors.register import RegisterSecret
from tarnkappe.io.paths import inside
from tarnkappe.io.release_register import ReleaseRegister, entered, read_register
from tarnkappe.language import Text, number
from tarnkappe.plan.check_register import MEASURE
from tarnkappe.plan.ledger import GateEntry, MeasureEntry
from tarnkappe.plan.model import Asked, Gate, Plan
from tarnkappe.plan.progress import Progress
from tarnkappe.randomness import Secret, look_up
from tarnkappe.spec import Declared, catalogue
from tarnkappe.spec.parameters import build

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

    @property
    def earlier(self) -> Earlier:
        return Earlier(self.held.releases, self._signer)

    @property
    def _signer(self) -> Signer:
        return Signer(self.secret.derive(_PURPOSE))

    def entry(self, plan: Plan, before: Microdata, after: Microdata, when: datetime) -> Entry:
        """What will stand in the register of this release."""
        new = signature(before, after, self._signer, plan.title, when.date().isoformat())
        return Entry(self.path, self.held, self.secret.fingerprint, new)


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
    return Book(path, held, secret, plan.register.k or _asked_k(plan.gates))


def needs_book(asked: Asked) -> bool:
    """Can it only be measured with a register of releases?"""
    return _is_held_against(asked.measure)


def measured_with(
    book: Book | None, asked: Iterable[Asked], before: Microdata, after: Microdata, progress: Progress
) -> list[MeasureEntry]:
    """Hold the release against the register: as the plan asks for it, and at any rate once."""
    if book is None or len(after) == 0:
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
            because = finding.because if not finding.trusted else entry.measure.reads.filled(value=value)
            held = finding.trusted and finding.value >= book.k
            yield GateEntry(says=says, held=held, because=because, public=False, helps=_TOGETHER)


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
