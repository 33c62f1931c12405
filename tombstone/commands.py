"""The table of commands: the words and the options of each. ``tombstone.reading`` reads their command lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tombstone.options import RUN, Option
from tombstone.values import ANY, EXISTING, FILE, NATURAL, NUMBER, PATH, POSITIVE, TEXT, URI, Kind

#: Where reports go, below the directory where the user stands.
REPORTS = "tombstone-reports"


@dataclass(frozen=True)
class Word:
    """A word of a command, or several, that no option names."""

    name: str
    help: str
    least: int = 1
    most: int | None = 1
    kind: Kind = TEXT

    def __str__(self) -> str:
        if self.most is None:
            return f"{self.name} ..." if self.least else f"[{self.name} ...]"
        return self.name if self.least else f"[{self.name} " * (self.most - 1) + f"[{self.name}" + "]" * self.most

    @property
    def nargs(self) -> str | None:
        """As argparse has it."""
        if self.most == 1:
            return None if self.least else "?"
        return "+" if self.least else "*"


@dataclass(frozen=True)
class Command:
    name: str
    sentence: str
    words: tuple[Word, ...] = ()
    missing: str = ""  # what it says if words are missing
    options: tuple[Option, ...] = ()
    gate: bool = False  # whether it passes the options of a run on
    more: str = ""  # of its help
    program: str = ""  # what begins its command line, if that is not ``tombstone NAME``

    @property
    def usage(self) -> str:
        return " ".join([self.name, *map(str, self.words)])

    @property
    def begin(self) -> str:
        return self.program or f"tombstone {self.name}"


def option(name: str, metavar: str, help: str, kind: Kind = TEXT, **more: object) -> Option:
    more = more if metavar else {"default": False, **more}
    return Option(tuple(name.split(",")), metavar, help, kind, **more)  # type: ignore[arg-type]


def _out(help: str, metavar: str = "DIR", default: str | None = None) -> Option:
    return option("--out", metavar, help, PATH, default=default)


# fmt: off
_RELATIVE_TO = option("--relative-to", "PLACE", "where relative paths begin (default: the current directory)", default="")
_VERBOSE = "-v,--verbose"
_PROFILE = next(one for one in RUN if one.name == "--profile")

#: Of a comparison, and of the upgrade that ends with one.
OF_COMPARISON = (
    option("--accept", "FILE", "faults of the second version that you accept, in the format of known faults, promises that it withdraws, and differences: they do not count until they end", FILE),
    option("--propose-accept", "FILE", "write everything that holds the upgrade back into FILE, in the format of `--accept`", PATH),
    option("--allow-changes", "", "LOOK FIRST ends with 0"),
    option("--cost-limit", "FACTOR", "LOOK FIRST if what the second version asks of storage grows by more than this factor: 1.5", NUMBER),
    option(_VERBOSE, "", "print all differences"),
)

#: Options of a gate that the second version of an upgrade may have alone: for a build of one's own.
CANDIDATE = tuple(
    replace(one, names=(one.candidate,), help=f"{one.help}: of the second version alone", more="", about="")
    for one in RUN
    if one.candidate
)

COSTS = option("--costs", "", "run large tables on both in turn, three times, and say which is slower: minutes more (docs/costs.md)")
_VERSION = "a version of Delta, such as 3.3.2, or 3.3.2@3.5.3 with the PySpark; or of another engine: deltalake==1.6.6; newest, 3.3.2@newest and deltalake==newest are those of the package index"
_TWO = "Name two versions: tombstone {} 3.3.2 4.4.0, or deltalake==1.5.1 deltalake==1.6.6."
ALONE = option("--no-together", "", "do not run both in turn on the same tables (docs/together.md)")
_STREAM = "a run.jsonl or run.jsonl.gz, or the directory that holds it"
_TABLE = "a table's directory: a local path, or a URI s3://, abfss:// or gs://"

GATE = Command("gate", "judge one version: 3.3.2, deltalake==1.6.6; without one the newest Delta", gate=True,
    words=(Word("VERSION", f"{_VERSION}; spark, deltalake or sail: the newest (default: spark)", least=0),),
    more="Exit 0: PASS; 1: FAIL; 2: INCONCLUSIVE, or a mistake. pytest's own options are taken too.",
)
UPGRADE = Command("upgrade", "judge two versions, and say whether to upgrade", gate=True,
    words=(
        Word("FROM", _VERSION),
        Word("TO", "another version"),
    ),
    options=(
        _out("where the reports go (default: tombstone-reports/upgrade/FROM-TO; by tox build/…)"),
        *OF_COMPARISON,
        ALONE,
        COSTS,
        *CANDIDATE,
    ),
    missing=_TWO.format("upgrade"),
    more="Both are versions of one engine. Options of a gate go to both gates. Then both run cases in turn on the same tables. Exit 0, UPGRADE: nothing is worse on the second; 1, DO NOT UPGRADE: it has new ways to lose data, and not more that end, what gets worse is graver than all that gets better, or it goes wrong on tables of the first; 3, LOOK FIRST: something else is worse, a promise is withdrawn, there is no way back, or something differs that nothing explains, or could not be judged (0 with --allow-changes); 2: they cannot be compared.",
)
TOGETHER = Command("together", "let two versions work in turn on the same tables", gate=True,
    words=(
        Word("A", _VERSION),
        Word("B", "another version"),
    ),
    options=(_out("where the report goes (default: tombstone-reports/together/A-B; by tox build/…)"),),
    missing=_TWO.format("together"),
    more="Each case runs in both orders; after each step the other version reads the table. What a version does wrong by itself, on the same case, does not count. The report is that of a gate. Without --profile the cases are judged that show most in turn; with Spark three minutes of them (--budget).",
)
VERSIONS = Command("versions", "judge several versions, and make a table", gate=True,
    words=(Word("VERSION", "versions of one engine, or its name for all that are judged (default: spark)", 0, None),),
    options=(
        option("--profile", "NAME", "the amount of cases (default: smoke)", _PROFILE.kind, default="smoke"),
        _out("where the reports go (default: tombstone-reports/versions; by tox build/versions)"),
        option("--write", "", "put the table into the page that has a place for it"),
    ),
    more="Other versions keep the row of their last run. Exit 0: no version violates a clause; 1: one does; 2: a run did not end.",
)
SURFACE = Command("surface", "say what an engine offers, and whether the suite draws it",
    words=(Word("VERSION", "one, or two of an engine to compare them (default: the Delta here)", 0, 2),),
    options=(
        option("--keep", "", "write the inventory to docs/surface/inventories"),
        option("--write", "", "write the tables of docs/surface.md and docs/coverage.md from what is kept; without `--keep` ask nothing"),
    ),
    more="Exit 0: each item is drawn, left out with an experiment, or counted as open; 1: items are unlisted, or the lists name items that no version offers, or are wrong about the code. Of two versions: what the second offers that the first does not.",
)
REPLAY = Command("replay", "judge one case again", gate=True,
    words=(
        Word("CASE.json", "the file of the case", kind=FILE),
        Word("VERSION", "the version, if it is not the newest Delta", 0),
    ),
    missing="Name the file of a case: tombstone replay case.json, then a version if it is not the newest Delta.",
    more="FIXED: exit 0; KNOWN: 0, `known_faults/` lists all its violations; FAILED: 1; ERROR: 2.",
)
MERGE = Command("merge", "make one report of the parts of a run (--shard)",
    words=(Word("PART", f"the report of a part: {_STREAM}", 1, None, EXISTING),),
    options=(
        _out("where the report goes (default: tombstone-reports/merged; by tox build/report)", default="build/report"),
        option("--known-faults", "FILE", "the known faults of the parts (default: the engine's)", PATH),
        option(_VERBOSE, "", "print the table of all clauses too"),
    ),
    missing="Name the runs: directories of reports, or files run.jsonl.",
    more="Exit 0: PASS; 1: FAIL; 2: INCONCLUSIVE.",
)
COMPARE = Command("compare", "compare two runs of the same cases",
    words=(
        Word("BASE", f"the run before: {_STREAM}", kind=EXISTING),
        Word("CANDIDATE", "the run after", kind=EXISTING),
    ),
    options=(
        _out("where comparison.md, comparison.json and the cases go (default: tombstone-reports/comparison; of python -m reports build/comparison)", default="build/comparison"),
        *OF_COMPARISON,
        option("--times", "DIR", "the runs of large tables on both in turn, of an upgrade with `--costs`", PATH),
        option("--together", "DIR", "what both in turn on the same tables showed (`tombstone together`)", PATH),
    ),
    missing="Name the runs: directories of reports, or files run.jsonl.",
    more="The answers and exit codes are those of `tombstone upgrade`.",
)
DEMO = Command("demo", "make the pages of kept runs, without an engine",
    options=(_out("where the pages go (default: tombstone-reports/demo)"),),
    more="A run of Delta 4.4.0 on Spark and one of delta-rs, a known-bad engine, an upgrade that must not be made, and the index of all.",
)
SHAPE = Command("shape", "say what the logs of your tables have, without names and values",
    words=(Word("PATH", _TABLE, 0, None, URI),),
    options=(
        option("--tables", "FILE", "a file with one path per line; - is the standard input", PATH),
        _out("where the shapes go (default: the standard output)", "FILE"),
        option("--listing", "", "also list the tables' directories, for files beside the log"),
        option("--keep-names", "", "keep the tables' paths and the names of their columns; for you only, do not pass it on"),
        option("--history", "N", "look for writers and operations in the newest N commits (default: in all commits)", NATURAL),
        _RELATIVE_TO,
        option("--jobs", "N", "processes that read (default: 1)", POSITIVE, default="1"),
    ),
    more="Only their logs are read. Exit 0: all tables were read; 2: some were not.",
)
REHEARSE = Command("rehearse", "say what a VACUUM would do to a table of yours, without touching it",
    words=(
        Word("PATH", _TABLE, kind=URI),
        Word("RELEASE", "one or two of them: 3.3.2, deltalake==1.6.6", 0, 2),
    ),
    options=(
        option("--vacuum", "SQL", "the statement: VACUUM [table] [FULL | LITE] [RETAIN n HOURS] [DRY RUN] (default, without `--delete`: VACUUM)"),
        option("--delete", "SQL", "a DELETE of whole files, now: DELETE FROM table [WHERE a condition on partition columns], or TRUNCATE TABLE table; with `--vacuum` the VACUUM comes after it"),
        option("--at", "TIME", "when the VACUUM runs: 2026-12-01T00:00:00Z, +30d, +12h (default: now)"),
        option("--no-retention-check", "", "spark.databricks.delta.retentionDurationCheck.enabled is false: a short RETAIN is not refused"),
        _out("where rehearsal.html, rehearsal.md, rehearsal.json and delete-A.txt go (default: tombstone-reports/rehearsal; else they are not written)"),
        option("--model-only", "", "run no engine: say what the model says of the releases"),
    ),
    missing="Name the table, and a release or two: tombstone rehearse PATH 3.3.2 4.4.0.",
    more="The releases run it on copies of the table with empty stand-ins for its data files, and the model says what they must do. Without a release the model alone says what the newest Delta on Spark does. One release: exit 0 PASS, 1 FAIL. Two: 0 UPGRADE, 3 LOOK FIRST, 1 DO NOT UPGRADE. 2: a mistake, or it cannot be rehearsed.",
)
EXPLAIN = Command("explain", "say what a clause, a case or a known fault is",
    words=(
        Word("ID", "a clause (VAC-SAFE-2), a case (its id, its name in regressions/, its file), a known fault (deltalake:12) or a known-bad engine", kind=ANY),
        Word("ENGINE", "only the known faults of this engine: spark or deltalake", 0),
    ),
    options=(option("--reports", "DIR", "where a case is looked for that is not the suite's", PATH),),
    missing="Name a clause, a case or a known fault: tombstone explain VAC-SAFE-2.",
)
FINDING = Command("finding", "print the script of a fault that the suite found in an engine; without a name, list them",
    words=(Word("NAME", "the finding", 0, 2),),
    options=(
        option("--issue", "", "print a text for the tracker of the engine's own project"),
        option("--release", "VERSION", "with the packages of this version (default: the newest that has the fault)"),
        option("--take", "CASE.json", "judge the case on the installed engine, and write a new finding ENGINE/NAME for its first violation, or for that of the clause that follows the name", FILE),
        option("--write", "", "write the pages of the findings"),
    ),
    more="The script says HOLDS and exits with 0, VIOLATED: 1, CANNOT TELL: 2.",
)
DOCTOR = Command("doctor", "say what can be judged on this machine, and what is missing",
)

COMMANDS: Mapping[str, Command] = {
    one.name: one
    for one in (
        *(GATE, UPGRADE, TOGETHER, VERSIONS, SURFACE, REPLAY, MERGE, COMPARE, DEMO, SHAPE, REHEARSE, EXPLAIN, FINDING, DOCTOR),
    )
}

#: Of ``python -m reports`` alone.
RENDER = Command("render", "make the views again from a run stream",
    words=(Word("RUN", _STREAM, kind=PATH),),
    options=(
        _out("where the views go (default: beside the stream)"),
        option(_VERBOSE, "", "print the table of all clauses too"),
    ),
    missing="Name the run: its directory, or its run.jsonl.",
)
INDEX = Command("index", "make one page over the runs below a folder",
    words=(Word("FOLDER", "the folder, such as build/versions", kind=PATH),),
    options=(_out("the page (default: index.html in the folder)", "FILE"),),
    missing="Name the folder of the reports.",
)
# fmt: on
