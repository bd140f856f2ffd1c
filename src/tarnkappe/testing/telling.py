"""Finding out whether something tells what it must not, and whether it fails as it should."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import OurFault, TarnkappeError
from tarnkappe.language import LANGUAGES
from tarnkappe.spec import plain
from tarnkappe.testing.variants import MARKERS

R = TypeVar("R")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[,.'_\u00a0\u2009\u202f ](?=\d)")
"""Signs that group digits: 987,654,321 is found as well."""


def attempt(act: Callable[[], R], where: str) -> R | TarnkappeError:
    """What an act gives, or the coded error it raises. Anything else, a warning included, is a fault."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return act()
    except OurFault as fault:
        raise AssertionError(f"{where}: {fault}") from fault
    except TarnkappeError as refused:
        return refused
    except AssertionError:
        raise
    except Exception as fault:
        raise AssertionError(f"{where}: raises {type(fault).__name__} instead of a coded error") from fault


def words_of(error: TarnkappeError) -> str:
    """Everything an error shows, in every language."""
    shown = [str(error), repr(error), repr(error.args), repr(error.facts)]
    return "\n".join(shown + [error.text(lang) for lang in LANGUAGES])


def assert_silent(words: str, where: str) -> None:
    """No marker of `marked` data may stand in the words."""
    bare = _BETWEEN_DIGITS.sub("", words)
    found = [marker for marker in MARKERS if marker in words or marker in bare]
    assert not found, f"{where}: tells the value of a cell ({found[0]})"


def as_json(content: Any, where: str) -> str:
    """The content as strict JSON; what JSON cannot hold is a fault."""
    try:
        return json.dumps(plain(content), allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as fault:
        raise AssertionError(f"{where}: is not plain JSON ({fault})") from fault


def bytes_of(data: Microdata) -> Mapping[str, Any]:
    """Everything data consists of, to compare byte by byte."""
    return {
        "rows": data.rows.tobytes(),
        "roles": {role: names for role, names in data.roles.items() if names},
        "names": data.names,
        **{f"column {name}": column_bytes(data, name) for name in data.names},
    }


def column_bytes(data: Microdata, name: str) -> tuple[Any, ...]:
    """Everything a column consists of."""
    column = data.columns[name]
    return (
        column.kind,
        column.values.dtype,
        column.values.tobytes(),
        None if column.state is None else column.state.tobytes(),
        None if column.categories is None else tuple(column.categories),
        column.label,
        dict(column.value_labels),
        id(column.hierarchy),
    )
