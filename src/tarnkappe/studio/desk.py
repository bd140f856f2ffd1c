"""What a worker keeps between tasks: the data it read last, so that looking twice reads once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.paths import inside
from tarnkappe.io.read import read_with
from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document
from tarnkappe.plan.model import DataDescription, Plan
from tarnkappe.plan.prepare import described, fitted_to, prepare
from tarnkappe.spec.parameters import fit_or_raise

SAMPLE = 5_000
"""Records of which previews are made."""


class Desk:
    """The file that lies on the desk."""

    def __init__(self) -> None:
        self._key: tuple[Any, ...] = ()
        self._data: Microdata | None = None

    def read(self, folder: Path, file: str, options: ReadOptions) -> Microdata:
        """The data of a file, without roles; from memory if it is the one that was read last and has not changed."""
        path = inside(folder, file)
        seen = path.stat() if path.is_file() else None
        key = (path, seen and (seen.st_mtime_ns, seen.st_size), repr(options))
        if self._data is None or key != self._key:
            self._data = None  # two large files at once may be one too many
            self._data, self._key = read_with(path, options), key
        return self._data

    def raw(self, folder: Path, data: Mapping[str, Any]) -> Microdata:
        """The data as the part `data` of a plan describes its file, without roles and hierarchies."""
        description = fit_or_raise(DataDescription, data, "data")
        return self.read(folder, description.file, description.options)

    def described(self, folder: Path, data: Mapping[str, Any]) -> Microdata:
        """The data as the part `data` of a plan describes it, with roles and hierarchies."""
        return described(self.raw(folder, data), fit_or_raise(DataDescription, data, "data"), folder)

    def planned(self, plan: Plan) -> Microdata:
        """The data of a checked plan; every name that does not fit is told at once."""
        if plan.data is None:
            return prepare(plan)
        return fitted_to(plan, plan.data, self.read(plan.folder, plan.data.file, plan.data.options))


def checked(folder: Path, content: Mapping[str, Any]) -> Plan:
    """The plan of a draft; raises with all its problems."""
    return check(Document(dict(content), name="plan"), folder)


def sample_of(data: Microdata, size: int = SAMPLE) -> Microdata:
    """Some records, spread evenly over the file; all if there are not more."""
    if len(data) <= size:
        return data
    return data.take(np.linspace(0, len(data) - 1, size).astype(np.int64))
