"""Commands that are killed in the middle: a DELETE or a VACUUM, stopped right after one of its effects on storage."""

from __future__ import annotations

from harness.campaigns.campaign import cases_from
from strategies.cases.crashes import crash_cases

#: What is left is judged by log and storage; the steps that follow are judged as ever.
test_crashes = cases_from("crashes", "CRASH DEL VAC", 60, crash_cases())
