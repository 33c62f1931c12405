"""Judges what was observed, clause by clause."""
