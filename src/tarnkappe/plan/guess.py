"""The role of one column: guessed from its name, else from what its values look like, else from its type."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tarnkappe.language import Lang, Text, number
from tarnkappe.plan.naming import topic_of
from tarnkappe.plan.profile import ColumnProfile
from tarnkappe.plan.shapes import Shape
from tarnkappe.plan.words import Topic
from tarnkappe.vocab import Kind, Role

FEW_RECORDS = 10
"""With fewer records, repeated and single values tell nothing."""
_FEW_VALUES = 20
_NEARLY_ALL = 0.9
"""Share of codes that occur once from which on they identify, whatever they look like."""
_KNOWN_TO_OTHERS = (Shape.POSTCODE, Shape.DATE)
"""What people know of each other may be another one in every record of a small file, and is a key all the same."""
_IDENTIFYING = (Shape.EMAIL, Shape.IBAN, Shape.TAX_ID, Shape.PHONE)
_ARTICLES = {
    9: Text(
        " A special category of personal data (GDPR Art. 9).",
        " Besondere Kategorie personenbezogener Daten (Art. 9 DSGVO).",
    ),
    10: Text(" Data on crimes (GDPR Art. 10).", " Daten über Straftaten (Art. 10 DSGVO)."),
}


@dataclass(frozen=True, slots=True)
class Guess:
    """Roles of a column, the main one first, and why."""

    roles: tuple[Role, ...]
    why: Text
    article: int = 0
    """9 or 10 where the GDPR protects such data specially."""


def guess(column: ColumnProfile) -> Guess:
    """Propose the roles of a column."""
    topic = topic_of(column.name)
    if column.distinct == 0:
        return Guess((Role.OTHER,), Text("It has no value at all.", "Sie hat keinen einzigen Wert."))
    if topic and Role.IDENTIFIER in topic.roles:
        return _by_name(topic, topic.roles, column)
    if column.constant and column.records >= FEW_RECORDS:
        return Guess((Role.OTHER,), Text("All values are the same.", "Alle Werte sind gleich."))
    if column.shape in _IDENTIFYING:
        return _by_shape((Role.IDENTIFIER,), column)
    if topic:
        return _by_name(topic, _fitted(topic, column), column)
    return _by_uniqueness(column) or _by_looks(column) or _by_type(column)


def with_some_key(
    profiles: Sequence[ColumnProfile], guesses: Sequence[Guess], decided: Collection[str] = ()
) -> list[Guess]:
    """What an attacker knows where nothing looks like it: the numbers, else what says nothing, else what would identify.

    What people have decided stays as it is.
    """
    if any(Role.KEY in one.roles for one in guesses):
        return list(guesses)
    open_ = [i for i, p in enumerate(profiles) if p.name not in decided]
    for wanted in (Role.NUMERIC, Role.OTHER):
        if chosen := [i for i in open_ if wanted in guesses[i].roles]:
            return [_also_key(one) if i in chosen else one for i, one in enumerate(guesses)]
    naming = [i for i in open_ if Role.IDENTIFIER in guesses[i].roles]
    coarsest = min(naming, key=lambda i: profiles[i].distinct_share, default=-1)
    return [_also_key(one) if i == coarsest else one for i, one in enumerate(guesses)]


def _also_key(one: Guess) -> Guess:
    """With the role key; what identifies, or says nothing, has no other role beside it."""
    kept = tuple(r for r in one.roles if r not in (Role.OTHER, Role.IDENTIFIER))
    why = Text(
        "{why} No other column is a key, so an attacker is taken to know it.",
        "{why} Keine andere Spalte ist ein Schlüssel, darum gilt sie als bekannt.",
    )
    return Guess((*kept, Role.KEY), why.filled(why=one.why), one.article)


def _by_name(topic: Topic, roles: tuple[Role, ...], column: ColumnProfile) -> Guess:
    why = Text("By its name: {topic}. {facts}{article}", "Dem Namen nach: {topic}. {facts}{article}")
    article = _ARTICLES.get(topic.article, Text("", ""))
    return Guess(roles, why.filled(topic=topic.text, facts=facts(column), article=article), topic.article)


def _fitted(topic: Topic, column: ColumnProfile) -> tuple[Role, ...]:
    """The roles of a topic, as far as the type of the column allows them."""
    roles = topic.roles
    if Role.WEIGHT in roles and (column.negative or column.missing_share > 0 or not column.sound):
        roles = (Role.NUMERIC,)
    if not column.kind.is_number:
        roles = tuple(r for r in roles if r not in (Role.NUMERIC, Role.WEIGHT)) or (Role.KEY,)
    elif roles == (Role.SENSITIVE,) and _is_quantity(column):
        roles = (Role.SENSITIVE, Role.NUMERIC)
    elif roles == (Role.KEY,) and _is_quantity(column) and (not topic.hint or column.kind is Kind.NUMBER):
        roles = roles if topic.hint == "bands" else (Role.NUMERIC,)
    if roles == (Role.HOUSEHOLD,) and column.distinct <= _FEW_VALUES and column.records > 5 * _FEW_VALUES:
        roles = (Role.KEY,)
    if Role.PERIOD in roles and column.date_like and column.distinct > 3 * _FEW_VALUES:
        roles = (Role.KEY,)
    return roles


def _is_quantity(column: ColumnProfile) -> bool:
    """Numbers that are measured, not codes: broken, or very many different ones."""
    return column.kind is Kind.NUMBER or column.distinct > 5 * _FEW_VALUES


def _by_uniqueness(column: ColumnProfile) -> Guess | None:
    """Codes that are another one in every record, or that count the units, identify: whatever else they look like."""
    if column.kind is not Kind.CATEGORY or column.records < FEW_RECORDS or column.shape in _KNOWN_TO_OTHERS:
        return None
    if column.unique_share >= _NEARLY_ALL:
        own = Text("Nearly every record has its own code.", "Fast jeder Datensatz hat einen eigenen Code.")
        return _because((Role.IDENTIFIER,), column, own)
    if column.sequential and column.distinct > max(_FEW_VALUES, column.records / 10):
        running = Text("Numbers without a gap behind letters.", "Nummern ohne Lücke hinter Buchstaben.")
        return _because((Role.IDENTIFIER,), column, running)
    return None


def _by_looks(column: ColumnProfile) -> Guess | None:
    """What the values look like, where the name says nothing; digits alone are not enough."""
    if column.kind is not Kind.CATEGORY:
        return None
    if column.shape is Shape.CASE_NUMBER and column.distinct > _FEW_VALUES:
        return _by_shape((Role.IDENTIFIER,), column)
    if column.shape is Shape.ICD and column.distinct >= FEW_RECORDS:
        return _by_shape((Role.SENSITIVE,), column, 9)
    if column.shape in (Shape.POSTCODE, Shape.NACE, Shape.DATE):
        return _by_shape((Role.KEY,), column)
    return None


def _by_shape(roles: tuple[Role, ...], column: ColumnProfile, article: int = 0) -> Guess:
    looks = column.shape.text if column.shape else Text("", "")
    why = Text(
        "The values look like {looks}. {facts}{article}", "Die Werte sehen aus wie {looks}. {facts}{article}"
    )
    said = _ARTICLES.get(article, Text("", ""))
    return Guess(roles, why.filled(looks=looks, facts=facts(column), article=said), article)


def _by_type(column: ColumnProfile) -> Guess:
    if column.kind is Kind.INTEGER:
        return _by_whole_numbers(column)
    if column.kind is Kind.NUMBER:
        return _because((Role.NUMERIC,), column, Text("Measured numbers.", "Gemessene Zahlen."))
    if column.date_like:
        return _because(
            (Role.KEY,), column, Text("Dates can be known.", "Datumsangaben können bekannt sein.")
        )
    if column.kind is Kind.CATEGORY and column.records >= FEW_RECORDS and column.unique_share >= 0.5:
        most = Text("Most texts occur only once.", "Die meisten Texte kommen nur einmal vor.")
        return _because((Role.IDENTIFIER,), column, most)
    unknown = Text(
        "Its meaning is not known; an attacker may know the values.",
        "Die Bedeutung ist unbekannt; ein Angreifer kann die Werte kennen.",
    )
    return _because((Role.KEY,), column, unknown)


def _by_whole_numbers(column: ColumnProfile) -> Guess:
    many = column.records >= FEW_RECORDS
    if many and column.sequential and column.distinct > max(5 * _FEW_VALUES, column.records / 10):
        running = Text("Numbers without a gap.", "Nummern ohne Lücke.")
        return _because((Role.IDENTIFIER,), column, running)
    if many and column.unique and (column.sequential or (column.length or 0) >= 6):
        own = Text("Every record has its own number.", "Jeder Datensatz hat eine eigene Nummer.")
        return _because((Role.IDENTIFIER,), column, own)
    if column.distinct <= _FEW_VALUES and column.distinct_share <= 0.5:
        few = Text("Few different whole numbers.", "Wenige verschiedene ganze Zahlen.")
        return _because((Role.KEY,), column, few)
    return _because((Role.NUMERIC,), column, Text("Whole numbers.", "Ganze Zahlen."))


def _because(roles: tuple[Role, ...], column: ColumnProfile, why: Text) -> Guess:
    return Guess(roles, Text("{why} {facts}", "{why} {facts}").filled(why=why, facts=facts(column)))


def facts(column: ColumnProfile) -> Text:
    """Count the different values of a column and those that occur once."""
    said = Text(
        "{count} different values, {once} of all values occur once.",
        "{count} verschiedene Werte, {once} aller Werte kommen einmal vor.",
    )
    return said.filled(count=amount(column.distinct), once=percent(column.unique_share))


def amount(count: int) -> Text:
    """A count for people, in both languages."""
    return Text(number(count, "en"), number(count, "de"))


def percent(share: float) -> Text:
    """A share for people, in both languages; never rounded to none or all where it is not."""

    def spelt(lang: Lang) -> str:
        near = min(max(round(100 * share, 1), 0.1), 99.9) if 0 < share < 1 else 100 * share
        return number(near, lang, 3)

    return Text(f"{spelt('en')}%", f"{spelt('de')}\u00a0%")
