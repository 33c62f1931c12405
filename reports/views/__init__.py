"""The views of one run: ``summary.md``, ``junit.xml`` and the terminal."""
