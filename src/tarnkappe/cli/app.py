"""The commands. Heavy parts are imported when a command runs, so that --help is quick."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

from tarnkappe.cli.correct import Asked
from tarnkappe.cli.declaring import command_of
from tarnkappe.cli.keys import keys
from tarnkappe.cli.reading_options import Reading, Several, Word, reading, said
from tarnkappe.cli.simulate import Asked as Simulated
from tarnkappe.cli.studio import Asked as Opened
from tarnkappe.cli.table_commands import Described, named, tables
from tarnkappe.vocab import Attacker

app = typer.Typer(
    name="tarnkappe",
    help="Statistical disclosure control: share data in which nobody can be recognised.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # the decorated help takes longer to import than to read
)

Lang = Annotated[
    Optional[Literal["en", "de"]], typer.Option("--lang", help="Language; by default that of the locale.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")]
Public = Annotated[
    Optional[Path],
    typer.Option(
        metavar="FILE",
        help="Records: the office's list of publicly available variables instead of that supplied.",
    ),
]
PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a YAML file.")]


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder of the demonstration.")] = Path("tarnkappe-demo"),
    example: Annotated[
        Literal["persons", "enterprises", "zew-mip"],
        typer.Option(help="Which plan to run on its data; zew-mip: enterprises by the recipe of the ZEW."),
    ] = "persons",
    size: Annotated[
        int, typer.Option(min=3000, help="Number of records; in fewer, the plan cannot reach its goal.")
    ] = 5000,
    lang: Lang = None,
    quiet: Quiet = False,
) -> None:
    """Make example data and run the whole main job on it, offline."""
    from tarnkappe.cli.demonstrate import demo as perform

    perform(out, example, size, lang, quiet=quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected(Described):
    """What inspect takes: a data file, a table file with its dimensions, or a plan with tables."""

    file: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Records (CSV, Parquet, Excel, SPSS …); a table: cells with --by, or τ-ARGUS; or a plan with tables.",
        ),
    ]
    plan: Annotated[
        Optional[Path], typer.Option("--plan", help="Write the plan proposed for records to this file.")
    ] = None
    public: Public = None
    count: Annotated[Word, typer.Option(help="Table: column of the number of contributors.")] = None
    largest: Annotated[Several, typer.Option(help="Table: column of a largest contribution.")] = None
    fact: Annotated[
        Several, typer.Option(help="Table: what only the office knows, such as attribute=personal.")
    ] = None
    tree: Annotated[
        Optional[Path], typer.Option(help="Table: decision rules of the office instead of those supplied.")
    ] = None
    prefer: Annotated[
        Several,
        typer.Option(
            help="Table: a criterion that counts most: security, robustness, flexibility, information or cost."
        ),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Table: machine-readable.")] = False


@command_of(app, "inspect", Inspected)
def inspect(asked: Inspected) -> None:
    """Profile a file and propose a plan; of a table, say whether and how it must be protected."""
    if not asked.by and not asked.levels and asked.file.suffix.lower() not in (".tab", ".yaml", ".yml"):
        from tarnkappe.cli.look import inspect as perform

        perform(asked, reading(asked))
        return
    from tarnkappe.cli.look_table import Told
    from tarnkappe.cli.look_table import inspect as assess
    from tarnkappe.cli.table_source import Cells
    from tarnkappe.io.cells import CellColumns

    cells = Cells(
        asked.file, *named(asked),
        CellColumns(asked.value, asked.count, tuple(asked.largest or ())), meta=asked.meta, options=reading(asked),
    )  # fmt: skip
    told = Told(tuple(asked.fact or ()), asked.tree, tuple(asked.prefer or ()))
    assess(cells, told, asked.lang, plain=asked.as_json)


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun(Reading):
    """What new takes."""

    data: Annotated[
        Optional[Path], typer.Argument(metavar="[DATA]", help="The data file; asked for if not given.")
    ] = None
    out: Annotated[Path, typer.Option("--out", "-o", help="The plan to be written.")] = Path("plan.yaml")
    answers: Annotated[
        Optional[Path], typer.Option(metavar="FILE", help="A YAML file with the answers; nothing is asked.")
    ] = None
    public: Public = None
    replace: Annotated[bool, typer.Option("--replace", help="Replace an older plan.")] = False
    lang: Lang = None


@command_of(app, "new", Begun)
def new(asked: Begun) -> None:
    """Ask along the twelve steps of a release and write a commented plan."""
    from tarnkappe.cli.new import new as perform

    perform(asked, reading(asked))


@app.command()
def history(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A project folder.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable.")] = False,
    lang: Lang = None,
) -> None:
    """List the runs of a project folder, released and refused: when, by which plan, what held, key figures."""
    from tarnkappe.cli.history import show

    show(folder, lang, as_json=as_json)


@app.command()
def check(plan: PlanFile, lang: Lang = None) -> None:
    """Find all problems of a plan at once."""
    from tarnkappe.cli.checking import check as perform

    perform(plan, lang)


@app.command()
def policy() -> None:
    """Print the default policy of every kind of release, a YAML file to copy, change and name in a plan."""
    from tarnkappe.plan.policy import standard_text

    typer.echo(standard_text(), nl=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running(Reading):
    """What run takes."""

    plan: PlanFile
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the release; must not exist yet.")]
    replace: Annotated[bool, typer.Option("--replace", help="Replace an older release.")] = False
    sign: Annotated[
        Optional[Path],
        typer.Option("--sign", metavar="KEYFILE", help="Sign the certificate with this private key."),
    ] = None
    lang: Lang = None
    quiet: Quiet = False


@command_of(app, "run", Running)
def run(asked: Running) -> None:
    """Protect, audit, measure, gate and release."""
    from tarnkappe.cli.work import run as perform

    perform(asked, said(asked))


@app.command()
def verify(
    release: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a release.")],
    key: Annotated[
        Optional[Path],
        typer.Option(
            "--key", metavar="PUBLIC", help="The public key of the office that must have signed it."
        ),
    ] = None,
    lang: Lang = None,
) -> None:
    """Audit a release again from its files alone."""
    from tarnkappe.cli.work import verify as perform

    perform(release, key, lang)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparing(Reading):
    """What compare takes."""

    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="The original file.")]
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="The protected file.")]
    key: Annotated[Several, typer.Option("--key", help="A key column; give it once per column.")] = None
    number: Annotated[Several, typer.Option("--number", help="A numeric column.")] = None
    out: Annotated[Optional[Path], typer.Option("--out", "-o", help="Write a report: .html or .json.")] = None
    pictures: Annotated[
        Optional[Path],
        typer.Option(
            "--pictures", metavar="DIR", help="Write the pictures as SVG, PNG and Vega-Lite into this folder."
        ),
    ] = None
    lang: Lang = None


@command_of(app, "compare", Comparing)
def compare(asked: Comparing) -> None:
    """Measure utility and risk of any pair of files."""
    from tarnkappe.cli.look import compare as perform

    perform(asked, reading(asked))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """What map takes."""

    plans: Annotated[
        list[Path],
        typer.Argument(metavar="PLAN…", help="Plans of the same data, or grids with plan and vary."),
    ]
    vary: Annotated[
        Several,
        typer.Option(
            metavar="PATH=VALUES", help="Vary a part of the plan: steps.2.k=3,5,10; give it once per part."
        ),
    ] = None
    risk: Annotated[Word, typer.Option(metavar="ID", help="The measure of risk.")] = None
    utility: Annotated[Word, typer.Option(metavar="ID", help="The measure of utility.")] = None
    out: Annotated[
        Optional[Path],
        typer.Option(
            "--out", "-o", help="Write the map: .html, .json, .svg or .png; of tables .json or .csv."
        ),
    ] = None
    history: Annotated[
        bool, typer.Option("--history", help="Also try the plans of earlier runs in the folder of the first.")
    ] = False
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure again what was measured before.")] = False
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable.")] = False
    lang: Lang = None
    quiet: Quiet = False


@command_of(app, "map", Mapped)
def risk_map(asked: Mapped) -> None:
    """Try several plans without releasing and show what each leaves of risk and utility, or of tables what each costs."""
    from tarnkappe.cli.mapping import risk_map as perform

    perform(asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacking(Reading):
    """What attack takes."""

    before: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASE|BEFORE",
            help="The folder of a release, attacked as a stranger would; or, with AFTER, the original file.",
        ),
    ]
    after: Annotated[
        Optional[Path],
        typer.Argument(metavar="AFTER", help="The protected file, or the folder of a release."),
    ] = None
    original: Annotated[
        Optional[Path],
        typer.Option(metavar="FILE", help="With RELEASE: the original, to count which guesses are right."),
    ] = None
    earlier: Annotated[
        Optional[list[Path]],
        typer.Option(
            metavar="RELEASE", help="With RELEASE: another release of the same data that the stranger has."
        ),
    ] = None
    knowledge: Annotated[
        Optional[Path],
        typer.Option(
            metavar="FILE", help="A file the attacker has: a register; columns are matched by name."
        ),
    ] = None
    holdout: Annotated[
        Optional[Path],
        typer.Option(
            metavar="FILE", help="Persons like those of the original whose data did not enter the release."
        ),
    ] = None
    plan: Annotated[
        Optional[Path], typer.Option(help="A plan that tells the roles and hierarchies of the original.")
    ] = None
    key: Annotated[
        Several, typer.Option("--key", "--keys", help="A column attackers know; give it once per column.")
    ] = None
    sensitive: Annotated[Several, typer.Option(help="A column nobody may learn.")] = None
    number: Annotated[Several, typer.Option(help="A numeric column.")] = None
    weight: Annotated[Word, typer.Option(help="Column of the survey weights.")] = None
    id: Annotated[
        Several,
        typer.Option(
            help="Column that tells in the files who is who; attackers do not have it. Give it once per column where only several "
            "together tell."
        ),
    ] = None
    attacker: Annotated[
        Optional[list[Attacker]],
        typer.Option(help="Whom to play; all three if not given."),
    ] = None
    only: Annotated[
        Several, typer.Option(metavar="ID", help="Run this attack only; give it once per attack.")
    ] = None
    most: Annotated[
        Several, typer.Option(metavar="ID=NUMBER", help="Largest value allowed; else exit code 3.")
    ] = None
    least: Annotated[
        Several, typer.Option(metavar="ID=NUMBER", help="Smallest value allowed; else exit code 3.")
    ] = None
    out: Annotated[Optional[Path], typer.Option("--out", "-o", help="Write a report: .html or .json.")] = None
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable.")] = False
    lang: Lang = None
    quiet: Quiet = False


@command_of(app, "attack", Attacking)
def attack(asked: Attacking) -> None:
    """Attack a release as a stranger would, or a protected file beside its original: who finds whom, and what do they learn?"""
    if asked.after is None:
        from tarnkappe.cli.stranger import attack_release as stranger

        stranger(asked, said(asked))
    else:
        from tarnkappe.cli.attack import attack as perform

        perform(asked, said(asked))


@command_of(app, "correct", Asked)
def correct(asked: Asked) -> None:
    """Estimate from a release you received, corrected for its protection."""
    from tarnkappe.cli.correct import correct as perform

    perform(asked)


@command_of(app, "simulate", Simulated)
def simulate(asked: Simulated) -> None:
    """Apply the steps of plans again and again: what do they do to a model, or to moments?"""
    from tarnkappe.cli.simulate import simulate as perform

    perform(asked)


app.add_typer(tables)
app.add_typer(keys)


@app.command()
def register(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The register that plans name under register.")
    ],
    lang: Lang = None,
) -> None:
    """Show the releases that stand in a register."""
    from tarnkappe.cli.registered import register as perform

    perform(file, lang)


@command_of(app, "studio", Opened)
def studio(asked: Opened) -> None:
    """Open the web studio: the twelve steps of a release in a browser."""
    from tarnkappe.cli.studio import studio as perform

    perform(asked)


@app.command()
def methods(
    id: Annotated[
        Optional[str],
        typer.Argument(
            metavar="ID",
            help="Show the card of one entry; with its parameters, 'ID: {parameter: value}', what it claims with them.",
        ),
    ] = None,
    ratings: Annotated[
        bool, typer.Option("--ratings", help="Methods for tables, rated by five criteria.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable.")] = False,
    lang: Lang = None,
) -> None:
    """Show the catalogue of methods and measures, or the card of one of them."""
    from tarnkappe.cli.shelf import methods as perform
    from tarnkappe.cli.shelf import ratings as rate

    if ratings:
        rate(lang, as_json=as_json)
    else:
        perform(id, lang, as_json=as_json)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
)
def step(context: typer.Context) -> None:
    """Write one step of a plan: tarnkappe step microdata.mdav --columns income --k 5."""
    from tarnkappe.cli.shelf import step as perform

    perform(context.args)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"tarnkappe {version('tarnkappe')}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    del version
