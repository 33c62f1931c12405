"""The run stream: the header, the cases and the footer, written, read back, checked, and put together from parts."""
