"""What the checks of named weaknesses of classes share: how many persons are exposed, and how many chance would expose."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.class_profiles import Profile, profile, scored
from tarnkappe.kernels.compatible import Candidates
from tarnkappe.language import Text
from tarnkappe.risk.profiles import OnSensitive, Told
from tarnkappe.risk.shared import shared
from tarnkappe.spec import Json

Certainty = Annotated[float, Field(gt=0, le=1)]
"""A share from which on somebody counts as exposed."""
DEALT = 20261116
"""Seed of the random deal that shows what chance does: the same in every run."""
KNOWS_KEYS = Text(
    "The attacker knows that the person is in the data and the true values of all keys.",
    "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die wahren Werte aller Schlüssel.",
)


class Weakness(OnSensitive):
    """A check that says which persons are exposed by what the records that could be theirs tell about a sensitive column.

    The value is the share of persons who are exposed in at least one sensitive column. `by_chance` in the details is the share that would
    be exposed if the sensitive values were dealt out at random over the same classes: small classes expose people even then.
    """

    @abstractmethod
    def exposed(self, score: Floats) -> Bools:
        """Which scores expose a person; where nothing is told (NaN), nobody is exposed. Larger scores are worse."""

    def _worst(self, data: Microdata) -> tuple[float, dict[str, Json], Floats]:
        _, details, per_record = super()._worst(data)
        hit = self.exposed(per_record)
        return float(hit.mean()), {**details, "exposed": int(hit.sum())}, per_record

    def _column(self, data: Microdata, among: Candidates, told: Told) -> tuple[dict[str, Json], Floats]:
        figures, of_record = super()._column(data, among, told)
        hit = self.exposed(of_record)
        worst = {"worst": figures.pop("value"), "values": figures.pop("values")}
        del figures["records_at_worst"]
        shares: dict[str, Json] = {
            "value": float(hit.mean()),
            "exposed": int(hit.sum()),
            "classes": int(np.count_nonzero(np.bincount(among.found.ids[hit]))),
            "by_chance": self._by_chance(data, among, told),
        }
        return shares | worst | figures, of_record

    def _by_chance(self, data: Microdata, among: Candidates, told: Told) -> float:
        """The share exposed when the values are dealt out at random among the records that tell one."""
        counted = shared((among.found.ids, told.codes), "dealt", lambda: _dealt(among, told))
        found = scored(among, counted, self.score(data, told))
        return float(self.exposed(found)[among.found.ids].mean())


def _dealt(among: Candidates, told: Told) -> Profile:
    codes = told.codes.copy()
    there = np.flatnonzero(codes >= 0)
    codes[there] = codes[np.random.default_rng(DEALT).permutation(there)]
    return profile(among, codes, len(told.shares))
