"""Sessions of Spark, and what a step sets in them: settings, the clock, user functions."""
