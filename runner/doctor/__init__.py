"""What can be judged on this machine, and what is missing. It needs no environment of the suite: only ``packaging``."""
