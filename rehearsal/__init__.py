"""What a VACUUM would do to a user's own table, at a time and by a release that the user names. The table is only read."""
