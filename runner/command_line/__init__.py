"""Command lines: which options there are, and how a mistake in them is reported."""
