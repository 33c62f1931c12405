"""Whether a JVM died because a class is missing: then the next one dies too."""

from __future__ import annotations

import re
from pathlib import Path

from engines.spark.jvm.driver import tail

#: The lines of its log that are read: the stacks of an exception and of its causes.
_LINES = 400

#: What engines/spark/sessions/EndOfThread.java writes before it ends the JVM.
_DIED = re.compile(r"died of this:\n\S*(?:NoClassDefFoundError|ClassNotFoundException): ([\w/.$]+)")


def missing_class(log: Path) -> str | None:
    """The missing class that ended the JVM with this log; None if it did not end by that."""
    found = _DIED.findall(tail(log, lines=_LINES))
    return found[-1].replace("/", ".") if found else None
