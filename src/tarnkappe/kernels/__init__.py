"""Numerics only: arrays in, arrays out. No frames, no files, no generator that was not handed in."""
