"""How the inner functions of kernels are compiled: without counting who holds which array.

numba counts the holders of every array that a function is handed, also of all arrays in a tuple. In functions of a few lines that
are called millions of times with tuples of arrays, this counting takes most of the time. A `lean` function leaves it out. It may
read and write arrays, but neither make nor return one: numba refuses to compile it then.

An `inlined` function is lean and put in the place of every call: handing over a few arrays takes longer than a small sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])
_OPTIONS: dict[str, Any] = {"cache": True, "_nrt": False}


def lean(function: Function) -> Function:
    """Compile a function that makes no array and calls none that does."""
    compiled: Function = njit(**_OPTIONS)(function)
    return compiled


def inlined(function: Function) -> Function:
    """Compile a lean function into those that call it."""
    compiled: Function = njit(forceinline=True, **_OPTIONS)(function)
    return compiled
