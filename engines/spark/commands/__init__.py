"""The commands of a step in the forms that users write, and their answers."""
