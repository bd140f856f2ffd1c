"""Which roles a declared thing needs, as far as its parameters do not name the columns themselves."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tarnkappe.vocab import Role

Needs = Mapping[str, tuple[Role, ...]]
"""Parameter that names columns -> roles, one of which some column must have where it is not given; "" where no parameter can."""


def needs(always: Role | None = None, **instead: Role | tuple[Role, ...]) -> Needs:
    """``needs(keys=Role.KEY)``: columns with the role key, or the parameter keys."""
    found = {name: roles if isinstance(roles, tuple) else (roles,) for name, roles in instead.items()}
    return MappingProxyType({**({"": (always,)} if always else {}), **found})
