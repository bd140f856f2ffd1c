"""The same chart is drawn once: tests make the same release over and over, and most of its time goes into its charts.

What `vl_convert` draws depends only on what it is given (tests/surfaces/test_pictures.py sees to that), so a chart that was drawn
may be handed out again.
"""

from __future__ import annotations

import json
from functools import lru_cache

import vl_convert

honest = vl_convert.vegalite_to_svg
"""Draws anew every time."""


def draw_once() -> None:
    """From now on, in this process."""
    vl_convert.vegalite_to_svg = _remembered


def _remembered(spec, **how):
    return _drawn(json.dumps([spec, how]))


@lru_cache(maxsize=2000)
def _drawn(given):
    spec, how = json.loads(given)
    return honest(spec, **how)
