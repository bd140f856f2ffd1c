"""From a declaration to parameters: building, describing, and saying in plain words what does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tarnkappe.errors import TarnkappeError, did_you_mean
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.language import Text, both, same

if TYPE_CHECKING:
    from tarnkappe.spec.contract import Declared

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Misfit:
    """One parameter that does not fit: where it stands and what is wrong with it."""

    place: tuple[str | int, ...]
    says: Text


def build(cls: type[Declared], parameters: Mapping[str, Any]) -> Declared:
    """Make the declared thing, or raise one error that lists every misfit."""
    return fit_or_raise(cls, parameters, cls.id)


def fit_or_raise(cls: type[T], given: Mapping[str, Any], name: str) -> T:
    """Validate what stands under `name`, or raise one error that lists every misfit."""
    made, found = fit(cls, given)
    if made is None:
        raise parameter_wrong(name, found)
    return made


def fit(cls: type[T], given: Mapping[str, Any]) -> tuple[T | None, list[Misfit]]:
    """Validate; return the object or every misfit in our own words."""
    try:
        return cls.model_validate(given), []
    except ValidationError as problem:
        return None, misfits(cls, problem)


def misfits(cls: type[BaseModel], problem: ValidationError) -> list[Misfit]:
    """What pydantic found, in our own words."""
    return [_misfit(cls, error) for error in problem.errors(include_url=False)]


def parameter_wrong(name: str, found: list[Misfit]) -> ParameterWrong:
    """One error that lists every misfit of what stands under `name`."""
    said = [(f"{spelt(m.place)}: " if m.place else "", m.says) for m in found]
    problems = Text("; ".join(w + s.en for w, s in said), "; ".join(w + s.de for w, s in said))
    return ParameterWrong(id=name, problems=problems)


def describe(cls: type[BaseModel], parameter: str) -> Text:
    """The description of a parameter in both languages."""
    return both(cls.__pydantic_fields__[parameter].description or "")


def spelt(place: tuple[str | int, ...]) -> str:
    """``steps[1].columns``: a place in a document, counted from 1 as people do."""
    out = ""
    for part in place:
        out += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if out else str(part)
    return out


_SENTENCES: dict[str, Text] = {
    "missing": Text("is required", "muss angegeben werden"),
    "greater_than": Text("must be greater than {gt}", "muss größer als {gt} sein"),
    "greater_than_equal": Text("must be at least {ge}", "muss mindestens {ge} sein"),
    "less_than": Text("must be less than {lt}", "muss kleiner als {lt} sein"),
    "less_than_equal": Text("must be at most {le}", "darf höchstens {le} sein"),
    "too_short": Text("needs at least {min_length} entries", "braucht mindestens {min_length} Einträge"),
    "too_long": Text("may have at most {max_length} entries", "darf höchstens {max_length} Einträge haben"),
    "string_too_short": Text("must not be empty", "darf nicht leer sein"),
    "int_type": Text("must be a whole number", "muss eine ganze Zahl sein"),
    "int_parsing": Text("must be a whole number", "muss eine ganze Zahl sein"),
    "int_from_float": Text("must be a whole number", "muss eine ganze Zahl sein"),
    "float_type": Text("must be a number", "muss eine Zahl sein"),
    "float_parsing": Text("must be a number", "muss eine Zahl sein"),
    "finite_number": Text("must be a finite number", "muss eine endliche Zahl sein"),
    "bool_type": Text("must be true or false", "muss true oder false sein"),
    "bool_parsing": Text("must be true or false", "muss true oder false sein"),
    "string_type": Text("must be text", "muss Text sein"),
    "tuple_type": Text("must be a list", "muss eine Liste sein"),
    "list_type": Text("must be a list", "muss eine Liste sein"),
    "dict_type": Text("must be a mapping (name: value)", "muss eine Zuordnung (Name: Wert) sein"),
    "mapping_type": Text("must be a mapping (name: value)", "muss eine Zuordnung (Name: Wert) sein"),
    "model_type": Text("must be a mapping (name: value)", "muss eine Zuordnung (Name: Wert) sein"),
    "enum": Text("must be one of {expected}", "muss eines von {expected} sein"),
    "literal_error": Text("must be one of {expected}", "muss eines von {expected} sein"),
    "date_from_datetime_parsing": Text("must be a date (2026-12-31)", "muss ein Datum sein (2026-12-31)"),
    "string_pattern_mismatch": Text("does not have the required form", "hat nicht die verlangte Form"),
}

_LONGER = Text("needs at least {min_length} characters", "braucht mindestens {min_length} Zeichen")


def unknown_word(word: str, known: Iterable[str]) -> Text:
    """What is said of a word that nobody here knows, with the right one where it is misspelt."""
    hint = did_you_mean(word, known)
    return Text("is not known here. {hint}", "ist hier unbekannt. {hint}").filled(hint=hint)


def _misfit(cls: type[BaseModel], error: ErrorDetails) -> Misfit:
    place = tuple(
        p for p in error["loc"] if not (isinstance(p, str) and p.startswith(("function-", "tagged-")))
    )
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        model = _model_at(cls, place[:-1])
        return Misfit(place, unknown_word(str(place[-1]), model.__pydantic_fields__ if model else ()))
    if kind in ("value_error", "assertion_error"):
        cause = context.get("error")
        if isinstance(cause, TarnkappeError):
            return Misfit(place, cause.what)
        said = cause.args[0] if isinstance(cause, Exception) and cause.args else error["msg"]
        return Misfit(place, said if isinstance(said, Text) else both(str(said)))
    sentence = _LONGER if kind == "string_too_short" and context["min_length"] > 1 else _SENTENCES.get(kind)
    return Misfit(place, sentence.filled(**_named(sentence, context)) if sentence else same(error["msg"]))


def _named(sentence: Text, context: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in context.items() if "{" + k + "}" in sentence.en}


def _model_at(cls: type[BaseModel], place: tuple[str | int, ...]) -> type[BaseModel] | None:
    """The model that stands at a place inside another one, as far as its annotations tell."""
    kinds: list[Any] = [cls]
    for part in place:
        below = [one for kind in kinds for one in _below(kind, part)]
        kinds = below or [kind for kind in kinds if _is_model(kind) and _tagged(kind, part)]
    return next((kind for kind in kinds if _is_model(kind)), None)


def _below(kind: Any, part: str | int) -> list[Any]:
    """The types that may stand under a field, a name or a number."""
    if _is_model(kind):
        field = kind.__pydantic_fields__.get(part)
        return _alternatives(field.annotation) if field else []
    inside = get_args(kind)[-1:] if isinstance(part, str) else get_args(kind)[:1]
    return [one for kind in inside for one in _alternatives(kind)]


def _tagged(model: type[BaseModel], part: str | int) -> bool:
    """Whether a part of a place is no field but the word by which this model was chosen among others."""
    return any(field.default == part for field in model.__pydantic_fields__.values())


def _alternatives(kind: Any) -> list[Any]:
    """The types of a union, each without its annotations."""
    if get_origin(kind) is Annotated:
        return _alternatives(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return [one for alternative in get_args(kind) for one in _alternatives(alternative)]
    return [kind]


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
