"""The clauses of reads."""
