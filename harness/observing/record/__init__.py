"""What is kept of an observed step: no random parts."""
