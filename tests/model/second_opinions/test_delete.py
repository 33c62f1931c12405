"""DuckDB evaluates the conditions of DELETEs as the model does: TRUE, FALSE or NULL for a row, or an error.

Power is measured on the reference engine, which evaluates with ``model.semantics.evaluate`` as the judge does: it cannot show an
error there. DuckDB shares no code with either (``duckdb_conditions``).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import duckdb
import pyarrow as pa
import pytest

from model.semantics import evaluate as model_evaluate
from model.semantics.evaluate import WouldFail, evaluate
from model.vocabulary.predicate import And, Compare, Constant, Not, Op, Or, Predicate, columns_of
from model.vocabulary.steps import Delete
from model.vocabulary.values import AnyType, Type, Value
from tests.builders.arrow_rows import arrow_type, arrow_value
from tests.drawn_cases import ALL
from tests.model.evaluation_questions import CHAPTERS, ROWS, TYPES, VALUES, ZONES, column
from tests.model.second_opinions.duckdb_conditions import NOT_COMPARABLE, NotComparable, Translation
from tests.sampling import sample

#: Of the conditions that campaigns draw, in percent.
LEAST_COMPARABLE = 95


class SecondOpinion:
    """Asks DuckDB about rows. Counts the rows that it compared, and why conditions were not comparable."""

    def __init__(self) -> None:
        self._duckdb = duckdb.connect()
        # With its optimizer, c + 1 > 2 would become c > 1, which does not overflow.
        self._duckdb.execute("PRAGMA disable_optimizer")
        self._rows: Sequence[Mapping[str, Value]] = ()
        self._types: Mapping[str, AnyType] = {}
        self.asked = self.compared = self.failing = 0
        self.not_comparable: Counter[str] = Counter()
        self.wrong: list[str] = []

    def close(self) -> None:
        self._duckdb.close()

    def about(self, rows: Sequence[Mapping[str, Value]], types: Mapping[str, AnyType]) -> None:
        """Compare on these rows from now on."""
        self._rows, self._types = rows, types
        values = {
            f"c{place}": pa.array([arrow_value(row[name], type) for row in rows], arrow_type(type))
            for place, (name, type) in enumerate(types.items())
        }
        table = pa.table({"id": pa.array(range(len(rows)), pa.int32()), **values})
        self._duckdb.register("arrow_rows", table)
        self._duckdb.execute("CREATE OR REPLACE TABLE rows AS SELECT * FROM arrow_rows")
        self._duckdb.unregister("arrow_rows")

    def compare(self, predicate: Predicate, zone: str = "UTC") -> None:
        """Compare the condition's value for each row. Where the model reports an error, DuckDB must too, or avoid it."""
        self.asked += 1
        try:
            condition = Translation(self._types).condition(predicate)
        except NotComparable as reason:
            self.not_comparable[str(reason)] += 1
            return
        self._duckdb.execute(f"SET TimeZone = '{zone}'")
        expected: dict[int, bool | None] = {}
        errors: dict[int, bool | None] = {}
        for number, row in enumerate(self._rows):
            try:
                expected[number] = evaluate(predicate, row, types=self._types, zone=zone)
            except WouldFail as failure:
                errors[number] = failure.otherwise
        self._compare(predicate, condition, expected)
        for number, otherwise in errors.items():
            self.failing += 1
            try:
                answers = self._answers(condition, [number])
            except duckdb.Error:
                continue
            self._expect(predicate, condition, {number: otherwise}, answers)

    def _compare(self, predicate: Predicate, condition: str, expected: Mapping[int, bool | None]) -> None:
        self.compared += len(expected)
        try:
            answers = self._answers(condition, expected)
        except duckdb.Error as error:
            self.wrong.append(f"{condition} is an error in DuckDB: {error}")
        else:
            self._expect(predicate, condition, expected, answers)

    def _answers(self, condition: str, numbers: Sequence[int] | Mapping[int, object]) -> dict[int, bool | None]:
        """The condition's value in each of these rows. A CASE evaluates it for no other row."""
        these = ", ".join(map(str, numbers)) or "NULL"
        query = f"SELECT id, CASE WHEN id IN ({these}) THEN {condition} END FROM rows"
        return dict(self._duckdb.execute(query).fetchall())

    def _expect(
        self,
        predicate: Predicate,
        condition: str,
        expected: Mapping[int, bool | None],
        answers: Mapping[int, bool | None],
    ) -> None:
        for number, value in expected.items():
            if answers[number] is not value:
                row = {name: self._rows[number][name] for name in sorted(columns_of(predicate))}
                self.wrong.append(f"{condition} is {answers[number]} in DuckDB, not {value}, where {row}")


@pytest.fixture
def second_opinion() -> Iterator[SecondOpinion]:
    second = SecondOpinion()
    yield second
    second.close()


def check(second: SecondOpinion, *, compared: int) -> None:
    assert not second.wrong, f"{len(second.wrong)} differences:\n" + "\n".join(second.wrong[:10])
    assert second.compared >= compared, second.compared


@pytest.mark.long
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_duckdb_agrees_on_edge_values(second_opinion: SecondOpinion, chapter: str) -> None:
    """Each type, comparison, function and cast over values at the ends of their types."""
    second_opinion.about(ROWS, TYPES)
    for zone in ZONES if chapter == "moments" else ("UTC",):
        for predicate in CHAPTERS[chapter]():
            second_opinion.compare(predicate, zone)
    check(second_opinion, compared=1_500)
    assert set(second_opinion.not_comparable) <= set(NOT_COMPARABLE)


@pytest.mark.long
def test_duckdb_agrees_on_random_combinations(second_opinion: SecondOpinion) -> None:
    """Three-valued logic: trees of AND, OR and NOT over tests of edge values, and rows of values that are mixed at random."""
    generator = random.Random(20)
    second_opinion.about(
        [{name: generator.choice(VALUES[type]) for name, type in TYPES.items()} for _ in range(32)], TYPES
    )
    leaves = [*CHAPTERS["comparisons"](), *CHAPTERS["strings"](), *CHAPTERS["nested"](), *CHAPTERS["numbers"]()]
    leaves += [Constant(True), Constant(False), Constant(None)]

    def tree(depth: int) -> Predicate:
        kind = generator.randrange(5) if depth else 0
        if kind == 0:
            return generator.choice(leaves)
        if kind == 1:
            return Not(tree(depth - 1))
        return (And if kind < 4 else Or)(tree(depth - 1), tree(depth - 1))

    for _ in range(1_500):
        second_opinion.compare(tree(3))
    check(second_opinion, compared=30_000)


@pytest.mark.slow
@pytest.mark.parametrize("campaign", ["partition_deletes", "row_deletes", "feature_deletes", "typed_deletes"])
def test_duckdb_agrees_on_what_is_drawn(second_opinion: SecondOpinion, campaign: str) -> None:
    """The conditions of the campaigns' DELETEs, over all rows of their tables."""
    for case in sample(ALL[campaign][0](), seeds=range(24)):  # so many that chance does not decide on the share
        types = {column.name: column.type for column in case.table.columns}
        rows = [dict(zip(types, case.table.row(file.partition, row))) for file in case.table.files for row in file.rows]
        second_opinion.about(rows, types)
        for step in case.steps:
            if isinstance(step, Delete) and step.where is not None:
                second_opinion.compare(step.where, step.zone)
    check(second_opinion, compared=2_000)
    not_comparable = second_opinion.not_comparable.total()
    assert 100 * (second_opinion.asked - not_comparable) >= LEAST_COMPARABLE * second_opinion.asked


@pytest.mark.long
def test_all_reasons_not_to_compare_are_needed(second_opinion: SecondOpinion) -> None:
    second_opinion.about(ROWS[:1], TYPES)
    for chapter in CHAPTERS.values():
        for predicate in chapter():
            second_opinion.compare(predicate)
    assert set(second_opinion.not_comparable) == set(NOT_COMPARABLE)


def test_a_wrong_evaluation_is_noticed(second_opinion: SecondOpinion, monkeypatch: pytest.MonkeyPatch) -> None:
    """NULL AND TRUE as TRUE, which would delete rows that SQL keeps."""
    monkeypatch.setattr(model_evaluate, "_and", lambda left, right: left is not False and right is not False)
    second_opinion.about(ROWS, TYPES)
    one = Compare(column(Type.LONG), Op.GE, 0, Type.LONG)
    second_opinion.compare(And(one, Constant(True)))
    assert len(second_opinion.wrong) == sum(row[column(Type.LONG)] is None for row in ROWS)
