"""The manual: MyST Markdown, Sphinx, furo. Nothing is fetched from the network; reference pages come from the code."""

from __future__ import annotations

import sys
from importlib.metadata import version as version_of
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from generate import generate  # noqa: E402 - beside this file, on no path before

project = "Tarnkappe"
release = version = version_of("tarnkappe")

extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "_generated"]
pygments_style = "friendly"
pygments_dark_style = "monokai"

html_theme = "furo"
html_title = f"Tarnkappe {release}"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False


def setup(app):
    app.connect("builder-inited", lambda _: generate(HERE))
    return {"parallel_read_safe": True}
