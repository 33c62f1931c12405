"""The JVM of a run: the Java that it runs on, its jars, its options and its start."""
