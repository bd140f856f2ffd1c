"""A person register: make it, run the plan of the demonstration on it, verify the release."""

from __future__ import annotations

import sys
from pathlib import Path

import tarnkappe as tk
from tarnkappe.examples import plan_text


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tk.to_frame(tk.EXAMPLES["persons"](5000)).write_csv(folder / "persons.csv")
    plan = folder / "persons.yaml"
    plan.write_text(plan_text("persons"), "utf-8")

    done = tk.release(tk.check_file(plan), folder / "release", replace=True)
    for gate in done.gates:
        print("held:", gate.says)
    for found in done.measures:
        before = found.before.value if found.before else float("nan")
        print(f"{found.measure.title}: {before:g} -> {found.after.value:g}")
    for check in tk.verify(folder / "release"):
        print("verified:", check.says)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "persons"))
