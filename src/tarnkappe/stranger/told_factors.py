"""Between which numbers a factor lies, as the documents tell it."""

from __future__ import annotations

from collections.abc import Mapping

from tarnkappe.data.seen import Fact, Seen

FAR = 4.0
"""Standard deviations beyond which a factor of any told law hardly lies."""
LITTLE = 1.05
"""Beyond the ends of a uniform law, for what else may have been multiplied."""


def factor_ranges(seen: Seen) -> dict[str, tuple[float, float]]:
    """Released columns that were multiplied by factors of a told variance, with the smallest and the largest factor."""
    return {
        name: spread
        for fact in seen.facts
        if (spread := factor_range(fact)) is not None
        for name in fact.columns
    }


def factor_range(fact: Fact) -> tuple[float, float] | None:
    """The smallest and the largest factor of one step; None where it tells of no factors."""
    factor = fact.told.get("factor")
    if not isinstance(factor, Mapping) or "variance" not in factor:
        return None
    sd = float(factor["variance"]) ** 0.5
    uniform = "uniform" in str(fact.told.get("noise", ""))
    far = sd * (3**0.5 * LITTLE if uniform else FAR)
    return max(1 - far, 0.05), 1 + far
