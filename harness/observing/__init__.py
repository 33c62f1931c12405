"""What a step did: the table before and after it, read from log and storage."""
