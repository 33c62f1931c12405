"""The comparison of two runs of the same cases: by clause, and by what the engines did in each step."""
