"""What a condition means: values, their order, functions, casts, and what a condition gives for a row."""
