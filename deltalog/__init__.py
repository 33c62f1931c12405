"""A reader and writer of Delta's transaction log: actions, commits, checkpoints, snapshots, paths, rows.

Imports nothing of the project and shares no code with an engine: clauses judge what an engine wrote by what is read here.
"""
