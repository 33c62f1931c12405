"""The table of options. The plugin declares from it, the launcher and the commands read by it, docs/options.md shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tombstone.mistakes import Mistake
from tombstone.values import (
    BUDGET,
    FILE,
    JAR,
    NATURAL,
    NEW_FILE,
    PART,
    PATH,
    SECONDS,
    SETTING,
    TEXT,
    URI,
    WHOLE,
    Kind,
    one_of,
)


@dataclass(frozen=True)
class Option:
    """An option of a run, or of a command. The name of an option that has several is the last one."""

    names: tuple[str, ...]
    metavar: str  # empty: it has no value
    help: str  # in Markdown; docs/options.md has ``more`` after it
    kind: Kind = TEXT
    default: Any = None  # as it is written on the command line
    repeatable: bool = False
    more: str = ""
    about: str = ""  # the heading below which docs/options.md has it; empty: nowhere
    refused: Mapping[str, str] = field(
        default_factory=dict
    )  # by commands that pass options to a gate: why not this one
    in_turn: bool = (
        False  # an upgrade with it lets both versions run in turn too: it makes no other engine and no other faults
    )
    again: bool = False  # it decides what a case does: who judges the case again needs it
    engine: str = ""  # the built-in engine that has it
    only: str = ""  # what other engines do not run on: they refuse it, and do not ignore it
    candidate: str = ""  # its name among the options of an upgrade that are for the second version alone

    @property
    def name(self) -> str:
        return self.names[-1]

    @property
    def key(self) -> str:
        return self.name.lstrip("-").replace("-", "_")

    def read(self, text: str) -> Any:
        """The value. Raises Mistake."""
        try:
            return self.kind.read(text)
        except Mistake as wrong:
            raise Mistake(f"{self.name} {text} {str(wrong).replace('{option}', self.name)}") from None

    def value(self, given: Any) -> Any:
        """The value of what is given for it: a text, texts if it is repeatable, a boolean, or None. Raises Mistake."""
        if self.repeatable:
            return tuple(map(self.read, given or ()))
        return given if given is None or not self.metavar else self.read(given)


def _option(name: str, **more: Any) -> Option:
    """``name`` is followed by what stands for the value."""
    name, _, metavar = name.partition(" ")
    return Option((name,), metavar, **more)


def _about(heading: str, *options: Option) -> tuple[Option, ...]:
    return tuple(replace(one, about=heading) for one in options)


#: The names of the profiles, of the engines that are built in, and of the storages that a run serves.
PROFILES, ENGINES, STORAGES = (
    ("smoke", "gate", "together", "times", "scale", "nightly", "soak"),
    ("spark", "deltalake"),
    ("local", "s3"),
)


_OUT = "{} is set for each of the gates: name the directory of the whole report with --out DIR."
_PARTS = "--shard judges a part of each version, and {}"

# fmt: off
#: The options of a run, beside pytest's own.
RUN: tuple[Option, ...] = (
    *_about(
        "What is judged",
        _option("--engine NAME", default="spark", in_turn=True,
                help="the engine to judge: `spark` (default), `deltalake`, or `module:name` of [your own](engines.md)",
                refused={"together": "--engine is both versions: leave it out, as they name their engines."}),
        _option("--clause ID", repeatable=True,
                help="judge only these clauses, with the tests that can reach them; repeatable; prefixes such as `VAC-SAFE` are allowed; `list` names all",
                more="A case ends where it breaks another clause, which does not count"),
        _option("--shared-with ENGINE[==VERSION]",
                help="use only cases that this engine supports too, so that both are judged by the same cases",
                refused={"upgrade": "--shared-with is set for each of the two gates, to the other version: leave it out."}),
        _option("--profile NAME", kind=one_of(*PROFILES), default="gate", in_turn=True,
                help="the amount of cases: smoke, gate (default), scale, nightly or soak",
                more="smoke and gate judge the cases of `corpus/`, with any Python. scale judges large tables: with it give `--step-limit 600 --maxprocesses 2`. nightly and soak draw random cases, run the state machine, and keep failures in `.hypothesis/`"),
        _option("--budget TIME", kind=BUDGET, default="1", in_turn=True,
                help="a time (`90s`, `3m`, `1h`) for the most revealing cases of the profile; or a part of it, such as `0.5`",
                more="The time is estimated for two cores; the report says how many cases were left out. Start-up and the regression cases are always part of it: of smoke they take 50 seconds on Spark and 7 on delta-rs, of the gate 100 and 8. Shrinking and scripts of failures come on top"),
        _option("--like FILE", kind=FILE, in_turn=True,
                help="the shapes of your own tables, from `tombstone shape`: the report says which known faults affect them and what no case covers, and the closest cases are judged",
                more="([your-tables.md](your-tables.md#your-tables-and-a-gate))"),
        _option("--draw N", kind=NATURAL, default="0", in_turn=True,
                help="judge N more cases, random, the same for each engine and seed"),
        _option("--seed N", kind=WHOLE, in_turn=True,
                help="the seed of the random cases",
                more="The report's header has it. Python 3.10 has an older Hypothesis, and draws other cases"),
    ),
    *_about(
        "One case, one fault",
        _option("--replay CASE.json", kind=FILE,
                help="judge one case again: FIXED (exit 0), KNOWN (0), FAILED (1), ERROR (2)",
                more="KNOWN: `known_faults/` lists all its violations. It writes no report",
                refused={"upgrade": "--replay judges one case: use `tombstone replay` on each of the versions."}),
        _option("--known-bad NAME",
                help="run on the engine with one fault built in, to see that the suite notices it; `list` names the faults",
                refused={"upgrade": "--known-bad builds a fault into both versions: leave it out, as versions are compared as they are.",
                         "together": "--known-bad builds a fault into one engine: leave it out for two in turn."}),
    ),
    *_about(
        "The report",
        _option("--report-dir DIR", kind=PATH, default="build/report",
                help="the report's directory (default `build/report`; of `tombstone gate`: `tombstone-reports/gate`)",
                more="An earlier report there is removed. If a file of yours has the name of a file of the report, the run ends with 2 and replaces nothing",
                refused={"upgrade": _OUT.format("--report-dir"),
                         "together": "--report-dir is the report of both: name its directory with --out DIR.",
                         "versions": _OUT.format("--report-dir")}),
        _option("--known-faults FILE", kind=FILE, again=True,
                help="the known faults (default: the engine's own)",
                more="The engine's own are `known_faults/<engine>.toml`; for an engine from outside, `known_faults.toml` beside its module; `known_faults/none.toml` is empty. [ci.md](ci.md#known-faults) has the format"),
        _option("--propose-known-faults FILE", kind=NEW_FILE,
                help="write what failed into a new file, as entries for a file of known faults",
                refused={"upgrade": "--propose-known-faults would be written by both gates: use it with `tombstone gate`."}),
        _option("--check-scripts N", kind=NATURAL, in_turn=True,
                help="run the scripts of the N gravest failures (default: on delta-rs all; on Spark 3 in the profile gate, else none)",
                more="On Spark each starts a JVM. None with an option of Spark, because scripts run the released Delta"),
        _option("--brief", default=False, in_turn=True,
                help="print only the progress and the answer"),
    ),
    *_about(
        "Spark, or a build of your own",
        _option("--spark-conf K=V", kind=SETTING, repeatable=True, again=True, engine="spark",
                help="a setting of Spark; repeatable",
                more="For a mirror of Maven Central: `--spark-conf spark.jars.ivySettings=FILE`"),
        _option("--extra-classpath PATH", kind=JAR, repeatable=True, again=True, engine="spark", candidate="--candidate-classpath",
                help="a jar or folder in front of Delta's own classes (a patched engine); repeatable"),
        _option("--jars PATH", kind=JAR, repeatable=True, again=True, engine="spark", candidate="--candidate-jars",
                help="jars instead of Maven's (a vendor's build); repeatable",
                more="([ci.md](ci.md#a-build-of-your-own))"),
        _option("--spark-master URL", again=True, engine="spark",
                help="Spark's master (default `local[*]`), or a cluster",
                more="([ci.md](ci.md#on-a-cluster))"),
        _option("--spark-cluster N", kind=NATURAL, again=True, engine="spark", only="Spark",
                help="judge on a standalone cluster that the run starts and ends, with N workers on this machine; instead of `--spark-master`"),
        _option("--spark-remote sc://HOST:PORT", again=True, engine="spark", only="Spark",
                help="judge SQL through a client of Spark Connect, on a server of your own; `local`: with the server in the run's own Spark",
                more="([ci.md](ci.md#through-spark-connect))"),
        _option("--spark-clock machine", again=True, engine="spark", only="Spark",
                help="use the machine's clock: the run does not set Delta's clock, and clauses about exact times are not applicable"),
    ),
    *_about(
        "The run",
        _option("--shard K/N", kind=PART,
                help="judge the Kth of N parts of the run, each on its own machine; `tombstone merge` makes the answer and the page",
                more="nightly and soak need a `--seed`. `--budget 3m` is for all parts together ([ci.md](ci.md#one-run-on-several-machines))",
                refused={"upgrade": _PARTS.format("only whole runs can be compared: use it with `tombstone gate` on each, merge the parts of each, and compare the two (docs/gating-an-upgrade.md)."),
                         "versions": _PARTS.format("the table is of whole runs: leave it out.")}),
        _option("--table-root DIR", kind=URI, again=True,
                help="where tables are made: a new or empty directory (default: a temporary one), or a new prefix of a bucket, `s3://bucket/prefix`",
                more="([s3.md](s3.md#in-a-bucket-of-your-own)). The suite never writes, ages, vacuums or deletes a table outside a directory or a prefix that the run made"),
        _option("--endpoint-url URL", again=True,
                help="the S3 server of that bucket (default: AWS_ENDPOINT_URL, or Amazon's)"),
        _option("--storage NAME", kind=one_of(*STORAGES), default="local", again=True,
                help="where tables lie: local (default), or s3, which serves the run's directory as a bucket, and the engine works with objects",
                more="([s3.md](s3.md))"),
        _option("--step-limit SECONDS", kind=SECONDS, default="120", in_turn=True, again=True,
                help="the longest time of a step (default 120)",
                more="A step that takes longer is an error, and the engine's process is ended"),
    ),
)
# fmt: on


_STOP = "-x and --maxfail end one gate before the other, and only the same cases can be compared: leave them out."
_NOTHING = "With options that only list or collect nothing is judged, and there is nothing to compare: leave them out."
_SELECTION = "Options of pytest that select tests leave out cases: choose clauses instead, such as --clause VAC-SAFE."


def _of_pytest(names: str, metavar: str = "", why: str = "", help: str = "", **more: Any) -> tuple[Option, ...]:
    """Options of pytest's own, or of its plugins: the names of one with commas between. ``why``: of an upgrade's refusal."""
    refused = {"upgrade": why} if why else {}
    return tuple(Option(tuple(one.split(",")), metavar, help, refused=refused, **more) for one in names.split())


#: Options of pytest, pytest-xdist and Hypothesis, which a gate passes on.
PYTEST: tuple[Option, ...] = (
    *_of_pytest(
        "-v,--verbose", help="also print the table of all clauses, and what the cases covered", about="The report"
    ),
    *_of_pytest(
        "-x,--exitfirst",
        why=_STOP,
        help="stop at the first failure that no known fault excuses",
        about="The run",
        more="The report is written: exit 1, and every clause that has not failed is undecided",
    ),
    *_of_pytest("--maxfail", "N", why=_STOP, help="the same at the Nth failure", about="The run"),
    *_of_pytest(
        "-n,--numprocesses",
        "N",
        help="workers of pytest-xdist (default: one for each core, 8 at most)",
        about="The run",
        more="On Spark they share one warm JVM",
    ),
    *_of_pytest(
        "--collectonly,--co,--collect-only --setuponly,--setup-only --setupplan,--setup-plan --markers --funcargs,--fixtures "
        "--fixtures-per-test -V,--version -h,--help",
        why=_NOTHING,
    ),
    *_of_pytest("--pyargs", why=_SELECTION),
    *_of_pytest("-k -m --deselect --ignore --ignore-glob", "VALUE", why=_SELECTION),
    *_of_pytest(
        "--strict --strict-config --strict-markers --pdb --trace -s --runxfail --lf,--last-failed --ff,--failed-first "
        "--nf,--new-first --cache-show --cache-clear --sw,--stepwise --sw-skip,--stepwise-skip --sw-reset,--stepwise-reset "
        "--no-header --no-summary --no-fold-skipped --force-short-summary -q,--quiet --disable-pytest-warnings,--disable-warnings "
        "-l,--showlocals --no-showlocals --xfail-tb --fulltrace,--full-trace --noconftest --keepduplicates,--keep-duplicates "
        "--collect-in-virtualenv --continue-on-collection-errors --doctest-modules --doctest-ignore-import-errors "
        "--doctest-continue-on-failure --disable-plugin-autoload --traceconfig,--trace-config --debug --setupshow,--setup-show "
        "--hypothesis-show-statistics --hypothesis-explain --loadscope-reorder --no-loadscope-reorder -d -f,--looponfail"
    ),
    *_of_pytest(
        "--pdbcls --capture --lfnf,--last-failed-no-failures --durations --durations-min --verbosity -r,--report-chars --tb "
        "--show-capture --color --code-highlight --pastebin --junitxml,--junit-xml --junitprefix,--junit-prefix "
        "-W,--pythonwarnings --max-warnings --confcutdir --import-mode --doctest-report --doctest-glob -c,--config-file --rootdir "
        "--basetemp -p -o,--override-ini --assert --log-level --log-format --log-date-format --log-cli-level --log-cli-format "
        "--log-cli-date-format --log-file --log-file-mode --log-file-level --log-file-format --log-file-date-format "
        "--log-auto-indent --log-disable --hypothesis-profile --hypothesis-verbosity --hypothesis-seed --maxprocesses "
        "--max-worker-restart --dist --tx --px --rsyncdir --rsyncignore --testrunuid --maxschedchunk",
        "VALUE",
    ),
)

#: What pytest knows of a run before the command line says more.
DEFAULTS: Mapping[str, Any] = {one.key: [] if one.repeatable else one.default for one in RUN}


def values_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all options of a run, of what is given on its command line. Raises Mistake."""
    return {one.key: one.value(given.get(one.key, DEFAULTS[one.key])) for one in RUN}


def of_engine(name: str) -> tuple[Option, ...]:
    """The options that only this engine has."""
    return tuple(one for one in RUN if one.engine == name)
