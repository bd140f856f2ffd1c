"""What was corrected and by which rule, and what users must know, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tarnkappe.correct.treatments import (
    SHEPPARD,
    Exchanged,
    Factors,
    Grouped,
    Limits,
    Misclassified,
    MomentsKept,
    Noise,
    Story,
    Treatment,
)  # fmt: skip
from tarnkappe.language import Text, listed, number

_SHARED = {
    "factor": Text(", one for all columns of a record", ", einem für alle Spalten eines Datensatzes"),
    "factor and own": Text(
        ", one for all columns of a record and a small one for every value",
        ", einem für alle Spalten eines Datensatzes und einem kleinen für jeden Wert",
    ),
    "sign": Text(
        ", all columns of a record in the same direction",
        ", alle Spalten eines Datensatzes in dieselbe Richtung",
    ),
    "nothing": Text("", ""),
}


def _figure(value: float) -> Text:
    return Text(*(number(value, lang) for lang in ("en", "de")))


def rules(stories: Iterable[Story], simulated: Collection[int]) -> tuple[Text, ...]:
    """How the errors of columns are undone, columns with the same rule together; `simulated` names steps."""
    alike: dict[Text, list[str]] = {}
    for story in stories:
        told = _of(story, simulated=bool(story.error and story.error.step.number in simulated))
        if told is not None:
            alike.setdefault(told, []).append(story.column)
    return tuple(
        Text("{names}: {told}", "{names}: {told}").filled(names=listed(names), told=told)
        for told, names in alike.items()
    )


def _of(story: Story, *, simulated: bool) -> Text | None:
    error = story.error
    if simulated and error is not None:
        return Text(
            "{method}; undone by simulation and extrapolation (SIMEX), an approximation.",
            "{method}; zurückgerechnet durch Simulation und Extrapolation (SIMEX), eine Näherung.",
        ).filled(method=error.step.title)
    if error is None and story.width and story.over != SHEPPARD:
        return Text(
            "rounded to multiples of {width} with totals kept; {part} times its square is taken off the variance (good while the width is below the "
            "standard deviation).",
            "auf Vielfache von {width} gerundet, mit erhaltenen Summen; das {part}-Fache des Quadrats wird von der Varianz abgezogen (gut, solange die Breite "
            "unter der Standardabweichung liegt).",
        ).filled(width=_figure(story.width), part=_figure(1 / story.over))
    if error is None and story.width:
        return Text(
            "rounded to multiples of {width}; a twelfth of its square is taken off the variance (Sheppard; good while the width is "
            "below the standard deviation).",
            "auf Vielfache von {width} gerundet; ein Zwölftel des Quadrats wird von der Varianz abgezogen (Sheppard; gut, solange "
            "die Breite unter der Standardabweichung liegt).",
        ).filled(width=_figure(story.width))
    return _rule(error)


_SIMPLE: dict[type[Treatment], Text] = {
    Misclassified: Text(
        "categories were changed at random; the inverse of the matrix gives unbiased stand-ins for the old ones (PRAM).",
        "Kategorien wurden zufällig verändert; die Inverse der Matrix liefert erwartungstreue Stellvertreter der alten (PRAM).",
    ),
    Limits: Text(
        "values beyond a limit were set to it; as an outcome it is estimated by Tobit, as a regressor those records are left out.",
        "Werte jenseits einer Grenze wurden auf sie gesetzt; als Zielgröße wird mit Tobit geschätzt, als Regressor entfallen "
        "diese Datensätze.",
    ),
    Exchanged: Text(
        "values were exchanged between records; the column by itself is that of the original, and nothing is to be corrected.",
        "Werte wurden zwischen Datensätzen getauscht; für sich allein ist die Spalte die des Originals, und zu korrigieren ist nichts.",
    ),
    MomentsKept: Text(
        "means and covariances of these columns are those of the original; nothing is to be corrected.",
        "Mittelwerte und Kovarianzen dieser Spalten sind die des Originals; zu korrigieren ist nichts.",
    ),
}


def _rule(error: Treatment | None) -> Text | None:
    if isinstance(error, Factors):
        return Text(
            "multiplied by random factors with variance {v}{shared}; moments are divided by those of the factors (Hwang).",
            "mit Zufallsfaktoren der Varianz {v} multipliziert{shared}; Momente werden durch die der Faktoren geteilt (Hwang).",
        ).filled(
            v=_figure(error.moments["variance"]),
            shared=_SHARED.get(f"{error.shared} and own" if error.own else error.shared, Text("", "")),
        )
    if isinstance(error, Noise):
        return _noise(error)
    if isinstance(error, Grouped):
        return _grouped(error)
    return None if error is None else _SIMPLE.get(type(error))


def _noise(noise: Noise) -> Text:
    scale = Text(" on the log scale", " auf der logarithmischen Skala") if noise.logs else Text("", "")
    alike = (
        Text("with the correlations of the data", "mit den Korrelationen der Daten")
        if noise.proportional
        else Text("independent", "unabhängig")
    )
    return Text(
        "noise was added{scale}, {alike}, with {d} times the variance of the column; it is taken off the moments (errors in "
        "variables).",
        "überlagert{scale}, {alike}, mit dem {d}-Fachen der Varianz der Spalte; dies wird von den Momenten abgezogen "
        "(Fehler in den Variablen).",
    ).filled(scale=scale, alike=alike, d=_figure(noise.ratio))


def _grouped(error: Grouped) -> Text:
    if error.show == "mean":
        return Text(
            "class means are shown; as a regressor they need no correction, as an outcome the class limits are used.",
            "gezeigt werden Klassenmittel; als Regressor brauchen sie keine Korrektur, als Zielgröße gelten die Klassengrenzen.",
        )
    return Text(
        "shown in classes; as an outcome the class limits are used (interval regression).",
        "in Klassen gezeigt; als Zielgröße gelten die Klassengrenzen (Intervallregression).",
    )
