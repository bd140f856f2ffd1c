"""Which method when: the advice of Höhne (2010, sections 2.2 to 4.2) for microdata, as data for `inspect` and the manual."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tarnkappe.language import Text, listed
from tarnkappe.plan.profile import ColumnProfile
from tarnkappe.vocab import Kind, Role

SKEWED = 2.0
"""From this skewness on noise of one size for all hides nothing large, or ruins what is small."""
HOMOGENEOUS = 1.0
"""Up to this skewness values lie near each other."""
DOMINATED = 0.5
"""Share of one value in the sum of all, as of a railway or a post office in its branch."""
Roles = dict[str, tuple[Role, ...]]


@dataclass(frozen=True, slots=True)
class Situation:
    """Data, or a use of it, and what suits it."""

    says: Text
    take: tuple[str, ...]
    """Ids of the catalogue, the first choice first."""
    because: Text
    sign: Callable[[ColumnProfile, tuple[Role, ...]], bool] | None = None
    """By which columns it is recognised; without it, people have to know."""


def _number(column: ColumnProfile, roles: tuple[Role, ...]) -> bool:
    masked = not {Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD, Role.UNIT, Role.PERIOD, Role.OWNER} & set(
        roles
    )
    number = column.kind is Kind.NUMBER or (column.kind is Kind.INTEGER and Role.NUMERIC in roles)
    return masked and number and column.skewness is not None and not column.sequential


def _category(column: ColumnProfile, roles: tuple[Role, ...]) -> bool:
    return Role.KEY in roles and column.kind is Kind.CATEGORY


SITUATIONS: tuple[Situation, ...] = (
    Situation(
        Text("one unit makes up more than half of the sum", "eine Einheit hat mehr als die Hälfte der Summe"),
        ("microdata.top-bottom-code", "microdata.cut-off"),
        Text(
            "a mean put in its place, or noise, still shows who dominates; censoring does not",
            "ein Mittelwert an seiner Stelle oder Überlagerung zeigt weiter, wer beherrscht; Abschneiden nicht",
        ),
        lambda c, r: _number(c, r) and (c.largest_share or 0) > DOMINATED,
    ),
    Situation(
        Text("very skewed numbers, as of enterprises", "sehr schiefe Zahlen, wie die von Unternehmen"),
        ("microdata.spread-average", "microdata.controlled-noise", "microdata.factor-noise"),
        Text(
            "change in proportion to the value: multiplicative rather than additive noise, or averages that keep the variance, with columns left "
            "out or coarsened; rank swapping only after top coding",
            "Änderung im Verhältnis zum Wert: multiplikative statt additiver Überlagerung oder varianzerhaltende Mikroaggregation, dazu weniger oder "
            "gröbere Spalten; Rank Swapping nur nach Abschneiden der Spitze",
        ),
        lambda c, r: _number(c, r) and abs(c.skewness or 0) >= SKEWED,
    ),
    Situation(
        Text("homogeneous numbers, as rents, wages, small enterprises", "homogene Zahlen, wie Mieten, Löhne, kleine Unternehmen"),
        ("microdata.correlated-noise", "microdata.mixture-noise", "microdata.top-bottom-code"),
        Text(
            "additive noise with proportional covariances keeps means and correlations; top and bottom code a few outliers first",
            "additive Überlagerung mit proportionalen Kovarianzen erhält Mittelwerte und Korrelationen; einzelne Ausreißer vorher abschneiden",
        ),
        lambda c, r: _number(c, r) and abs(c.skewness or 0) <= HOMOGENEOUS and (c.largest_share or 0) <= DOMINATED,
    ),
    Situation(
        Text("records of units over several periods", "Datensätze von Einheiten über mehrere Perioden"),
        ("microdata.index-numbers", "microdata.controlled-noise"),
        Text(
            "name the unit, so that its periods are treated alike: noise drawn anew averages out; index numbers hide the level",
            "nennen Sie die Einheit, damit ihre Perioden gleich behandelt werden: neu gezogene Überlagerung mittelt sich heraus; Indexzahlen verbergen das Niveau",
        ),
        lambda _, roles: Role.PERIOD in roles,
    ),
    Situation(
        Text("keys that are categories", "Schlüssel, die Kategorien sind"),
        ("microdata.generalise", "microdata.local-suppression", "microdata.pram"),
        Text(
            "coarser first; with PRAM the matrix is told, and the file is released once only",
            "zuerst vergröbern; bei PRAM wird die Matrix angegeben und die Datei nur einmal freigegeben",
        ),
        _category,
    ),
    Situation(
        Text("the analyses are known, as in one project", "die Auswertungen sind bekannt, wie in einem Projekt"),
        ("microdata.drop", "microdata.combine", "microdata.ratio"),
        Text(
            "leave out everything that is not needed, then take the method that keeps exactly what is",
            "lassen Sie alles weg, was nicht gebraucht wird, und nehmen Sie das Verfahren, das genau das Gebrauchte erhält",
        ),
    ),
    Situation(
        Text("analyses of logarithms only", "Auswertungen nur von Logarithmen"),
        ("microdata.log-noise",),
        Text("noise is added where the model is", "überlagert wird dort, wo das Modell ist"),
    ),
    Situation(
        Text("linear models and correlations", "lineare Modelle und Korrelationen"),
        ("microdata.correlated-noise", "microdata.mixture-noise", "microdata.spread-average"),
        Text("covariances are kept up to a known factor, or asymptotically", "Kovarianzen bleiben bis auf einen bekannten Faktor oder asymptotisch erhalten"),
    ),
    Situation(
        Text("ratios between columns", "Verhältnisse zwischen Spalten"),
        ("microdata.factor-noise", "microdata.ratio"),
        Text(
            "factors of one record lie near each other, so ratios stay nearly as they were",
            "die Faktoren eines Datensatzes liegen nahe beieinander, Verhältnisse bleiben fast erhalten",
        ),
    ),
    Situation(
        Text("a few giants, and small units are enough", "wenige Riesen, und kleine Einheiten genügen"),
        ("microdata.cut-off", "microdata.suppress-records"),
        Text("no change of values hides a giant", "keine Änderung von Werten verbirgt einen Riesen"),
    ),
)  # fmt: skip
_ADVICE = Text(
    "{columns}: {says}. Suits: {take}; {because}.", "{columns}: {says}. Geeignet: {take}; {because}."
)


def which_method(profiles: Sequence[ColumnProfile], roles: Roles) -> Iterator[Text]:
    """One sentence for every situation that columns of the file show, with their names."""
    for situation in SITUATIONS:
        sign = situation.sign
        names = [c.name for c in profiles if sign is not None and sign(c, roles.get(c.name, ()))]
        if names:
            yield _ADVICE.filled(
                columns=listed(names),
                says=situation.says,
                take=", ".join(situation.take),
                because=situation.because,
            )
