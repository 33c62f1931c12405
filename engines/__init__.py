"""The engines under test: the port, its adapters and the table of versions."""
