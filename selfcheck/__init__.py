"""Checks of the suite itself: it catches faults (``selfcheck.power``) and has no false positives (``selfcheck.soundness``)."""
