"""Made-up comparisons, runs and runs in turn, and the answer of each: its exit code and its sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from model.vocabulary.severity import Severity
from records.known_fault import KnownFault, Symptom
from records.run import RecordedCase
from reports.comparison.answer import answer_to
from reports.comparison.comparison import Comparison, compare
from reports.findings.answers import answer_of, named
from reports.stream.reading import Run
from reports.text.ladder import Answer
from reports.text.verdicts import headline
from reports.together.answer import TurnWay
from reports.together.reading import report_of
from tests.builders.small_streams import CLAUSES, case, changed, error, footer, header, run, step, violation
from tests.builders.turn_ways import WAY, run_in_turn
from tests.reports.test_comparison import breaking, broken, knowing, lesser, stating
from tests.reports.test_comparison_accepted import GOOD, KNOWN, TODAY, UNKNOWN, accepting, entry
from tests.reports.test_failures import failing as failing_run
from tests.reports.test_own_tables import with_known_faults
from tests.reports.test_weight import GONE, KEPT, PROMISED, differing, failing

#: Severities by a letter.
LETTERS = {
    "L": Severity.DATA_LOSS,
    "A": Severity.WRONG_ANSWERS,
    "U": Severity.UNREADABLE,
    "F": Severity.FAILS,
    "S": Severity.SPACE_KEPT,
    "N": Severity.WRONG_NUMBERS,
    "W": Severity.WRONG_WORDS,
}

#: What gets worse, and what gets better. The last are as in the upgrades of delta-rs: 1.5.1 -> 1.5.0, 1.5.0 -> 1.5.1,
#: 1.5.1 -> 1.6.6, 1.6.3 -> 1.6.6.
WEIGHED = (
    *("/L", "/S", "L/", "L/LLL", "WL/L", "LW/L", "W/", "A/UW", "N/W", "A/L", "A/WA", "AW/LLS", "WN/N", "W/W"),
    *("LLLAAUSNW/LA", "LAN/LLLAAUSNW", "AU/LLLLLA", "AU/LLLLLW"),
    # A trade: more ways to lose data end than begin.
    *("L/LL", "LL/LL", "LLA/LLLUN", "LA/LLLLN"),
)

Row = tuple[str, Comparison | Run]


def weighed(ways: str, in_turn: Run | None = None) -> Comparison:
    """What the candidate fails and the base does not, and the other way round: each in a case of its own."""
    worse = ways.index("/")
    fails = [failing(number, LETTERS[one]) for number, one in enumerate(ways.replace("/", ""), start=1)]
    holds = [case(number) for number, _ in enumerate(fails, start=1)]
    base, candidate = (*holds[:worse], *fails[worse:]), (*fails[:worse], *holds[worse:])
    report = None if in_turn is None else report_of(in_turn)
    return compare(run(*base, first=header("4.0.0" if in_turn is None else "4.3.1")), run(*candidate), together=report)


def _weighed() -> Iterator[Row]:
    for ways in WEIGHED:
        yield f"worse/better {ways}", weighed(ways)
    for ways in ("A/L", "L/L"):
        yield f"{ways}, changes allowed", replace(weighed(ways), allows_changes=True)


def _crashes() -> Iterator[Row]:
    for exception, by_error in (("Aborted", True), ("PanicException", True), ("X", True), ("Aborted", False)):
        steps = case(1, step(error=error(None, exception, "ended"))).steps
        crashing = replace(failing(1, LETTERS["A"], by_error=by_error), steps=steps)
        what = f"{exception}{' instead of a result' * by_error}"
        yield what, compare(run(case(1), first=header("4.0.0")), run(crashing))
        sides = run(case(1), failing(2, LETTERS["L"]), first=header("4.0.0")), run(crashing, case(2))
        yield f"{what}, and better", compare(*sides)


def _withdrawn() -> Iterator[Row]:
    yield "withdrawn", compare(KEPT, GONE)
    yield "withdrawn, changes allowed", compare(KEPT, GONE, allows_changes=True)
    yield "withdrawn before, too", compare(GONE, GONE)
    loses = breaking(2, broken("gone"), clauses=PROMISED[1:])
    base = run(case(1, clauses=PROMISED), loses, first=KEPT.header)
    for cause in ("BETWEEN fails", "In Spark 4 BETWEEN has no nullability before it is resolved. " * 4):
        fails = breaking(1, broken(cause.strip()) | {"severity": Severity.FAILS.value}, clauses=PROMISED[1:])
        worse = run(fails, case(2, clauses=PROMISED[1:]), first=GONE.header)
        yield "withdrawn, worse and better", compare(base, worse)
    worse = run(breaking(1, broken("gone"), clauses=PROMISED[1:]), first=GONE.header)
    yield "withdrawn, and loses data", compare(KEPT, worse)


def _known() -> Iterator[Row]:
    """R is a grave known fault, S one of words."""
    first = lesser(header("4.0.0"))
    grave, words = broken("gone", excused="R."), broken("said", clause="DEL-ROW-1", excused="S.")
    listed = [{"reason": "R.", "clauses": ["VAC-SAFE-1"]}, {"reason": "S.", "clauses": ["DEL-ROW-1"]}]
    after = changed(first, versions={"delta": "4.4.0"}, known_faults=listed)
    for what, base, candidate in (
        ("R and S are new", first, (grave, words)),
        ("S is new", first, (words,)),
        ("R is new, S not known", first, (grave, words | {"excused": None})),
        ("neither is known", first, (grave | {"excused": None}, words | {"excused": None})),
        ("known of both", changed(first, known_faults=listed), (grave, words)),
    ):
        yield what, compare(run(case(1), first=base), run(breaking(1, *candidate), first=after))


def _differing() -> Iterator[Row]:
    base, candidate = differing()
    yield "differences", compare(base, candidate)
    before, after = (run(*one.cases[:3], first=one.header) for one in (base, candidate))
    yield "differences of texts", compare(before, after)
    yield "differences, changes allowed", compare(base, candidate, allows_changes=True)
    lacking = stating(run(case(1, clauses=("DEL-ROW-1", "VAC-SAFE-2"))), "not tested")
    yield "not judged", compare(run(case(1), first=header("4.0.0")), lacking)


def _accepted() -> Iterator[Row]:
    lacking = knowing({"R.": ["VAC-SAFE-1"]}, breaking(1, broken("gone", excused="R."), clauses=CLAUSES[1:]))
    for what, worse, own in (
        ("accepted", KNOWN, entry()),
        ("accepted, though not known", UNKNOWN, entry()),
        ("accepted until today", KNOWN, entry(until=TODAY)),
        ("accepted until a version before", KNOWN, entry(until="4.3")),
        ("accepted, but not judged", lacking, entry()),
        ("another clause is accepted", KNOWN, entry("DEL-ROW-1")),
    ):
        yield what, compare(GOOD, worse, acceptance=accepting(own))


def _own_tables() -> Iterator[Row]:
    feeds, vectors = "Feeds lose rows.", "Vectors lose rows."
    yield "concerns none of the tables", with_known_faults(feeds)
    yield "one of two concerns none", with_known_faults(feeds, vectors)


BASE, CANDIDATE = "Delta 4.3.1", "Delta 4.4.0"
FORWARD = replace(WAY, side=CANDIDATE, other=BASE)
BACK = replace(WAY, side=BASE, other=CANDIDATE, severity=Severity.UNREADABLE)
LISTED = replace(FORWARD, known="It is listed.")
#: pip finds no release.
NO_RELEASE = "pip finds no pyspark==4.9."


def turns(*ways: TurnWay, cases: int = 3, errors: Sequence[str] = ()) -> Run:
    return run_in_turn((BASE, CANDIDATE), *ways, cases=cases, errors=errors)


TURNS = (
    ("nothing goes wrong", turns()),
    ("forward, known", turns(LISTED)),
    ("forward", turns(FORWARD)),
    ("forward, and alone", turns(replace(FORWARD, also_alone=True))),
    ("back", turns(BACK)),
    ("back, and alone", turns(replace(BACK, also_alone=True))),
    ("forward and back", turns(FORWARD, BACK)),
    ("both and known", turns(FORWARD, replace(BACK, inherited="It is another."), LISTED, errors=["x"])),
    ("two errors", turns(LISTED, errors=["x", "y"])),
    ("no case", turns(cases=0)),
    ("no release", turns(cases=0, errors=[NO_RELEASE, "x"])),
)


def compared(in_turn: Run | None, *, allows_changes: bool = False) -> Comparison:
    base, candidate = (run(case(1), first=header(version)) for version in ("4.3.1", "4.4.0"))
    report = None if in_turn is None else report_of(in_turn)
    return compare(base, candidate, allows_changes=allows_changes, together=report)


def _in_turn() -> Iterator[Row]:
    yield "not in turn", compared(None)
    for what, in_turn in TURNS:
        yield f"in turn, {what}", in_turn
        yield f"upgrade, {what}", compared(in_turn)
    yield "a trade, and back", weighed("L/LL", turns(BACK))
    yield "a trade, and forward", weighed("L/LL", turns(FORWARD))
    yield "upgrade, back, changes allowed", compared(turns(BACK), allows_changes=True)
    yield "upgrade, forward, changes allowed", compared(turns(FORWARD), allows_changes=True)


def _runs() -> Iterator[Row]:
    lost, space = violation("VAC-SAFE-1"), violation("VAC-SAFE-1", severity="space kept")
    known, lesser = violation("VAC-SAFE-1", excused="A fault."), violation("DEL-ROW-1", severity="space kept")
    died = case(3, clauses=(), error={"kind": "harness", "message": "m", "log": ""})
    cases: dict[str, Sequence[RecordedCase]] = {
        "it holds": [case(1)],
        "it loses data": [failing_run(1, lost)],
        "it keeps space": [failing_run(1, space)],
        "both": [failing_run(1, lost), failing_run(2, lesser)],
        "a known fault": [failing_run(1, known)],
        "a known fault that keeps space": [failing_run(1, known | {"severity": "space kept"})],
        "a known fault and a new one": [failing_run(1, known), failing_run(2, lesser)],
        "a known fault that is gone": [case(1)],
        "an error": [case(1), died],
        "an error beside a failure": [failing_run(1, lost), died],
        "a clause is not exercised": [case(1, clauses=CLAUSES[1:])],
        "nothing was judged": [],
    }
    listed = KnownFault("VAC-SAFE-1", "A fault.", "https://example.org/1", Symptom(("gone",)))
    for what, judged in cases.items():
        faults = [listed] * what.startswith("a known fault")
        for first in (header(), header(shard={"number": 1, "of": 2, "plan": "0123456789abcdef"})):
            last = footer(first, judged, known_faults=faults, part=first.shard is not None)
            yield f"{what}{', in a part' * (first.shard is not None)}", Run(first, judged, last)
    yield "a fault built in", run(case(1), first=header(known_bad="removes-twice"))
    yield "delta-rs", run(case(1), first=header(engine="deltalake", versions={"deltalake": "1.6.6"}))


def found() -> Iterator[Row]:
    """All, with what each is."""
    for some in (_weighed, _crashes, _withdrawn, _known, _differing, _accepted, _own_tables, _in_turn, _runs):
        yield from some()


def answer(one: Comparison | Run) -> Answer:
    if isinstance(one, Comparison):
        return answer_to(one)
    return answer_of(one)


def told() -> Iterator[str]:
    """A line for each answer, and the last line of each run."""
    for what, one in found():
        said = answer(one)
        yield f"{what}: {said.exit} {said.mark} {said}\n"
        if isinstance(one, Run):
            yield f"{what}: {headline(one.footer, named(one))}\n"
