"""Variables of enterprises that anybody can look up: a list that comes with Tarnkappe and that an office can replace by its own."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from tarnkappe.errors.process import PublicVariablesWrong
from tarnkappe.language import Text
from tarnkappe.plan.document import Document, load, parse
from tarnkappe.plan.naming import names_it
from tarnkappe.plan.need import Said
from tarnkappe.plan.part import Part
from tarnkappe.spec.parameters import fit, spelt

FILE = "public_variables.yaml"


class PublicVariable(Part):
    """Something that attackers find in public sources."""

    name: Said
    words: Annotated[str, Field(min_length=1)]
    """Words in names of columns, separated by commas."""
    sources: Said | None = None

    def means(self, column: str) -> bool:
        """Whether a column of this name is about it."""
        return any(names_it(column, word) for word in self.words.split(",") if word.strip())


class PublicVariables(Part):
    """The whole list."""

    tarnkappe_public_variables: Literal[1]
    variables: tuple[PublicVariable, ...] = ()

    def found(self, column: str) -> PublicVariable | None:
        """What of the list a column is about."""
        return next((one for one in self.variables if one.means(column)), None)


@cache
def standard_list() -> PublicVariables:
    """The list that comes with Tarnkappe (Gottschalk 2002, section 2.4)."""
    return _checked(parse(files("tarnkappe.plan").joinpath(FILE).read_text("utf-8"), FILE))


def public_list(file: Path | None) -> PublicVariables:
    """The list of an office, or the standard one."""
    return _checked(load(file)) if file else standard_list()


def _checked(document: Document) -> PublicVariables:
    found, misfits = fit(PublicVariables, document.content if isinstance(document.content, dict) else {})
    if found is None:
        said = [(spelt(m.place), m.says) for m in misfits]
        problems = Text("; ".join(f"{w} {s.en}" for w, s in said), "; ".join(f"{w} {s.de}" for w, s in said))
        raise PublicVariablesWrong(file=document.name, problems=problems)
    return found
