"""``python -m runner.upgrade FROM TO``: judge the same cases on two versions of an engine, and compare.


Both are versions of Delta on Spark, or both of delta-rs (``deltalake==1.5.1 deltalake==1.6.6``). Further options go to both
gates (``--profile smoke``, ``--jars …``). Exit 0: nothing regressed; 1: something did; 2: one of the gates did not come to
its end, the two cannot be compared, or a clause could not be judged on one of them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from engines.versions import Version
from reports.__main__ import main as reports
from reports.stream import StreamError, read_run
from runner.commands import Parser, in_a_sentence
from runner.gate_version import ROOT, available, run_gate
from runner.options import UsageMistake

DIRECTORY = Path("build/upgrade")


def upgrade(base: Version, candidate: Version, *, out: Path, options: Sequence[str]) -> int:
    """Judge both on what both support, then compare; the exit code."""
    sides = (("base", base, candidate), ("candidate", candidate, base))
    for side, version, other in sides:
        print(f"The {side}: {version.title}.", flush=True)
        shared = ["--shared-with", f"{other.engine}=={other.version}"]
        run_gate(version, [*shared, *options], report=out / side)
        if not _ended(out / side):
            print(f"The gate on {version.title} did not come to its end: nothing is compared.", file=sys.stderr)
            return 2
    return reports(["compare", str(out / "base"), str(out / "candidate"), "--out", str(out)])


def _ended(report: Path) -> bool:
    """Whether a gate judged all its cases. Its exit code does not say it: 2 is also that of a clause that no case exercised."""
    try:
        read_run(report)
    except StreamError:
        return False
    return True


@in_a_sentence
def main(arguments: list[str]) -> int:
    parser = Parser(prog="tox -e upgrade --", description=(__doc__ or "").partition("\n")[2])
    version = "a version of Delta, such as 3.3.2, or 3.3.2@3.5.3 with the PySpark; or of delta-rs: deltalake==1.5.1"
    parser.add_argument("base", metavar="FROM", help=version)
    parser.add_argument("candidate", metavar="TO", help="another version")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the reports go (default: build/upgrade/FROM-TO)")
    asked, options = parser.parse_known_args(arguments)
    base, candidate = available(asked.base), available(asked.candidate)
    if base.engine != candidate.engine:
        raise UsageMistake(
            f"{base.title} and {candidate.title} are not two versions of one engine: name two of Delta on Spark, or two of "
            "deltalake."
        )
    out = asked.out or DIRECTORY / f"{asked.base}-{asked.candidate}"
    return upgrade(base, candidate, out=(ROOT / out), options=options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
