"""Tampers with what the steps of a healthy engine left, in every way that the schema of a log and of an answer has."""
