"""What a reproduction script has of Spark, by the names that each engine's part has: session, questions, readings."""
