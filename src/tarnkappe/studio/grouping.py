"""Categories put together into groups: from a hierarchy to groups that can be changed, and back to the tree of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Grouping:
    """Which group every category is in, and which group every group is in."""

    codes: tuple[str, ...]
    parents: dict[str, str] = field(default_factory=dict)
    """Code or group -> the group above; what is not in it lies right below the total."""
    empty: list[str] = field(default_factory=list)
    """Groups that hold nothing yet; the plan does not know them."""

    @classmethod
    def of(cls, codes: Iterable[str], parents: Mapping[str, str]) -> Grouping:
        """The groups that a hierarchy gives the codes; branches without a code of the data are kept."""
        return cls(tuple(codes), dict(parents))

    def groups(self, stage: int) -> list[str]:
        """The groups of the categories (stage 0) or the groups of these groups (stage 1)."""
        members = self.members(stage)
        named = dict.fromkeys(self.parents[one] for one in members if one in self.parents)
        return [*named, *(name for name in self.empty if name not in named)]

    def members(self, stage: int) -> list[str]:
        """What is put into groups: the categories, or their groups."""
        if stage == 0:
            return [*self.codes, *self._unseen()]
        return list(dict.fromkeys(self.parents[one] for one in self.members(0) if one in self.parents))

    def _unseen(self) -> list[str]:
        """Codes of the hierarchy that the data does not have."""
        inner = set(self.parents.values())
        known = set(self.codes)
        return [code for code in self.parents if code not in inner and code not in known]

    def inside(self, group: str | None, stage: int) -> list[str]:
        """The members of a group, or with None those in no group."""
        return [one for one in self.members(stage) if self.parents.get(one) == group]

    def move(self, members: Iterable[str], group: str | None) -> None:
        """Put members into a group, or out of all groups."""
        left = [self.parents.get(one) for one in members]
        for one in members:
            if group is None:
                self.parents.pop(one, None)
            else:
                self.parents[one] = group
        self.empty = [name for name in self.empty if name != group]
        for name in dict.fromkeys(left):
            if name is not None and name not in self.parents.values():
                self.parents.pop(name, None)  # a group without members is gone

    def taken(self, name: str) -> bool:
        """Whether something is called so already."""
        return (
            name in self.codes or name in self.parents or name in self.parents.values() or name in self.empty
        )

    def rename(self, group: str, name: str) -> None:
        self.parents = {
            name if one == group else one: name if above == group else above
            for one, above in self.parents.items()
        }
        self.empty = [name if one == group else one for one in self.empty]

    def free_name(self, word: str) -> str:
        """A name for a new group."""
        return next(
            f"{word} {n}" for n in range(1, len(self.parents) + 1000) if not self.taken(f"{word} {n}")
        )

    def tree(self) -> Any:
        """The groups as a plan holds them: nested mappings; a list where some codes lie right below the total."""
        children: dict[str | None, list[str]] = {}
        for one in dict.fromkeys(name for code in self.members(0) for name in self._path(code)):
            children.setdefault(self.parents.get(one), []).append(one)
        return _branch(children.get(None, []), children)

    def _path(self, code: str) -> list[str]:
        """From the group right below the total down to the code: a group stands where its first member does."""
        path = [code]
        while path[0] in self.parents:
            path.insert(0, self.parents[path[0]])
        return path


def _branch(names: list[str], children: Mapping[str | None, list[str]]) -> Any:
    if all(name in children for name in names):
        return {name: _branch(children[name], children) for name in names}
    return [{name: _branch(children[name], children)} if name in children else name for name in names]
