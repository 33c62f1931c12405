"""The command ``tombstone``: lays the suite into the user's cache, and runs it there with tox.

It imports nothing of the suite, which is data of its package (``tombstone.archive``).
"""
