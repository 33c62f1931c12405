"""delta-rs, through the PyPI package deltalake, behind the port. It runs in a process of its own."""
