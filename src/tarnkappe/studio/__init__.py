"""The studio: the twelve steps of a release in a browser. It holds no statistics: what it builds is a plan."""
