"""Files that are broken, or made to do harm."""

from __future__ import annotations

import io
import zipfile

from tarnkappe.examples import make_persons
from tarnkappe.io.write import write


def zip_bomb() -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts,
        parts.open("xl/worksheets/sheet1.xml", "w") as part,
    ):
        for _ in range(300):
            part.write(bytes(2**20))
    return out.getvalue()


def parquet() -> bytes:
    out = io.BytesIO()
    write(make_persons(50), out, "parquet")
    return out.getvalue()
