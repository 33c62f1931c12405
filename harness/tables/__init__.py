"""Makes a case's table on storage, at the instants that the case gives."""
