"""Words of the trade, explained in one sentence: pages show it when a word is pointed at or reached by key."""

from __future__ import annotations

from collections.abc import Mapping

from tarnkappe.language import Text

TERMS: Mapping[str, Text] = {
    "Audits that hold": Text(
        "Somebody who knows everything published cannot compute a suppressed cell more closely than allowed.",
        "Wer alles Veröffentlichte kennt, kann keine gesperrte Zelle genauer errechnen als erlaubt.",
    ),
    "Gini before": Text(
        "The Gini coefficient: 0 where all have the same, 1 where one has everything.",
        "Der Gini-Koeffizient: 0, wenn alle gleich viel haben, 1, wenn einer alles hat.",
    ),
    "Hellinger": Text(
        "A distance between two distributions of shares: 0 where they are equal, 1 where they have nothing in common.",
        "Ein Abstand zweier Verteilungen: 0, wenn sie gleich sind, 1, wenn sie nichts gemeinsam haben.",
    ),
    "IL1s": Text(
        "Mean distance between old and new values, in standard deviations times the square root of two.",
        "Mittlerer Abstand zwischen altem und neuem Wert, in Standardabweichungen mal Wurzel aus zwei.",
    ),
    "Kolmogorov-Smirnov": Text(
        "The largest difference between the two distribution functions: 0 where they are equal, at most 1.",
        "Der größte Unterschied zwischen den beiden Verteilungsfunktionen: 0, wenn sie gleich sind, höchstens 1.",
    ),
    "Largest mean error": Text(
        "The relative error of the mean that moved most, over all numeric columns.",
        "Die relative Abweichung des am stärksten veränderten Mittelwerts, über alle numerischen Spalten.",
    ),
    "Lorenz curves": Text(
        "The largest gap between the Lorenz curves, which show the share of the sum that the smallest records hold.",
        "Der größte Abstand zwischen den Lorenzkurven, die zeigen, welchen Anteil der Summe die kleinsten Datensätze halten.",
    ),
    "MAE": Text("Mean absolute error of the values.", "Mittlerer absoluter Fehler der Werte."),
    "MSE": Text("Mean squared error of the values.", "Mittlerer quadratischer Fehler der Werte."),
    "Smallest class, k": Text(
        "A class is all records that agree in the key variables; everybody is hidden among at least k.",
        "Eine Klasse sind alle Datensätze mit gleichen Schlüsselvariablen; jeder ist unter mindestens k verborgen.",
    ),
    "Suppressed cells": Text(
        "Cells of tables whose value is not published.", "Tabellenzellen, deren Wert nicht veröffentlicht wird."
    ),
    "Theil before": Text(
        "Theil's index of inequality: 0 where all have the same, larger the more unequal.",
        "Theils Ungleichheitsmaß: 0, wenn alle gleich viel haben, sonst größer.",
    ),
    "Unique records": Text(
        "Records whose combination of key variables nobody else has.",
        "Datensätze, deren Kombination von Schlüsselvariablen sonst niemand hat.",
    ),
    "Wasserstein": Text(
        "How far values must be moved on average to turn one distribution into the other.",
        "Wie weit Werte im Mittel verschoben werden müssen, um aus der einen Verteilung die andere zu machen.",
    ),
    "after Höhne": Text(
        "Höhne (2010): a change of the standard deviation is usable, doubtful or unusable.",
        "Höhne (2010): Eine Veränderung der Standardabweichung ist brauchbar, zweifelhaft oder unbrauchbar.",
    ),
    "baseline": Text(
        "What somebody reaches who only guesses.", "Was jemand erreicht, der nur rät.",
    ),
    "direct identifier": Text(
        "Names somebody by itself, such as a name or a number; it never reaches a release.",
        "Benennt jemanden für sich allein, etwa Name oder Nummer; gelangt nie in eine Freigabe.",
    ),
    "excess before": Text(
        "How heavy the tails of a distribution are; 0 for the normal distribution.",
        "Wie schwer die Ränder einer Verteilung sind; 0 bei der Normalverteilung.",
    ),
    "in the original interval": Text(
        "Whether the new estimate lies within the confidence interval of the original.",
        "Ob die neue Schätzung im Konfidenzintervall des Originals liegt.",
    ),
    "key variable": Text(
        "Others may know it and use it to recognise somebody, such as age or place.",
        "Andere können sie kennen und daran jemanden erkennen, etwa Alter oder Ort.",
    ),
    "overlap": Text(
        "The share that the confidence intervals before and after have in common: 100% where they are equal.",
        "Der Anteil, den die Konfidenzintervalle vorher und nachher gemeinsam haben: 100\u00a0%, wenn sie gleich sind.",
    ),
    "scientific-use file": Text(
        "For researchers under an agreement: less coarse than a public file, and with rules for its use.",
        "Für Forschende unter einer Vereinbarung: weniger vergröbert als eine öffentliche Datei, mit Regeln zur Nutzung.",
    ),
    "public-use file": Text(
        "For everybody: it must withstand any attacker.", "Für alle: Sie muss jedem Angreifer standhalten."
    ),
    "sensitive attribute": Text(
        "What nobody shall learn about a person, such as a diagnosis.",
        "Was niemand über eine Person erfahren soll, etwa eine Diagnose.",
    ),
    "skewness before": Text(
        "How lopsided a distribution is; 0 where it is symmetric.",
        "Wie schief eine Verteilung ist; 0, wenn sie symmetrisch ist.",
    ),
}  # fmt: skip
"""By the English word, as it stands on a page."""


def meaning(text: Text) -> Text | None:
    """What a word means; None for words everybody knows."""
    return TERMS.get(text.en)
