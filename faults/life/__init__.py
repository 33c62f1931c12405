"""Faults of the other commands in a table's life, and of reading."""
