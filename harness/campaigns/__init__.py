"""Which cases are judged, in which order, and how one that fails is shrunk."""
