"""delta-rs, through the PyPI package deltalake, in a child process."""
