"""``python -m tests.transcripts``: writes again what the commands of ``tests/approved/transcripts/*.txt`` say.

A line with a ``$`` is a command, and the lines below it are what it says; the last is its exit code. Each runs in this process,
in a directory with the tables of ``tables``; ``cat FILE`` shows what a command has written there. After an intended change write
them again, and read the diff. For another command write its line.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from deltalog.checkpoints.writing import write_checkpoint
from deltalog.entries.actions import Add, Protocol
from deltalog.log import read_log
from deltalog.storage.names import LOG_DIRECTORY, commit_name
from deltalog.storage.times import set_modified
from engines.provider import ENGINES
from model.codec import dumps
from rehearsal import __main__ as rehearsal
from rehearsal import trials
from reports import command as reports
from runner import all_versions, demo, gate_version, together, turn_table, upgrade, upgrade_table
from runner.command_line.commands import Main, in_a_sentence
from runner.doctor import __main__ as doctor
from runner.doctor import judging
from runner.doctor.pythons import FoundPython
from runner.doctor.report import MachineReport
from runner.explain import __main__ as explain
from runner.surface import __main__ as surface
from selfcheck import power, soundness
from selfcheck.tampering import command as tampering
from shapes import __main__ as shapes
from tests.builders.fake_gates import Gate, used
from tests.builders.small_streams import case, kept
from tests.rehearsal.partitioned import write_partitioned
from tests.rehearsal.tables import AT, EXPIRED, RECENT, REMOVED, write_table
from tests.rehearsal.test_log_clean_up import write_days
from tests.reports.test_counterexamples import CASE
from tests.reports.test_merging import ENTRY, LISTED, written_parts
from tests.rigs import many_rehearsals as many
from tests.rigs import rehearsal_with_data as with_data
from tests.runner.test_options import chosen
from tombstone import __main__ as launcher
from tombstone.jobs import job_of

KEPT = Path(__file__).parent / "approved" / "transcripts"

COMMANDS: Mapping[str, Main] = {
    "rehearse": rehearsal.main,
    "many": many.main,
    "with-data": with_data.main,
    "gate-version": gate_version.main,
    "all-versions": all_versions.main,
    "upgrade": upgrade.main,
    "upgrade-table": upgrade_table.main,
    "together": together.main,
    "together-table": turn_table.main,
    "explain": explain.main,
    "surface": surface.main,
    "power": power.main,
    "soundness": soundness.main,
    "tampering": tampering.main,
    "tombstone": launcher.main,
    "job": lambda words: print(*_job(words), sep="\n") or 0,  # of the launcher: what tox runs, by which versions
    "gate": lambda words: int(not chosen(*words)),  # the options of a gate that is not run
    "shape": shapes.main,
    "reports": reports.main,
    "cut": lambda words: cut(*map(Path, words)),
    "write": lambda words: wrote(Path(words[0]), words[1]),
    "ls": lambda words: print(*listed(Path(words[0])), sep="\n") or 0,
    "doctor": doctor.main,
    "demo": demo.main,
    "replace": lambda words: replaced(Path(words[0]), *words[1:]),
    "cat": lambda words: print(*(Path(word).read_text(encoding="utf-8") for word in words), sep="", end="") or 0,
}


def cut(file: Path) -> int:
    """As if the run that wrote it had died."""
    file.write_bytes(file.read_bytes()[:-20])
    return 0


def wrote(file: Path, text: str) -> int:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return 0


def listed(directory: Path) -> Iterator[str]:
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            yield f"{path.relative_to(directory)}{'' if path.stat().st_size else ' (empty)'}"


class Machine:
    """What ``doctor`` finds: ``pythons=3.12,3.11``, ``disk=1`` (GB), ``registry=…``, ``java=JAVA_HOME=8``."""

    def __init__(self) -> None:
        self.asked_for([])

    def asked_for(self, words: Sequence[str]) -> int:
        given = dict(word.partition("=")[::2] for word in words)
        numbers = [tuple(map(int, one.split("."))) for one in given.get("pythons", "3.12,3.11").split(",")]
        place, _, java = given.get("java", "").partition("=")
        self.pythons = tuple(FoundPython((one[0], one[1]), Path(f"python{one[0]}.{one[1]}")) for one in numbers)
        self.found = MachineReport(
            pythons=self.pythons,
            javas={place: int(java)} if place else {},
            refused={given["refused"]: f"{place} is Java {java}: unset it."} if "refused" in given else {},
            disk=int(given.get("disk", 10)) * 2**30,
            memory=None if given.get("memory") == "none" else int(given.get("memory", 8)) * 2**30,
            registry=given.get("registry"),
            made="made" in given,
            uv="uv" in given,
            browser=None,
        )
        return 0


def replaced(file: Path, old: str, new: str) -> int:
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(old, new.replace("\\n", "\n")), encoding="utf-8")
    return int(old not in text)


def _job(words: list[str]) -> Iterator[str]:
    job = job_of(words, Path.cwd())
    yield f"{job.environment}: {shlex.join(job.arguments)}"
    yield f"needs: {', '.join(job.versions)}"


RETENTION = "delta.deletedFileRetentionDuration"


def tables(root: Path) -> None:
    """The tables and files that the commands name."""
    for name in ("orders", "damaged", "pruned", "leading-out", "cleaned", "copied", "touched"):
        write_table(root / name)
    for name, feature in (("newest", "newest"), ("of-catalog", "catalogManaged")):
        write_table(root / name, protocol=Protocol(3, 7, (feature,), (feature,)))
    for name, retention in (("of-months", "interval 2 months"), ("of-20-days", "interval 20 days 1 minute")):
        write_table(root / name, properties={RETENTION: retention})
    for name, file in (("outside", "elsewhere"), ("absolute", "absolute/p=2/young.parquet")):
        write_table(root / name, first=(Add(f"file://{root if name == 'absolute' else ''}/{file}", {}, 5, AT, True),))
    write_table(root / "contradicting", stamps={**REMOVED, RECENT: 30})
    write_partitioned(root / "partitioned")
    write_partitioned(root / "append-only", properties={"delta.appendOnly": "true"})
    write_days(root / "days", AT, (10,))
    write_days(root / "kept-days", AT, (), {"delta.enableExpiredLogCleanup": "false"})
    (root / "damaged" / LOG_DIRECTORY / commit_name(3)).write_text('{"add": {"path"', encoding="utf-8")
    (root / "pruned" / LOG_DIRECTORY / commit_name(1)).unlink()
    (root / "leading-out" / "out").symlink_to("../elsewhere")
    (root / "touched" / EXPIRED).write_bytes(b"x")
    write_checkpoint(root / "cleaned", read_log(root / "cleaned").snapshot(1), v2=True)
    (root / "cleaned" / LOG_DIRECTORY / commit_name(0)).unlink()
    for commit in (root / "copied" / LOG_DIRECTORY).iterdir():
        set_modified(commit, AT)
    (root / "no-table").mkdir()
    (root / "names.txt").write_text(f"{root}/orders\n{root}/cleaned\n{root}/no-table\n", encoding="utf-8")
    (root / "docs" / "upgrades").mkdir(parents=True)
    (root / "README.md").write_text("Nothing.\n", encoding="utf-8")
    for about in ("versions", "upgrades", "together"):
        places = [line for engine in ENGINES for line in all_versions.marks(engine, about)]
        (root / "docs" / f"{about}.md").write_text("\n".join(["Before.", *places, "After.", ""]), encoding="utf-8")
    (root / "docs" / "upgrades" / "deltalake-1.6.3-1.6.6.md").write_text("# ✅ UPGRADE: of before\n", encoding="utf-8")
    (root / "case.json").write_text(dumps(CASE), encoding="utf-8")
    (root / "mine").mkdir()
    for name in ("known.toml", "accepted.toml", "delta.jar"):
        (root / name).touch()
    for name, text in (("no.json", "no JSON"), ("other.json", '{"format": 99}'), ("mine/summary.md", "# My summary\n")):
        (root / name).write_text(text, encoding="utf-8")
    (root / "replaced" / "cases").mkdir(parents=True)
    (root / "replaced" / "cases" / "kept.json").write_text(dumps(CASE), encoding="utf-8")


def streams(root: Path) -> None:
    """The runs and the parts of runs that the commands name. ``listed.toml`` has the known fault of ``listed``."""
    for name, one in (("base", case(1)), ("candidate", case(1, failing=("DEL-ROW-1",))), ("other", case(2))):
        kept(root / "runs" / name, one)
    (root / "runs" / "packed").mkdir()
    packed = gzip.compress((root / "runs" / "candidate" / "run.jsonl").read_bytes())
    (root / "runs" / "packed" / "run.jsonl.gz").write_bytes(packed)
    for number in (2, 3, 5):
        written_parts(
            root / f"of-{number}", *([case(one, failing=("VAC-SAFE-1",) * (one == 2))] for one in range(number))
        )
    written_parts(root / "listed", [case(1)], known_faults=LISTED)
    outside = {"option": "no_such_module:ENGINE", "engine": "theirs"}
    written_parts(root / "outside", [case(1)], known_faults=[], **outside)
    written_parts(root / "outside-listed", [case(1)], known_faults=LISTED, **outside)
    (root / "listed.toml").write_text(ENTRY.format("VAC-SAFE-2"), encoding="utf-8")


def _ran(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
    """Pythons that are what their names say, but that 3.13 does not run; a pip that finds some releases."""
    if command[0].startswith("python3."):
        release = command[0].removeprefix("python").split(".")
        return subprocess.CompletedProcess(command, 0, "" if release == ["3", "13"] else " ".join(release))
    found = [f"Available versions: {numbers}" for package, numbers in _PUBLISHED.items() if package in command]
    return subprocess.CompletedProcess(command, 0, stdout="\n".join(found))


_PUBLISHED = {"delta-spark": "4.4.1, 4.4.0, 4.3.1", "deltalake": "1.6.6, 1.6.3", "pyspark": "4.2.1, 4.1.1"}


def _environ() -> dict[str, str]:
    """As wide as a log, with keys, as if a bucket could be asked, and as if nobody had started it."""
    started = ("GITHUB_", "TOMBSTONE_", "JAVA_HOME", "FORCE_COLOR", "NO_COLOR")
    own = {name: value for name, value in os.environ.items() if not name.startswith(started)}
    return {**own, "COLUMNS": "120", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}


def _steady(text: str, root: Path) -> str:
    """Without what differs from run to run: paths, and times since now."""
    for place in (str(root), str(root).replace("_", "\\_")):  # as Markdown has it
        text = text.replace(place, "HERE")
    text = text.replace(str(gate_version.ROOT), "ROOT")
    text = re.sub(r"\bin \d+ s: ", "in SECONDS: ", text)
    return re.sub(r"\b(?!2025)\d{4}-\d\d-\d\dT[\d:.]+Z", "NOW", text)


def said(lines: list[str]) -> Iterator[str]:
    """The commands of a transcript with what they say now."""
    with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
        root = Path(directory)
        tables(root)
        streams(root)
        gate, machine = Gate(), Machine()
        with ExitStack() as stack:
            stack.callback(os.chdir, Path.cwd())
            os.chdir(root)
            stack.enter_context(patch.object(subprocess, "run", _ran))
            stack.enter_context(patch.object(sys, "stdin", io.StringIO("\n")))
            stack.enter_context(patch.dict(os.environ, _environ(), clear=True))
            stack.enter_context(used(gate, root))
            stack.enter_context(patch.object(doctor, "look", lambda _: machine.found))
            for module in (trials, many, with_data):  # every version is the one that is installed here
                stack.enter_context(patch.object(module, "python_of", lambda _: Path(sys.executable)))
            stack.enter_context(patch.object(judging, "platform", SimpleNamespace(machine=lambda: "x86_64")))
            stack.enter_context(patch.object(doctor, "pythons", lambda: machine.pythons))
            stack.enter_context(patch.object(doctor, "sys", SimpleNamespace(version_info=(3, 9), executable="python")))
            for line in lines:
                name, *words = shlex.split(line.replace("$HERE", directory))
                output = io.StringIO()
                with redirect_stdout(output), redirect_stderr(output):
                    set_up = {"gates": gate.asked_for, "machine": machine.asked_for}
                    code = (set_up[name] if name in set_up else in_a_sentence(COMMANDS[name]))(words)
                yield f"$ {line}"
                yield from (one.rstrip() for one in _steady(output.getvalue(), root).splitlines())
                yield f"= {code}"
                yield ""


def commands(text: str) -> list[str]:
    return re.findall(r"(?m)^\$ (.*)$", text)


def main() -> int:
    for file in sorted(KEPT.glob("*.txt")):
        made = list(said(commands(file.read_text(encoding="utf-8"))))
        file.write_text("".join(f"{line}\n" for line in made), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
