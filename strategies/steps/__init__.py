"""Steps, one by one and as programs: commands, and when they run."""
