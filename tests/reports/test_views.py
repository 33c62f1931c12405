"""The views of a made-up run, comparison and run in turn are those that were approved."""

from __future__ import annotations

from tests.reports.views import APPROVED, views


def test_the_views_are_those_that_were_approved() -> None:
    """``python -m tests.reports.views`` writes them again: the diff is the change of the views."""
    made = views()
    approved = {path.name: path.read_text(encoding="utf-8").splitlines() for path in APPROVED.iterdir()}
    assert approved.keys() == made.keys()
    for name, lines in made.items():
        assert lines == approved[name], name
