"""The shapes of tables: what a log says of a table without its names and values. Everything here only reads."""
