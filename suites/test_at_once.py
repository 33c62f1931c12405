"""Two sessions at once: pairs of commands, the first held at a point until the second has finished."""

from __future__ import annotations

from harness.campaigns.campaign import cases_from
from strategies.cases.at_once import cases_at_once

#: The order of their commits says what the table must be; the steps that follow are judged as ever.
test_at_once = cases_from("at-once", "CONC DEL VAC READ", 60, cases_at_once())
