"""The clauses, a package for each chapter. ``suites.catalogue`` lists them all."""
