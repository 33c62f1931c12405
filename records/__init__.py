"""What a run is recorded as: data, without rules. Readers and writers know it, and nothing of each other."""
