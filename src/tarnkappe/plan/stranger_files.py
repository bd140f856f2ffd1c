"""A finished release, read from its public files as a stranger reads it, and attacked by all that the catalogue has."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.seen import Fact, Seen, SeenTable
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.release import NotOurRelease
from tarnkappe.errors.risk import NotAnAttack
from tarnkappe.io.documents import read_json
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.paths import inside
from tarnkappe.io.published import PublishedFile
from tarnkappe.io.read import read_telling
from tarnkappe.io.released import ABOUT, OPTIONS, ReleasedTable
from tarnkappe.io.released_data import ReleasedColumn, released_data
from tarnkappe.io.seen_tables import seen_table
from tarnkappe.io.staging import MARK
from tarnkappe.language import Text, listed
from tarnkappe.plan.attack_files import SHUFFLED, aligned_columns, by_identity
from tarnkappe.plan.ledger import AttackEntry, Colour
from tarnkappe.plan.policy import AttacksDescription
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.scoring import Score, Truth
from tarnkappe.plan.strangers import Scorer, judged, ways
from tarnkappe.plan.unlinked_truth import UnlinkedTruth
from tarnkappe.spec import Attack, catalogue

_PUBLIC = Text(
    "The stranger has the public files of the release and nothing else.",
    "Der Fremde hat die öffentlichen Dateien der Freigabe und sonst nichts.",
)
_EARLIER = Text(
    "He also has {count} other releases of the same data.",
    "Außerdem hat er {count} andere Freigaben derselben Daten.",
)
_NO_TRUTH = Text(
    "Without --original nobody knows whether his guesses are right: only those of which he is sure are counted.",
    "Ohne --original weiß niemand, ob seine Vermutungen stimmen: Gezählt werden nur solche, deren er sicher ist.",
)
_BY_ID = Text("Guesses are scored by {names}.", "Vermutungen werden anhand von {names} bewertet.")
_BY_ORDER = Text(
    "Guesses are scored record by record: the release keeps the order of the original.",
    "Vermutungen werden Datensatz für Datensatz bewertet: Die Freigabe behält die Reihenfolge des Originals.",
)
_BY_GROUPS = Text(
    "Which record is whose is not known (give --id where a column tells). A guess counts as right where an original that agrees in {names} has the "
    "value: an upper bound.",
    "Welcher Datensatz wessen ist, ist unbekannt (--id angeben, wenn eine Spalte es sagt). Eine Vermutung gilt als richtig, wenn ein Original, das in "
    "{names} übereinstimmt, den Wert hat: eine obere Schranke.",
)


M = TypeVar("M", bound=BaseModel)


class _Step(BaseModel):
    step: int
    id: str
    columns: tuple[str, ...] = ()


class _Told(BaseModel):
    step: int
    facts: dict[str, Any] = {}


class _About(BaseModel):
    methods: tuple[_Step, ...] = ()
    corrections: tuple[_Told, ...] = ()
    tables: tuple[ReleasedTable, ...] = ()


class _Certificate(BaseModel):
    columns: dict[str, ReleasedColumn]
    files: dict[str, str]
    records: int


@dataclass(frozen=True, slots=True)
class StrangerAttack:
    """What a stranger reached with a finished release."""

    basis: tuple[Text, ...]
    """What he has and how guesses are scored."""
    entries: tuple[AttackEntry, ...]
    scored: bool

    @property
    def colour(self) -> Colour:
        """The worst of all attacks."""
        found = {entry.colour for entry in self.entries}
        return next((c for c in (Colour.REFUSED, Colour.SIGNED) if c in found), Colour.CLEAR)


@dataclass(frozen=True, slots=True)
class Original:
    """The file that a release was made from, for scoring."""

    file: Path
    identity: tuple[str, ...] = ()
    options: ReadOptions = field(default_factory=ReadOptions)


def attack_release(
    folder: Path,
    original: Original | None = None,
    earlier: Sequence[Path] = (),
    only: Sequence[str] = (),
    progress: Progress | None = None,
) -> StrangerAttack:
    """Attack a finished release with everything the catalogue has; the original only scores."""
    progress = progress or Progress()
    chosen = _chosen(only)
    seen = replace(read_seen(folder), earlier=tuple(read_seen(one) for one in earlier))
    truth, how = _truth(folder, seen, original)
    basis = (_PUBLIC, *((_EARLIER.filled(count=len(earlier)),) if earlier else ()), how)
    limits = AttacksDescription()
    progress.expect_also(len(chosen))
    entries = []
    for cls in chosen:
        progress.next(Text(f"attack: {cls.title.en}", f"Angriff: {cls.title.de}"))
        entries.append(_entry(cls(), seen, truth, limits))
    return StrangerAttack(basis, tuple(entries), scored=truth is not None)


def _chosen(only: Sequence[str]) -> list[type[Attack]]:
    known = {cls.id: cls for cls in catalogue.attacks()}
    for id in only:
        if id not in known:
            raise NotAnAttack(id=id, hint=did_you_mean(id, known))
    return [cls for id, cls in known.items() if not only or id in only]


def _entry(attack: Attack, seen: Seen, truth: Scorer | None, limits: AttacksDescription) -> AttackEntry:
    """With the truth as in a run; without it an attack stands out where the stranger is sure of something."""
    began = time.perf_counter()
    attempt = attack.attempt(seen)
    if truth is None:
        score = Score(answers=attempt.answers, sure=attempt.sure)
        colour = Colour.SIGNED if attempt.sure else Colour.CLEAR
        how = ways(attempt) if colour is not Colour.CLEAR else ()
    else:
        score, colour, how = judged(attempt, truth, limits)
    return AttackEntry(
        attack, colour, attempt.tried, score, how, attempt.could_not, time.perf_counter() - began
    )


def read_seen(folder: Path) -> Seen:
    """The public files of a release: data, what its documents tell, tables."""
    certificate = _read(folder, MARK, _Certificate)
    about = _read(folder, ABOUT, _About)
    told = {one.step: one.facts for one in about.corrections}
    return Seen(
        _data(folder, certificate),
        tuple(Fact(one.step, one.id, one.columns, told.get(one.step, {})) for one in about.methods),
        tuple(_table(folder, one) for one in about.tables),
    )


def _read(folder: Path, name: str, form: type[M]) -> M:
    try:
        return form.model_validate(read_json(folder / name))
    except (OSError, ValueError, RecursionError, ValidationError):
        raise NotOurRelease(folder=str(folder), why=name) from None


def _data(folder: Path, told: _Certificate) -> Microdata | None:
    """The released records from the file that keeps most; none where only tables are released."""
    files = [name for name in told.files if name.startswith("data.")]
    for name in sorted(files, key=lambda name: not name.endswith(".parquet")):
        if (data := released_data(inside(folder, name), told.columns)) is not None:
            return data
    if files:
        raise NotOurRelease(folder=str(folder), why="data.*")
    return None


def _table(folder: Path, told: ReleasedTable) -> SeenTable:
    trees = told.trees
    rows = PublishedFile(inside(folder, told.file), tuple(trees), signed=told.signed, options=OPTIONS).read()
    return seen_table(told.name, told.measure or "", tuple(trees.values()), rows, signed=told.signed)


def _truth(folder: Path, seen: Seen, original: Original | None) -> tuple[Scorer | None, Text]:
    """What is known of the truth, and how guesses are scored by it."""
    if original is None:
        return None, _NO_TRUTH
    before, _ = read_telling(original.file, original.options)
    patterns = dict(_patterns(folder))
    if seen.data is None:
        return Truth(before, before, patterns), _BY_ORDER
    after = aligned_columns(before, seen.data)
    if original.identity:
        linked = by_identity(after, before, original.identity, {})
        return Truth(before, linked, patterns), _BY_ID.filled(names=listed(list(original.identity)))
    shuffled = any(fact.method == SHUFFLED for fact in seen.facts)
    if not shuffled and len(before) == len(after):
        return Truth(before, replace(after, rows=np.arange(len(after))), patterns), _BY_ORDER
    touched = {name for fact in seen.facts if fact.method != SHUFFLED for name in fact.columns}
    untouched = tuple(n for n in after.names if n in before.columns and n not in touched)
    truth = UnlinkedTruth(before, after, untouched)
    return truth, _BY_GROUPS.filled(names=listed(list(untouched)) or "–")


def _patterns(folder: Path) -> Iterator[tuple[str, Pattern]]:
    """The true values of tables, where the office still has them."""
    about = _read(folder, ABOUT, _About)
    for told in about.tables:
        pattern = told.pattern(folder)
        if pattern is not None:
            yield told.name, pattern
