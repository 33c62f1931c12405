"""The comparison of two runs, as files and on a terminal."""
