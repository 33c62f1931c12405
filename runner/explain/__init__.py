"""``python -m runner.explain ID``: explains a clause, a case, a known fault or a known-bad engine in a few lines."""
