"""The pages of the studio, one file each."""
