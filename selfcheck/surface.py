"""``python -m selfcheck.surface ENGINE [PART OF A NAME ...]``: tries what the lists of ``docs/surface`` leave out.

Each runs before the same DELETEs and VACUUMs, or with them, on a table with partitions, deletion vectors and a change feed and on
one with none of them, and the clauses judge the cases. Several run in one case; if that breaks a clause, each half of them, until
it is known which one does. Exits with 0 if none makes a difference that the lists do not name, with 1 if one does, and with 2 if
a control makes none, or a case cannot be judged.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from functools import reduce

from engines.provider import DEFAULT
from model.vocabulary.case import Case
from model.vocabulary.commands import AsWritten
from model.vocabulary.predicate import And, Compare, In, IsNull, Language, Like, Op, Or, Predicate, Verbatim
from model.vocabulary.steps import Delete, Given, Mode, OpenSession, OtherCommand, Read, Step, Vacuum
from model.vocabulary.table import DAY, Column, Commit, DataFile, DeletionVector, Feature, StrayFile, Table
from model.vocabulary.values import ArrayOf, DecimalOf, MapOf, Row, StructOf, Type
from records.run import RecordedStep
from runner.command_line.commands import ended
from runner.surface import inventory, judgements
from runner.surface.judgements import ItemVerdict, SurfaceEntry
from selfcheck.engine_pool import hosted, worker, workers
from selfcheck.options import asked, number_of_processes
from tombstone.commands import Word
from tombstone.values import one_of

#: How many run in one case: of calls and of statements before its DELETEs, of what is refused, of conditions and of settings.
TOGETHER, STATEMENTS_TOGETHER, REFUSED_TOGETHER, CONDITIONS_TOGETHER, SETTINGS_TOGETHER = 8, 40, 64, 12, 300

COLUMNS = (Column("id", Type.LONG), Column("d", Type.DOUBLE), Column("s", Type.STRING), Column("p", Type.INTEGER))
FILE_ROWS = 40
#: Of an engine that has all types, what the meaning of conditions may depend on too.
MORE_COLUMNS = (
    *(Column("t", Type.TIMESTAMP), Column("dt", Type.DATE), Column("n", Type.TIMESTAMP_NTZ), Column("f", Type.FLOAT)),
    *(Column("dec", DecimalOf(10, 2)), Column("b", Type.BOOLEAN), Column("c", Type.STRING)),
    *(
        Column("st", StructOf((("a", Type.LONG),))),
        Column("a", ArrayOf(Type.LONG)),
        Column("m", MapOf(Type.STRING, Type.LONG)),
    ),
)
CONDITIONS: tuple[Predicate, ...] = (
    Compare("id", Op.EQ, 3, Type.LONG),
    And(Like("s", "a%"), Compare("d", Op.GT, 1.0, Type.DOUBLE)),
    Compare("p", Op.EQ, 1, Type.INTEGER),
    Or(Compare("id", Op.GT, 100, Type.LONG), IsNull("d")),
    In("s", ("b1", "c2", "d3"), Type.STRING),
)
MORE_CONDITIONS: tuple[Predicate, ...] = (
    Compare("t", Op.LT, datetime(2024, 1, 1, 0, 0, 9, tzinfo=timezone.utc), Type.TIMESTAMP),
    Or(Compare("dt", Op.EQ, date(2024, 2, 20), Type.DATE), Compare("dec", Op.EQ, Decimal("15.50"), DecimalOf(10, 2))),
    *(
        Verbatim(text, columns)
        for text, columns in (
            ("n = TIMESTAMP_NTZ'2024-02-21 12:00:00' OR f > 38.9 OR CAST(id AS STRING) = '78'", ("n", "f", "id")),
            ("c = 'c66' OR rtrim(c) IN ('c68', 'c70') OR s RLIKE '^.7\\\\d$'", ("c", "s")),
            (
                "m['k'] = 62 OR size(a) = 4 OR element_at(a, 3) = 2 AND id > 90 OR st.a IS NULL AND id > 60",
                ("m", "a", "id", "st"),
            ),
            ("year(dt) = 2025 OR date_format(t, 'ss') = '31' OR to_date('2024-1-2', 'yyyy-M-d') = dt", ("dt", "t")),
            (
                "dec * dec / 3 > 250 OR 1.75e0 = d OR b AND NOT (id <=> 84 OR id BETWEEN 0 AND 82)",
                ("dec", "d", "b", "id"),
            ),
        )
    ),
)


@dataclass(frozen=True)
class Trial:
    """What is tried for some items, by their names: a command before the DELETEs, what these and the VACUUMs are given, or a
    condition instead of theirs."""

    names: str
    entry: SurfaceEntry
    command: AsWritten | Verbatim | None = None
    given: tuple[tuple[str, Given], ...] = ()  # each with the command that has it, or "" for all

    @property
    def parameters(self) -> set[str]:
        return {one.name for _, one in self.given}

    @property
    def together(self) -> int:
        """How many of its entry may run in one case."""
        if self.entry.noticed_by or _is_of_partitions(self.command):
            return 1
        if self.command is None:
            return SETTINGS_TOGETHER
        if self.entry.refused:
            return REFUSED_TOGETHER
        if isinstance(self.command, Verbatim):
            return CONDITIONS_TOGETHER
        return TOGETHER if self.command.python else STATEMENTS_TOGETHER


@dataclass(frozen=True)
class Tried:
    """What cases show: the clauses that they break, each with its first violation, and what refuses each of the commands."""

    broken: dict[str, str]
    refused: tuple[str | None, ...]
    failure: str | None = None


def trials(
    entries: Iterable[SurfaceEntry], parameters: set[str], language: Language = Language.SPARK
) -> Iterator[Trial]:
    """All of these entries. ``parameters`` are the items of the engine's API: they say which command has which parameter."""
    for entry in entries:
        for names, text in entry.calls.items():
            by_earlier = entry.setup == "" and "\n" not in text  # one call may use the table as it was opened before
            yield Trial(names, entry, AsWritten(f"{entry.setup}{text}", python=True, by_earlier=by_earlier))
        for names, text in entry.statements.items():
            yield Trial(names, entry, AsWritten(text))
        for names, text in entry.conditions.items():
            yield Trial(names, entry, _refused(text, language) if entry.refused else _verbatim(text, language))
        for names, values in entry.given.items():
            found = [
                (command, Given(name, value))
                for name, value in values.items()
                for command in ("delete", "vacuum")
                if "." in name  # a setting, or a parameter of DeltaTable itself
                or f"DeltaTable.{command}({name})" in parameters
            ]
            yield Trial(names, entry, given=tuple(found))


def _refused(text: str, language: Language) -> AsWritten:
    """A DELETE that the engine shall refuse, so that nobody need say what it would delete."""
    if language is Language.SPARK:
        return AsWritten(f"DELETE FROM {{table}} WHERE {text}")
    return AsWritten(f"table.delete({text!r})", python=True)


def _verbatim(text: str, language: Language) -> Verbatim:
    words = set(re.findall(r"\w+", re.sub("'[^']*'", "", text)))
    return Verbatim(text, tuple(column.name for column in TESTED_COLUMNS if column.name in words), language)


def _is_of_partitions(command: object) -> bool:
    return isinstance(command, Verbatim) and set() < {*command.columns} <= {*TESTED_PARTITIONS}


def of_settings(engine: str, named: Sequence[str]) -> Iterator[Trial]:
    """Of each setting of the newest inventory that is left out, or is open and ``named``: another value than its default."""
    *_, newest = kept = inventory.kept(engine)
    items = {item for one in kept for item in one.items()}
    for one in judgements.judged(newest, judgements.read(judgements.path_of(engine)), items):
        entry, name = one.entry, one.item.name
        if one.item.kind != "setting" or entry is None or not entry.settings or one.word is ItemVerdict.DRAWN:
            continue
        if one.word is ItemVerdict.LEFT_OUT or name in named:
            value = entry.settings.get(name)
            if value is None:
                value = judgements.another_value(newest.detail(one.item) or "")
            given = Given(name, value or "")
            yield Trial(name, entry, given=(("delete", given), ("vacuum", given)))


def batches(tried: Iterable[Trial]) -> Iterator[list[Trial]]:
    """Those of an entry that can run in one case."""
    for _, group in itertools.groupby(tried, key=lambda one: (id(one.entry), type(one.command), one.together)):
        batch: list[Trial] = []
        for one in group:
            taken = {name for other in batch for name in other.parameters}
            if batch and (len(batch) == one.together or taken & one.parameters):
                yield batch
                batch = []
            batch.append(one)
        yield batch


#: The columns that ``conditions`` have, the last of them of partitions.
TESTED_COLUMNS = (
    *(Column("id", Type.LONG), Column("i", Type.LONG), Column("d", Type.DOUBLE), Column("s", Type.STRING)),
    *(Column("b", Type.BOOLEAN), Column("l", ArrayOf(Type.DOUBLE)), Column("dt", Type.DATE)),
    *(Column("ts", Type.TIMESTAMP), Column("bin", Type.BINARY), Column("st", StructOf((("a", Type.LONG),)))),
    *(Column("sb", Type.STRING), Column("sd", Type.STRING), Column("p", Type.INTEGER), Column("q", Type.STRING)),
    *(Column("pd", Type.DATE), Column("pdec", DecimalOf(5, 2)), Column("pb", Type.BOOLEAN), Column("pdo", Type.DOUBLE)),
)
TESTED_PARTITIONS = tuple(column.name for column in TESTED_COLUMNS[-6:])


def table(*, parts: bool, vectors: bool, wide: bool, tested: bool = False) -> Table:
    """Three commits of 40 rows each, and files that no action names. Only one with partitions has ``vectors``.

    ``wide``: with all types; ``tested``: with the columns of ``conditions``.
    """
    columns = TESTED_COLUMNS if tested else (*COLUMNS, *MORE_COLUMNS) if wide else COLUMNS
    by = (TESTED_PARTITIONS if tested else ("p",)) if parts else ()
    stored = [place for place, column in enumerate(columns) if column.name not in by]
    keys = [place for place, column in enumerate(columns) if column.name in by]
    files: list[DataFile] = []
    commits: list[Commit] = []
    for number in range(3):
        first = len(files)
        groups: dict[Row, list[Row]] = {}
        for row in map(_tested_row if tested else _row, range(FILE_ROWS * number, FILE_ROWS * (number + 1))):
            groups.setdefault(tuple(row[place] for place in keys), []).append(tuple(row[place] for place in stored))
        for partition, rows in groups.items():
            files.append(DataFile(len(files), partition, tuple(rows), modified=-(90 - number) * DAY))
        hidden = (DeletionVector(0, (3, 4), deleted=-88 * DAY),) if parts and vectors and number == 2 else ()
        commits.append(Commit(-(90 - number) * DAY, tuple(range(first, len(files))), deletion_vectors=hidden))
    features = [Feature.CHANGE_DATA_FEED.value] * parts + [Feature.DELETION_VECTORS.value] * (parts and vectors)
    strays = tuple(StrayFile(f"{name}.parquet", modified=-days * DAY) for name, days in (("old", 60), ("young", 1)))
    return Table(columns, by, tuple(files), tuple(commits), strays, features=tuple(features))


def _row(id: int) -> Row:
    at = datetime(2024, 1, 1, tzinfo=timezone.utc)
    some = (id, None if id % 11 == 0 else id / 8, f"{'abcde'[id % 5]}{id}", id % 4)
    noon = at.replace(tzinfo=None) + timedelta(days=id, hours=12)
    times = (at + timedelta(seconds=id), at.date() + timedelta(days=id), noon, None if id % 9 == 0 else id / 4)
    texts = (Decimal(25 * id).scaleb(-2), id % 3 == 0, f"c{id} ")
    nested = (((None if id % 7 == 0 else id),), (id, None, id % 5), (("k", id), ("x", 1)))
    return (*some, *times, *texts, *nested)


def _tested_row(id: int) -> Row:
    """Those of each condition of a case are ten, with ``i`` from 0 to 9."""
    i = id // CONDITIONS_TOGETHER
    odd = i % 2
    times = (date(2020, 1 + odd, i + 1), datetime(2020, 1 + odd, 1 + i // 2, i % 3, tzinfo=timezone.utc))
    some = (id, i, i / 2, str(i), not odd, (float(i), 2.0), *times, bytes([i]), None if i % 7 == 0 else (i,))
    texts = ("true" if odd else "no", f"2020-01-{i + 1:02}")
    partition = (odd, "cd" if odd else "ab", date(2020, 1 + odd, 31 - 30 * odd), Decimal(25 * odd).scaleb(-2))
    return (*some, *texts, *partition, odd == 1, odd / 2)


def cases(batch: Sequence[Trial], *, whole: bool) -> list[Case]:
    """A case for each table; of what breaks a clause also one without DELETEs, as the first to break one ends a case.

    ``whole``: of an engine that writes vectors, and is tried with all types.
    """
    commands: list[Step] = [OtherCommand(one.command) for one in batch if isinstance(one.command, AsWritten)]
    conditions = [one.command for one in batch if isinstance(one.command, Verbatim)]
    if conditions:
        commands.append(Delete(reduce(Or, itertools.starmap(_of_some_rows, enumerate(conditions)))))
    given = {
        command: tuple(one for trial in batch for to, one in trial.given if to == command)
        for command in ("delete", "vacuum")
    }
    vacuum = Vacuum(mode=Mode.FULL, given=given["vacuum"])
    # What was opened before it deletes too: every second DELETE, as a conflict with what has been committed excuses its refusal.
    earlier = all(isinstance(one.command, AsWritten) and one.command.by_earlier for one in batch)
    # What a condition means is a matter of settings.
    usual = (*CONDITIONS, *MORE_CONDITIONS) if whole and batch[0].command is None else CONDITIONS
    deletes: list[Step] = [
        Delete(condition, given=given["delete"], by_earlier=earlier and place % 2 == 0)
        for place, condition in enumerate(usual)
        if not conditions
    ]
    vacuums: list[Step] = [vacuum, replace(vacuum, retain_hours=0.0, safety_check=False), Read()]
    programs = [deletes + vacuums, vacuums] if batch[0].entry.noticed_by else [deletes + vacuums]
    tested = bool(batch[0].entry.conditions)
    return [
        Case(table(parts=parts, vectors=whole, wide=whole, tested=tested), (OpenSession(), *commands, *program))
        for program in programs
        for parts in (True, False)
    ]


def _of_some_rows(place: int, condition: Predicate) -> Predicate:
    """A condition that leaves the other rows to others of its batch; one of partitions itself, as it goes by files."""
    if _is_of_partitions(condition):
        return condition
    return And(In("id", tuple(range(place, 3 * FILE_ROWS, CONDITIONS_TOGETHER)), Type.LONG), condition)


def tried(batch: Sequence[Trial]) -> Tried:
    """In a worker process."""
    broken: dict[str, str] = {}
    refusals: list[list[str | None]] = []
    failure = None
    # One DELETE has all conditions of a batch.
    commands = [one.command for one in batch if one.command is not None]
    places = [1 if isinstance(one, Verbatim) else place for place, one in enumerate(commands, start=1)]
    for case in cases(batch, whole=worker().engine.capabilities.writes_vectors):
        found = worker().judge().judge(case)
        # A known fault may end the case, but only after its last VACUUM: else something was not judged.
        if found.failure is not None or not (found.failed or len(found.steps) >= len(case.steps) - 1):
            failure = found.failure.message if found.failure else f"a known fault ends it after {found.steps[-1].text}"
        for id in found.failed:
            broken.setdefault(id, found.tallies[id].unexcused[0].message)
        steps = {step.index: step for step in found.steps}
        refusals.append([_refusal(steps[place]) if place in steps else None for place in places])
    # Of those that are on each of the tables.
    return Tried(broken, tuple(both[0] if None not in both else None for both in zip(*refusals)), failure)


def _refusal(step: RecordedStep) -> str | None:
    """What a step is refused with; of a condition also that a query by it is, so that only a read was judged."""
    if (error := step.outcome.error) is not None:
        return f"{error.exception}: {error.message}"
    return "a query by it" if step.kind == "read" else None


def verdicts(
    batch: Sequence[Trial], found: Tried, pool: ProcessPoolExecutor
) -> Iterator[tuple[Sequence[Trial], str, bool]]:
    """Trials with what they show, and whether the lists say so; of a batch in which something differs each half."""
    entry = batch[0].entry
    as_said = not found.failure and all((one is not None) is entry.refused for one in found.refused)
    as_said = as_said and found.broken.keys() == set(entry.noticed_by)
    if not as_said and len(batch) > 1:
        middle = len(batch) // 2
        for half in (batch[:middle], batch[middle:]):
            yield from verdicts(half, pool.submit(tried, half).result(), pool)
        return
    said = f"not judged ({found.failure})" if found.failure else "tried"
    if found.broken:
        said = f"makes a difference ({', '.join(sorted(found.broken))}: {next(iter(found.broken.values()))})"
    if refused := next(filter(None, found.refused), None):
        said = f"refused ({refused})" if not found.broken else f"{said}; refused ({refused})"
    yield batch, said, as_said


def run(engine: str, parts: Sequence[str], number: int) -> int:
    path = judgements.path_of(engine)
    parameters = {item.name for one in inventory.kept(engine) for item in one.items() if item.kind == "api"}
    entries = [one for one in (*judgements.read(path), *judgements.forms(path)) if one.word is ItemVerdict.LEFT_OUT]
    language = Language.SPARK if engine == DEFAULT else Language.DATAFUSION
    controls = list(trials(judgements.controls(path), parameters, language))
    everything = [*trials(entries, parameters, language), *of_settings(engine, parts)]
    wanted = [one for one in everything if not parts or any(part in one.names for part in parts)]
    unclear = wrong = 0
    with hosted(engine) as host, workers(host, number) as pool:
        todo = [
            [Trial("nothing", replace(entries[0], refused=False, noticed_by=()))],
            *batches(controls),
            *batches(wanted),
        ]
        for batch, found in zip(todo, pool.map(tried, todo)):
            for some, said, as_said in verdicts(batch, found, pool):
                control = batch is todo[0] or batch[0] in controls
                unclear += control and not as_said
                wrong += not as_said
                names = ", ".join(one.names for one in some)
                begin = said.partition("\n")[0][:300]
                print(
                    f"{'ok' if as_said else 'WRONG'} {'control, ' * control}{begin}: {names}",
                    flush=True,
                )
    return 2 if unclear else int(wrong > 0)


def main(arguments: list[str]) -> int:
    known = sorted(found.stem for found in judgements.DIRECTORY.glob("*.toml"))
    options = asked(
        "selfcheck.surface",
        __doc__,
        arguments,
        number_of_processes(1),
        words=(
            Word("ENGINE", "whose items are tried", kind=one_of(*known)),
            Word("PART", "of the names of items", least=0, most=None),
        ),
    )
    engine, *parts = options.words
    return run(engine, parts, options.n)


if __name__ == "__main__":
    ended(main)
