"""The clauses about DELETE."""
