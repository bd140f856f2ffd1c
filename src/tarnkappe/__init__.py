"""Statistical disclosure control: share data in which nobody can be recognised."""

__version__ = "0.1.0"
