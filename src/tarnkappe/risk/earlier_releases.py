"""Complementary release: what an attacker sees who puts a new release beside the earlier ones of the same data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from tarnkappe.data.column import Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.release_signature import Earlier, ReleaseSignature, ShownColumn, Signer, signature
from tarnkappe.errors.risk import OriginalNeeded
from tarnkappe.kernels.compatible import Key, candidates
from tarnkappe.language import NOTHING, Text, listed, same
from tarnkappe.risk.counting import BELOW, OnKeys, checked, counted, stored
from tarnkappe.spec import Finding, Goal, Json, Maturity, Source, measure
from tarnkappe.vocab import Kind, Role

FEW = 3
"""Classes that change by fewer records than this are told."""
AGES = 150
"""Whole numbers with more different values are amounts."""
_NO_REGISTER = Text(
    "No register of releases was named, so the release was not held against earlier ones: the number is its own k.",
    "Es ist kein Freigaberegister genannt; die Freigabe wurde also nicht mit früheren verglichen: Die Zahl ist ihr eigenes k.",
)
_FIRST = Text(
    "The register holds no earlier release: the number is that of this release alone.",
    "Das Register enthält keine frühere Freigabe: Die Zahl ist die dieser Freigabe allein.",
)


@measure(
    "risk.earlier-releases",
    title=Text(
        "Earlier releases (complementary release)", "Frühere Freigaben (komplementäre Veröffentlichung)"
    ),
    does=Text(
        "Counts how many records cannot be told apart by somebody who has this release and all earlier ones of a register.",
        "Zählt, wie viele Datensätze nicht unterscheiden kann, wer diese Freigabe und alle früheren eines Registers hat.",
    ),
    sources=(
        Source("sweeney2002", "section 4.2: complementary release attack; section 4.3: temporal attack"),
        Source("dav2025", "section 4.2: weaknesses of k-anonymity, complementary release"),
    ),
    reads=Text(
        "With all earlier releases beside this one, every person is hidden among at least {value} records.",
        "Legt man alle früheren Freigaben daneben, ist jede Person unter mindestens {value} Datensätzen verborgen.",
    ),
    knows=Text(
        "The attacker has all releases of the register, knows which records of them belong together, and knows the true values of all keys.",
        "Der Angreifer hat alle Freigaben des Registers, weiß, welche ihrer Datensätze zusammengehören, und kennt die wahren Werte aller "
        "Schlüssel.",
    ),
    goal=Goal.HIGH,
    bounds=(1, math.inf),
    compares=True,
    does_not=(
        Text(
            "know releases that are not in the register, or that other houses made",
            "Freigaben kennen, die nicht im Register stehen oder aus anderen Häusern stammen",
        ),
        Text(
            "look at amounts, or at columns with another role that no release calls a key",
            "Beträge ansehen oder Spalten mit einer anderen Rolle, die keine Freigabe Schlüssel nennt",
        ),
        Text(
            "keep the register from telling anything to somebody who has it and its secret: with both, guesses of values can be tested",
            "verhindern, dass das Register jemandem etwas verrät, der es und sein Geheimnis hat: Mit beidem lassen sich geratene Werte "
            "prüfen",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "classes_changed": Text(
            "classes that differ from an earlier release by one or two records",
            "Klassen, die von einer früheren Freigabe um ein oder zwei Datensätze abweichen",
        ),
        "with_each": Text(
            "smallest class with the earlier release", "kleinste Klasse mit der früheren Freigabe"
        ),
    },
    revision=2,
    example={"keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category"},
)
class EarlierReleases(OnKeys):
    """The smallest class of persons who look alike in this release and in every earlier one of the register.

    A register keeps, for every release, how each value of a key of the original was shown, and the sizes of the classes: by keyed hashes,
    without records and values. So it can be worked out what earlier releases showed of every person now in the data, whatever level each was
    coarsened to, and which persons all of them together cannot tell apart. Persons whose class an earlier release did not show are
    told from the others by having no partner there. What was suppressed in an earlier release counts as shown,
    and a key that was not recoded value by value (PRAM, swapping, local recoding) as if it had been released as it was: the number is
    then a lower bound. Keys of this release count as in `risk.k-anonymity`, with all its policies; so do columns of it that an earlier
    release called a key, whatever this plan calls them, and columns without a role that are no amounts, unless one earlier release showed all of them.

    A plan that names a `register` is checked in every run, and enters its release when that is written. The details give the smallest class
    with each earlier release alone, and how many classes of an earlier release with the same keys differ now by one or two records: such a
    difference tells who came or went.
    """

    in_units = Text(
        "With all earlier releases beside this one, every unit is hidden among at least {value} units.",
        "Legt man alle früheren Freigaben daneben, ist jede Einheit unter mindestens {value} Einheiten verborgen.",
    )

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        del before
        own = self.counts(after)
        return Finding(
            value=float(own.min()),
            baseline=None,
            trusted=False,
            because=_NO_REGISTER,
            details={**self.policy(after), "records": len(after), "releases": 0},
            per_record=own.astype(np.float64),
            reads=self.reading(after),
        )

    def held_against(self, earlier: Earlier, after: Microdata, before: Microdata | None) -> Finding:
        """Hold a release against the earlier ones."""
        if before is None:
            raise OriginalNeeded(who=same(self.id))
        old, new = before.paired(after)
        names = checked(
            new, (*new.keys(self.keys), *_shown_before(earlier, old, new, self.keys)), self.missing
        )
        own = list(stored(new, names))
        each = [_key(old, release, earlier.signer) for release in earlier.releases]
        joint = self._counts(new, [*own, *each])
        lost = sorted({c.name for release in earlier.releases for c in _unknown(old, release)})
        doubt = self.doubt(new) or (_lost(lost) if lost else NOTHING)
        return Finding(
            value=float(joint.min()),
            baseline=float(self._counts(new, own).min()),
            trusted=not doubt,
            because=doubt or (_bounded(earlier.releases) if earlier.releases else _FIRST),
            details={
                **self.policy(new),
                "records": len(new),
                "releases": len(each),
                "below": {str(limit): int(np.sum(joint < limit)) for limit in BELOW},
                "with_each": {
                    str(i): int((joint if len(each) == 1 else self._counts(new, [*own, key])).min())
                    for i, key in enumerate(each, 1)
                },
                "classes_changed": self._changed(earlier, old, new),
            },
            per_record=joint.astype(np.float64) if len(new) == len(after) else None,
            reads=self.reading(new),
        )

    def _counts(self, data: Microdata, keys: Sequence[Key]) -> Ints:
        return counted(data, candidates(keys, self.missing, self.suppressed))

    def _changed(self, earlier: Earlier, old: Microdata, new: Microdata) -> dict[str, Json]:
        if not earlier.releases or self.keys:
            return {}
        this = signature(old, new, earlier.signer, "", "")
        return {str(i): this.changed_classes(one, FEW) for i, one in enumerate(earlier.releases, 1)}


def _shown_before(earlier: Earlier, old: Microdata, new: Microdata, named: Sequence[str]) -> list[str]:
    """Further columns of this release that count: keys of earlier ones, and where it shows something new, what has no role and somebody may know."""
    known = {c.name for release in earlier.releases for c in release.columns}
    keys = new.keys(named)
    plain = [n for n in new.names if n not in keys and _may_be_known(n, old, new)]
    nothing_new = not earlier.releases or any(set(plain) <= set(r.plain) for r in earlier.releases)
    return [n for n in new.names if n not in keys and (n in known or (n in plain and not nothing_new))]


def _may_be_known(name: str, old: Microdata, new: Microdata) -> bool:
    """A column of the original without a role that is no amount: categories, yes or no, and whole numbers as ages are."""
    if name not in old.names or new.roles_of(name) != (Role.OTHER,):
        return False
    column = new.column(name)
    if column.kind in (Kind.CATEGORY, Kind.BOOLEAN):
        return True
    return column.kind is Kind.INTEGER and len(column.distinct()) <= AGES


def _key(old: Microdata, release: ReleaseSignature, signer: Signer) -> Key:
    """The class of every person in an earlier release, as one more key."""
    codes, count = release.parts(old, signer)
    return Key(codes, None, count)


def _unknown(old: Microdata, release: ReleaseSignature) -> Iterator[ShownColumn]:
    return (c for c in release.columns if c.source not in old.columns)


def _lost(names: list[str]) -> Text:
    said = listed(names)
    return Text(
        f"Earlier releases showed {said}, which cannot be worked out from the data any more: what they tell is not counted.",
        f"Frühere Freigaben zeigten {said}; das lässt sich aus den Daten nicht mehr ermitteln: Was sie verraten, ist nicht gezählt.",
    )


def _bounded(releases: Sequence[ReleaseSignature]) -> Text:
    """Which keys were not followed value by value."""
    names = sorted({c.name for release in releases for c in release.columns if c.values is None})
    if not names:
        return NOTHING
    said = listed(names)
    return Text(
        f"In earlier releases {said} did not follow value by value; they count as if released as they were, so the number is a lower bound.",
        f"In früheren Freigaben folgten {said} nicht Wert für Wert; sie zählen wie unverändert freigegeben, die Zahl ist also eine untere "
        "Schranke.",
    )
