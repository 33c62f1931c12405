"""What the lists of docs/surface leave out, as cases (selfcheck.surface)."""

from __future__ import annotations

import re

import pytest

from model.codec import from_json, to_json
from model.vocabulary.commands import AsWritten
from model.vocabulary.predicate import Language, Verbatim, verbatim_tests
from model.vocabulary.steps import Delete, Given, OtherCommand, Vacuum
from runner.surface import judgements
from runner.surface.judgements import ItemVerdict, SurfaceEntry
from selfcheck.surface import Trial, Tried, batches, cases, main, of_settings, trials, verdicts

PARAMETERS = {
    "DeltaTable.delete(both)",
    "DeltaTable.vacuum(both)",
    "DeltaTable.vacuum(one)",
}
READING = {f"a.{n} b.{n}": f"table.{n}()" for n in range(10)}


def entry(**fields: object) -> SurfaceEntry:
    return SurfaceEntry(ItemVerdict.LEFT_OUT, "api", ("a",), reason="r", **fields)  # type: ignore[arg-type]


CALLS = list(trials([entry(calls=READING)], PARAMETERS))
CONDITIONS = {str(n): f"f(i) = {n}" for n in range(13)}


def test_each_of_an_entry_is_tried_by_what_it_says() -> None:
    found = trials(
        [entry(setup="x = 1\n", calls={"c": "x"}, statements={"s": "SHOW {table}"}, given={"g": {"both": "1"}})],
        PARAMETERS,
    )
    assert [(one.names, one.command, [given for _, given in one.given]) for one in found] == [
        ("c", AsWritten("x = 1\nx", python=True), []),
        ("s", AsWritten("SHOW {table}"), []),
        ("g", None, [Given("both", "1")] * 2),
    ]
    assert CALLS[0].command == AsWritten("table.0()", python=True, by_earlier=True)


@pytest.mark.parametrize(
    ("name", "commands"),
    [("both", ["delete", "vacuum"]), ("one", ["vacuum"]), ("DeltaTable.any", ["delete", "vacuum"])],
)
def test_a_parameter_is_given_to_the_commands_that_have_it(name: str, commands: list[str]) -> None:
    (found,) = trials([entry(given={"g": {name: "1"}})], PARAMETERS)
    assert [command for command, _ in found.given] == commands


def test_several_run_in_one_case_but_no_two_values_of_one_parameter() -> None:
    assert [len(batch) for batch in batches(CALLS)] == [8, 2]
    given = trials([entry(given={name: {"both": name} for name in "12"}), entry(given={"3": {"one": "3"}})], PARAMETERS)
    assert [[one.names for one in batch] for batch in batches(given)] == [["1"], ["2"], ["3"]]


def test_a_case_has_them_before_its_deletes_or_with_them() -> None:
    (given,) = trials([entry(given={"g": {"both": "1"}})], PARAMETERS)
    for case in cases([*CALLS[:2], given], whole=True):
        assert from_json(to_json(case)) == case
        assert [step.command for step in case.steps if isinstance(step, OtherCommand)] == [
            one.command for one in CALLS[:2]
        ]
        assert {step.given for step in case.steps if isinstance(step, (Delete, Vacuum))} == {(Given("both", "1"),)}


def test_a_delete_has_several_conditions_each_for_rows_of_its_own() -> None:
    full, rest = batches(trials([entry(conditions=CONDITIONS)], PARAMETERS))
    assert (len(full), len(rest)) == (12, 1)
    for case in cases(full, whole=False):
        assert from_json(to_json(case)) == case
        (delete,) = [step for step in case.steps if isinstance(step, Delete)]
        assert verbatim_tests(delete.where) == tuple(Verbatim(f"f(i) = {n}", ("i",)) for n in range(12))


def test_a_condition_on_partitions_alone_is_tried_alone_and_goes_by_files() -> None:
    found = batches(trials([entry(conditions={"one": "p = 1", "both": "p = i", "text": "s = 'p'"})], PARAMETERS))
    assert [[one.names for one in batch] for batch in found] == [["one"], ["both", "text"]]


@pytest.mark.parametrize(
    ("language", "command"),
    [
        (Language.SPARK, AsWritten("DELETE FROM {table} WHERE avg(i) > 'a'")),
        (Language.DATAFUSION, AsWritten("table.delete(\"avg(i) > 'a'\")", python=True)),
    ],
)
def test_a_condition_that_is_refused_is_written_in_a_delete(language: Language, command: AsWritten) -> None:
    (found,) = trials([entry(conditions={"avg": "avg(i) > 'a'"}, refused=True)], PARAMETERS, language)
    assert found.command == command


class Pool:
    """A trial that breaks a clause, or is refused, does so in each batch that has it."""

    def __init__(self, breaks: str = "", refused: str = "") -> None:
        self._breaks, self._refused = breaks, refused

    def submit(self, _: object, batch: list[Trial]) -> Pool:
        names = [one.names for one in batch]
        self._found = Tried(
            {"X-1": "odd"} if self._breaks in names else {}, tuple(("E" if n == self._refused else None) for n in names)
        )
        return self

    def result(self) -> Tried:
        return self._found


def said(pool: Pool, batch: list[Trial]) -> list[tuple[list[str], str, bool]]:
    found = verdicts(batch, pool.submit(None, batch).result(), pool)  # type: ignore[arg-type]
    return [([one.names for one in some], text, as_said) for some, text, as_said in found]


def test_halves_of_a_batch_show_which_one_makes_a_difference_or_is_refused() -> None:
    four = CALLS[:4]
    names = [one.names for one in four]
    assert said(Pool(), four) == [(names, "tried", True)]
    differs = said(Pool(breaks=names[2]), four)
    assert differs == [
        (names[:2], "tried", True),
        ([names[2]], "makes a difference (X-1: odd)", False),
        ([names[3]], "tried", True),
    ]
    assert said(Pool(refused=names[0]), four)[0] == ([names[0]], "refused (E)", False)


def test_what_an_entry_says_is_as_it_must_be() -> None:
    (one,) = trials([entry(calls={"a": "x"}, noticed_by=("X-1",))], PARAMETERS)
    assert [said(pool, [one])[0][2] for pool in (Pool(breaks="a"), Pool())] == [True, False]
    (one,) = trials([entry(calls={"a": "x"}, refused=True)], PARAMETERS)
    assert [said(pool, [one])[0][2] for pool in (Pool(refused="a"), Pool())] == [True, False]


@pytest.mark.parametrize(
    ("detail", "value"),
    [
        ("internal, default true", "false"),
        ("default false", "true"),
        ("default 1", "2"),
        ("default 50", "1"),
        ("default 0.5", "0.9"),
        ("default <undefined>", None),
        ("", None),
    ],
)
def test_a_setting_is_tried_with_another_value_than_its_default(detail: str, value: str | None) -> None:
    assert judgements.another_value(detail) == value


def test_each_setting_that_is_left_out_has_another_value() -> None:
    found = {one.names: one.given[0][1].value for one in of_settings("spark", [])}
    assert len(found) > 500 and all(found.values())
    assert (found["spark.sql.parquet.compression.codec"], found["spark.sql.parquet.aggregatePushdown"]) == (
        "zstd",
        "true",
    )
    assert "spark.sql.timestampType" not in found, "it is open"
    assert {"spark.sql.timestampType"} == {
        one.names for one in of_settings("spark", ["spark.sql.timestampType"])
    } - found.keys()


def test_controls_are_noticed_by_clauses() -> None:
    for engine in ("deltalake", "spark"):
        found = judgements.controls(judgements.path_of(engine))
        assert found and all(re.fullmatch("[A-Z]+-.*", one) for control in found for one in control.noticed_by)


@pytest.mark.long
@pytest.mark.process
def test_delta_rs_is_tried(capsys: pytest.CaptureFixture[str]) -> None:
    """With what makes the table again, what switches a feature on, a parameter, and conditions."""
    names = (
        "convert_to_deltalake(name)",
        "load_cdf(columns)",
        "WriterProperties(compression)",
        "array_sum",
        "LIKE '%-02-02%'",
    )
    assert main(["deltalake", *names]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 8 and all(line.startswith(("ok tried", "ok control")) for line in lines), lines
