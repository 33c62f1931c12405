"""The shapes of tables: what a log says of a table without its names and values. All of it only reads."""
