"""Spark's text: SQL, literals, and the names of files and directories."""
