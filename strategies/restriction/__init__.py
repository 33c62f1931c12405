"""Cases made to fit an engine: what it lacks is replaced, and times are kept away from cutoffs."""
