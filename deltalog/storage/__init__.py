"""What lies on storage: files, their names, paths, times and digests."""
