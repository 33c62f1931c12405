"""Faults of what a command asks of storage: dearer, and not wrong."""
