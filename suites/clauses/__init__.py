"""The clauses of the promise, a package for each chapter. ``suites.catalogue`` lists them all."""
