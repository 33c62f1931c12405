"""What one pass over the cases of a run finds: verdicts, failures, known faults, coverage, and the answer."""
