"""Conditions of commands: predicates, expressions and functions, and how they are written."""
