"""Makes a case's table, runs its steps on an engine, observes them, judges them, and shrinks what fails."""
