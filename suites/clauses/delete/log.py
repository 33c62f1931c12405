"""DEL-LOG, DEL-CRC, DEL-CKPT: the files of the log that a DELETE leaves."""

from __future__ import annotations

from suites.clauses.shared.by_command import clauses_of

CLAUSES = clauses_of("DEL-LOG", "DEL-CRC", "DEL-CKPT")
