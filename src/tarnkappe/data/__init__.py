"""The nouns of the field, frozen: Column, Hierarchy, Microdata."""
