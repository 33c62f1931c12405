"""Proof that the suite is worth believing: it notices what is wrong (``selfcheck.power``), and only that (``selfcheck.soundness``)."""
