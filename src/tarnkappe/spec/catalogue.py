"""The one registry. Python, plans, the command line, reports and the manual all read it."""

# Annotations are evaluated here: written as strings, NotRequired would go unseen in the statements below.
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, NotRequired, TypedDict, TypeVar, Unpack

from tarnkappe.errors import did_you_mean
from tarnkappe.errors.release import UnknownDeclared
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec.claims import Claim
from tarnkappe.spec.contract import Attack, Declared, Goal, Maturity, Measure, Method, Source
from tarnkappe.spec.family import Family
from tarnkappe.spec.guarded import guarded
from tarnkappe.spec.leaves import Leaves

FAMILIES = ("tarnkappe.methods", "tarnkappe.risk", "tarnkappe.utility", "tarnkappe.stranger")
ENTRY_POINTS = "tarnkappe.methods"
"""Group under which other packages name the modules that declare theirs."""


class Catalogue:
    """All declared things by id. What is asked for is imported, the rest when all of it is, so that starting stays quick."""

    def __init__(self) -> None:
        self._known: dict[str, type[Declared]] = {}
        self._loaded = False

    def add(self, cls: type[Declared]) -> None:
        if cls.id in self._known:
            raise TypeError(f"the id {cls.id!r} is declared twice")
        self._known[cls.id] = cls

    def load(self) -> None:
        """Import every module of the families and of the plug-ins."""
        if self._loaded:
            return
        self._loaded = True  # modules that are being imported may ask
        try:
            self._import_everything()
        except BaseException:
            self._loaded = False  # half a catalogue is none
            raise

    def _import_everything(self) -> None:
        for module in self._modules:
            importlib.import_module(module)
        for plug_in in entry_points(group=ENTRY_POINTS):
            plug_in.load()

    def __getitem__(self, id: str) -> type[Declared]:
        if id not in self:
            raise UnknownDeclared(id=str(id), hint=self._nearest(str(id)))
        return self._known[id]

    def _nearest(self, word: str) -> Text:
        """What was probably meant: people name things without the family, or write blanks and underscores for hyphens."""
        wanted = word.strip().lower().replace("_", "-").replace(" ", "-")
        for meant in (wanted, *get_close_matches(wanted, [id.rpartition(".")[2] for id in self._known], 1)):
            if found := sorted(id for id in self._known if meant in (id, id.rpartition(".")[2])):
                or_de = " oder ".join(map(repr, found))
                return Text(f"Did you mean {' or '.join(map(repr, found))}?", f"Meinten Sie {or_de}?")
        return did_you_mean(word, self._known)

    def __contains__(self, id: object) -> bool:
        if id not in self._known and isinstance(id, str):
            self._import_named(id)
        if id not in self._known:
            self.load()
        return id in self._known

    def _import_named(self, id: str) -> None:
        """Import what the file of a declared thing is called: the last part of its id."""
        stem = id.rpartition(".")[2].replace("-", "_")
        for module in self._modules:
            if module.rpartition(".")[2] == stem:
                importlib.import_module(module)

    @cached_property
    def _modules(self) -> tuple[str, ...]:
        """The names of all modules of the families."""
        roots = [importlib.import_module(family) for family in FAMILIES]
        return tuple(
            info.name for root in roots for info in pkgutil.walk_packages(root.__path__, f"{root.__name__}.")
        )

    def __iter__(self) -> Iterator[type[Declared]]:
        self.load()
        return iter(sorted(self._known.values(), key=lambda cls: cls.id))

    def __len__(self) -> int:
        self.load()
        return len(self._known)

    def methods(self) -> list[type[Method]]:
        return [cls for cls in self if issubclass(cls, Method)]

    def measures(self) -> list[type[Measure]]:
        return [cls for cls in self if issubclass(cls, Measure)]

    def attacks(self) -> list[type[Attack]]:
        return [cls for cls in self if issubclass(cls, Attack)]


catalogue = Catalogue()


C = TypeVar("C", bound=type[Declared])


class Statements(TypedDict):
    """What every declared thing states."""

    title: Text
    does: Text
    sources: tuple[Source, ...]
    does_not: tuple[Text, ...]
    example: Mapping[str, Any]
    words: NotRequired[Mapping[str, Text]]
    maturity: NotRequired[Maturity]
    revision: NotRequired[int]


class ProtectorStatements(Statements):
    """What a synthesiser states."""

    preserves: tuple[Claim, ...]
    protects: tuple[Claim, ...]


class MethodStatements(ProtectorStatements):
    """What a method states."""

    family: Family
    leaves: NotRequired[Leaves]
    nearness: NotRequired[Text]
    advice: NotRequired[Text]
    random: NotRequired[bool]
    takes_identifiers: NotRequired[bool]
    still_personal: NotRequired[bool]
    makes_records: NotRequired[bool]
    loses_records: NotRequired[bool]
    reorders: NotRequired[bool]
    changes_kinds: NotRequired[bool]


class MeasureStatements(Statements):
    """What a measure of risk or of utility states."""

    reads: Text
    knows: Text
    goal: Goal
    bounds: tuple[float, float]
    compares: NotRequired[bool]
    alone: NotRequired[bool]


class TableMethodStatements(ProtectorStatements):
    """What a method for tables states."""

    random: NotRequired[bool]


class TableMeasureStatements(Statements):
    """What a measure of tables states."""

    reads: Text
    knows: Text
    goal: Goal
    bounds: tuple[float, float]


class RuleStatements(Statements):
    """What a rule for tables states."""

    flags: Text


class AttackStatements(Statements):
    """What an attack on a finished release states."""

    knows: Text
    helps: Text
    fast: NotRequired[bool]


def method(id: str, **said: Unpack[MethodStatements]) -> Callable[[C], C]:
    """Declare a method. Leaving a statement out is an error at import, not a remark in a review."""
    declare = _declarer(
        id,
        MethodStatements,
        {
            "leaves": Leaves.OTHER_VALUES,
            "random": False,
            "takes_identifiers": False,
            "still_personal": False,
            "makes_records": False,
            "loses_records": False,
            "reorders": False,
            "changes_kinds": False,
        },
        said,
    )

    def declare_guarded(cls: C) -> C:
        cls.apply = guarded(cls.apply)  # type: ignore[attr-defined] # only methods come here
        return declare(cls)

    return declare_guarded


def measure(id: str, **said: Unpack[MeasureStatements]) -> Callable[[C], C]:
    """Declare a measure of risk or of utility."""
    return _declarer(id, MeasureStatements, {"alone": False, "compares": False}, said)


def rule(id: str, **said: Unpack[RuleStatements]) -> Callable[[C], C]:
    """Declare a rule that marks cells of a table."""
    return _declarer(id, RuleStatements, {}, said)


def table_method(id: str, **said: Unpack[TableMethodStatements]) -> Callable[[C], C]:
    """Declare a method that protects tables."""
    return _declarer(id, TableMethodStatements, {"random": False}, said)


def table_measure(id: str, **said: Unpack[TableMeasureStatements]) -> Callable[[C], C]:
    """Declare a measure of protected tables."""
    return _declarer(id, TableMeasureStatements, {}, said)


def attack(id: str, **said: Unpack[AttackStatements]) -> Callable[[C], C]:
    """Declare an attack on a finished release."""
    return _declarer(id, AttackStatements, {"fast": True}, said)


def synthesiser(id: str, **said: Unpack[ProtectorStatements]) -> Callable[[C], C]:
    """Declare a synthesiser."""
    return _declarer(id, ProtectorStatements, {}, said)


def _declarer(id: str, form: Any, defaults: dict[str, Any], said: Mapping[str, Any]) -> Callable[[C], C]:
    def declare(cls: C) -> C:
        left_out = sorted(form.__required_keys__ - set(said))
        unknown = sorted(set(said) - form.__required_keys__ - form.__optional_keys__)
        if left_out or unknown:
            raise TypeError(f"{cls.__name__} does not state {left_out}, states the unknown {unknown}")
        common: dict[str, Any] = {"maturity": Maturity.REVIEWED, "revision": 1, "words": {}}
        facts = {**common, **defaults, **said, "id": id, "module": cls.__module__}
        _refuse_gaps(cls, facts)
        for name, value in facts.items():
            setattr(cls, name, MappingProxyType(dict(value)) if name in _MAPPINGS else value)
        catalogue.add(cls)
        return cls

    return declare


_MAPPINGS = ("example", "words")


def _parts(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Mapping):
        return tuple(value.values())
    return value if isinstance(value, tuple) else (value,)


def _refuse_gaps(cls: type[Declared], facts: Mapping[str, Any]) -> None:
    name = cls.__name__
    if not (cls.__doc__ or "").strip():
        raise TypeError(f"{name} has no docstring")
    if not facts["sources"]:
        raise TypeError(f"{name} names no source")
    if not facts["does_not"]:
        raise TypeError(f"{name} states no limit: say what it does not do")
    for statement, value in facts.items():
        texts = [t for t in _parts(value) if isinstance(t, Text)]
        if any(t == NOTHING or not t.de for t in texts):
            raise TypeError(f"{name}: {statement} needs its sentence in both languages")
    for parameter, info in cls.__pydantic_fields__.items():
        if " | " not in (info.description or ""):
            raise TypeError(f"{name}.{parameter} needs a description, written 'English. | Deutsch.'")
