"""The rows of a table: those of its data files, without those that deletion vectors delete."""
