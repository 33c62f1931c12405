"""Two sessions at once: one is held at a point of its command, or after it has chosen what it reads, until the other is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from engines.port import EngineDied, Outcome
from engines.spark.commands.result_rows import ReturnedRows, rows_of
from engines.spark.script_functions import clock as set_clock
from engines.spark.storage.file_system import held
from model.vocabulary.steps import AtOnce, Read, SessionStep, named_step

#: Runs a step in a session; its version is that of a Read or a RESTORE.
Execute = Callable[[SparkSession, SessionStep, int | None], ReturnedRows]

#: Runs what is given, and returns its answer or its error with the times.
Attempt = Callable[[Callable[[], ReturnedRows]], Outcome]

#: How long a session waits, and how long one waits for it, in seconds: less than the limit of a step.
_LIMIT = 60


def run_at_once(
    spark: SparkSession,
    root: Path,
    step: AtOnce,
    *,
    clock: int,
    version: int | None,
    execute: Execute,
    attempt: Attempt,
) -> Outcome:
    """The first runs in this session, the second in one beside it. Raises EngineDied, which names the point, at the limit."""
    beside = spark.newSession()

    def run(session: SparkSession, one: SessionStep) -> ReturnedRows:
        return execute(session, one, None if named_step(one) is None else version)

    def second() -> Outcome:
        set_clock(beside, clock, str(root))
        return attempt(lambda: run(beside, step.second))

    if isinstance(step.first, Read):
        found: list[Outcome] = []
        wanted = None if step.first.before_step is None else version
        outcome = attempt(lambda: _read(spark, root, wanted, lambda: found.append(second())))
        return replace(outcome, second=found[0] if found else second(), held=bool(found))
    try:
        with held(spark, root, step.point, beside=[beside], limit=_LIMIT) as hold:
            reached = hold.start(lambda: attempt(lambda: run(spark, step.first)))
            other = second()
            finished: Outcome = hold.finish()
            if hold.is_late:
                raise EngineDied(_too_late("The first was held, and not released: the second has waited for it."))
            return replace(finished, second=other, held=reached)
    except Py4JJavaError as late:
        raise EngineDied(_too_late(str(late.java_exception.getMessage()))) from late


def _read(spark: SparkSession, root: Path, version: int | None, meanwhile: Callable[[], None]) -> ReturnedRows:
    """A query has chosen its version when it is made, and reads the files when it runs."""
    reader = spark.read.format("delta")
    query = (reader if version is None else reader.option("versionAsOf", version)).load(str(root))
    meanwhile()
    return ReturnedRows(rows_of(query))


def _too_late(message: str) -> str:
    return f"Two sessions at once did not end within {_LIMIT} s. {message}"
