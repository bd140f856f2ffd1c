"""No test is timed: compiling a kernel for the first time is slow, and machines are busy."""

from hypothesis import settings

settings.register_profile("untimed", parent=settings.default, deadline=None)
settings.load_profile("untimed")
