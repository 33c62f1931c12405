"""Tables as they are at the start of a case: columns, rows, files, logs, and what lies beside them."""
