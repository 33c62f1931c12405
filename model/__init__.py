"""What a case is made of, and the model that predicts from it what DELETE and VACUUM must do.

Imports nothing of the project: it shares no code with an engine or with the log reader that observes one.
"""
