"""Large tables: DELETE and VACUUM on thousands of files, stray files, versions and partitions, judged by the same clauses."""

from __future__ import annotations

from harness.campaigns.campaign import read_from
from strategies.cases.large_tables import large_cases

#: The profile scale judges them: each takes a minute or two of Spark's time.
test_scale = read_from("scale", "DEL VAC", large_cases)
