"""What several measures compute from the same columns is computed once and kept as long as the columns live.

Columns are frozen, so the same array always gives the same result. Only a few results are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar, cast
from weakref import ref

from numpy.typing import NDArray

T = TypeVar("T")

MOST = 8
_kept: OrderedDict[Hashable, tuple[tuple[ref[Any], ...], Any]] = OrderedDict()


def shared(arrays: Sequence[NDArray[Any] | None], facts: Hashable, make: Callable[[], T]) -> T:
    """The result that `make` gives for these arrays and facts, made only if it is not there yet."""
    key = (tuple(map(id, arrays)), facts)
    found = _kept.get(key)
    if found is not None and all(r() is not None for r in found[0]):
        _kept.move_to_end(key)
        return cast("T", found[1])
    made = make()
    kept = _kept  # when Python ends, the name of the module is gone before the arrays are
    kept[key] = tuple(ref(a, lambda _: kept.pop(key, None)) for a in arrays if a is not None), made
    while len(_kept) > MOST:
        _kept.popitem(last=False)
    return made
