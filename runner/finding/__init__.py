"""``tombstone finding``: the faults that the suite found in engines, each with a case, a script, and a text to file upstream."""
