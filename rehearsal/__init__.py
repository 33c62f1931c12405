"""What a VACUUM or a DELETE would do to a user's own table, by a release that the user names. The table is only read."""
