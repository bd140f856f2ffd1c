"""Methods for tables: one file each."""
