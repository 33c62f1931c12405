"""The cases of ``regressions/``, which every run judges first."""

from __future__ import annotations

from harness.campaigns.campaign import read_from
from harness.campaigns.regressions import kept_cases

test_regressions = read_from("regressions", "DEL VAC READ LIFE CRASH CONC", kept_cases)
