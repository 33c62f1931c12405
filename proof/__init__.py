"""Proof that the suite is worth believing: it notices what is wrong (``proof.power``), and only that (``proof.soundness``)."""
