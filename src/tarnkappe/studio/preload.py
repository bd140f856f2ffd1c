"""What every worker needs: loaded once, before the first of them starts."""

import tarnkappe.plan.propose
import tarnkappe.report.release  # noqa: F401
from tarnkappe.spec import catalogue

catalogue.load()
