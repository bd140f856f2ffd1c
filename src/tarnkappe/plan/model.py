"""A plan is data: it can be read, compared, signed and run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from tarnkappe.data.linear_relations import LinearRelation
from tarnkappe.data.table import TOLERANCE
from tarnkappe.io.options import ReadOptions
from tarnkappe.language import Lang, Text, number
from tarnkappe.plan.accept import AcceptDescription
from tarnkappe.plan.anonymity import FOR_EVERYBODY, IN_THE_HOUSE, STAYS, Access, Anonymity, Leaves
from tarnkappe.plan.consistency import ConsistencyDescription
from tarnkappe.plan.hierarchies import HierarchyDescription
from tarnkappe.plan.last_period import LastPeriod, release_or_file
from tarnkappe.plan.part import Names, Part, Words
from tarnkappe.plan.process import ProcessDescription
from tarnkappe.spec import Json, Measure, Method, Rule, TableMeasure, TableMethod
from tarnkappe.vocab import Attacker, Kind, ReleaseKind, Role

if TYPE_CHECKING:
    from tarnkappe.plan.policy import Policy

VERSION = 1
"""The format of plans this release writes; earlier ones are read and upgraded."""


class DataDescription(Part):
    """The data and what its columns mean."""

    file: Annotated[str, Field(min_length=1)]
    """The data file, in the folder of the plan or below. | Die Datendatei, im Ordner des Plans oder darunter."""
    outside: bool = False
    """The data file lies outside the folder of the plan, and whoever wrote the plan means it; not in the studio. | Die Datendatei liegt
    außerhalb des Ordners des Plans, und wer ihn schrieb, meint das so; nicht im Studio."""
    roles: dict[Role, Names] = {}
    """Role -> columns. | Rolle -> Spalten."""
    hierarchies: dict[str, HierarchyDescription] = {}
    """Column -> hierarchy. | Spalte -> Hierarchie."""
    types: dict[str, Kind] = {}
    """Column -> type, where the proposed one is wrong. | Spalte -> Typ, wo der vorgeschlagene nicht stimmt."""
    labels: dict[str, str] = {}
    """Column -> description for those who receive the data. | Spalte -> Beschreibung für die Empfänger."""
    missing: Names = ("",)
    """Marks of missing values in text files. | Zeichen für fehlende Werte in Textdateien."""
    encoding: str | None = None
    """Encoding of a text file; found out if not given. | Kodierung einer Textdatei; sonst wird sie ermittelt."""
    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """Separator of a text file; found out if not given. | Trennzeichen einer Textdatei; sonst wird es ermittelt."""
    decimal: Literal[".", ","] | None = None
    """Decimal sign of a text file; found out if not given. | Dezimalzeichen; sonst wird es ermittelt."""
    sheet: str | None = None
    """Sheet of an Excel file; the first if not given. | Tabellenblatt einer Excel-Datei; sonst das erste."""
    header: bool | None = None
    """Whether the first line of a text file holds the names of the columns; if not given it does, and a line that looks like a record is
    refused. | Ob die erste Zeile einer Textdatei die Spaltennamen enthält; sonst ist es so, und eine Zeile, die wie ein Datensatz aussieht,
    wird abgelehnt."""

    @property
    def options(self) -> ReadOptions:
        return ReadOptions(
            types=self.types, missing=self.missing, encoding=self.encoding, separator=self.separator,
            decimal=self.decimal, sheet=self.sheet, header=self.header,
        )  # fmt: skip


class ReleaseDescription(Part):
    """Who receives the release and in which form."""

    kind: ReleaseKind = ReleaseKind.SCIENTIFIC
    """Kind of release. | Art der Freigabe."""
    anonymity: Anonymity | None = None
    """Degree of anonymity that is aimed at. Stands in both documents. | Angestrebter Grad der Anonymität. Steht in beiden Dokumenten."""
    access: Access | None = None
    """How people come to the data. Stands in both documents. | Wie man an die Daten kommt. Steht in beiden Dokumenten."""
    object: Leaves = Leaves.DATA
    """What leaves the house: the data, or a model trained on it. | Was das Haus verlässt: die Daten oder ein damit trainiertes Modell."""
    attackers: tuple[Attacker, ...] = (Attacker.PROSECUTOR,)
    """Attackers to guard against. | Angreifer, gegen die geschützt wird."""
    formats: Annotated[tuple[str, ...], Field(min_length=1)] = ("parquet", "csv")
    """Formats of the data file. | Formate der Datendatei."""
    shuffle_rows: bool = True
    """Put the records into random order. | Datensätze in zufällige Reihenfolge bringen."""
    policy: Annotated[str, Field(min_length=1)] | None = None
    """A file with the office's own policy instead of the default one. | Datei mit der Richtlinie des Hauses statt der
    mitgelieferten."""

    @model_validator(mode="after")
    def _who_may_have_it(self) -> Self:
        outside = self.access is not None and self.access not in IN_THE_HOUSE
        if self.anonymity is Anonymity.FORMAL and (outside or self.kind is ReleaseKind.PUBLIC):
            raise ValueError(STAYS)
        if self.access is Access.PUBLIC and self.kind is not ReleaseKind.PUBLIC:
            raise ValueError(FOR_EVERYBODY)
        return self


class CellColumnsDescription(Part):
    """Which columns of a cell file hold what."""

    value: str = "value"
    """Value of the cell. | Wert der Zelle."""
    count: str | None = None
    """Number of contributors. | Anzahl der Beitragenden."""
    largest: Names = ()
    """The largest contributions, largest first. | Die größten Beiträge, der größte zuerst."""
    who: Names = ()
    """The contributors of these. | Die zugehörigen Beitragenden."""
    size: str | None = None
    """Sum of contributions without sign, where some are negative. | Summe der Beträge, wo Beiträge negativ sind."""
    owner_count: str | None = None
    """Number of owners. | Anzahl der Eigentümer."""
    owner_largest: Names = ()
    """The largest contributions by owner. | Die größten Beiträge je Eigentümer."""
    owner_who: Names = ()
    """The owners of these. | Die zugehörigen Eigentümer."""
    status: str | None = None
    """Status of the cell; the column status if there is one. | Status der Zelle; die Spalte status, wenn es sie gibt."""


class TableDescription(Part):
    """A table to be published: from the data, or from a file of cells."""

    model_config = ConfigDict(populate_by_name=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
    """Name of the table and of its file. | Name der Tabelle und ihrer Datei."""
    by: Annotated[Names, Field(min_length=1)]
    """Dimensions. | Dimensionen."""
    value: str | None = None
    """Column that is added up; without it records are counted. | Spalte, die summiert wird; sonst werden Datensätze gezählt."""
    source: Annotated[Literal["result", "original"], Field(alias="from")] = "result"
    """Tabulate the result of the steps or the original. | Ergebnis der Schritte oder Original tabellieren."""
    empty: Literal["left-out", "listed"] = "left-out"
    """Whether combinations of codes that no record has are cells (zeros). | Ob Kombinationen von Codes, die kein Datensatz hat, Zellen
    sind (Nullen)."""
    weighted: bool = True
    """Use the weights, where a column has the role weight; rules count respondents. | Die Gewichte verwenden, wo eine Spalte die Rolle
    weight hat; Regeln zählen Befragte."""
    file: Annotated[str, Field(min_length=1)] | None = None
    """A file of cells instead of the data. | Eine Datei von Zellen statt der Daten."""
    hierarchies: dict[str, HierarchyDescription] = {}
    """Dimension -> hierarchy, for a file of cells. | Dimension -> Hierarchie, für eine Datei von Zellen."""
    columns: CellColumnsDescription = CellColumnsDescription()
    """Columns of a file of cells. | Spalten einer Datei von Zellen."""
    metadata: Annotated[str, Field(min_length=1)] | None = None
    """Metadata (.rda) of a τ-ARGUS table; by default of its name. | Metadaten (.rda) einer τ-ARGUS-Tabelle; sonst gleichen Namens."""
    missing: Names = ("",)
    """Marks of missing values in a text file of cells. | Zeichen für fehlende Werte in einer Textdatei von Zellen."""
    encoding: str | None = None
    """Encoding of a text file of cells; found out if not given. | Kodierung einer Textdatei von Zellen; sonst wird sie ermittelt."""
    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """Separator of a text file of cells; found out if not given. | Trennzeichen einer Textdatei von Zellen; sonst wird es ermittelt."""
    decimal: Literal[".", ","] | None = None
    """Decimal sign of a text file of cells; found out if not given. | Dezimalzeichen einer Zelldatei; sonst wird es ermittelt."""
    sheet: str | None = None
    """Sheet of an Excel file of cells; the first if not given. | Tabellenblatt einer Excel-Datei von Zellen; sonst das erste."""
    marks: Annotated[str, Field(min_length=1)] | None = None
    """A file of cells to keep or suppress, with bounds and costs. | Datei mit offenen und zu sperrenden Zellen, Grenzen, Kosten."""
    last: Annotated[LastPeriod, BeforeValidator(release_or_file)] | None = None
    """The last period: what was hidden then is hidden again where that costs little. | Der letzte Zeitraum: Was damals verborgen
    war, wird wieder verborgen, wo das wenig kostet."""
    tolerance: Annotated[float, Field(ge=0, lt=1)] = TOLERANCE
    """How far sums may be off, as a share. | Wie weit Summen abweichen dürfen, als Anteil."""
    rules: tuple[Any, ...] = ()
    """Rules that mark cells. | Regeln, die Zellen markieren."""
    protect: Any = None
    """The method that protects the table. | Das Verfahren, das die Tabelle schützt."""
    audit: Any = None
    """Parameters of the audit. | Parameter der Prüfung."""
    measure: Annotated[str, Field(min_length=1)] | None = None
    """What is added up, where the column does not tell; tables of one measure can share cells. | Was summiert wird, wenn die
    Spalte es nicht sagt; Tabellen eines Merkmals können Zellen gemeinsam haben."""
    unlinked: Annotated[str, Field(min_length=10)] | None = None
    """Why the table need not be protected together with others that share cells. | Warum die Tabelle nicht gemeinsam mit anderen
    geschützt werden muss, die Zellen mit ihr teilen."""

    @property
    def options(self) -> ReadOptions:
        """How the file of cells is read."""
        return ReadOptions(
            missing=self.missing,
            encoding=self.encoding,
            separator=self.separator,
            decimal=self.decimal,
            sheet=self.sheet,
        )


class PublishedDescription(Part):
    """Tables that were published earlier: an earlier release, or a file of cells with suppressions."""

    release: Annotated[str, Field(min_length=1)] | None = None
    """Folder of an earlier release, in the folder of the plan or below. | Ordner einer früheren Freigabe, im Ordner des Plans oder
    darunter."""
    file: Annotated[str, Field(min_length=1)] | None = None
    """A file of published cells. | Eine Datei veröffentlichter Zellen."""
    by: Names = ()
    """Dimensions of the file. | Dimensionen der Datei."""
    hierarchies: dict[str, HierarchyDescription] = {}
    """Dimension -> hierarchy. | Dimension -> Hierarchie."""
    value: str = "value"
    """Column of the values; empty where suppressed. | Spalte der Werte; leer, wo gesperrt."""
    status: str | None = None
    """Column of the status. | Spalte des Status."""
    measure: Annotated[str, Field(min_length=1)] | None = None
    """What is added up, as the tables of the plan call it. | Was summiert wird, wie es bei den Tabellen des Plans heißt."""
    signed: bool = False
    """Cells can be negative. | Zellen können negativ sein."""
    missing: Names = ("",)
    """Marks of missing values. | Zeichen für fehlende Werte."""
    encoding: str | None = None
    """Encoding of the file; found out if not given. | Kodierung der Datei; sonst wird sie ermittelt."""
    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """Separator of the file. | Trennzeichen der Datei."""
    decimal: Literal[".", ","] | None = None
    """Decimal sign of the file. | Dezimalzeichen der Datei."""


class Seed(Part):
    """The name of the secret; the secret itself never stands in a plan."""

    secret: Annotated[str, Field(min_length=1)]
    """Name of the secret. | Name des Geheimnisses."""


class RegisterDescription(Part):
    """A file of persons that an attacker has: a register of the population, or any other. Its columns are matched by name."""

    file: Annotated[str, Field(min_length=1)]
    """The file, in the folder of the plan or below. | Die Datei, im Ordner des Plans oder darunter."""
    identity: Names = ()
    """Column that tells in it and in the data who is who, or several that do so together; only for attacks that are counted as right or
    wrong. | Spalte, die in ihr und in den Daten sagt, wer wer ist, oder mehrere, die es zusammen sagen; nur für Angriffe, deren Treffer
    gezählt werden."""
    missing: Names = ("",)
    """Marks of missing values in text files. | Zeichen für fehlende Werte in Textdateien."""
    encoding: str | None = None
    """Encoding of a text file; found out if not given. | Kodierung einer Textdatei; sonst wird sie ermittelt."""
    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """Separator of a text file; found out if not given. | Trennzeichen einer Textdatei; sonst wird es ermittelt."""
    decimal: Literal[".", ","] | None = None
    """Decimal sign of a text file; found out if not given. | Dezimalzeichen; sonst wird es ermittelt."""
    sheet: str | None = None
    """Sheet of an Excel file; the first if not given. | Tabellenblatt einer Excel-Datei; sonst das erste."""

    @property
    def options(self) -> ReadOptions:
        return ReadOptions(
            missing=self.missing, encoding=self.encoding, separator=self.separator, decimal=self.decimal, sheet=self.sheet
        )  # fmt: skip


def _by_name(given: Any) -> Any:
    """The name of a file stands for its description."""
    return {"file": given} if isinstance(given, str) else given


class ReleaseRegisterDescription(Part):
    """The register in which releases of the same data are kept: signatures only, no records."""

    file: Annotated[str, Field(min_length=1, pattern=r"\.json$")]
    """The register, in the folder of the plan or below; made on first use. | Das Register, im Ordner des Plans oder darunter; wird beim
    ersten Mal angelegt."""
    secret: Annotated[str, Field(min_length=1)] | None = None
    """Name of its secret, the same for all releases; without it the name of the file. | Name seines Geheimnisses, für alle Freigaben
    dasselbe; ohne Angabe der Name der Datei."""
    k: Annotated[int, Field(ge=1)] | None = None
    """Smallest class that all releases together may show; without it that of the gate on k-anonymity, otherwise 2. | Kleinste Klasse, die
    alle Freigaben zusammen zeigen dürfen; ohne Angabe die der Bedingung zur k-Anonymität, sonst 2."""

    @property
    def secret_name(self) -> str:
        return self.secret or Path(self.file).stem


class MeasureDescription(Part):
    """A measure that is taken; its parameters stand beside it."""

    measure: str
    """Id of a measure. | Kennung eines Maßes."""
    against: Annotated[RegisterDescription, BeforeValidator(_by_name)] | None = None
    """A register that an attacker has or, for the legal criteria, a hold-out: the name of its file, or a description of it. | Ein Register,
    das ein Angreifer hat, oder bei den drei Rechtskriterien eine Vergleichsgruppe: der Name der Datei oder ihre Beschreibung."""


class GateDescription(MeasureDescription):
    """A condition that the result must meet."""

    at_least: float | None = None
    """Smallest value allowed. | Kleinster erlaubter Wert."""
    at_most: float | None = None
    """Largest value allowed. | Größter erlaubter Wert."""
    holds: bool | None = None
    """For measures that say yes or no. | Für Maße, die ja oder nein sagen."""


class PlanDescription(Part):
    """The whole plan as it stands in the file; steps and measures are checked against the catalogue."""

    tarnkappe: int
    """Format of the plan. | Format des Plans."""
    title: Annotated[str, Field(min_length=1)]
    """Title of the release. | Titel der Freigabe."""
    data: DataDescription | None = None
    """The data; not needed when all tables come from files. | Die Daten; unnötig, wenn alle Tabellen aus Dateien kommen."""
    release: ReleaseDescription = ReleaseDescription()
    """The release. | Die Freigabe."""
    seed: Seed | None = None
    """Without it a secret is drawn for one run and forgotten. | Ohne Angabe wird ein Geheimnis nur für einen Lauf gezogen."""
    steps: tuple[Any, ...] = ()
    """What is done, in order. | Was getan wird, der Reihe nach."""
    tables: tuple[TableDescription, ...] = ()
    """Tables to publish. | Tabellen, die veröffentlicht werden."""
    published: tuple[PublishedDescription, ...] = ()
    """Tables published earlier that may share cells. | Früher veröffentlichte Tabellen, die Zellen gemeinsam haben können."""
    release_if: tuple[Any, ...] = ()
    """Conditions of the release. | Bedingungen der Freigabe."""
    measures: tuple[Any, ...] = ()
    """Further measures for the report. | Weitere Maße für den Bericht."""
    accept: tuple[AcceptDescription, ...] = ()
    """Less than the default policy, each with a written reason. | Weniger als die Standardrichtlinie, jeweils mit schriftlicher
    Begründung."""
    releases: Annotated[
        Annotated[ReleaseRegisterDescription, BeforeValidator(_by_name)] | None, Field(alias="register")
    ] = None
    """Register of earlier releases of the data: this one is checked against it and entered. | Register früherer Freigaben der Daten: Diese
    wird dagegen geprüft und eingetragen."""
    consistency: tuple[ConsistencyDescription, ...] = ()
    """Rules the result must keep: ranges, dependencies, earlier releases. | Regeln, die das Ergebnis einhalten muss: Wertebereiche,
    Abhängigkeiten, frühere Freigaben."""
    relations: tuple[Words, ...] = ()
    """What holds between columns of numbers in every record: `turnover = domestic + foreign`, `exports <= turnover`. | Was zwischen
    Zahlenspalten in jedem Datensatz gilt: `turnover = domestic + foreign`, `exports <= turnover`."""
    process: ProcessDescription | None = None
    """The process around the release: need, audience, scenarios, use, decisions. | Der Ablauf um die Freigabe: Schutzbedarf, Empfänger,
    Szenarien, Nutzung, Entscheidungen."""
    allow: tuple[Literal["experimental"], ...] = ()
    """Permit methods that are still experimental. | Noch experimentelle Verfahren zulassen."""


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A checked table: its rules, its protector and its audit are objects of the catalogue."""

    described: TableDescription
    rules: tuple[Rule, ...]
    protect: TableMethod | None
    audit: TableMeasure


@dataclass(frozen=True, slots=True)
class Asked:
    """A measure to be taken, and the register that the attacker has or the hold-out, if any."""

    measure: Measure
    against: RegisterDescription | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """A checked condition: a measure and what its value must be."""

    measure: Measure | TableMeasure
    at_least: float | None = None
    at_most: float | None = None
    holds: bool | None = None
    against: RegisterDescription | None = None

    @property
    def says(self) -> Text:
        """The condition in words."""
        title = self.measure.title
        if self.holds is not None:
            answer = Text("holds", "hält") if self.holds else Text("does not hold", "hält nicht")
            return Text(f"{title.en} {answer.en}", f"{title.de} {answer.de}")
        return Text(f"{title.en} {self._bounds('en', ' and ')}", f"{title.de} {self._bounds('de', ' und ')}")

    def _bounds(self, lang: Lang, joined: str) -> str:
        signs = (("≥", self.at_least), ("≤", self.at_most))
        return joined.join(f"{sign} {number(bound, lang)}" for sign, bound in signs if bound is not None)


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan that was checked: every step and measure is an object of the catalogue."""

    title: str
    data: DataDescription | None
    release: ReleaseDescription
    secret: str | None
    steps: tuple[Method, ...]
    measures: tuple[Asked, ...]
    gates: tuple[Gate, ...]
    folder: Path
    policy: Policy
    """What holds where the plan says nothing."""
    source: Mapping[str, Json]
    """The document as it was written."""
    lines: Mapping[tuple[str | int, ...], int]
    """Line of every part of the document."""
    file: str = "plan"
    tables: tuple[TablePlan, ...] = ()
    published: tuple[PublishedDescription, ...] = ()
    register: ReleaseRegisterDescription | None = None
    consistency: tuple[ConsistencyDescription, ...] = ()
    process: ProcessDescription | None = None
    accept: tuple[AcceptDescription, ...] = ()
    relations: tuple[LinearRelation, ...] = ()
    """What the plan declares to hold between columns of numbers."""

    @property
    def registers(self) -> tuple[RegisterDescription, ...]:
        """The registers that gates and measures name, each once."""
        named = [*(gate.against for gate in self.gates), *(asked.against for asked in self.measures)]
        return tuple(dict.fromkeys(register for register in named if register is not None))

    @property
    def releases_data(self) -> bool:
        """A plan with tables and no steps publishes its tables only."""
        return self.data is not None and (bool(self.steps) or not self.tables)

    def having(self, role: Role) -> tuple[str, ...]:
        """The columns with a role."""
        return self.data.roles.get(role, ()) if self.data else ()
