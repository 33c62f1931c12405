"""The JSON Schemas of the run stream, one file for each schema version."""
