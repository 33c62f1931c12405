"""What a person or a CI server reads: the page, ``summary.md``, ``junit.xml``, the terminal, and the comparison of two runs."""
