"""``python -m runner.explain ID``: what a clause, a case, a known fault or a known-bad engine is, in a few lines."""
