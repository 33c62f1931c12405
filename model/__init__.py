"""The vocabulary of a case, and the oracle: what DELETE and VACUUM must do, from the case alone.

Imports nothing of ours. It shares no code with any engine, nor with the log reader that observes one.
"""
