"""No test is timed: compiling a kernel for the first time is slow, and machines are busy."""

from hypothesis import settings

settings.register_profile("untimed", parent=settings.default, deadline=None)
settings.load_profile("untimed")


def pytest_terminal_summary(terminalreporter):
    """Say what was not tried where there is no browser: a green run must not hide it."""
    skipped = terminalreporter.stats.get("skipped", ())
    left_out = [report for report in skipped if "no browser here" in str(report.longrepr)]
    if left_out:
        terminalreporter.write_line(
            f"{len(left_out)} tests in a browser were left out: install chromium to run them."
        )
