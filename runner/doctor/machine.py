"""Java, disk space, memory, a package registry that answers, a browser: what a machine needs besides Pythons."""

from __future__ import annotations

import configparser
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

#: Seconds for anything that is asked: the whole must be quick.
LIMIT = 1.5

_CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def java_releases(environ: Mapping[str, str] = os.environ) -> dict[str, int | None]:
    """The releases of the Java of JAVA_HOME and of that on PATH, by path; None if a Java does not tell its release."""
    found: dict[str, int | None] = {}
    if home := environ.get("JAVA_HOME"):
        found["JAVA_HOME"] = _release(Path(home, "bin", "java"))
    if on_path := shutil.which("java", path=environ.get("PATH", os.defpath)):
        found["PATH"] = _release(Path(on_path))
    return found


def _release(java: Path) -> int | None:
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=LIMIT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    return int(match[1]) if match else None


def is_made(environment: Path, jars: str) -> bool:
    """Whether tox has made the environment, and Delta's jars are in the cache: then nothing is downloaded."""
    try:
        import platformdirs  # tox brings it

        index = platformdirs.user_cache_path("tombstone") / "jars" / f"{jars}.txt"
        made = "PythonRun" in json.loads((environment / ".tox-info.json").read_text(encoding="utf-8"))
        found = index.read_text(encoding="utf-8").splitlines()
    except (ImportError, OSError, ValueError):
        return False
    return made and (environment / "bin" / "python").exists() and bool(found) and all(map(os.path.isfile, found))


def free_disk(place: Path) -> int:
    """Free bytes at the place, which need not exist yet."""
    while not place.exists():
        place = place.parent
    return shutil.disk_usage(place).free


def free_memory() -> int | None:
    """Bytes that programs can use; None if the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        text = Path("/proc/meminfo").read_text(encoding="ascii")
        return int(text.partition("MemAvailable:")[2].split()[0]) * 1024
    with suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def browser(environ: Mapping[str, str] = os.environ) -> str | None:
    """The browser for the tests of the pages."""
    named = environ.get("TOMBSTONE_CHROMIUM")
    return next(
        (one for one in (named, *_CHROMIUM) if one and shutil.which(one, path=environ.get("PATH", os.defpath))), None
    )


def registry_answers(environ: Mapping[str, str] = os.environ) -> str | None:
    """Why pip's package registry cannot be used, as the end of a sentence; None if it answers."""
    said: list[str | None] = []
    asking = threading.Thread(target=lambda: said.append(_ask(environ)), daemon=True)
    asking.start()
    asking.join(LIMIT)
    return said[0] if said else f"does not answer within {LIMIT} s"


def _ask(environ: Mapping[str, str]) -> str | None:
    settings = pip_settings(environ)
    index = settings.get("index-url", "https://pypi.org/simple").rstrip("/")
    plain = re.sub(r"//[^/@]*@", "//", index)  # without a user's name: that it answers is enough
    try:
        context = ssl.create_default_context(cafile=settings.get("cert"))
        with urllib.request.urlopen(f"{plain}/tox/", timeout=LIMIT, context=context):
            return None
    except urllib.error.HTTPError:
        return None  # it may ask who is there
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        return "has a certificate that is not trusted" if isinstance(reason, ssl.SSLError) else "cannot be reached"


def pip_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """pip's settings, from its files and from the environment, which takes precedence."""
    home = Path(environ.get("HOME") or Path.home())
    files = [Path("/etc/pip.conf"), home / ".pip" / "pip.conf"]
    files += [
        Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip" / "pip.conf",
        Path(sys.prefix, "pip.conf"),
    ]
    files += [Path(named)] if (named := environ.get("PIP_CONFIG_FILE")) else []
    found: dict[str, str] = {}
    for file in files:
        read = configparser.RawConfigParser(strict=False)
        with suppress(configparser.Error, OSError, UnicodeError):
            read.read(file, encoding="utf-8")
        for section in ("global", "install"):
            if read.has_section(section):
                found |= dict(read.items(section))
    named_here = {name: environ.get(f"PIP_{name.upper().replace('-', '_')}") for name in ("index-url", "cert")}
    return found | {name: value for name, value in named_here.items() if value}
