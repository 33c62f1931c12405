"""The entries of a log: commits, and the actions in them."""
