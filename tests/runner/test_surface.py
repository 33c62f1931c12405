"""What engines offer, and what the lists say of it (runner.surface): on small inventories, and on those that are kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from model.vocabulary.predicate import Function
from model.vocabulary.values import AnyType, DecimalOf, Type
from model.vocabulary.widening import can_widen
from records.mistakes import UsageMistake
from runner.surface import inventory, judgements, page
from runner.surface.__main__ import BEGIN, COVERAGE, END, PAGE, main, tables, totals
from runner.surface.comparison import changes
from runner.surface.drawn import undrawn
from runner.surface.inventory import EngineSurface, SurfaceItem
from runner.surface.judgements import ItemVerdict, SurfaceEntry, judged, stale

ENGINES = ("spark", "deltalake")
OLD = EngineSurface("spark", "1.0", "Spark 1.0", {"setting": {"a.one": "default 1", "a.two": "", "gone": ""}})
NEW = EngineSurface(
    "spark", "1.1", "Spark 1.1", {"setting": {"a.one": "default 2", "a.two": "", "a.b.new": "", "b": ""}}
)
FAMILY = SurfaceEntry(ItemVerdict.OPEN, "setting", families=("a.*",), reason="not yet")
NAME = SurfaceEntry(ItemVerdict.DRAWN, "setting", items=("a.two",), by="Setting.ANSI_OFF")


def words(found: list[judgements.JudgedItem]) -> dict[str, ItemVerdict]:
    return {one.item.name: one.word for one in found}


def known(*inventories: EngineSurface) -> set[SurfaceItem]:
    return {item for one in inventories for item in one.items()}


# Inventories -------------------------------------------------------------------------------


def test_an_inventory_is_read_as_it_was_written(tmp_path: Path) -> None:
    inventory.write(NEW, tmp_path / "new.json")
    assert inventory.read(tmp_path / "new.json") == NEW
    lines = (tmp_path / "new.json").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if '"a.' in line] == sorted(line for line in lines if '"a.' in line)


def test_beside_an_older_version_only_what_differs_is_kept(tmp_path: Path) -> None:
    """Whichever is kept first."""
    files = {one.version: tmp_path / inventory.path_of("spark", one.version).name for one in (OLD, NEW)}
    for one in (NEW, OLD):
        inventory.write(one, files[one.version])
    assert [inventory.read(files[one.version]) for one in (OLD, NEW)] == [OLD, NEW]
    text = files[NEW.version].read_text(encoding="utf-8")
    assert '"since": "1.0"' in text and '"gone": null' in text and '"a.two"' not in text


@pytest.mark.parametrize("text", ["", "[]", '{"engine": "spark"}'])
def test_a_file_that_is_no_inventory_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.json").write_text(text, encoding="utf-8")
    with pytest.raises(UsageMistake, match=r"bad\.json is no inventory"):
        inventory.read(tmp_path / "bad.json")


def test_two_versions_differ_in_what_is_new_gone_and_changed() -> None:
    assert [(change.word, change.item.name) for change in changes(OLD, NEW)] == [
        ("new", "a.b.new"),
        ("changed", "a.one"),
        ("new", "b"),
        ("gone", "gone"),
    ]
    assert not changes(NEW, NEW)


# The lists ---------------------------------------------------------------------------------


OPEN, DRAWN, UNLISTED = ItemVerdict.OPEN, ItemVerdict.DRAWN, ItemVerdict.UNLISTED
LONGER = SurfaceEntry(ItemVerdict.LEFT_OUT, "setting", families=("a.b.*",), reason="r", experiment="e")
OF_ANOTHER_KIND = SurfaceEntry(OPEN, "property", items=("a.two",), reason="r")


@pytest.mark.parametrize(
    ("entries", "of_kept", "expected"),
    [
        # An own name goes before a family, and a longer family before a shorter one.
        ([FAMILY, NAME], (NEW,), {"a.one": OPEN, "a.two": DRAWN, "a.b.new": OPEN, "b": UNLISTED}),
        ([FAMILY, LONGER], (NEW,), {"a.b.new": ItemVerdict.LEFT_OUT}),
        # A family covers only what is kept, an own name what no inventory has.
        ([FAMILY, NAME], (OLD,), {"a.b.new": UNLISTED}),
        ([NAME], (), {"a.two": DRAWN}),
        ([OF_ANOTHER_KIND], (NEW,), {"a.two": UNLISTED}),
    ],
)
def test_what_the_lists_say_of_an_item(
    entries: list[SurfaceEntry], of_kept: tuple[EngineSurface, ...], expected: dict[str, ItemVerdict]
) -> None:
    found = words(judged(NEW, entries, known(*of_kept)))
    assert {name: found[name] for name in expected} == expected


def test_what_is_like_an_open_family_is_said_to_be() -> None:
    found = judged(NEW, [FAMILY, NAME], known(OLD))
    assert list(page.unlisted(found)) == ["  setting a.b.new (like what is open)", "  setting b"]


def test_what_nothing_offers_is_stale() -> None:
    entries = [NAME, FAMILY, SurfaceEntry(ItemVerdict.OPEN, "setting", items=("gone",), families=("c.*",), reason="r")]
    assert list(stale(entries, known(NEW))) == ["setting gone", "setting c.*"]
    assert list(stale(entries, known(NEW, OLD))) == ["setting c.*"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[drawn]]\nkind = "setting"\nitems = ["a"]', r"an entry of drawn for setting: it lacks by"),
        (
            '[[left_out]]\nkind = "setting"\nitems = ["a"]\nreason = "r"',
            r"it lacks calls, statements, given, conditions, settings or experiment",
        ),
        ('[[open]]\nkind = "setting"\nreason = "r"', r"it lacks items or families"),
        ('[[open]]\nkind = "setting"\nfamilies = ["*"]\nreason = "r"', r"give each open item its reason"),
        ('[[open]]\nkind = "setting"\nitem = ["a"]\nreason = "r"', r"item: is not a known field; those are by, calls"),
        ('[[open]]\nkind = "setting"\nitems = ["a", "a"]\nreason = "r"', r"names setting a twice"),
        ("[[open", r"is no TOML"),
    ],
)
def test_a_mistake_in_a_list_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "list.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageMistake, match=said):
        judgements.read(tmp_path / "list.toml")


def drawn(kind: str, item: str, by: str) -> SurfaceEntry:
    return SurfaceEntry(DRAWN, kind, (item,), by=by)


def left_out(experiment: str) -> SurfaceEntry:
    return SurfaceEntry(ItemVerdict.LEFT_OUT, "setting", ("a",), experiment=experiment)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (drawn("setting", "spark.sql.ansi.enabled", "Setting.ANSI_OFF"), None),
        (drawn("setting", "spark.sql.noSuch", "Setting.ANSI_OFF"), "nothing has it"),
        (drawn("setting", "spark.sql.session.timeZone", "Delete.zone"), None),
        (drawn("setting", "spark.databricks.delta.optimize.maxFileSize", "Optimize.target_size"), None),
        (drawn("setting", "spark.sql.session.timeZone", "Delete.hour"), "No case of the corpus has Delete.hour"),
        (drawn("statement", "as written", "AsWritten"), "No case of the corpus has AsWritten"),
        (drawn("function", "upper", "Function"), None),
        (drawn("function", "bround", "Verbatim"), None),
        (drawn("function", "no_such", "Function"), "nothing has it"),
        (drawn("function", "rand", "DeleteMistake.NON_DETERMINISTIC"), None),
        (drawn("condition", "rlike(ILIKE)", "Verbatim"), None),
        (drawn("condition", "rlike(NOSUCH)", "Verbatim"), "nothing has it"),
        (drawn("property", "delta.appendOnly", "Feature.APPEND_ONLY"), None),
        (drawn("property", "delta.noSuch", "Feature.APPEND_ONLY"), "nothing has it"),
        (drawn("feature", "AppendOnly", "Feature.APPEND_ONLY"), None),
        (drawn("feature", "NoSuch", "Feature.APPEND_ONLY"), "nothing has it"),
        (drawn("property", "delta.appendOnly", "Feature.NO_SUCH"), "No case of the corpus has Feature.NO_SUCH"),
        (drawn("api", "DeltaTable.vacuum(dry_run)", "Vacuum.dry_run"), None),
        (drawn("api", "DeltaTable.noSuchMethod", "Vacuum.dry_run"), "nothing has it"),
        (left_out("docs/nothing.py"), "There is no docs/nothing.py"),
        (left_out("tests/runner/test_surface.py::no_such_test"), "no_such_test"),
        (left_out("tests/runner/test_surface.py::test_a_mistake_in_a_list_is_named"), None),
    ],
)
def test_what_the_lists_say_of_the_code_is_looked_up(entry: SurfaceEntry, said: str | None) -> None:
    problems = list(undrawn([entry]))
    assert (said is None and not problems) or (said is not None and len(problems) == 1 and said in problems[0])


# What is kept ------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_the_lists_say_of_the_code_what_is_so(engine: str) -> None:
    assert not list(undrawn(judgements.read(judgements.path_of(engine))))


@pytest.mark.parametrize("engine", ENGINES)
def test_each_item_that_is_kept_is_listed_and_nothing_else(engine: str) -> None:
    entries, kept = judgements.read(judgements.path_of(engine)), inventory.kept(engine)
    assert len(kept) >= 2
    for one in kept:
        assert [
            str(found.item) for found in judged(one, entries, known(*kept)) if found.word is ItemVerdict.UNLISTED
        ] == []
    assert not list(stale(entries, known(*kept)))


@pytest.mark.parametrize(("path", "text"), [(PAGE, tables), (COVERAGE, totals)])
def test_the_pages_have_the_tables_of_what_is_kept(path: Path, text: Callable[[], str]) -> None:
    assert path.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip() == text()


# The command -------------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new"), [("4.3.1", "4.4.0"), ("deltalake==1.5.1", "deltalake==1.6.6")])
def test_two_kept_versions_are_compared_without_an_engine(
    old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([old, new]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert " 0 unlisted), " in first
    assert rest and all(line.startswith(("  new: ", "  gone: ", "  changed: ")) for line in rest)


def test_a_version_that_is_not_installed_needs_tox(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("runner.surface.__main__.find_spec", lambda name: None)
    assert main(["deltalake==1.0.0"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("deltalake 1.0.0 is not installed here") and "`tox -e surface -- deltalake==1.0.0`" in said


#: Names of functions that are left out, each with the name of the model that Spark makes the same expression of.
ALIASES = {
    "cardinality": Function.SIZE,
    "char_length": Function.LENGTH,
    "character_length": Function.LENGTH,
    "date_diff": Function.DATEDIFF,
    "dateadd": Function.DATE_ADD,
    "dayofmonth": Function.DAY,
    "lcase": Function.LOWER,
    "len": Function.LENGTH,
    "mod": Function.REMAINDER,
    "regexp": Function.RLIKE,
    "regexp_like": Function.RLIKE,
    "substr": Function.SUBSTRING,
    "ucase": Function.UPPER,
}


def test_another_name_is_the_same_expression() -> None:
    """In every release of Delta that is kept, by what Spark itself registers."""
    for one in inventory.kept("spark"):
        functions = one.kinds["function"]
        assert [name for name, same in ALIASES.items() if not functions[name] == functions[same.value] != ""] == []


#: Spark's names of types, as the inventories have them.
TYPES: dict[str, AnyType] = {
    "tinyint": Type.BYTE,
    "smallint": Type.SHORT,
    "int": Type.INTEGER,
    "bigint": Type.LONG,
    "float": Type.FLOAT,
    "double": Type.DOUBLE,
    "date": Type.DATE,
    "timestamp_ntz": Type.TIMESTAMP_NTZ,
    "decimal(10,0)": DecimalOf(10, 0),
    "decimal(20,0)": DecimalOf(20, 0),
    "decimal(20,5)": DecimalOf(20, 5),
}


def test_each_widening_of_delta_is_one_of_the_model() -> None:
    for one in inventory.kept("spark"):
        for name in one.kinds["widening"]:
            narrow, wide = name.split(" to ")
            assert can_widen(TYPES[narrow], TYPES[wide]), name


WINDOW_FUNCTIONS = ("cume_dist", "dense_rank", "lag", "lead", "ntile", "percent_rank", "rank", "row_number")


def test_window_functions_are_unknown_in_a_delete() -> None:
    """By what delta-rs itself said when a DELETE called them; others it knows there."""
    for one in inventory.kept("deltalake"):
        functions = one.kinds["function"]
        assert {functions[name] for name in WINDOW_FUNCTIONS} == {"not in DELETE"} and functions["upper"] == ""


@pytest.mark.process
def test_the_installed_version_is_asked_itself(capsys: pytest.CaptureFixture[str]) -> None:
    """It offers what is kept of it: nothing is unlisted, and no list says what is not so."""
    assert main(["deltalake"]) == 0
    said = capsys.readouterr().out
    assert " offers " in said and " 0 unlisted." in said


@pytest.mark.slow
@pytest.mark.spark
def test_delta_offers_what_is_kept_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """The Delta that is installed, asked by its own JVM."""
    assert main(["spark"]) == 0
    assert " 0 unlisted." in capsys.readouterr().out
