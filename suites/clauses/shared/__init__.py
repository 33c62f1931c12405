"""What clauses of several chapters share: checks, causes and harms."""
