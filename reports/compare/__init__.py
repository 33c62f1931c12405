"""Two runs of the same cases compared: by clause, and by what the engines did in each step."""
