"""What faults are made of: a step that the real engine has run, and edits of its table and its outcome."""
