"""The catalogue in the terminal, and one command per method made from its declaration."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Annotated, Any, Optional

import typer
from rich.markdown import Markdown

from tarnkappe.cli.screen import language, out, table
from tarnkappe.plan.document import parse, step_as_plain, to_yaml
from tarnkappe.spec import Declared, catalogue
from tarnkappe.spec.card import facts, kind_of, markdown
from tarnkappe.spec.parameters import build, describe


def methods(id: str | None, lang: str | None, *, as_json: bool) -> None:  # noqa: A002
    """The catalogue, or one card."""
    spoken = language(lang)
    if as_json:
        shown = facts(catalogue[id]) if id else [facts(cls) for cls in catalogue]
        typer.echo(json.dumps(shown, ensure_ascii=False, indent=2))
    elif id:
        out.print(Markdown(markdown(catalogue[id], spoken)))
    else:
        listing = table("", "id", "", "")
        for cls in catalogue:
            listing.add_row(cls.id, kind_of(cls), cls.title.in_(spoken))
        out.print(listing)


def step(arguments: list[str]) -> None:
    """Print one step as YAML; its options come from the declaration."""
    if not arguments or arguments[0].startswith("-"):
        typer.echo("Usage: tarnkappe step ID [OPTIONS]\n\nOne step of a plan as YAML. Ids: tarnkappe methods")
        return
    cls = catalogue[arguments[0]]
    command_for(cls)(args=arguments[1:], prog_name=f"tarnkappe step {cls.id}")


def command_for(cls: type[Declared]) -> Callable[..., Any]:
    """A command whose options are the parameters of a declared thing."""

    def call(**given: Any) -> None:
        stated = {name: value for name, value in given.items() if value not in (None, [])}
        made = build(cls, {name: _value(cls, name, value) for name, value in stated.items()})
        typer.echo(to_yaml({"steps": [step_as_plain(made)]}), nl=False)

    options = [_option(cls, name) for name in cls.__pydantic_fields__]
    call.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    call.__annotations__ = {o.name: o.annotation for o in options}
    made = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    made.command(help=f"{cls.title.en}.\n\n{inspect.cleandoc(cls.__doc__ or '')}")(call)
    return made


def _option(cls: type[Declared], name: str) -> inspect.Parameter:
    field = cls.__pydantic_fields__[name]
    helped = describe(cls, name).en
    helped += " [required]" if field.is_required() else f" [default: {field.default}]"
    takes: Any = list[str] if _shape(cls, name) in ("array", "object") else str
    settings = typer.Option(f"--{name.replace('_', '-')}", help=helped, metavar=_metavar(cls, name), show_default=False)
    annotation = Annotated[Optional[takes], settings]  # noqa: UP045 - the form typer reads
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _shape(cls: type[Declared], name: str) -> str:
    """The JSON type of a parameter: array, object, string, …; empty where several are possible."""
    part = cls.model_json_schema()["properties"][name]
    kinds = {part.get("type"), *(option.get("type") for option in part.get("anyOf", ()))} - {None, "null"}
    return str(kinds.pop()) if len(kinds) == 1 else "array" if "array" in kinds else ""


def _metavar(cls: type[Declared], name: str) -> str:
    return {"array": "VALUE …", "object": "NAME=VALUE …"}.get(_shape(cls, name), "VALUE")


def _value(cls: type[Declared], name: str, given: Any) -> Any:
    """What a plan would hold for these words."""
    shape = _shape(cls, name)
    if shape == "string":
        return given
    if shape == "object":
        return {key: _scalar(value) for key, _, value in (pair.partition("=") for pair in given)}
    if isinstance(given, list):
        values = [_scalar(word) for word in given]
        return values[0] if len(values) == 1 and _also_single(cls, name) else values
    return _scalar(given)


def _also_single(cls: type[Declared], name: str) -> bool:
    options = cls.model_json_schema()["properties"][name].get("anyOf", ())
    return any(o.get("type") not in ("array", "null") for o in options)


def _scalar(word: str) -> Any:
    """``5`` is a number, ``[1, 2]`` a list, anything else text: as in a plan."""
    return parse(word).content
