"""What every method refuses before it does anything, by whichever door it is called."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.calls import NotAStream
from tarnkappe.errors.data import NothingToUse
from tarnkappe.randomness import Stream
from tarnkappe.randomness import stream as drawn_from
from tarnkappe.spec.contract import Method

Apply = Callable[[Method, Microdata, Stream], Microdata]


def guarded(apply: Apply) -> Apply:
    """A method that is refused where nothing is shown of a column it treats, in a file that has records.

    In place of a stream it takes a secret, or nothing: then one is drawn and forgotten.
    """

    @wraps(apply)
    def refusing(self: Method, data: Microdata, stream: Stream | str | None = None) -> Microdata:
        if not isinstance(stream, Stream):
            stream = _stream_of(stream, self.id)
        for name in self.treated_columns() if len(data) else ():
            if not data.column(name).observed.any():
                raise NothingToUse(name=name)
        return apply(self, data, stream)

    return refusing


def _stream_of(given: object, id: str) -> Stream:
    """What was given in place of a stream: a strong secret, or nothing, as `tarnkappe.stream` takes them."""
    if given is None or isinstance(given, str):
        return drawn_from(given, id)
    raise NotAStream(who=id)
