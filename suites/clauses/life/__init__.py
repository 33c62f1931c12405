"""The clauses of other commands: a table's whole life around DELETE and VACUUM."""
