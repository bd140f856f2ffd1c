"""What a format cannot hold is refused: no value is rounded, cut or dropped on the way out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from tarnkappe.errors.files import ValuesNotWritable
from tarnkappe.language import Text


@dataclass(frozen=True, slots=True)
class Limit:
    """Values of some type that a format cannot hold."""

    concerns: Callable[[pl.DataType], bool]
    beyond: Callable[[pl.Expr], pl.Expr]
    why: Text


INFINITIES = Limit(
    lambda kind: kind.is_float(),
    lambda value: value.is_infinite(),
    Text("it has no infinite numbers.", "es kennt keine unendlichen Zahlen."),
)


def largest_whole(most: int) -> Limit:
    """Whole numbers beyond which the format no longer holds every one."""
    return Limit(
        lambda kind: kind.is_integer(),
        lambda value: (value > most) | (value < -most),
        Text(
            f"it holds whole numbers exactly up to {most} only.",
            f"es hält ganze Zahlen nur bis {most} genau fest.",
        ),
    )


def largest_number(most: float) -> Limit:
    """Numbers that the format would take for a mark of missing values, or not hold."""
    return Limit(
        lambda kind: kind.is_float(),
        lambda value: value.abs() > most,
        Text(f"it holds numbers up to {most:.3g} only.", f"es fasst nur Zahlen bis {most:.3g}."),
    )


def longest_text(most: int) -> Limit:
    """Text of more than `most` bytes."""
    return Limit(
        lambda kind: kind == pl.String,
        lambda value: value.str.len_bytes() > most,
        Text(f"a text may have at most {most} bytes.", f"ein Text darf höchstens {most} Bytes haben."),
    )


def refuse_beyond(frame: pl.DataFrame, form: str, limits: tuple[Limit, ...]) -> None:
    """Refuse the first column with values that the format cannot hold."""
    for column in frame:
        for limit in limits:
            beyond = _beyond(column, limit)
            if len(beyond):
                raise ValuesNotWritable(
                    format=form, name=column.name, count=len(beyond), first=int(beyond[0]) + 1, why=limit.why
                )


def _beyond(column: pl.Series, limit: Limit) -> pl.Series:
    """Positions of the values beyond the limit."""
    if not limit.concerns(column.dtype):
        return pl.Series([], dtype=pl.UInt32)
    return column.to_frame("x").select(limit.beyond(pl.col("x"))).to_series().arg_true()
