"""``python -m tarnkappe`` is the command line."""

from tarnkappe.cli import main

main()
