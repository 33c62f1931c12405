"""Known faults: the entries of ``known_faults/<engine>.toml``, by their number there: ``deltalake:12``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from engines.provider import ENGINES
from known_faults.entries import tables_in
from known_faults.known import known_faults_of, whom


@dataclass(frozen=True)
class FaultOnSide:
    engine: str
    number: int
    entry: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.engine}:{self.number}"

    @property
    def clauses(self) -> tuple[str, ...]:
        return tuple(self.entry.get("clauses") or (self.entry["clause"],))

    @property
    def where(self) -> str:
        """The versions, the place and the condition: ``deltalake <1.2, on local files, if the table has a link``."""
        parts = [f"{self.engine} {self.entry.get('versions', '') or '(all versions)'}"]
        parts += [f"on {self.entry['on']}"] if "on" in self.entry else []
        parts += [f"if: {self.entry['when']}"] if "when" in self.entry else []
        return ", ".join(parts)

    @property
    def said(self) -> list[str]:
        """What goes wrong, whom it concerns, and where to read on."""
        concerns = whom(self.entry.get("concerns"), self.entry.get("when"))
        return [
            self.entry["reason"],
            *([f"Concerns you only if {concerns}."] if concerns else []),
            self.entry["link"],
        ]


@cache
def known_faults(engine: str | None = None) -> tuple[FaultOnSide, ...]:
    """Of one engine, or of all that are built in."""
    return tuple(
        FaultOnSide(one, number, entry)
        for one in (ENGINES if engine is None else (engine,))
        for number, (_, entry) in enumerate(tables_in(known_faults_of(one), "known_fault"), start=1)
    )
