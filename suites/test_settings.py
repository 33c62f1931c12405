"""DELETE and VACUUM under session settings that users change and that must not matter, Spark's own defaults among them."""

from __future__ import annotations

from harness.campaigns.campaign import cases_from
from strategies.cases.settings import configured_cases

#: The same clauses judge them: no setting excuses anything.
test_settings = cases_from("settings", "DEL VAC", 60, configured_cases())
