"""What a server's log of requests tells of a step."""

from __future__ import annotations

import pytest

from engines.port import Access
from engines.request_log import accesses_in
from model.vocabulary.accesses import Operation

ROOT = "/bucket/run/t 1"


def line(asked: str, address: str, key: str = "-") -> str:
    """As versitygw writes it."""
    return f"15ee bucket [30/November/2026:12:33:27 +0000] 127.0.0.1 15ee AW s3_{asked} {key} {address} 200 - 0 0 0 0 - x - h="


@pytest.mark.parametrize(
    ("asked", "address", "expected"),
    [
        ("GetObject", "/bucket/run/t%201/p=a/x%2541", Access(Operation.OPEN, "p=a/x%41")),
        ("HeadObject", "/bucket/run/t%201/_delta_log/0.json", Access(Operation.STATUS, "_delta_log/0.json")),
        ("PutObject", "/bucket/run/t%201/x?uploads", Access(Operation.CREATE, "x")),
        ("DeleteObject", "/bucket/run/t%201/x", Access(Operation.DELETE, "x")),
        ("ListObjectsV2", "/bucket?list-type=2&prefix=run%2Ft+1%2F_delta_log%2F", Access(Operation.LIST, "_delta_log")),
        ("ListObjectsV2", "/bucket/?prefix=run%2Ft%201", Access(Operation.LIST, "")),
        ("GetObject", "/bucket/run/t%2012/x", None),  # of another table
        ("DeleteObjects", "/bucket?delete=", None),  # whose keys are in its body
        ("HeadBucket", "/bucket", None),
    ],
)
def test_a_request_is_an_access(asked: str, address: str, expected: Access | None) -> None:
    found = [*accesses_in(["log starts 2026-11-30", line(asked, address), ""], ROOT)]
    assert found == ([] if expected is None else [expected])


def test_the_same_request_is_counted() -> None:
    lines = [line("GetObject", "/bucket/run/t%201/x", "run/t 1/x")] * 3
    assert [*accesses_in(lines, ROOT)] == [Access(Operation.OPEN, "x", 3)]
