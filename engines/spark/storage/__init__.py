"""The storage below a table: the file system of a step, and S3."""
