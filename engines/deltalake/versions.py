"""The releases of delta-rs: of the package deltalake."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engines.kind import Version
from engines.port import EngineUnavailable
from model.vocabulary.versions import parse

PACKAGE = "deltalake"

#: Those from 1.0 on. Between the first and the last there are no others.
RELEASES = (
    *("1.0.0", "1.0.1", "1.0.2", "1.1.0", "1.1.2", "1.1.3", "1.1.4", "1.2.0", "1.2.1", "1.3.0", "1.3.1", "1.3.2"),
    *("1.3.3", "1.4.0", "1.4.1", "1.4.2", "1.5.0", "1.5.1", "1.6.0", "1.6.1", "1.6.2", "1.6.3", "1.6.6"),
)

#: Those that `tombstone versions deltalake` judges.
JUDGED = ("1.0.2", "1.1.4", "1.2.1", "1.3.3", "1.4.2", "1.5.0", "1.5.1", "1.6.3", "1.6.6")

_EXAMPLE = f"{PACKAGE}=={JUDGED[-1]}"


class DeltalakeReleases:
    judged = JUDGED
    columns: Mapping[str, str] = {PACKAGE: PACKAGE, "pyarrow": "pyarrow"}

    def version(self, text: str) -> Version:
        if not re.fullmatch(r"\d+(\.\d+)+\w*", text):
            raise EngineUnavailable(f"{PACKAGE}=={text} names no version of {PACKAGE}: write, say, {_EXAMPLE}.")
        self.check(text)
        return Version(
            title=f"{PACKAGE} {text}",
            parts={PACKAGE: text},
            requirements=(f"{PACKAGE}=={text}",),
            is_listed=text in RELEASES,
        )

    def check(self, version: str) -> None:
        if parse(version) < parse(RELEASES[0]):
            raise EngineUnavailable(
                f"{PACKAGE} {version} is not judged: use {RELEASES[0]} or newer, such as {_EXAMPLE}."
            )
        if parse(version) < parse(RELEASES[-1]) and version not in RELEASES:
            nearest = max((known for known in RELEASES if parse(known) <= parse(version)), key=parse)
            raise EngineUnavailable(
                f"{PACKAGE} {version} was never released: use another, such as {PACKAGE}=={nearest}."
            )
