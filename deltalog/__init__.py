"""Our own reader and writer of Delta's transaction log: actions, commits, checkpoints, snapshots, paths, rows.

Imports nothing of ours, and shares no code with any engine: what an engine wrote is judged by what is read here.
"""
