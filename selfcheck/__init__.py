"""Checks of the suite itself: it notices what is wrong (``selfcheck.power``), and only that (``selfcheck.soundness``)."""
