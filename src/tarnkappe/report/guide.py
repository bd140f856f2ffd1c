"""How to work with a release, method by method: what needs no correction, what `tarnkappe correct` corrects, and what nothing can."""

from __future__ import annotations

from typing import Any

from tarnkappe.correct.told import DERIVED, KEPT, READERS
from tarnkappe.language import Text
from tarnkappe.plan.ledger import Run, StepEntry
from tarnkappe.report.columns import touched

COMMAND = 'tarnkappe correct RELEASE --model "y ~ x1 + x2"'
_ERRORS = Text(
    "Random errors were added whose size is known. Plain regressions are biased towards zero and variances are too large: use `tarnkappe correct`.",
    "Den Werten wurden Zufallsfehler bekannter Größe überlagert. Einfache Regressionen sind zur Null hin verzerrt, Varianzen zu groß: `tarnkappe correct` verwenden.",
)
_FACTORS = Text(
    "Values were multiplied by random factors whose distribution is known. Sums stay right on average; for regressions and variances use `tarnkappe correct`.",
    "Werte wurden mit Zufallsfaktoren bekannter Verteilung multipliziert. Summen stimmen im Mittel; für Regressionen und Varianzen `tarnkappe correct` verwenden.",
)
_GUIDES: dict[str, Text] = {
    "microdata.factor-noise": _FACTORS,
    "microdata.controlled-noise": _FACTORS,
    "microdata.noise": _ERRORS,
    "microdata.correlated-noise": _ERRORS,
    "microdata.mixture-noise": _ERRORS,
    "microdata.log-noise": _ERRORS,
    "microdata.round": Text(
        "Values were rounded. Means hardly change; variances are corrected by `tarnkappe correct`.",
        "Werte wurden gerundet. Mittelwerte ändern sich kaum; Varianzen korrigiert `tarnkappe correct`.",
    ),
    "microdata.top-bottom-code": Text(
        "Extreme values are shown as a limit and flagged. Treat the column as censored: `tarnkappe correct` fits a Tobit model.",
        "Extreme Werte sind durch eine Grenze ersetzt und gekennzeichnet. Die Spalte ist zensiert: `tarnkappe correct` schätzt ein Tobit-Modell.",
    ),
    "microdata.band": Text(
        "Numbers are shown as classes. As an outcome, `tarnkappe correct` fits an interval regression.",
        "Zahlen sind als Klassen gezeigt. Für eine Zielgröße schätzt `tarnkappe correct` eine Intervallregression.",
    ),
    "microdata.pram": Text(
        "Categories were changed at random with known probabilities. `tarnkappe correct --frequencies` gives unbiased counts, `--model` corrected regressions.",
        "Kategorien wurden mit bekannten Wahrscheinlichkeiten zufällig verändert. `tarnkappe correct --frequencies` liefert unverzerrte Häufigkeiten, `--model` korrigierte Regressionen.",
    ),
    "microdata.mdav": Text(
        "Values are those of small groups. Means of the whole file are kept or nearly so, variances are a little too small; results for small subgroups are unreliable. There is no correction.",
        "Die Werte sind die kleiner Gruppen. Mittelwerte der ganzen Datei bleiben (fast) erhalten, Varianzen sind etwas zu klein, Ergebnisse für kleine Teilgruppen unsicher. Eine Korrektur gibt es nicht.",
    ),
    "microdata.rotate": Text(
        "Means and covariances of these columns are exactly those of the original; single values, tails and subgroups are not.",
        "Mittelwerte und Kovarianzen dieser Spalten sind genau die des Originals; einzelne Werte, Ränder und Teilgruppen nicht.",
    ),
    "microdata.generalise": Text(
        "Codes are coarser but true: no correction is needed, and effects are those of the coarser categories.",
        "Codes sind gröber, aber richtig: Eine Korrektur ist unnötig, Effekte sind die der gröberen Kategorien.",
    ),
    "microdata.suppress-records": Text(
        "Some records were left out, mostly rare ones. Totals are too low and rare groups are underrepresented.",
        "Einige Datensätze wurden weggelassen, vor allem seltene. Summen sind zu niedrig, seltene Gruppen unterrepräsentiert.",
    ),
    "microdata.sample": Text(
        "The file is a sample: weight up with the sampling fraction or the weights.",
        "Die Datei ist eine Stichprobe: mit dem Auswahlsatz oder den Gewichten hochrechnen.",
    ),
    "microdata.drop": Text(
        "Columns were removed; analyses that need them are not possible.",
        "Spalten wurden entfernt; Auswertungen, die sie brauchen, sind nicht möglich.",
    ),
}  # fmt: skip
_EMPTIED = Text(
    "Cells were suppressed. Records without them are not a random sample; say how many you leave out.",
    "Zellen wurden unterdrückt. Datensätze ohne sie sind keine zufällige Auswahl; geben Sie an, wie viele Sie weglassen.",
)
_DERIVED = Text(
    "The columns were computed from others; they are as exact as those were.",
    "Die Spalten wurden aus anderen berechnet; sie sind so genau, wie diese es waren.",
)
_NOTHING = Text("No correction is needed.", "Eine Korrektur ist nicht nötig.")
_NO_WAY = Text(
    "There is no correction: relations with other columns and subgroups may be distorted. Means of the whole file are more reliable than details.",
    "Eine Korrektur gibt es nicht: Zusammenhänge mit anderen Spalten und Teilgruppen können verzerrt sein. Mittelwerte der ganzen Datei sind verlässlicher als Einzelheiten.",
)  # fmt: skip


def guide(run: Run) -> list[dict[str, Any]]:
    """One entry per step that a recipient notices, in order."""
    return [_entry(step, run) for step in run.steps if _noticed(step, run)]


def advice(method: str) -> Text:
    """What a recipient does about a method."""
    if method in _GUIDES:
        return _GUIDES[method]
    if method in ("microdata.suppress-cells", "microdata.local-suppression"):
        return _EMPTIED
    if method in DERIVED:
        return _DERIVED
    return _NOTHING if method in KEPT else _NO_WAY


def _entry(step: StepEntry, run: Run) -> dict[str, Any]:
    return {
        "step": step.number,
        "method": step.method.id,
        "title": step.method.title,
        "advice": advice(step.method.id),
        "correctable": step.method.id in READERS,
        "columns": [n for n, change in step.changes.items() if n in run.after.names and touched(change)],
    }


def _noticed(step: StepEntry, run: Run) -> bool:
    """Shuffled rows and the like need no advice."""
    changed = any(n in run.after.names and touched(change) for n, change in step.changes.items())
    return advice(step.method.id) is not _NOTHING and (changed or step.records_before != step.records_after)
