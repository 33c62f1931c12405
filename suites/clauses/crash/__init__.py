"""The clauses of commands that are killed in the middle."""
