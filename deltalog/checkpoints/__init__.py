"""What sums up a log: checkpoints and version checksums."""
