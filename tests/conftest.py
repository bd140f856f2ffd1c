"""No test is timed: compiling a kernel for the first time is slow, and machines are busy. Long runs try more examples."""

import gc
import os

import pytest
from hypothesis import settings

from drawn_once import draw_once

settings.register_profile(
    "everyday", parent=settings.default, deadline=None, max_examples=18, derandomize=True
)  # what is found by chance is found by the long runs, not by the change that happens to be looked at
settings.register_profile("thorough", parent=settings.default, deadline=None, max_examples=300)


def pytest_configure(config):
    """Choose how thorough to be by what was asked for."""
    draw_once()
    long = config.option.markexpr == "long"
    settings.load_profile("thorough" if long else "everyday")
    if not long:
        one_thread_each()


def one_thread_each():
    """Products of matrices on one thread in every worker and all it starts: there are as many workers as cores.

    Threads of several workers wait for each other, and are busy while they wait. Long runs keep the threads that users have.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays: the search for unused objects can leave it out, now and later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """Say what was not tried where there is no browser: a green run must not hide it."""
    skipped = terminalreporter.stats.get("skipped", ())
    left_out = [report for report in skipped if "no browser here" in str(report.longrepr)]
    if left_out:
        terminalreporter.write_line(
            f"{len(left_out)} tests in a browser were left out: install chromium to run them."
        )
