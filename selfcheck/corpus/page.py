"""``corpus/README.md``: how the cases were chosen, and what they show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from harness.campaigns.costs import WORKERS, seconds_of
from model.vocabulary.case import Case
from reports.document import Code, Content, Document, Items, Section, Text, joined, line, table
from selfcheck.corpus.facets import GOALS, SMOKE, Facet, goal_of

#: A case that smoke judges for known-bad engines alone may take so many seconds for each of them; dearer ones are the gate's.
FAULT_SECONDS = 1.5

#: What is counted of each kind of facet.
_COUNTED: Mapping[str, str] = {
    "clause": "steps that exercise a clause",
    "clause on delta-rs": "steps that exercise a clause on delta-rs",
    "clause on any delta-rs": "steps that exercise a clause on delta-rs, where no release is known to fail before",
    "paths": "paths that VACUUM keeps or deletes, by reason",
    "vacuums": "VACUUMs, by mode and by what gives the retention",
    "cutoff": "times one millisecond before the cutoff, at it, and after it",
    "operations": "steps, by operation",
    "pair of commands": "cases with a command that changed something before a kind of DELETE or VACUUM",
    "change before": "cases with what it changed before a kind of DELETE or VACUUM",
    "files of the engine": "DELETEs on files that the engine itself wrote, by what they do and the feature of the table",
    "condition": "changes of a condition that would show, by operator, kind of DELETE and columns",
    "files of a condition": "those by which other files would be touched",
    "vacuum's input": "errors of a VACUUM that would show, by what is wrong and kind of VACUUM",
    "command": "cases with an option of a command other than these",
    "crash": "cases that are killed at a point of a command",
    "two at once": "cases with a pair of commands at once, one of them held",
    "held": "cases with a command that is held at a point",
    "known_fault": "steps that exercise a clause under a condition in which it is known to fail",
    "test": "cases with a kind of test in a condition, by its outcome for a row",
    "tested type": "cases with a kind of test, by the column's type",
    "form": "cases with a form of the command",
    "mistake": "cases with a mistake or an I/O fault",
    "setting": "cases with a setting of the session",
    "root": "cases with a name of the table's directory",
    "size": "files and vectors of thousands of rows",
    "statistics": "statistics of files, by kind",
    "damage": "damaged files, by kind",
    "spelling": "cases with a spelling of the table's path",
    "feature": "cases with a table feature",
    "table": "cases with a special name, a widened type, statistics of some columns, or another text of a partition value",
    "text": "cases with a way to write literals, or with a function around a part of a condition",
    "pair": "cases with two table features",
    "operation on": "cases with an operation on a table with a feature",
    "branch": "cases that take a branch of the model",
}


#: Of these kinds the page names each facet that does not reach its goal.
_NAMED = ("clause", "clause on delta-rs", "paths", "vacuums", "cutoff", "operations")

_NONE_RARE = "Every clause, and every cell of the coverage tables, reaches its goal."


@dataclass(frozen=True)
class Shown:
    """A case with what it shows.

    ``faults`` are the known-bad engines that it must go on to show if it is shortened, each with the clauses that notice it.
    """

    case: Case
    facets: Mapping[Facet, int]
    faults: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Chosen:
    """The cases of smoke, and those that the gate has besides."""

    smoke: Sequence[Shown]
    gate: Sequence[Shown]
    missed: Mapping[str, frozenset[str]]  # the known-bad engines that no case shows, with the clauses that should
    of_gate: Sequence[str] = ()  # those that smoke leaves to the gate


_INTRODUCTION = (
    line(
        "The cases that the profiles smoke and gate judge, one a line: ", Code("id"), ", and ", Code("case"),
        " in the JSON form of ", Code("case.json"), " files (", Code("model/codec"), "). Smoke judges ",
        Code("smoke.jsonl"), ", the gate also ", Code("gate.jsonl"), "; each run judges ", Code("regressions/"),
        " first, smoke without those in folders of other engines. The cases that show most per second come first, so that a run "
        "that is cut short has shown the most it could. ", Code("tox -e selfcheck -- corpus"), " writes the files and the page.",
    ),
    line(
        "The gate also judges ", Code("functions.jsonl"), ", on engines that speak the language of its texts: cases of functions "
        "that the model does not evaluate. Only an engine knows what they say, so ",
        Code("python -m selfcheck.function_cases --engine spark"), " (or ", Code("deltalake"), ") chooses them on the engine ",
        "itself.",
    ),
)  # fmt: skip

_COLUMNS = ("what is counted", "different ones", "goal in smoke", "shown by smoke", "goal in the gate", "reached")


def corpus_page(
    own: Sequence[Shown], regressions: Sequence[Shown], chosen: Chosen, *, considered: int, faults: int
) -> Document:
    """``own`` are the regression cases that smoke judges; so many cases were ``considered``."""
    smoke, gate = [*own, *chosen.smoke], [*regressions, *chosen.smoke, *chosen.gate]
    in_smoke, in_gate = _totals(smoke), _totals(gate)
    rare = sorted(facet for facet, count in in_gate.items() if facet[0] in _NAMED and count < goal_of(facet))
    lacking = [f"{name} ({kind}): {in_gate[kind, name]} of {goal_of((kind, name))}" for kind, name in rare]
    how = line(
        f"They were chosen out of {considered:,} cases. What each shows was found on the reference engine, and what it takes on "
        "Spark is estimated from its steps.",
        " The next case is always the one that gains most per second, until every facet is shown as often as its goal says, or "
        "no case is left that shows it. Then the steps are left out without which that is still so.",
        f" The gate also catches every known-bad engine that the reference engine can be: {faults}. Smoke catches them too, "
        f"without these, each of which would take it more than {FAULT_SECONDS} s: ",
        joined(map(Code, chosen.of_gate)) if chosen.of_gate else "none",
        ".",
    )
    return Document(
        "The corpus",
        (
            Text(_INTRODUCTION[0]),
            Text(how),
            Text(_INTRODUCTION[1]),
            table(("", "cases", "steps", "minutes on two cores, about"), [_size("smoke", smoke), _size("gate", gate)]),
            Section("What they show", (table(_COLUMNS, (_row(kind, in_smoke, in_gate) for kind in GOALS)),)),
            *(
                (Text("Below their goal, for want of cases:"), Items(tuple(lacking)))
                if lacking
                else (Text(_NONE_RARE),)
            ),
        ),
    )


def _totals(cases: Iterable[Shown]) -> Counter[Facet]:
    total: Counter[Facet] = Counter()
    for one in cases:
        total.update(one.facets)
    return total


def _size(name: str, cases: Sequence[Shown]) -> tuple[Content, ...]:
    minutes = sum(seconds_of(one.case) for one in cases) / WORKERS / 60
    return name, len(cases), sum(len(one.case.steps) for one in cases), f"{minutes:.1f}"


def _row(kind: str, in_smoke: Mapping[Facet, int], in_gate: Mapping[Facet, int]) -> tuple[Content, ...]:
    found = [facet for facet in in_gate if facet[0] == kind]
    reached = sum(in_gate[facet] >= goal_of(facet) for facet in found)
    shown = sum(facet in in_smoke for facet in found)
    return _COUNTED[kind], len(found), SMOKE.get(kind, "–"), shown, GOALS[kind], reached
