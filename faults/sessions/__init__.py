"""Faults that show in the session of a command: beside others, after them, killed, or with a setting."""
