"""Attacks on a finished release: what a stranger gets back who has nothing but its files. No code of the protectors is used here."""
