"""What every method refuses before it does anything, by whichever door it is called."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NothingToUse
from tarnkappe.randomness import Stream
from tarnkappe.spec.contract import Method

Apply = Callable[[Method, Microdata, Stream], Microdata]


def guarded(apply: Apply) -> Apply:
    """A method that is refused where nothing is shown of a column it treats, in a file that has records."""

    @wraps(apply)
    def refusing(self: Method, data: Microdata, stream: Stream) -> Microdata:
        for name in self.treated_columns() if len(data) else ():
            if not data.column(name).observed.any():
                raise NothingToUse(name=name)
        return apply(self, data, stream)

    return refusing
