"""Faults of VACUUM."""
