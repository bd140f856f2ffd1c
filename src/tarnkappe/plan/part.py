"""What every part of a plan has in common."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def several(given: Any) -> Any:
    """One name stands for a list of one."""
    return (given,) if isinstance(given, str) else given


Names = Annotated[tuple[str, ...], BeforeValidator(several)]
Words = Annotated[str, Field(min_length=1)]
"""A sentence or two."""


class Part(BaseModel):
    """A part of a plan: fixed, nothing unknown, no input echoed in errors."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        hide_input_in_errors=True,
        allow_inf_nan=False,
    )
