"""``python -m runner.upgrade FROM TO``: judge the same cases on two versions of an engine, and compare.

Both are versions of Delta on Spark, or both of another engine (``deltalake==1.5.1 deltalake==1.6.6``). Further options go to
both gates (``--profile smoke``, ``--jars …``). Then both run cases in turn on the same tables, unless ``--no-together`` is
given. The first word of the answer says whether to upgrade, except for what ``--accept`` accepts. Exit 0, UPGRADE: nothing is
worse on the second; 1, DO NOT UPGRADE: it has a new way to lose data, what gets worse is graver than all that gets better, or
it goes wrong on tables of the first; 3, LOOK FIRST: something else is worse, a promise is withdrawn, there is no way back, or
something differs that nothing explains, or could not be judged (0 with ``--allow-changes``); 2: they cannot be compared.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from engines.kind import Version
from engines.provider import DEFAULT, ENGINES
from records.mistakes import UsageMistake
from reports.command import main as reports
from reports.comparison.acceptance import acceptance_in
from reports.comparison.proposal import check_proposal
from reports.render.marks import COMPARISON, REPORT, clear_cases, clear_files, require_own
from reports.render.report_directory import prepare
from reports.stream.reading import is_whole
from runner.command_line.commands import Parser, in_a_sentence
from runner.command_line.given_options import check_engine, check_gate, given
from runner.gate_version import ROOT, available, run_gate
from runner.together import run_in_turn
from suites.profiles import PROFILES

DIRECTORY = Path("build/upgrade")

#: Where the report of both in turn goes, below that of the upgrade.
TOGETHER = "together"

#: What each gate prints: its progress and its answer.
_QUIET = ("--brief", "--no-header", "-qq")


#: What a user cannot give, as the command sets it itself or two gates with it cannot be compared: the name that it has among the
#: options, and what to do.
_REFUSED: Mapping[str, str] = {
    "report_dir": "--report-dir is set for each of the two gates: name the directory of the whole report with --out DIR.",
    "shared_with": "--shared-with is set for each of the two gates, to the other version: leave it out.",
    "shard": "--shard judges a part of each version, and only whole runs can be compared: use it with gate-version on each, "
    "merge the parts of each, and compare the two (docs/gating-an-upgrade.md).",
    "replay": "--replay judges one case: use it with gate-version, on each of the versions.",
    "known_bad": "--known-bad builds a fault into both versions: leave it out, as versions are compared as they are.",
    "propose_known_faults": "--propose-known-faults would be written by both gates: use it with gate-version.",
    "stop": "-x and --maxfail end one gate before the other, and only the same cases can be compared: leave them out.",
    "nothing": "With options that only list or collect nothing is judged, and there is nothing to compare: leave them out.",
    "selection": "Options of pytest that select tests leave out cases: choose clauses instead, such as --clause VAC-SAFE.",
}
#: Options of pytest's own, by these names.
_FLAGS: Mapping[str, str] = {
    **dict.fromkeys(("-x", "--exitfirst"), "stop"),
    **dict.fromkeys(
        ("--collect-only", "--collectonly", "--co", "--setup-only", "--setuponly", "--setup-plan"), "nothing"
    ),
    **dict.fromkeys(("--setupplan", "--markers", "--fixtures", "--funcargs", "--fixtures-per-test"), "nothing"),
    **dict.fromkeys(("--version", "-V"), "nothing"),
    "--pyargs": "selection",
}
_VALUES: Mapping[str, str] = {
    "--maxfail": "stop",
    **dict.fromkeys(("-k", "-m", "--deselect", "--ignore", "--ignore-glob"), "selection"),
}


#: The options of a gate with which both versions also run in turn: the others make another engine or other known faults of it.
_ALSO_IN_TURN = frozenset({"profile", "budget", "draw", "seed", "brief", "check_scripts", "step_limit", "like"})


#: Options of a gate that the candidate's alone may have, as --candidate-jars and --candidate-classpath; and what they name.
_OF_THE_CANDIDATE: Mapping[str, str] = {
    "jars": "Delta's jars, instead of Maven's",
    "extra-classpath": "in front of Delta's classes",
}


class _Own(argparse.Action):
    """Keeps an option of the candidate's gate as the gate takes it."""

    def __call__(self, _: object, namespace: argparse.Namespace, value: object, option: str | None = None) -> None:
        namespace.own = [*namespace.own, str(self.const), str(value)]


def check(options: Sequence[str], *versions: Version) -> None:
    """Raise UsageMistake, with what to do, if the two gates cannot be run with these options, or not be compared then."""
    found = given(options, flags=_FLAGS, values=_VALUES)
    for name, sentence in _REFUSED.items():
        if name in found:
            raise UsageMistake(sentence)
    if "list" in found.get("clause", ()):
        raise UsageMistake("--clause list judges nothing: use tox -e gate -- --clause list.")
    profile = PROFILES.get(found.get("profile", "gate"))
    if profile is not None and not profile.fixed and "seed" not in found:
        raise UsageMistake(
            f"--profile {profile.name} draws other cases in each run: name the same for both with --seed N, or use smoke or gate."
        )
    for version in versions:
        check_engine(found, version)
    check_gate(["--engine", versions[0].engine, *options])


def _check_own(candidate: Version, options: Sequence[str], own: Sequence[str]) -> None:
    """Raise UsageMistake, with the names that the user gave, if the candidate's gate refuses its options."""
    try:
        check_gate(["--engine", candidate.engine, *options, *own])
    except UsageMistake as mistake:
        said = str(mistake)
        for option in _OF_THE_CANDIDATE:
            said = said.replace(f"--{option}", f"--candidate-{option.rpartition('-')[2]}")
        raise UsageMistake(said) from mistake


def upgrade(
    base: Version,
    candidate: Version,
    *,
    out: Path,
    options: Sequence[str],
    own: Sequence[str] = (),
    how: Sequence[str] = (),
    in_turn: bool = True,
) -> int:
    """Judge both on what both support, then both in turn, then compare; the exit code.

    ``own``: options of the candidate's gate alone. ``how``: options of the comparison.
    """
    nothing: Sequence[str] = ()
    sides = (("base", base, candidate, nothing), ("candidate", candidate, base, own))
    # If this upgrade does not finish, an older comparison and report would be taken for its own.
    clear_files(out, COMPARISON)
    clear_cases(out / "cases")
    for side, *_ in sides:
        prepare(out / side, option="--out").close()
    prepare(out / TOGETHER, option="--out").close()
    for side, version, other, alone in sides:
        print(f"The {side}: {version.title}.", flush=True)
        shared = ["--shared-with", f"{other.engine}=={other.version}"]
        run_gate(version, [*_QUIET, *shared, *options, *alone], report=out / side)
        if not is_whole(out / side):
            print(f"The gate on {version.title} did not finish: nothing is compared.", file=sys.stderr)
            return 2
    if in_turn and _run_in_turn(base, candidate, out / TOGETHER, [*options, *own]):
        if not is_whole(out / TOGETHER):
            print("Both in turn did not finish: nothing is compared. --no-together leaves it out.", file=sys.stderr)
            return 2
        how = [*how, "--together", str(out / TOGETHER)]
    return reports(["compare", str(out / "base"), str(out / "candidate"), "--out", str(out), *how])


def _run_in_turn(base: Version, candidate: Version, out: Path, options: Sequence[str]) -> bool:
    """Run both in turn on the same tables. False if the options do not allow it."""
    if (base.engine, base.version) == (candidate.engine, candidate.version):
        return False
    if others := sorted(given(options).keys() - _ALSO_IN_TURN):
        named = ", ".join(f"--{name.replace('_', '-')}" for name in others)
        print(f"Not run in turn on the same tables, because of {named}.", flush=True)
        return False
    print("Both in turn, on the same tables.", flush=True)
    run_in_turn(base, candidate, _QUIET, report=out)
    return True


@in_a_sentence
def main(arguments: list[str]) -> int:
    parser = Parser(prog="tox -e upgrade --", description=(__doc__ or "").partition("\n")[2], allow_abbrev=False)
    version = (
        "a version of Delta, such as 3.3.2, or 3.3.2@3.5.3 with the PySpark; or of another engine: deltalake==1.5.1"
    )
    parser.add_argument("base", metavar="FROM", help=version)
    parser.add_argument("candidate", metavar="TO", help="another version")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the reports go (default: build/upgrade/FROM-TO)")
    parser.add_argument(
        "--accept",
        type=Path,
        metavar="FILE",
        help="faults of TO that you accept, in the format of known faults, promises that it withdraws, and differences: they do "
        "not count until they end",
    )
    parser.add_argument(
        "--propose-accept",
        type=Path,
        metavar="FILE",
        help="write everything that holds the upgrade back into FILE, in the format of --accept",
    )
    parser.add_argument(
        "--allow-changes",
        action="store_true",
        help="LOOK FIRST ends with 0",
    )
    parser.add_argument(
        "--no-together", action="store_true", help="do not run both in turn on the same tables (docs/together.md)"
    )
    for option, what in _OF_THE_CANDIDATE.items():
        parser.add_argument(
            f"--candidate-{option.rpartition('-')[2]}",
            dest="own",
            action=_Own,
            const=f"--{option}",
            default=[],
            type=Path,
            metavar="PATH",
            help=f"{what}: of TO alone, for a build of your own; repeatable",
        )
    parser.add_argument("-v", "--verbose", action="store_true", help="print all differences")
    asked, options = parser.parse_known_args(arguments)
    base, candidate = available(asked.base), available(asked.candidate)
    if base.engine != candidate.engine:
        raise UsageMistake(
            f"{base.title} and {candidate.title} are not two versions of one engine: name "
            f"{', or '.join(f'two of {engine}' for engine in ENGINES)}."
        )
    if asked.accept is not None:
        acceptance_in(asked.accept)
    if asked.propose_accept is not None:
        check_proposal(asked.propose_accept)
    if asked.own and candidate.engine != DEFAULT:
        raise UsageMistake(
            f"--candidate-jars and --candidate-classpath are for Delta on Spark, not for {candidate.title}."
        )
    check(options, base, candidate)
    if asked.own:
        _check_own(candidate, options, asked.own)
    out = ROOT / (asked.out or DIRECTORY / f"{asked.base}-{asked.candidate}")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageMistake(f"--out {out} cannot be written ({error.strerror}): name another directory.") from error
    require_own(out, COMPARISON, option="--out")
    for side in ("base", "candidate", TOGETHER):
        require_own(out / side, REPORT, option="--out")
    how = ["--accept", str(asked.accept)] if asked.accept is not None else []
    how += ["--propose-accept", str(asked.propose_accept)] if asked.propose_accept is not None else []
    how += ["--allow-changes"] * asked.allow_changes + ["--verbose"] * asked.verbose
    in_turn = not asked.no_together
    return upgrade(base, candidate, out=out, options=options, own=asked.own, how=how, in_turn=in_turn)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
