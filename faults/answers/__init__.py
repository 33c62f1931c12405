"""Faults of what an engine understands, and of what it answers."""
