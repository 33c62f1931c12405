"""The engines under test: the port, its adapters, the version table, and the known-bad engines."""
