"""``python -m runner.upgrade FROM TO``: judge the same cases on two versions of an engine, and compare.

Both are versions of Delta on Spark, or both of another engine (``deltalake==1.5.1 deltalake==1.6.6``). Further options go to
both gates (``--profile smoke``, ``--jars …``). Then both run cases in turn on the same tables, unless ``--no-together`` is
given. The first word of the answer says whether to upgrade, except for what ``--accept`` accepts. Exit 0, UPGRADE: nothing is
worse on the second; 1, DO NOT UPGRADE: it has new ways to lose data, and not more that end, what gets worse is graver than
all that gets better, or it goes wrong on tables of the first; 3, LOOK FIRST: something else is worse, a promise is withdrawn,
there is no way back, or something differs that nothing explains, or could not be judged (0 with ``--allow-changes``); 2: they
cannot be compared.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryFile

from engines.kind import NEWEST, Version
from engines.provider import DEFAULT, ENGINES
from model.vocabulary.versions import parse
from records.mistakes import UsageMistake
from reports.command import main as reports
from reports.comparison.acceptance import acceptance_in
from reports.comparison.proposal import check_proposal
from reports.render.marks import COMPARISON, REPORT, clear_cases, clear_files, require_own
from reports.render.report_directory import prepare
from reports.stream.reading import is_whole
from runner.command_line.commands import in_a_sentence
from runner.gate_version import ROOT, available, run_gate
from runner.judgeable import check_engine, check_gate, given_in
from runner.together import run_in_turn
from suites.profiles import PROFILES
from tombstone.commands import CANDIDATE, OF_COMPARISON, UPGRADE
from tombstone.options import RUN
from tombstone.reading import Asked, asked_of

DIRECTORY = Path("build/upgrade")

#: Where the report of both in turn goes, below that of the upgrade.
TOGETHER = "together"

#: Where the runs of large tables go, and how often each version runs them.
TIMES = "times"
_REPEATED = 3

#: What each gate prints: its progress and its answer.
_QUIET = ("--brief", "--no-header", "-qq")


def check(asked: Asked, base: Version, candidate: Version) -> None:
    """Raise UsageMistake, with what to do, if the two gates cannot be run with these options, or not be compared then."""
    if "list" in asked.given.get("clause", ()):
        raise UsageMistake("--clause list judges nothing: use tombstone gate --clause list.")
    profile = PROFILES[asked.given.get("profile", "gate")]
    if not profile.fixed and "seed" not in asked.given:
        raise UsageMistake(
            f"--profile {profile.name} draws other cases in each run: name the same for both with --seed N, or use smoke or gate."
        )
    for version in (base, candidate):
        check_engine(asked.given, version)
    check_gate(base.engine, asked.given)
    if own := _own(asked):
        if candidate.engine != DEFAULT:
            named = " and ".join(one.name for one in CANDIDATE)
            raise UsageMistake(f"{named} are for Delta on Spark, not for {candidate.title}.")
        check_gate(candidate.engine, {**asked.given, **given_in(own)})


def _own(asked: Asked) -> list[str]:
    """The options of the candidate's gate alone, as the gate takes them."""
    names = {one.candidate: one.name for one in RUN if one.candidate}
    return [names.get(word, word) for word in asked.words_of(CANDIDATE)]


def upgrade(
    base: Version,
    candidate: Version,
    *,
    out: Path,
    options: Sequence[str],
    own: Sequence[str] = (),
    how: Sequence[str] = (),
    in_turn: bool = True,
    timed: bool = False,
) -> int:
    """Judge both on what both support, then both in turn, then compare; the exit code.

    ``own``: options of the candidate's gate alone. ``how``: options of the comparison. ``timed``: run large tables on both, too.
    """
    nothing: Sequence[str] = ()
    sides = (("base", base, candidate, nothing), ("candidate", candidate, base, own))
    # If this upgrade does not finish, an older comparison and report would be taken for its own.
    clear_files(out, COMPARISON)
    clear_cases(out / "cases")
    for side, *_ in sides:
        prepare(out / side, option="--out").close()
    prepare(out / TOGETHER, option="--out").close()
    # What is not known here comes first: if it cannot be judged, nothing else has run.
    for side, version, other, alone in sorted(sides, key=lambda one: one[1].is_listed):
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
    if timed:
        _run_timed([(side, version, [*options, *alone]) for side, version, _, alone in sides], out / TIMES)
        how = [*how, "--times", str(out / TIMES)]
    return reports(["compare", str(out / "base"), str(out / "candidate"), "--out", str(out), *how])


def _run_in_turn(base: Version, candidate: Version, out: Path, options: Sequence[str]) -> bool:
    """Run both in turn on the same tables. False if the options do not allow it."""
    if (base.engine, base.number) == (candidate.engine, candidate.number):
        return False
    chosen = given_in(options)
    if others := sorted(one.name for one in RUN if one.key in chosen and not one.in_turn):
        named = ", ".join(others)
        print(f"Not run in turn on the same tables, because of {named}.", flush=True)
        return False
    print("Both in turn, on the same tables.", flush=True)
    run_in_turn(base, candidate, _QUIET, report=out)
    return True


def _run_timed(sides: Iterable[tuple[str, Version, Sequence[str]]], out: Path) -> None:
    """Run large tables on both versions in turn, as often as their times are compared. What these runs judge is not reported:
    they have four cases.
    """
    for number, (side, version, options) in product(range(1, _REPEATED + 1), sides):
        print(f"Large tables on the {side}, {number} of {_REPEATED}.", flush=True)
        report = out / f"{side}-{number}"
        prepare(report, option="--out").close()
        asked = [*_QUIET, *options, "--profile", "times", "--budget", "1", "-n", "1"]
        with TemporaryFile() as said:
            run_gate(version, asked, report=report, output=said)


@in_a_sentence
def main(arguments: list[str]) -> int:
    asked = asked_of(UPGRADE, arguments)
    base, candidate = map(available, asked.words)
    places = [[*map(parse, one.parts.values())] for one in (base, candidate)]
    if NEWEST in asked.words[1] and places[1] <= places[0]:
        print(f"{base.title} is the newest: there is nothing to upgrade to.")
        return 0
    if base.engine != candidate.engine:
        raise UsageMistake(
            f"{base.title} and {candidate.title} are not two versions of one engine: name "
            f"{', or '.join(f'two of {engine}' for engine in ENGINES)}."
        )
    if asked.accept is not None:
        acceptance_in(asked.accept)
    if asked.propose_accept is not None:
        check_proposal(asked.propose_accept)
    check(asked, base, candidate)
    out = ROOT / (asked.out or DIRECTORY / "-".join(asked.words))
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageMistake(f"--out {out} cannot be written ({error.strerror}): name another directory.") from error
    require_own(out, COMPARISON, option="--out")
    for side in ("base", "candidate", TOGETHER):
        require_own(out / side, REPORT, option="--out")
    return upgrade(
        base,
        candidate,
        out=out,
        options=asked.passed,
        own=_own(asked),
        how=asked.words_of(OF_COMPARISON),
        in_turn=not asked.no_together,
        timed=asked.costs,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
