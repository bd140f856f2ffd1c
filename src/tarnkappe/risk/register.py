"""A release held against a register of the population: which persons fit which released record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import MISSING, Column, Floats, Ints, Strings
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.errors.risk import RegisterTooSmall
from tarnkappe.kernels.compatible import Candidates, Key, candidates
from tarnkappe.language import NOTHING, Text
from tarnkappe.vocab import Missing, Suppressed


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Records of a release and persons of a register in common classes of keys."""

    among: Candidates
    released: Ints
    """Records of the release in every class."""
    persons: Ints
    """Persons of the register in every class."""
    records: Ints
    """The class of every record of the release."""

    def fitting(self) -> Ints:
        """For every class the persons whom one of its released records could belong to."""
        wild = self.among.wild
        if wild is None:
            return self.persons
        from tarnkappe.kernels import hashing  # noqa: PLC0415 - numba is loaded when first used

        found: Ints = hashing.tally(wild.codes, self.persons, wild.released, wild.persons)
        return found

    def presence(self) -> Floats:
        """For every class how surely a person with these keys is in the release: each record that fits is worth 1/persons."""
        fitting = self.fitting()
        worth = np.where(self.released > 0, self.released / np.maximum(fitting, 1), 0.0)
        wild = self.among.wild
        if wild is not None:
            from tarnkappe.kernels import profile_loops  # noqa: PLC0415

            worth = profile_loops.told(wild.codes, worth, wild.persons, wild.released)
        return np.minimum(worth, 1.0)

    def uncovered(self) -> int:
        """Records whose class has more records than the register has persons for them."""
        short = self.released > self.fitting()
        return int(self.released[short].sum())


def held_against(after: Microdata, register: Microdata, keys: tuple[str, ...], missing: Missing) -> Held:
    """Put the release and the register into common classes.

    A suppressed key fits everybody; the register has the true values. Where a released column has a hierarchy, a code of the
    register counts as the released code above it.
    """
    if len(register) < len(after):
        raise RegisterTooSmall(found=len(register), needed=len(after))
    both = [stacked(after.column(name), register.column(name)) for name in keys]
    among = candidates(both, missing, Suppressed.ATTACKER)
    ids, count = among.found.ids, len(among.found.sizes)
    released, persons = (
        np.bincount(part, minlength=count) for part in (ids[: len(after)], ids[len(after) :])
    )
    return Held(among, released, persons, ids[: len(after)])


def doubt_of_register(held: Held) -> Text:
    """Why the register cannot be the population of the release, or nothing."""
    short = held.uncovered()
    if not short:
        return NOTHING
    return Text(
        f"For {short} released records the register has too few persons: it is not the population of this release, or it is "
        "coded in another way.",
        f"Zu {short} freigegebenen Datensätzen hat das Register zu wenige Personen: Es ist nicht die Grundgesamtheit dieser "
        "Freigabe oder anders verschlüsselt.",
    )


def stacked(released: Column, known: Column) -> Key:
    """One key column of both files, the release first, in common codes."""
    spelt = canonical(released)
    others = canonical(known) if released.hierarchy is None else lifted(released.hierarchy, set(spelt), known)
    both, place = np.unique(np.concatenate([spelt, others]).astype(str), return_inverse=True)
    place = np.append(place, 0)  # what stands under a missing cell does not matter
    ours, theirs = released.true_codes()[0], known.true_codes()[0]
    codes = np.concatenate([place[ours], place[np.where(theirs < 0, -1, theirs + len(spelt))]])
    gaps = np.where(known.missing, MISSING, 0).astype(np.uint8)
    first = np.zeros(len(released), dtype=np.uint8) if released.state is None else released.state
    state = np.concatenate([first, gaps])
    return Key(codes, state if state.any() else None, max(len(both), 1))


def lifted(tree: Hierarchy, shown: set[str], known: Column) -> Strings:
    """The codes of the register as the release shows them: the nearest code above that it has, else as they are."""
    spelt = canonical(known).copy()
    for i, node in enumerate(tree.positions(known.distinct())):
        here = node
        while here >= 0 and spelt[i] not in shown:
            if tree.codes[here] in shown:
                spelt[i] = tree.codes[here]
            here = tree.parent[here]
    return spelt
