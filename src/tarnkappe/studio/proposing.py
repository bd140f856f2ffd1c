"""The proposal for the file that is open: made once in the background, found by every page."""

from __future__ import annotations

from tarnkappe.language import Text
from tarnkappe.studio.jobs import Job
from tarnkappe.studio.reading_part import reading_of
from tarnkappe.studio.sessions import Session
from tarnkappe.studio.tasks.propose import proposed

KIND = "propose"
_TITLE = Text("Looking at what the columns mean", "Die Bedeutung der Spalten wird ermittelt")


def proposal_job(session: Session, *, again: bool = False) -> Job:
    """The job whose result is the `Proposed` of the open file; started if there is none, or if asked again."""
    reading = reading_of(session.draft.get("data"))
    note = (session.folder, reading)
    job = session.jobs.latest(KIND)
    if job is None or job.note != note or again:
        job = session.jobs.start(_TITLE, KIND, proposed, session.folder, reading)
        job.note = note
    return job
