"""How many released records could be a person's, when cells are missing or suppressed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarnkappe.kernels.classes import (
    MISSING_CODE,
    SUPPRESSED_CODE,
    Classes,
    classes,
    first_records,
    index_type,
)
from tarnkappe.vocab import Missing, Suppressed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tarnkappe.kernels.hashing import Side

Codes = NDArray[Any]
Ints = NDArray[np.int64]
States = NDArray[np.uint8]

MISSING, SUPPRESSED = 1, 2
"""States of a cell; 0 is observed."""


class Key(NamedTuple):
    """A key column as it is stored: nothing is copied."""

    codes: Codes
    """0 … categories - 1; the true value under suppressed cells, anything under missing ones."""
    state: States | None
    """None when every cell is observed."""
    categories: int


class Wild(NamedTuple):
    """Rows of key codes, one for every class, grouped by their wildcards."""

    codes: Codes
    persons: Side
    released: Side


class Candidates(NamedTuple):
    """Records that are treated alike, and which of them could be mistaken for which."""

    found: Classes
    """Classes of records that agree in what is known of the person and in what is released."""
    wild: Wild | None = None
    """None where nothing is a wildcard: the candidates of a person are the records of the own class."""


def candidates(keys: Sequence[Key], missing: Missing, suppressed: Suppressed) -> Candidates:
    """Prepare the comparison of every person with every released record.

    A record stands once for the person and once for what is released of that person. Two cells are
    compatible if they are equal or one of them is a wildcard. The policy says what is a wildcard on which
    side (dav2025, section 3.2.2 for the cell states):

    ================  ============================  ===========================
    policy            the person                    what is released
    ================  ============================  ===========================
    missing           wildcard if so chosen         wildcard if so chosen
    category          suppressed, a value           suppressed, a value
    wildcard          suppressed, a wildcard        suppressed, a wildcard
    attacker          the true value                suppressed, a wildcard
    ================  ============================  ===========================

    A wildcard is compatible with everything, also with a missing value that counts as a category. With
    `Missing.REFUSE` the caller has made sure that no key is missing.
    """
    always = (MISSING,) if missing is Missing.WILDCARD else ()
    of_released = always if suppressed is Suppressed.CATEGORY else (*always, SUPPRESSED)
    of_person = of_released if suppressed is Suppressed.WILDCARD else always
    true_values = suppressed is Suppressed.ATTACKER
    found = classes(_told_apart(keys, true_values=true_values))
    if not any(_occurs(key, of_released) for key in keys):
        return Candidates(found)
    rows = _rows(keys, found, true_values=true_values)
    return Candidates(found, Wild(rows.codes, _side(rows, of_person), _side(rows, of_released)))


def compatible_counts(keys: Sequence[Key], missing: Missing, suppressed: Suppressed) -> Ints:
    """Count, for every record, the released records compatible with it on all keys, itself included."""
    return candidate_counts(candidates(keys, missing, suppressed))


def candidate_counts(among: Candidates) -> Ints:
    """Count, for every record, the released records that could be this person's."""
    from tarnkappe.kernels import hashing  # noqa: PLC0415 - numba is loaded when first used

    counts = among.found.sizes
    if among.wild is not None:
        counts = hashing.tally(among.wild.codes, counts, among.wild.persons, among.wild.released)
    of_record: Ints = counts[among.found.ids]
    return of_record


def _told_apart(keys: Sequence[Key], *, true_values: bool) -> Iterator[tuple[Codes, int]]:
    """Columns on which two records must agree to be treated alike."""
    for key in keys:
        yield _coded(key, true_values=true_values), key.categories
        if true_values and key.state is not None and _occurs(key, (SUPPRESSED,)):
            yield key.state == SUPPRESSED, 2


def _coded(key: Key, *, true_values: bool) -> Codes:
    """Codes with marks for missing cells and, unless true values are wanted, for suppressed ones."""
    codes = key.codes.astype(index_type(key.categories))
    if key.state is not None:
        codes[key.state == MISSING] = MISSING_CODE
        if not true_values:
            codes[key.state == SUPPRESSED] = SUPPRESSED_CODE
    return codes


def _occurs(key: Key, states: Sequence[int]) -> bool:
    return key.state is not None and any(bool((key.state == s).any()) for s in states)


class _Rows(NamedTuple):
    """The distinct records: codes as a matrix, states column by column."""

    codes: Codes
    states: Sequence[States]


def _rows(keys: Sequence[Key], found: Classes, *, true_values: bool) -> _Rows:
    first = first_records(found)
    codes = np.empty((len(first), len(keys)), dtype=index_type(max(key.categories for key in keys)))
    states = []
    for c, key in enumerate(keys):
        state = np.zeros(len(first), dtype=np.uint8) if key.state is None else key.state[first]
        codes[:, c] = _coded(Key(key.codes[first], state, key.categories), true_values=true_values)
        states.append(state)
    return _Rows(codes, states)


def _side(rows: _Rows, wildcards: Sequence[int]) -> Side:
    """The rows by which of their cells are wildcards; see `hashing.tally`."""
    from tarnkappe.kernels import hashing  # noqa: PLC0415 - numba is loaded when first used

    wild = [np.isin(state, wildcards) for state in rows.states]
    patterns = classes((column, 2) for column in wild)
    starts = np.concatenate([[0], np.cumsum(patterns.sizes)])
    first = first_records(patterns)
    return hashing.Side(
        np.argsort(patterns.ids, kind="stable"), starts, np.column_stack([w[first] for w in wild])
    )
