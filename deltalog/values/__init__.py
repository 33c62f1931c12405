"""Types and values: schemas, and values in Arrow, as partition texts and in statistics."""
