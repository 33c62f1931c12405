"""What is seen of a table: its storage, its log, its rows, and the versions of these."""
