"""Two engines in turn on one table: who runs which step, what the other reads after it, and what is new in that."""
