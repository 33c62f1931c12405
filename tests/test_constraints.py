"""The pins of packages: one for each Python that the suite runs on, and a sentence for an older one."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.requirements import Requirement

LINES = (Path(__file__).resolve().parent.parent / "constraints-suite.txt").read_text(encoding="utf-8").splitlines()
PINS = [Requirement(line) for line in LINES if not line.startswith("#")]


def pins(name: str, python: str) -> list[Requirement]:
    """The pins of a package on this Python."""
    return [
        pin
        for pin in PINS
        if pin.name == name and (pin.marker is None or pin.marker.evaluate({"python_version": python}))
    ]


@pytest.mark.parametrize("python", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_tox_has_one_pin_on_each_python(python: str) -> None:
    (pin,) = pins("tox", python)
    assert pin.url is None and str(pin.specifier).startswith("==")


@pytest.mark.parametrize("python", ["3.8", "3.9"])
def test_an_older_python_is_told_so_by_pip(python: str) -> None:
    """pip says that it does not find this file, and with -q nothing of versions in conflict."""
    (pin,) = pins("tox", python)
    assert pin.url == "file:///Tombstone%20needs%20Python%203.10%20or%20newer"
