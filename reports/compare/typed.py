"""A run's header, footer and cases as records, as long as ``reports.stream`` has them as JSON."""

from __future__ import annotations

from records.json_form import from_json
from records.run import Footer, Header, JudgedCase
from reports.stream import Line, Run


def header_of(run: Run) -> Header:
    return from_json(run.header, Header)


def footer_of(run: Run) -> Footer:
    return from_json(run.footer, Footer)


def case_of(line: Line) -> JudgedCase:
    return from_json(line, JudgedCase)
