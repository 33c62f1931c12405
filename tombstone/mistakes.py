"""What a user did wrong."""

from __future__ import annotations


class Mistake(Exception):
    """One sentence, with what to do instead. The command ends with 2."""
