"""The suite as one file of the package: packed when the package is built (``hatch_build.py``), laid out when it is first used.

One file, and no folders: installed packages are compiled by pip, and would be importable by everyone.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tombstone.mistakes import Mistake

#: The files and folders at the top of the repository that a run needs: not the suite's own tests and checks.
CONTENTS = (
    *("README.md", "LICENSE", "CHANGELOG.md", "conftest.py", "tox.ini"),
    *("requirements.txt", "requirements-suite.txt", "constraints.txt", "constraints-suite.txt"),
    *("model", "deltalog", "records", "strategies", "engines", "harness", "reference_engine", "suites", "faults"),
    *(
        "known_faults",
        "reports",
        "runner",
        "shapes",
        "rehearsal",
        "corpus",
        "regressions",
        "examples",
        "docs",
        "tombstone",
    ),
)

#: The name of the packed suite, beside this module.
NAME = "suite.zip"

_LEFT_OUT = frozenset({"__pycache__", "pictures"})
#: The date of every member, so that the same files make the same archive.
_DATE = (1980, 1, 1, 0, 0, 0)


def files(root: Path) -> Iterator[str]:
    """The files of the suite, by their paths from the root, sorted."""
    for name in sorted(CONTENTS):
        if (root / name).is_file():
            yield name
        for folder, inner, found in os.walk(root / name):
            inner[:] = sorted(one for one in inner if one not in _LEFT_OUT)
            yield from (str(Path(folder, one).relative_to(root)) for one in sorted(found) if not one.endswith(".pyc"))


def pack(root: Path, archive: Path) -> None:
    """Write the suite below ``root`` into an archive."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in files(root):
            member = zipfile.ZipInfo(name, _DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(member, (root / name).read_bytes())


def digest_of(archive: Path) -> str:
    """What tells two builds of the same version apart."""
    return hashlib.sha256(archive.read_bytes()).hexdigest()[:12]


def lay_out(archive: Path, place: Path) -> None:
    """Lay the suite out at ``place``, unless it is there. Raises Mistake if that cannot be written.

    It is made beside, and then renamed: what is at ``place`` is whole, and of two launchers at once the first one's stays.
    """
    if place.is_dir():
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
        try:
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(made)
            made.rename(place)
        except OSError:
            if not place.is_dir():
                raise
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        raise Mistake(
            f"The suite cannot be written to {place} ({error.strerror}): make room, or name another cache with XDG_CACHE_HOME."
        ) from error
