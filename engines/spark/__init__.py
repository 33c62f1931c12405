"""Delta on Spark, through PySpark: one JVM per run, shared by the workers of pytest-xdist."""
