"""demo: example data, a plan, a release, and where to look."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from tarnkappe.cli.screen import language, progress, say
from tarnkappe.cli.work import summary
from tarnkappe.examples import EXAMPLES, READY_PLANS, plan_text
from tarnkappe.io.staging import plainly, write_new
from tarnkappe.io.write import write
from tarnkappe.language import Text
from tarnkappe.plan.check import check_file
from tarnkappe.report.release import release


def demo(folder: Path, example: str, size: int, lang: str | None, *, quiet: bool) -> None:
    """Make the data and the plan, run it, say where to look."""
    spoken = language(lang)
    made, file = BytesIO(), folder / f"{READY_PLANS[example]}.csv"
    write(EXAMPLES[READY_PLANS[example]](size), made, "csv")
    plan = folder / f"{example}.yaml"
    with plainly(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_new(file, made.getvalue())
    write_new(plan, plan_text(example).encode())
    out = folder / f"{example}-release"
    with progress(spoken, quiet=quiet) as doing:
        done = release(check_file(plan), out, replace=out.exists(), lang=spoken, progress=doing)
    if quiet:
        return
    summary(done, out, spoken)
    again = Text(
        "\nThe plan is {plan}: change it and run\n  tarnkappe run {plan} --out {out} --replace\nor look at the data with\n  tarnkappe inspect {data}",
        "\nDer Plan steht in {plan}: ändern und\n  tarnkappe run {plan} --out {out} --replace\nausführen, oder die Daten ansehen mit\n  tarnkappe inspect {data}",
    )
    say(again, spoken, plan=plan, out=out, data=file)
