"""Pseudonyms by keyed hashing."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tarnkappe.data.column import Column, Ints, Strings
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.recode import recoded
from tarnkappe.data.spelling import canonical
from tarnkappe.data.units import roles_of_new_names
from tarnkappe.kernels.partition import same_partition
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Leaves, Method, Reach, Source, method
from tarnkappe.spec.fields import Columns

BYTES = 16
"""HMAC-SHA256 is cut to 128 bits: among 2^32 ids two collide with a chance below 2^-64."""


def _one_to_one(m: Pseudonymise, before: Microdata, after: Microdata) -> bool:
    """Over all columns together: equal ids have equal pseudonyms, and only those."""
    was = _numbered([before.columns[name] for name in m.columns], canonical)
    now = _numbered([after.columns[name] for name in m.columns], Column.distinct)
    known = was >= 0
    return np.array_equal(known, now >= 0) and same_partition(was[known], now[known])


def _numbered(columns: Sequence[Column], spell: Callable[[Column], Strings]) -> Ints:
    """A number for every cell of some columns, the same where the spelling is the same; missing is -1."""
    place: dict[str, int] = {}
    numbers = []
    for column in columns:
        codes, _ = column.true_codes()
        numbers.append(np.array([place.setdefault(t, len(place)) for t in spell(column)] + [-1])[codes])
    return np.concatenate(numbers)


def _ids_gone(m: Pseudonymise, before: Microdata, after: Microdata) -> bool:
    return all(set(after.columns[n].distinct()).isdisjoint(before.columns[n].distinct()) for n in m.columns)


def _states_kept(m: Pseudonymise, before: Microdata, after: Microdata) -> bool:
    return all(np.array_equal(before.columns[n].observed, after.columns[n].observed) for n in m.columns)


@method(
    "microdata.pseudonymise",
    family=Family.NAMES,
    leaves=Leaves.VALUES,
    title=Text("Pseudonymise", "Pseudonymisieren"),
    does=Text(
        "Identifiers were replaced by pseudonyms that only the keeper of a secret key can make. The data is "
        "pseudonymised and still personal data.",
        "Identifikatoren wurden durch Pseudonyme ersetzt, die nur der Inhaber eines geheimen Schlüssels "
        "bilden kann. Die Daten sind pseudonymisiert und weiterhin personenbezogen.",
    ),
    sources=(
        Source("dav2025", "section 2.3, pseudonymisation (GDPR Art. 4 No. 5)"),
        Source("rfc2104", "section 2, definition of HMAC; section 5, truncated output"),
    ),
    preserves=(
        Claim(
            Text(
                "who is the same: equal ids have equal pseudonyms, different ids different ones",
                "wer derselbe ist: gleiche Identifikatoren haben gleiche Pseudonyme, verschiedene "
                "verschiedene",
            ),
            _one_to_one,
        ),
        Claim(
            Text("missing ids stay missing", "fehlende Identifikatoren bleiben fehlend"),
            _states_kept,
        ),
    ),
    protects=(
        Claim(Text("no id is left in its column", "in der Spalte steht kein Identifikator mehr"), _ids_gone),
    ),
    does_not=(
        Text(
            "make the data anonymous: pseudonymised data is still personal data",
            "die Daten anonymisieren: pseudonymisierte Daten sind weiterhin personenbezogen",
        ),
        Text(
            "hide how often an id occurs, nor keep a person from being recognised by the other columns",
            "verbergen, wie oft ein Identifikator vorkommt, noch davor schützen, über andere Spalten "
            "erkannt zu werden",
        ),
        Text(
            "hold against anybody who has the secret: keep it apart from the data",
            "gegen jemanden helfen, der das Geheimnis hat: bewahren Sie es getrennt von den Daten auf",
        ),
    ),
    words={
        "linkable_over_releases": Text(
            "the same pseudonyms in later releases", "gleiche Pseudonyme in späteren Freigaben"
        ),
        "pseudonymised": Text("pseudonyms in", "Pseudonyme in"),
        "still_personal_data": Text("still personal data", "weiterhin personenbezogen"),
    },
    example={"columns": ["name"], "lasting": True, "look_up": True},
    random=True,
    takes_identifiers=True,
    still_personal=True,
    changes_kinds=True,
)
class Pseudonymise(Method):
    """Replace ids by pseudonyms made with a secret key.

    A pseudonym is the first 128 bits of HMAC-SHA256 of the id, written as ``p`` and 32 hexadecimal digits.
    Ids are brought into one spelling first: Unicode normal form NFC, no blanks around, the number 42 as
    ``42`` whether it came as text, as a whole number or as 42.0. The columns of one step share the key, so an
    id that stands in two columns (a person and the partner) keeps one pseudonym. A plain hash without a key
    is not offered: whoever has a list of possible ids could hash it and look the pseudonyms up.

    The letter in front keeps spreadsheets from reading a pseudonym as a number. A column with the role
    identifier loses it; in a panel the first one that stands in several records is then the unit, where no column has that role.
    Other roles stay. Missing ids stay missing, suppressed ones suppressed.

    Zero, negative and constant ids are ids like others; tied ones get the same pseudonym.
    """

    columns: Columns
    """Columns with the ids. | Spalten mit den Identifikatoren."""
    lasting: bool = False
    """Give the same pseudonyms in every release with this secret, so that releases can be linked. | Gibt in
    jeder Freigabe mit diesem Geheimnis dieselben Pseudonyme, sodass sich Freigaben verknüpfen lassen."""
    look_up: bool = False
    """Write a file of ids and pseudonyms for the office into internal/. | Schreibt für das Haus eine
    Datei mit Identifikatoren und Pseudonymen nach internal/."""

    def treated_columns(self) -> tuple[str, ...]:
        return ()

    def reach(self, data: Microdata) -> Reach:
        del data
        return Reach(changed=self.columns)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        key = stream.lasting_key("pseudonym") if self.lasting else stream.key("pseudonym")
        new = {name: _pseudonyms(data.column(name), key) for name in self.columns}
        return recoded(data.with_roles(roles_of_new_names(data, self.columns)), new)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        del before, after
        return {
            "pseudonymised": list(self.columns),
            "still_personal_data": True,
            "linkable_over_releases": self.lasting,
        }

    def keeps(
        self, before: Microdata, after: Microdata
    ) -> Mapping[str, tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        if not self.look_up:
            return {}
        rows: list[tuple[str, ...]] = []
        aligned = before.aligned_to(after)
        for name in self.columns:
            was, now = aligned.columns[name].texts(), after.columns[name].texts()
            pairs = {
                (pseudonym, id_) for pseudonym, id_ in zip(now, was, strict=True) if pseudonym is not None
            }
            rows += [(name, pseudonym, id_) for pseudonym, id_ in sorted(pairs)]
        return {"pseudonyms.csv": (("column", "pseudonym", "id"), rows)}


def _pseudonyms(column: Column, key: bytes) -> Column:
    """Hash the distinct ids; categories stand in the order of the pseudonyms, the old one would tell."""
    place: dict[str, int] = {}
    numbers = [place.setdefault(spelt, len(place)) for spelt in canonical(column)]
    digests = b"".join([hmac.digest(key, spelt.encode(), "sha256")[:BYTES] for spelt in place])
    order = np.argsort(np.frombuffer(digests, dtype=">u8")[:: BYTES // 8])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    categories = np.array(
        ["p" + digests[i : i + BYTES].hex() for i in (order * BYTES).tolist()], dtype=object
    )
    codes, _ = column.true_codes()
    coded = np.append(rank[np.array(numbers, dtype=np.int64)], 0)[codes]  # a missing cell has the code -1
    return replace(column.with_codes(coded, categories), hierarchy=None)
