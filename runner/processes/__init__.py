"""The processes of a run, the calls between them, and the clean-up after them."""
