"""The clauses of two sessions at once."""
