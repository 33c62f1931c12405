"""What an engine asks of a bucket, by the server's own log of requests: versitygw writes a line before it answers.

Source: https://github.com/versity/versitygw (s3log/file.go).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from engines.object_store import ObjectStore
from engines.port import Access, Outcome
from model.vocabulary.accesses import Operation
from model.vocabulary.steps import Delete, Insert, OtherCommand, Request, Vacuum

#: The used parts of a line: the request, and its address with the query, before the status.
_LINE = re.compile(r" s3_(?P<asked>\w+) .*? (?P<address>/\S*) \d{3} ", re.ASCII)

_OPERATIONS: Mapping[str, Operation] = {
    "GetObject": Operation.OPEN,
    "HeadObject": Operation.STATUS,
    "ListObjects": Operation.LIST,
    "ListObjectsV2": Operation.LIST,
    "PutObject": Operation.CREATE,
    "CopyObject": Operation.CREATE,
    "CompleteMultipartUpload": Operation.CREATE,
    "DeleteObject": Operation.DELETE,
}


def counted(store: ObjectStore | None, root: Path, step: Request, run: Callable[[], Outcome]) -> Outcome:
    """The outcome of a step that ``run`` runs, with what it asks of the bucket if the server's log is known.

    A request that deletes many objects names none in the log: it does not count. Nor does a step in which the adapter asks the
    bucket for more, to judge it: only DELETE, VACUUM and other commands are counted.
    """
    if store is None or store.requests is None or not isinstance(step, (Delete, Vacuum, Insert, OtherCommand)):
        return run()
    begin = store.requests.stat().st_size
    outcome = run()
    with store.requests.open("rb") as log:
        log.seek(begin)
        lines = log.read().decode("utf-8", "replace").split("\n")
    return replace(outcome, accesses=tuple(accesses_in(lines, f"/{store.bucket}/{store.key(str(root))}")))


def accesses_in(lines: Iterable[str], root: str) -> Iterator[Access]:
    """The requests for what is below ``root``, which begins with the bucket's name, in the order of operations and paths.

    The log does not tell the bytes of an object that is read.
    """
    calls = Counter[tuple[Operation, str]]()
    for line in lines:
        match = _LINE.search(line)
        operation = _OPERATIONS.get(match["asked"]) if match else None
        if match is None or operation is None:
            continue
        address = urlsplit(match["address"])
        place = unquote(address.path).rstrip("/")
        if operation is Operation.LIST:
            place = f"{place}/{parse_qs(address.query).get('prefix', [''])[0]}".rstrip("/")
        if f"{place}/".startswith(f"{root}/"):
            calls[operation, place[len(root) + 1 :]] += 1
    for (operation, path), number in sorted(calls.items()):
        yield Access(operation, path, number)
