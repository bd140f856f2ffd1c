"""What users must know about estimates from a release, whatever they estimate."""

from __future__ import annotations

from collections.abc import Iterator

from tarnkappe.correct.release import Release
from tarnkappe.correct.settings import Settings
from tarnkappe.correct.source import Source
from tarnkappe.language import Text
from tarnkappe.vocab import Role


def notes_of(source: Source, settings: Settings) -> Iterator[Text]:
    """What holds for these columns, and for the whole file."""
    release = source.release
    for name in settings.as_is:
        if release.treated.get(name):
            yield Text(
                "{name} was changed and is taken as it is: estimates may be biased.",
                "{name} wurde verändert und wird genommen, wie es ist: Schätzungen können verzerrt sein.",
            ).filled(name=name)
    for story in source.stories.values():
        yield from story.notes
    yield from _unit_notes(source)
    if settings.weight is None and release.data.role(Role.WEIGHT):
        yield Text(
            "The release has weights ({name}), which are not used; --weight {name} uses them.",
            "Die Freigabe hat Gewichte ({name}), die nicht verwendet werden; --weight {name} verwendet sie.",
        ).filled(name=release.data.role(Role.WEIGHT)[0])
    yield from _warnings(release)


def _unit_notes(source: Source) -> Iterator[Text]:
    for story in source.stories.values():
        unit = getattr(story.error, "unit", ())
        if any(name not in source.data.names for name in unit):
            yield Text(
                "Records of one unit share the error of {name}, but the release does not show units: standard errors may be too small.",
                "Datensätze einer Einheit teilen den Fehler von {name}, aber die Freigabe zeigt keine Einheiten: Standardfehler "
                "können zu klein sein.",
            ).filled(name=story.column)


def _warnings(release: Release) -> Iterator[Text]:
    """What holds for the whole file."""
    for step in release.steps:
        if step.facts.get("artificial_records"):
            yield Text(
                "The release holds artificial records ({title}); estimates count them as well.",
                "Die Freigabe enthält künstliche Datensätze ({title}); Schätzungen zählen sie mit.",
            ).filled(title=step.title)
        if step.method == "microdata.sample":
            yield Text(
                "The release is a sample of the original records; counts and totals are those of the sample.",
                "Die Freigabe ist eine Stichprobe der ursprünglichen Datensätze; Anzahlen und Summen sind die der Stichprobe.",
            )
        if step.facts.get("suppressed_records"):
            yield Text(
                "Records were left out of the release ({title}, {count}); those that are there may differ from them.",
                "Datensätze fehlen in der Freigabe ({title}, {count}); die vorhandenen können sich von ihnen unterscheiden.",
            ).filled(title=step.title, count=step.facts["suppressed_records"])
        if step.method == "microdata.cut-off":
            yield Text(
                "Units beyond the limits of {name} were left out of the release; results hold for the others.",
                "Einheiten jenseits der Grenzen von {name} fehlen in der Freigabe; Ergebnisse gelten für die übrigen.",
            ).filled(name=step.facts.get("column", "?"))
        if step.facts.get("totals_kept_within") is not None:
            yield Text(
                "The noise was changed so that totals are kept; where their strata have few records, corrections hold only nearly.",
                "Die Überlagerung wurde so verändert, dass Summen bleiben; wo ihre Schichten wenige Datensätze haben, gelten Korrekturen nur "
                "annähernd.",
            )
        if step.method == "microdata.controlled-noise":
            yield Text(
                "Directions of the noise were chosen to keep means; standard errors are then rather too large.",
                "Die Richtungen der Überlagerung wurden so gewählt, dass Mittelwerte bleiben; Standardfehler sind dann eher zu groß.",
            )
