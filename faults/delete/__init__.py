"""Faults of DELETE."""
