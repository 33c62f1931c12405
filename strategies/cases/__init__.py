"""Whole cases: a module for each group of campaigns."""
