"""One estimate from several files: multiply imputed, partially or fully synthetic.

Rules of the specification (dav2025, 4.2): rubin1987; reiter2003; raghunathan2003; raab2016
for synthesis without and with drawn parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Unpack

import numpy as np

from tarnkappe.correct.fit import model
from tarnkappe.correct.intervals import figures_of
from tarnkappe.correct.linear import Estimate
from tarnkappe.correct.release import Release, open_release
from tarnkappe.correct.result import Corrected
from tarnkappe.correct.settings import Options
from tarnkappe.data.column import Floats
from tarnkappe.errors.correct import OptionWrong, SeveralDiffer
from tarnkappe.language import Text, listed

Kind = Literal[
    "imputed", "partially-synthetic", "fully-synthetic", "synthetic-simple", "synthetic-proper", "as-original"
]


@dataclass(frozen=True)
class Several:
    """Estimates and variances of m files."""

    values: Floats
    variances: Floats
    ratio: float = 1.0
    """Records of a file over those of the original, k/n."""

    @property
    def m(self) -> int:
        return len(self.values)

    @property
    def mean(self) -> Floats:
        out: Floats = self.values.mean(axis=0)
        return out

    @property
    def between(self) -> Floats:
        out: Floats = self.values.var(axis=0, ddof=1)
        return out

    @property
    def within(self) -> Floats:
        out: Floats = self.variances.mean(axis=0)
        return out


Combined = tuple[Floats, Floats]
"""Variances and degrees of freedom."""


def _freedom(s: Several, more: Floats, sign: float) -> Floats:
    """(m - 1)(1 ± ū/more)²; without limit where the files agree."""
    out: Floats = np.full_like(more, np.inf)
    apart = more > 1e-12 * s.within
    out[apart] = (s.m - 1) * (1 + sign * s.within[apart] / more[apart]) ** 2
    return out


def _imputed(s: Several) -> Combined:
    more = (1 + 1 / s.m) * s.between
    return s.within + more, _freedom(s, more, 1.0)


def _partially(s: Several) -> Combined:
    more = s.between / s.m
    return s.within + more, _freedom(s, more, 1.0)


def _fully(s: Several) -> Combined:
    more = (1 + 1 / s.m) * s.between
    total = more - s.within
    freedom = _freedom(s, more, -1.0)
    bad = total <= 0  # the estimator is not bounded below; the specification falls back on (k/n)·ū
    return np.where(bad, s.ratio * s.within, total), np.where(bad, np.inf, np.maximum(freedom, 1.0))


def _simple(s: Several) -> Combined:
    return s.within * s.ratio + s.within / s.m, np.full_like(s.within, np.inf)


def _proper(s: Several) -> Combined:
    return s.within * s.ratio + s.within * (1 + s.ratio) / s.m, np.full_like(s.within, np.inf)


def _as_original(s: Several) -> Combined:
    """What the original itself would have shown: its own variance, without what the synthesis adds."""
    return s.within * s.ratio, np.full_like(s.within, np.inf)


RULES: dict[Kind, tuple[Callable[[Several], Combined], int, Text]] = {
    "imputed": (_imputed, 2, Text("multiply imputed files (Rubin)", "mehrfach imputierte Dateien (Rubin)")),
    "partially-synthetic": (
        _partially, 2, Text("partially synthetic files (Reiter)", "teilweise synthetische Dateien (Reiter)"),
    ),
    "fully-synthetic": (
        _fully, 2,
        Text(
            "fully synthetic files (Raghunathan, Reiter and Rubin)",
            "vollständig synthetische Dateien (Raghunathan, Reiter und Rubin)",
        ),
    ),
    "synthetic-simple": (
        _simple, 1, Text("synthetic files, parameters fixed", "synthetische Dateien, Parameter fest"),
    ),
    "synthetic-proper": (
        _proper, 1, Text("synthetic files, parameters drawn", "synthetische Dateien, Parameter gezogen"),
    ),
    "as-original": (
        _as_original, 1,
        Text("synthetic files, for what the original would show", "synthetische Dateien, für das, was das Original zeigen würde"),
    ),
}  # fmt: skip
"""Rule -> (variance and freedom, files needed, words)."""


def combined(
    releases: Sequence[str | Path | Release],
    formula: str,
    rule: Kind,
    original_records: int | None = None,
    **options: Unpack[Options],
) -> Corrected:
    """Estimate a model from several files made from the same original.

    Parameters
    ----------
    releases
        Folders of releases; with ``imputed``, a release whose columns were imputed several times is as many files.
    formula
        The model, as for `model`.
    rule
        How the files were made: ``imputed``, ``partially-synthetic``, ``fully-synthetic``, ``synthetic-simple`` (parameters of
        the models fixed) or ``synthetic-proper`` (drawn); ``as-original`` asks for the estimate and the error that the original itself would
        show, whatever the synthesis adds to them.
    original_records
        Records of the original, where the files have another number.
    options
        As for `model`.
    """
    if rule not in RULES:
        raise OptionWrong(option="rule", given=repr(rule), must=Text(*(", ".join(RULES),) * 2))
    variance, needed, words = RULES[rule]
    if rule == "imputed":
        releases = [file for release in releases for file in imputations(release)]
    if len(releases) < needed:
        must = Text("two or more for this rule", "für diese Regel zwei oder mehr")
        raise OptionWrong(option="releases", given=len(releases), must=must)
    if original_records is not None and original_records < 1:
        raise OptionWrong(
            option="original_records", given=original_records, must=Text("1 or more", "1 oder mehr")
        )
    found = [model(release, formula, **options) for release in releases]
    several = _several(found, original_records)
    total, freedom = variance(several)
    estimate = Estimate(tuple(f.name for f in found[0].figures), several.mean, np.diag(total))
    figures = [
        figures_of(
            Estimate((name,), several.mean[j : j + 1], np.array([[total[j]]]), freedom=float(freedom[j])),
            None,
            found[0].level,
        )[0]
        for j, name in enumerate(estimate.names)
    ]
    return Corrected(
        title=found[0].title,
        estimator=Text("{m} {words}", "{m} {words}").filled(m=len(found), words=words),
        figures=tuple(figures),
        records=found[0].records,
        level=found[0].level,
        left_out=found[0].left_out,
        corrected=found[0].corrected,
        notes=found[0].notes,
        covariance=estimate.covariance,
    )


def imputations(release: str | Path | Release) -> list[Release]:
    """A release as one file for every imputation of its columns; the release itself where each was imputed once at most."""
    opened = release if isinstance(release, Release) else open_release(release)
    told = [step.facts["imputations"] for step in opened.steps if step.facts.get("imputations")]
    files = []
    for number in range(min((len(names) for names in told), default=0)):
        chosen = {names[0]: opened.data.column(names[number]) for names in told}
        others = [name for names in told for name in names[1:]]
        files.append(replace(opened, data=opened.data.with_columns(chosen).without(others)))
    return files or [opened]


def _several(found: Sequence[Corrected], original: int | None) -> Several:
    names = [tuple(figure.name for figure in one.figures) for one in found]
    if len(set(names)) > 1:
        different = sorted(set(names[0]).symmetric_difference(*names[1:]))
        raise SeveralDiffer(count=len(found), names=listed(different or list(names[0])))
    values = np.array([[f.estimate for f in one.figures] for one in found])
    variances = np.array([[f.error**2 for f in one.figures] for one in found])
    records = found[0].records
    return Several(values, variances, records / (original or records))
