"""Faults of DELETE and of VACUUM in the files of the log."""
