"""The engines under test: the port, its adapters and their versions."""
