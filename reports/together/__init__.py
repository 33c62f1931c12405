"""What a run of two engines in turn on the same tables found, as an answer, as Markdown and as JSON."""
