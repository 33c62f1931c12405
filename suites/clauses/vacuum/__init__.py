"""The clauses about VACUUM."""
