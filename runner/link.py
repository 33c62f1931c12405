"""What workers ask of the controller: directly where it is in the same process, else over the channel."""

from __future__ import annotations

from typing import Any, Protocol

from runner.channel import Caller, Handlers


class Link(Protocol):
    def lease(self, lost: int) -> Any:
        """A way into the engine's process, newer than the one of generation ``lost``."""
        ...

    def begin(self, versions: dict[str, str], pid: int, unsupported: dict[str, str]) -> dict[str, Any]:
        """Report the engine's versions, the worker's process, and the clauses that do not apply, each with the reason.

        The answer is what every worker must know: ``directory``, ``seed``, ``listed``.
        """
        ...

    def claim(self, clause: str) -> bool:
        """Whether this worker is the first to shrink a case for this clause."""
        ...

    def case(self, line: dict[str, Any]) -> None:
        """A judged case, as a line of the run stream."""
        ...


def handlers(link: Link) -> Handlers:
    """The same for a server (runner.channel)."""
    return {"lease": link.lease, "begin": link.begin, "claim": link.claim, "case": link.case}


class RemoteLink:
    """The controller, from another process."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def lease(self, lost: int) -> Any:
        return self._caller.call("lease", lost)

    def begin(self, versions: dict[str, str], pid: int, unsupported: dict[str, str]) -> dict[str, Any]:
        answer: dict[str, Any] = self._caller.call("begin", versions, pid, unsupported)
        return answer

    def claim(self, clause: str) -> bool:
        return bool(self._caller.call("claim", clause))

    def case(self, line: dict[str, Any]) -> None:
        self._caller.call("case", line)
