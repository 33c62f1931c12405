"""The clauses, and the tests that draw cases and judge them."""
