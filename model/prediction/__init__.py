"""What DELETE and VACUUM must do to a table, and what they must refuse."""
