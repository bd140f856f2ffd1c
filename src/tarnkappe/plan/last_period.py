"""How a plan names the last period of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from tarnkappe.data.last_period import USUAL
from tarnkappe.language import Text
from tarnkappe.plan.part import Part


def release_or_file(given: Any) -> Any:
    """A name with an ending is a file, one without the folder of a release."""
    return {"file" if Path(given).suffix else "release": given} if isinstance(given, str) else given


class LastPeriod(Part):
    """What the last period hid of the same table: cheap to hide again, never a must."""

    release: Annotated[str, Field(min_length=1)] | None = None
    """Folder of the last release; the table of the same name counts. | Ordner der letzten Freigabe; es gilt die Tabelle gleichen Namens."""
    file: Annotated[str, Field(min_length=1)] | None = None
    """A file of its cells with a column status, or a .hst file. | Eine Datei ihrer Zellen mit der Spalte status, oder eine .hst-Datei."""
    cost: Annotated[float, Field(ge=0, le=1)] = USUAL
    """What hiding a cell again costs, as a share of the usual. | Was erneutes Verbergen kostet, als Anteil des Üblichen."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.release is None) == (self.file is None):
            raise ValueError(Text("needs release or file", "braucht release oder file"))
        return self

    def path(self, table: str) -> str:
        """The file that says what was hidden."""
        return self.file or f"{self.release}/tables/{table}.csv"
