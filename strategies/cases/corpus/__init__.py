"""Cases drawn for the corpus: many errors of an engine would show in few steps."""
