"""The known faults of engines: entries of TOML files, each a clause with the symptom that is excused."""
