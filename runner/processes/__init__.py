"""The processes of a run, what they call of each other, and what is cleaned up after them."""
