"""Files and frames in and out. Data frames live here and nowhere else; inside, columns are coded arrays."""
