"""An enterprise panel: try MDAV by year in memory, see that yearly totals stay, then run a whole plan."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

import polars as pl

import tarnkappe as tk
from tarnkappe.examples import plan_text

AMOUNTS = ("turnover", "foreign_turnover", "employees", "investment", "profit")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    panel = tk.EXAMPLES["enterprises"](3000)

    for k in (3, 5, 10):
        mdav = tk.catalogue["microdata.mdav"](columns=AMOUNTS, k=k, within=("year",))
        masked = mdav.apply(panel, tk.stream(secrets.token_hex(32)))
        moved = tk.catalogue["utility.correlations"](columns=AMOUNTS).measure(masked, before=panel)
        totals = moved_totals(panel, masked)
        print(f"k = {k}: correlations move by {moved.value:.3f}; yearly totals by {totals:.0e}")

    tk.to_frame(panel).write_csv(folder / "enterprises.csv")
    plan = folder / "enterprises.yaml"
    text = plan_text("enterprises")
    plan.write_text(text, "utf-8")
    done = tk.release(tk.check_file(plan), folder / "release", replace=True)
    print(f"released {len(done.after)} of {len(done.before)} records")


def moved_totals(before: tk.Microdata, after: tk.Microdata) -> float:
    """The largest relative change of the turnover of a year."""
    was, now = (by_year(tk.to_frame(data)) for data in (before, after))
    return float((now["turnover"] / was["turnover"] - 1).abs().max())


def by_year(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.group_by("year").agg(pl.col("turnover").sum()).sort("year")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "enterprises"))
