"""Columns without a role that look as if they needed one: only strong signs count, so that nobody is asked in vain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tarnkappe.data.microdata import Microdata
from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.model import Plan
from tarnkappe.plan.naming import topic_of, words_of
from tarnkappe.plan.policy import ROLES, Look
from tarnkappe.plan.profile import ColumnProfile, profile
from tarnkappe.plan.shapes import Shape
from tarnkappe.plan.words import Topic
from tarnkappe.vocab import Kind, Role

_MANY = 20
"""With so few different values a name, number or address is a code for something else."""
_ENOUGH = 10
"""With fewer records nothing can be told from how often values occur."""
_CONTACTS = (Shape.EMAIL, Shape.IBAN, Shape.TAX_ID, Shape.PHONE)
_AMBIGUOUS = frozenset((
    "behandlung", "belief", "church", "condition", "conditions", "drug", "face", "hospital", "kirche", "krankenhaus", "orientation",
    "orientierung", "partei", "party", "treatment", "union", "vote", "voting",
))  # fmt: skip
"""Words that as often name something harmless: an experiment's treatment, a party to a contract, the union of two sets."""
_NAMES_OF_PEOPLE = frozenset((
    "vorname", "vornamen", "nachname", "nachnamen", "familienname", "geburtsname", "maedchenname", "zuname", "surname", "forename",
    "firstname", "lastname", "givenname", "familyname", "fullname", "maidenname",
))  # fmt: skip
"""Headers that name people however few of them there are, and whatever else a plan calls the column."""
_BY_NAME = Text("by its name {topic}", "dem Namen nach {topic}")
_BY_SHAPE = Text("its values look like {shape}", "die Werte sehen aus wie {shape}")
_UNIQUE = Text("nearly every record has a text of its own", "fast jeder Datensatz hat einen eigenen Text")
_RUNNING = Text("every record has a number of its own", "jeder Datensatz hat eine eigene Nummer")
_PLACES = ("a postcode", "a date or year of birth")


@dataclass(frozen=True, slots=True)
class Suspect:
    """A column without a role and what it looks like."""

    name: str
    look: Look
    why: Text
    certain: bool = False
    """Names of people and contacts by their shape: to call them `other` takes a written reason."""

    @property
    def says(self) -> Text:
        kind = _KINDS[self.look]
        return Text(f"{self.name!r}: {kind.en} ({self.why.en})", f"{self.name!r}: {kind.de} ({self.why.de})")


_KINDS = {
    Look.IDENTIFIER: Text("looks like a direct identifier", "sieht aus wie ein direkter Identifikator"),
    Look.SPECIAL: Text(
        "looks like a special category (GDPR Art. 9, 10)",
        "sieht aus wie eine besondere Kategorie (Art. 9, 10 DSGVO)",
    ),
    Look.PLACE_AND_BIRTH: Text(
        "looks like something by which people are found",
        "sieht aus wie etwas, woran man Menschen findet",
    ),
    Look.KNOWN: Text(
        "looks like something that others know of people",
        "sieht aus wie etwas, das andere von Menschen wissen",
    ),
}


def suspects(plan: Plan, data: Microdata, *, accepting: bool = True) -> tuple[Suspect, ...]:
    """The columns that would be released without a role, although they look as the policy does not let pass.

    With `accepting` those are left out that the plan accepts for a reason.
    """
    if not plan.releases_data:
        return ()
    gone = {name for step in plan.steps if step.takes_identifiers for name in step.named_columns()}
    accepted = {name for one in plan.accept if accepting and one.what == ROLES for name in one.columns}
    settled = {name for role, names in data.roles.items() if role is not Role.OTHER for name in names}
    called_other = data.roles.get(Role.OTHER, ())
    found = (look_of(one) for one in profile(data.without(n for n in data.names if n in settled | gone)))
    wanted = (
        one for one in found if one and one.look in plan.policy.roles.looks and one.name not in accepted
    )
    return tuple(one for one in wanted if one.certain or one.name not in called_other)


def look_of(column: ColumnProfile) -> Suspect | None:
    """What a column surely looks like; None where its name and values tell nothing for certain."""
    for look, why in _looks(column):
        return Suspect(column.name, look, why, certain=look is Look.IDENTIFIER and _certain(column))
    return None


def _certain(column: ColumnProfile) -> bool:
    return column.shape in _CONTACTS or _names_people(column)


def _names_people(column: ColumnProfile) -> bool:
    """Texts under a header that says vorname, Last_Name or SurnameOfOwner: as a word, or as two words one after the other."""
    words = words_of(column.name)
    pairs = {first + second for first, second in pairwise(words)}
    return column.kind is Kind.CATEGORY and not _NAMES_OF_PEOPLE.isdisjoint({*words, *pairs})


def _looks(column: ColumnProfile) -> Iterator[tuple[Look, Text]]:
    if column.distinct == 0 or column.constant:
        return
    topic = topic_of(column.name)
    yield from _identifying(column, topic)
    if topic and topic.article and words_of(column.name)[-1] not in _AMBIGUOUS:
        yield Look.SPECIAL, _BY_NAME.filled(topic=topic.text)
    if column.shape is Shape.ICD and column.distinct >= _ENOUGH and not topic:
        yield Look.SPECIAL, _BY_SHAPE.filled(shape=Shape.ICD.text)
    if topic and topic.text.en in _PLACES:
        yield Look.PLACE_AND_BIRTH, _BY_NAME.filled(topic=topic.text)
    if topic and Role.KEY in topic.roles and topic.text.en not in _PLACES:
        yield Look.KNOWN, _BY_NAME.filled(topic=topic.text)


def _identifying(column: ColumnProfile, topic: Topic | None) -> Iterator[tuple[Look, Text]]:
    """Contacts by their shape; names and numbers by what they are called, if there are many; texts that nearly all occur once."""
    if column.shape in _CONTACTS:
        yield Look.IDENTIFIER, _BY_SHAPE.filled(shape=column.shape.text if column.shape else NOTHING)
    if topic and Role.IDENTIFIER in topic.roles and (_many(column) or _names_people(column)):
        yield Look.IDENTIFIER, _BY_NAME.filled(topic=topic.text)
    if column.records < _ENOUGH or topic:
        return
    if column.kind is Kind.CATEGORY and column.unique_share >= 0.9:
        yield Look.IDENTIFIER, _UNIQUE
    if column.kind is Kind.INTEGER and column.unique and column.sequential:
        yield Look.IDENTIFIER, _RUNNING


def _many(column: ColumnProfile) -> bool:
    """Texts of which there are many, or whole numbers of which hardly two are alike."""
    if column.kind.is_number:
        return column.distinct_share >= 0.5 and column.distinct >= _ENOUGH
    return column.distinct > _MANY or (column.distinct_share >= 0.5 and column.records >= 2)
