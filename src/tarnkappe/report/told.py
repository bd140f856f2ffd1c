"""What steps tell for corrected estimates, in words: the facts of about.json as rows for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tarnkappe.language import Text, same
from tarnkappe.report.numbers import shown
from tarnkappe.report.tables import spelt
from tarnkappe.spec import catalogue

Row = tuple[Text, Text]
_DOT = " · "
_NO_WORDS: Mapping[str, Text] = {}
NAMES: Mapping[str, Text] = {
    "aggregate": Text("what stands for a group", "was für eine Gruppe steht"),
    "artificial_records": Text("there are artificial records", "es gibt künstliche Datensätze"),
    "base": Text("base", "Basis"),
    "beyond": Text("share of a normal cloud beyond the edge", "Anteil einer normalverteilten Wolke jenseits des Randes"),
    "column": Text("column", "Spalte"),
    "columns": Text("columns", "Spalten"),
    "digits": Text("significant digits", "geltende Ziffern"),
    "moved_by_units": Text(
        "moved before by at most so many of the units in which the column is counted",
        "zuvor um höchstens so viele der Einheiten bewegt, in denen die Spalte gezählt ist",
    ),
    "common": Text("part of the noise that they have in common", "gemeinsamer Teil ihrer Überlagerung"),
    "covariance": Text("covariance", "Kovarianz"),
    "covariance_of_logarithms": Text("covariance of the logarithms", "Kovarianz der Logarithmen"),
    "factor": Text("factor", "Faktor"),
    "kim_a": Text("Kim's constant a", "Kims Konstante a"),
    "levels": Text("level of the hierarchy", "Ebene der Hierarchie"),
    "limits": Text("limits", "Grenzen"),
    "lower": Text("lower end", "unteres Ende"),
    "mean": Text("mean", "Mittelwert"),
    "mean_of_inverse": Text("mean of the inverse", "Mittelwert des Kehrwerts"),
    "mean_of_logarithm": Text("mean of the logarithm", "Mittelwert des Logarithmus"),
    "method": Text("method", "Verfahren"),
    "mode": Text("how transitions were set", "wie die Übergänge bestimmt wurden"),
    "noise": Text("kind of noise", "Art der Fehler"),
    "origin": Text("classes begin at", "Klassen beginnen bei"),
    "same_in_household": Text("the same for all members of a household", "für alle Mitglieder eines Haushalts gleich"),
    "raw_moment_2": Text("second raw moment", "zweites Moment"),
    "raw_moment_3": Text("third raw moment", "drittes Moment"),
    "raw_moment_4": Text("fourth raw moment", "viertes Moment"),
    "records": Text("records with noise", "überlagerte Datensätze"),
    "rounded": Text("rounded to whole numbers", "auf ganze Zahlen gerundet"),
    "share": Text("share drawn", "Auswahlsatz"),
    "shared": Text("shared by the columns of a record", "den Spalten eines Datensatzes gemeinsam"),
    "signs": Text("signs", "Vorzeichen"),
    "slack": Text("bounds may be off by", "Grenzen können abweichen um"),
    "strata": Text("drawn within", "gezogen innerhalb von"),
    "totals": Text("totals that the weights give exactly", "Summen, die die Gewichte genau liefern"),
    "totals_kept_within": Text("totals are kept within", "Summen bleiben erhalten innerhalb von"),
    "unit": Text("records drawn together share a value of", "gemeinsam gezogen bei gleichem Wert von"),
    "upper": Text("upper end", "oberes Ende"),
    "variance": Text("variance", "Varianz"),
    "variance_kept": Text("share of the variance that is left", "erhaltener Anteil der Varianz"),
    "variance_of_logarithm": Text("variance of the logarithm", "Varianz des Logarithmus"),
    "variance_ratio": Text("variance of the noise over that of the data", "Varianz der Fehler zu der der Daten"),
    "vectors": Text("stands in the columns", "steht in den Spalten"),
    "weight": Text("column of the weights", "Spalte der Gewichte"),
    "width": Text("width", "Breite"),
    "within": Text("drawn separately within", "getrennt gezogen innerhalb von"),
    "within_record": Text("within a record", "innerhalb eines Datensatzes"),
}  # fmt: skip
_BY_COLUMN = frozenset(
    {
        "classes",
        "columns",
        "correlation_with_the_original",
        "levels",
        "squared_change",
        "totals",
        "values",
        "variance_kept",
    }
)
"""Facts that are told column by column."""
_VALUES: Mapping[str, Mapping[str, Text]] = {
    "aggregate": {
        "mean": Text("its mean", "ihr Mittelwert"),
        "median": Text("its median", "ihr Median"),
        "medoid": Text("its middle record", "ihr mittlerer Datensatz"),
    },
    "mode": {
        "direct": Text("invariant at once", "unmittelbar invariant"),
        "given": Text("given", "vorgegeben"),
        "proportional": Text("in proportion to the frequencies", "proportional zu den Häufigkeiten"),
        "two-stage": Text("invariant in two stages", "in zwei Stufen invariant"),
    },
    "noise": {
        "a mixture of normal distributions": Text(
            "a mixture of normal distributions", "Mischung von Normalverteilungen"
        ),
        "added to logarithms": Text("added to logarithms", "zu Logarithmen addiert"),
        "added to normal scores": Text("added to normal scores", "zu Normalwerten addiert"),
        "additive": Text("additive", "additiv"),
        "covariance proportional to that of the data": Text(
            "covariance proportional to that of the data", "Kovarianz proportional zu der der Daten"
        ),
        "covariance proportional to theirs": Text(
            "covariance proportional to theirs", "Kovarianz proportional zu deren"
        ),
        "directions chosen to keep means": Text(
            "directions chosen to keep means", "Richtungen so gewählt, dass Mittelwerte bleiben"
        ),
        "independent": Text("independent", "unabhängig"),
        "log-normal": Text("log-normal", "lognormal"),
        "mixture": Text("mixture", "Mischung"),
        "multiplicative": Text("multiplicative", "multiplikativ"),
        "normal": Text("normal", "normal"),
        "random rotation of the records": Text("random rotation of the records", "zufällige Drehung der Datensätze"),
        "table": Text("listed factors", "aufgezählte Faktoren"),
        "uniform": Text("uniform", "gleichverteilt"),
        "values drawn from a fitted distribution": Text(
            "values drawn from a fitted distribution", "Werte aus einer angepassten Verteilung gezogen"
        ),
    },
    "records": {"all": Text("all", "alle"), "outliers": Text("outliers", "Ausreißer")},
    "shared": {
        "factor": Text("the factor", "der Faktor"),
        "nothing": Text("nothing", "nichts"),
        "sign": Text("the direction", "die Richtung"),
    },
    "signs": {"free": Text("may change", "können wechseln"), "keep": Text("are kept", "bleiben erhalten")},
}  # fmt: skip
_MATRICES = Text(
    "{columns}: matrices and their corrections in about.json ({count})",
    "{columns}: Matrizen und ihre Korrekturen in about.json ({count})",
)
_TRANSITIONS = Text("matrices of transition", "Übergangsmatrizen")
_STRATA = Text("of {count} strata in about.json", "von {count} Schichten in about.json")
_UNTOLD = Text("{columns}: too many values to be told", "{columns}: zu viele Werte, um sie anzugeben")


def told(method: str, facts: Mapping[str, Any]) -> list[Row]:
    """One row per fact that says something; matrices and limits by stratum are counted only. Names of columns stay as they are."""
    own = _words_of(method)
    if "" not in own:
        return list(_rows(facts, own))
    columns = (_of_column((own[""],), name, value, own, _NO_WORDS) for name, value in facts.items())
    return [row for rows in columns for row in rows]


def _rows(
    facts: Mapping[str, Any],
    own: Mapping[str, Text],
    path: tuple[Text, ...] = (),
    *,
    common: Mapping[str, Text] = NAMES,
) -> Iterator[Row]:
    for key, value in facts.items():
        name = str(key)
        here = (*path, own.get(name) or common.get(name, same(name)))
        if common and name == "treated":
            yield from ((_joined((*path, _TRANSITIONS)), _matrices(kind)) for kind in value)
        elif common and name == "limits_by_stratum":
            yield _joined(here), _STRATA.filled(count=shown(len(value)))
        elif isinstance(value, Mapping) and name in _BY_COLUMN:
            known = _NO_WORDS if name == "totals" else NAMES  # under totals stand values of the column
            for column, inner in value.items():
                yield from _of_column(here, column, inner, own, known)
        elif isinstance(value, Mapping):
            yield from _rows(value, {**own, **_words_of(value.get("method"))}, here, common=common)
        elif value is not None and value != []:
            yield _joined(here), _value({**_VALUES.get(name, {}), **own}, value)


def _of_column(
    path: tuple[Text, ...], column: str, value: Any, own: Mapping[str, Text], common: Mapping[str, Text]
) -> Iterator[Row]:
    """What is told of one column, whatever it is called."""
    here = (*path, same(str(column)))
    if isinstance(value, Mapping):
        yield from _rows(value, own, here, common=common)
    elif value is not None and value != []:
        yield _joined(here), _value(own, value)


def _joined(path: Sequence[Text]) -> Text:
    return Text(*(_DOT.join(words) for words in _both(path)))


def _words_of(method: object) -> Mapping[str, Text]:
    return catalogue[method].words if isinstance(method, str) and method in catalogue else _NO_WORDS


def _both(parts: Sequence[Text]) -> tuple[list[str], list[str]]:
    return [part.en for part in parts], [part.de for part in parts]


def _value(phrases: Mapping[str, Text], value: Any) -> Text:
    """Numbers and lists as people write them; words of methods in both languages."""
    if not isinstance(value, str):
        return spelt(value)
    if value in phrases:
        return phrases[value]
    if value in catalogue:
        return catalogue[value].title
    parts = [phrases.get(part, same(part)) for part in value.split(", ")]
    return Text(*(", ".join(words) for words in _both(parts)))


def _matrices(kind: Mapping[str, Any]) -> Text:
    columns = ", ".join(kind["columns"])
    if not kind["strata"]:
        return _UNTOLD.filled(columns=columns)
    return _MATRICES.filled(columns=columns, count=shown(len(kind["strata"])))
