"""Where Spark runs: on this machine, on a cluster, or behind Spark Connect."""
