"""``python -m runner.gate_version VERSION [pytest's options]``: the gate for that version, in its own environment.

VERSION is one of Delta on Spark, ``3.3.2`` or ``3.3.2@3.5.3`` with the PySpark, or ``NAME==VERSION`` of another engine:
``deltalake==1.6.3``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from filelock import FileLock

from engines.kind import NEWEST, Version
from engines.port import EngineUnavailable
from engines.provider import DEFAULT
from engines.spark.jvm.java import find_java
from engines.versions import name_of, releases_of, version_of
from records.mistakes import UsageMistake
from reports.document.printing import visible
from reports.render.report_directory import prepare
from runner.command_line import launched
from runner.command_line.bucket import is_bucket
from runner.command_line.commands import in_a_sentence
from runner.judgeable import check_engine, check_gate
from runner.processes.child_process import exit_code_of
from tombstone.commands import GATE
from tombstone.reading import asked_of

ROOT = Path(__file__).resolve().parent.parent


def available(text: str) -> Version:
    """The version that the text names: ``4.4.0``, ``4.4.0@4.2.1``, ``deltalake==1.6.6``; with ``newest`` in place of a number the
    newest release, of PySpark on the same line. Raises EngineUnavailable or UsageMistake, with the remedy, if it is not judged.

    The package index is asked for a release that is not known here, before an environment is made for it.
    """
    version = version_of(_numbered(text))
    if not version.is_listed:
        for requirement in version.requirements[: 2 if version.beside else 1]:
            package, _, number = requirement.partition("==")
            if number not in published(package):
                raise UsageMistake(f"pip finds no {requirement}: name a release that exists.")
    return version


def _numbered(text: str) -> str:
    """The text with a number for ``newest``."""
    engine, equals, number = text.rpartition("==")
    if number == NEWEST:
        engine = engine or DEFAULT
        package = releases_of(engine).version(releases_of(engine).judged[-1]).requirements[0].partition("==")[0]
        return name_of(engine, published(package)[0])
    version, at, beside = number.partition("@")
    if not equals and at and beside == NEWEST:
        line = version_of(version).parts["pyspark"].rpartition(".")[0]
        return f"{version}@{next(one for one in published('pyspark') if one.startswith(f'{line}.'))}"
    return text


def published(package: str) -> tuple[str, ...]:
    """The releases of a package for this Python, the newest first. Raises UsageMistake if no index answers."""
    asked = [sys.executable, "-m", "pip", "index", "versions", package, "--disable-pip-version-check"]
    pip = subprocess.run(asked, capture_output=True, text=True, check=False)
    found = re.search(r"^Available versions: (.+)$", pip.stdout, re.MULTILINE)
    if found is None:
        raise UsageMistake(
            f"pip cannot look up {package}, as its registry cannot be reached: check the network, or the mirror that pip is "
            "set to."
        )
    return tuple(found[1].split(", "))


#: What pip installs besides, for what a run uses.
_MORE = {"bucket": ("boto3",), "connect": ("pandas<3", "pyspark[connect]")}


def used_by(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The features of a run with these options that need more packages."""
    uses = {"bucket": is_bucket(options.get("table_root")), "connect": options.get("spark_remote") is not None}
    return tuple(name for name in _MORE if uses[name])


def variables(version: Version) -> dict[str, str]:
    """What tox.ini reads for the environment of a version: its name, what pip installs in it, and the engine."""
    more = [package for use in version.uses for package in _MORE[use]]
    return {
        "TOMBSTONE_ENVIRONMENT": "-".join(
            [*(f"{name}-{number}" for name, number in version.parts.items()), *version.uses]
        ),
        "TOMBSTONE_REQUIREMENTS": "\n".join([*version.requirements[bool(version.beside) :], *more]),
        "TOMBSTONE_ENGINE": version.engine,
    }


#: Where tox makes environments.
_WORK = ROOT / ".tox"

# So quiet that it does not congratulate above the answer of an upgrade.
_TOX = (sys.executable, launched.__file__, "tox", "run", "-qq", "-e", "versioned")


def _environ_of(version: Version) -> dict[str, str]:
    """The variables for a new tox of the version, without those of a tox that runs this process."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("TOX_", "PYTEST_"))}
    return environ | variables(version)


def make_environment(version: Version, *, output: IO[bytes] | None = None) -> int:
    """Let tox make the version's environment, if it is missing; returns tox's exit code. ``output``: where tox writes to. If
    two commands need it at once, the first makes it. Raises EngineUnavailable if JAVA_HOME names a Java that cannot serve.
    """
    if version.engine == DEFAULT and os.environ.get("JAVA_HOME") and "connect" not in version.uses:
        find_java(spark=version.parts["pyspark"])
    _WORK.mkdir(exist_ok=True)
    environ = _environ_of(version)
    with FileLock(_WORK / f"{environ['TOMBSTONE_ENVIRONMENT']}.lock"):
        code = exit_code_of([*_TOX, "--notest"], directory=ROOT, environ=environ, output=output)
        if code or not version.beside:
            return code
        alone = [str(python_in(version)), "-m", "pip", "install", "-q", "--no-deps", version.requirements[0]]
        return exit_code_of(alone, directory=ROOT, environ=environ, output=output)


def python_in(version: Version) -> Path:
    """The interpreter of the version's environment."""
    return _WORK / variables(version)["TOMBSTONE_ENVIRONMENT"] / "bin" / "python"


def python_of(version: Version) -> Path:
    """The interpreter of the version's environment, which tox makes if it is not there. Raises EngineUnavailable."""
    with tempfile.TemporaryFile() as said:
        if make_environment(version, output=said):
            said.seek(0)
            raise EngineUnavailable(f"tox cannot make the environment of {version.title}: {_reason(said.read())}")
    return python_in(version)


def _reason(said: bytes) -> str:
    """The error among what tox and pip print, or else the last line."""
    lines = [line.strip() for line in said.decode(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR: ")]
    return visible((errors or lines or ["it does not say why"])[-1].removeprefix("ERROR: "))


def run_gate(
    version: Version, arguments: Sequence[str], *, report: Path | None = None, output: IO[bytes] | None = None
) -> int:
    """Run the gate in an environment that tox makes for the version, with these arguments to pytest; returns its exit code.

    The report goes to ``report``; an earlier report there is removed. ``output``: where it writes to. Raises UsageMistake if the
    directory holds other files. 2, with a sentence, if the environment cannot be made.
    """
    if report is not None:
        prepare(report, option="The report").close()
        arguments = ["--report-dir", str(report), *arguments]
    try:
        made = not make_environment(version)
    except EngineUnavailable as refusal:
        print(refusal, file=sys.stderr)
        return 2
    if not made:
        print(
            f"The environment of {version.title} cannot be made, as is said above, and nothing was judged: check the network, or "
            "the mirror that pip is set to.",
            file=sys.stderr,
        )
        return 2
    tox = [*_TOX, "--skip-env-install", "--", *arguments]
    return exit_code_of(tox, directory=ROOT, environ=_environ_of(version), output=output)


@in_a_sentence
def main(arguments: list[str]) -> int:
    """The gate's exit code; 2 if the version cannot be judged on this machine."""
    asked = asked_of(GATE, arguments)
    if not asked.words:
        raise UsageMistake(
            "Name the version, such as 3.3.2 (or 3.3.2@3.5.3, with the PySpark; or deltalake==1.6.3), then options of the gate."
        )
    version = available(asked.words[0])
    check_engine(asked.given, version)
    check_gate(version.engine, asked.given)
    return run_gate(replace(version, uses=used_by(asked.given)), asked.passed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
