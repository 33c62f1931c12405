"""Long texts, cut between words."""

from __future__ import annotations


def cut(text: str, most: int) -> str:
    """At most so many characters of a text, with ``…`` for what is left out. A word is only cut if it is half of them or more."""
    if len(text) <= most:
        return text
    start = text[: most - 1]
    words = start.rpartition(" ")[0].rstrip()
    return f"{words} …" if len(words) > most // 2 else f"{start}…"
