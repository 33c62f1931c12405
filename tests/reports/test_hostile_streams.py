"""A stream may come from anywhere: no text of it becomes code in a script, and nothing that it names is imported."""

from __future__ import annotations

import ast
import base64
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from enum import Enum
from itertools import product
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from engines import provider
from engines.dialect import DialectFor
from engines.quoting import quoted
from model.codec import InvalidCase, from_json, to_json
from model.text.steps import step_text
from model.vocabulary.case import Case
from model.vocabulary.commands import AsWritten, Overwrite
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import ENGINE_STEPS, Delete, Given, Insert, IOFault, OtherCommand, Step, Vacuum
from model.vocabulary.table import WEEK, Kind, StrayFile
from model.vocabulary.values import Type
from records.expectations import Expectation
from records.json_form import KINDS
from records.mistakes import UsageMistake
from records.run import (
    CrashSnapshot,
    Header,
    LeftFile,
    ListedClause,
    Observed,
    RecordedViolation,
)
from reports.command import main
from reports.counterexamples.plan import reproduction_plan
from reports.counterexamples.script import reproduction
from reports.findings.engine_rules import rules_in, sets_clock
from runner.replay import read_case
from tests import scripts
from tests.builders.small_streams import case, changed, header, kept
from tests.reports.test_counterexamples import CASE, CLAUSE, VIOLATION, judged, record
from tests.reports.test_merging import written_parts
from tests.slow import all_slow

HOSTILE = (
    'x\n__import__("os").remove("y")\n"""\nimport os\n"""\n\'\'\'\nimport os\nr\'\'\'\n#',
    "a\") or __import__('os').system('true') or (\"",
    "{__import__('os')} {{}} { /tmp/tombstone-0123456789ab/t {ROOT}",
    "\\\"\\'",
    "\x00 \r \x0c \u2028 \u2029 \x85 \ud800 \\",
)


def shape(script: str) -> str:
    """The structure of a script: all but the texts and numbers that it holds."""
    tree = ast.parse(script)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = type(node.value).__name__
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.JoinedStr):
                setattr(node, name, _text(value))
            elif isinstance(value, list):
                setattr(node, name, [_text(one) for one in value])
    return ast.dump(tree)


def _text(node: Any) -> Any:
    """A text in which only ROOT is put in is a text."""
    if isinstance(node, ast.JoinedStr):
        put = [one.value for one in node.values if isinstance(one, ast.FormattedValue)]
        if all(isinstance(one, ast.Name) and one.id == "ROOT" for one in put):
            return ast.Constant("str")
    return node


DIALECTS = (scripts.SPARK, scripts.DELTA_RS)


def harmless(text: str) -> str:
    """As long as its literal."""
    return "x" * (len(repr(text)) - 2)


# What a script is made of -------------------------------------------------------------------------------------------------


def values_of(kind: Any, text: str) -> Iterable[Any]:
    """Values of a type, each text being this one."""
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(kind)
    if kind is bool:
        return False, True
    if kind is int:
        return (3,)
    if kind in (str, Any):
        return (text,)
    if origin is not None and issubclass(origin, Sequence):
        return [[one] for one in values_of(arguments[0], text)]
    assert arguments, f"no value of {kind} is known here"
    return [one for own in arguments for one in ([None] if own is type(None) else values_of(own, text))]


def expectations(text: str) -> Iterator[Expectation]:
    """Every kind of expectation, with all of its options."""
    for kind in KINDS.values():
        types = get_type_hints(kind)
        for values in product(*(values_of(types[one.name], text) for one in fields(kind))):
            yield kind(*values)


def scripts_for(
    expectation: Expectation | None, text: str, *, of: Case = CASE, dialects: Iterable[DialectFor | None] = DIALECTS
) -> Iterator[str]:
    """With the text as the clause's sentence."""
    clause = replace(CLAUSE, sentence=text)
    violation = replace(VIOLATION, expectation=expectation, step=len(of.steps) - 1)
    for dialect in dialects:
        yield script(clause, violation, dialect, of)


def script(
    clause: ListedClause,
    violation: RecordedViolation,
    dialect: DialectFor | None,
    of: Case,
    left: CrashSnapshot | None = None,
) -> str:
    taken = [(index, one) for index, one in enumerate(of.steps) if isinstance(one, ENGINE_STEPS)]
    steps = (record(index, step_text(one), observed=Observed((0, 1))) for index, one in taken)
    found = replace(judged(of, *steps), violations=(violation,), left=left)
    return reproduction(reproduction_plan(found, violation, clause), dialect)


@pytest.mark.parametrize(("turn", "text"), list(enumerate(HOSTILE)))
def test_no_text_of_a_clause_an_engine_or_an_expectation_becomes_code(
    turn: int, text: str, pytestconfig: pytest.Config
) -> None:
    """Each expectation has one of the texts, in turn, and all of them at night."""
    plain, every = harmless(text), all_slow(pytestconfig)
    pairs = zip((None, *expectations(text)), (None, *expectations(plain)), strict=True)
    for number, (one, other) in enumerate(pairs):
        if one and number % len(HOSTILE) != turn and not every:
            continue
        dialects = DIALECTS[number % 2 :][:1] if one else (None, *DIALECTS)
        made, expected = scripts_for(one, text, dialects=dialects), scripts_for(other, plain, dialects=dialects)
        for mine, theirs in zip(made, expected, strict=True):
            assert shape(mine) == shape(theirs), one


@pytest.mark.parametrize(
    "step",
    [
        OtherCommand(AsWritten("import os", python=True)),
        OtherCommand(AsWritten("DROP TABLE t")),
        Vacuum(given=(Given("a", "b"),)),
    ],
)
def test_no_script_runs_code_that_a_case_has(step: Step, tmp_path: Path) -> None:
    case = Case(CASE.table, (step,))
    for made in scripts_for(None, "a sentence", of=case):
        assert "cannot_tell('a step of the case is code" in made.replace('"', "'") and "main" not in made
    (tmp_path / "case.json").write_text(json.dumps(to_json(case)), encoding="utf-8")
    with pytest.raises(UsageMistake, match="a step of the case is code of the engine, which is run from no file"):
        read_case(tmp_path / "case.json")


def leaves(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a document of JSON has texts."""
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in items:
        yield from [(*path, key)] if isinstance(value, str) else leaves(value, (*path, key))


def put(document: Any, path: tuple[Any, ...], text: str) -> Any:
    """The document with this text there."""
    copy = json.loads(json.dumps(document))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = text
    return copy


VARIED = Case(
    replace(
        CASE.table,
        stray_files=(StrayFile("orphan", modified=-WEEK, size=3), StrayFile("link", Kind.LINK, target="orphan")),
    ),
    (
        Insert(((1, "text"),)),
        Delete(Compare("p", Op.EQ, "text", Type.STRING)),
        OtherCommand(Overwrite(((2, "text"),), where=Compare("p", Op.EQ, "text", Type.STRING))),
        Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="orphan"),
    ),
)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_case_becomes_code(text: str) -> None:
    document, plain, changed_leaves = to_json(VARIED), to_json(VARIED), 0
    for path in leaves(document):
        try:
            hostile, tame = put(document, path, text), put(plain, path, harmless(text))
            made, expected = from_json(hostile), from_json(tame)
            pairs = zip(scripts_for(None, "s", of=made), scripts_for(None, "s", of=expected), strict=True)
            for one, other in pairs:
                assert shape(one) == shape(other), path
        except (InvalidCase, UnicodeEncodeError):
            continue  # no such case can be read
        document, plain, changed_leaves = hostile, tame, changed_leaves + 1
    assert changed_leaves >= (3 if text.isprintable() else 0), "it is about no text of the case"


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_what_a_killed_step_left_becomes_code(text: str) -> None:
    def left(content: str) -> CrashSnapshot:
        coded = base64.b64encode(content.encode("utf-8", "replace") + b"\n").decode()
        return CrashSnapshot(1, 0, (LeftFile(f"_delta_log/{content}", 0, coded), LeftFile(content, 0, coded)))

    made, expected = (
        script(CLAUSE, replace(VIOLATION, step=3, expectation=None), scripts.DELTA_RS, CASE, left(one))
        for one in (text, harmless(text))
    )
    assert shape(made) == shape(expected)


@pytest.mark.parametrize("text", [*HOSTILE, "{" * 300, "}" * 300, "{} " * 200, "word " * 100])
def test_a_literal_has_its_text(text: str) -> None:
    for whole in (text, f"/table/{text}", f"{text} and /table, and /table/{text}"):
        assert eval(quoted(whole, "/table"), {"ROOT": "/table"}) == whole, "it ends, and is the text"


# What is named ------------------------------------------------------------------------------------------------------------

MODULE = "named_by_a_stream"


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Whether the module that the streams name was imported. It can be, and packages say nothing of engines."""
    (tmp_path / f"{MODULE}.py").write_text("raise SystemExit(99)\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    def brought(name: str) -> Any:
        raise AssertionError(f"a stream that names {name} asks which packages bring an engine")

    monkeypatch.setattr(provider, "_brought", brought)
    return lambda: MODULE in sys.modules


NAMED: tuple[dict[str, Any], ...] = (
    {"engine": MODULE, "option": f"{MODULE}:ENGINE"},
    {"engine": "spark", "option": f"{MODULE}:ENGINE"},
    {"engine": f"{MODULE}:ENGINE"},
)


@pytest.mark.parametrize("named", NAMED)
def test_nothing_that_reads_a_stream_imports_what_it_names(
    named: dict[str, Any], tmp_path: Path, imported: Callable[[], bool]
) -> None:
    failing = case(1, failing=("VAC-SAFE-1",))
    out = ["--out", str(tmp_path / "out")]
    base, candidate = (
        str(kept(tmp_path / side, line, first=header(**named)))
        for side, line in (("base", case(1)), ("candidate", failing))
    )
    assert main(["render", candidate, *out]) == 0
    assert main(["index", candidate]) == 1
    assert main(["compare", base, candidate, *out]) == 1
    parts = map(str, written_parts(tmp_path / "parts", [failing], [case(2)], **named))
    assert main(["merge", *parts, "--out", str(tmp_path / "merged")]) == 1
    (made,) = (tmp_path / "merged").glob("counterexamples/*/reproduce.py")
    assert "CANNOT TELL" in made.read_text(encoding="utf-8")
    assert not imported()


def test_the_rules_and_the_clock_are_those_of_the_header() -> None:
    outside: Header = header(**NAMED[0])
    assert rules_in(outside) is None and sets_clock(outside), "an older stream does not say them"
    told = replace(outside, rules=DELTA_RS)
    assert changed(told) == told, "they are in the stream"
    assert rules_in(told) == DELTA_RS and not sets_clock(told)
    assert not sets_clock(header(engine="deltalake")), "of a built-in engine they are known"
