"""The clauses of what a command asks of storage."""
