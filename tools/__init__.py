"""For developers: what no run needs."""
