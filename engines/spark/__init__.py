"""Delta on Spark, through PySpark: one warm JVM for the whole run, which pytest-xdist's workers share."""
