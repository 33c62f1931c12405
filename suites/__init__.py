"""The promise, clause by clause, and the campaigns that draw cases and judge them."""
