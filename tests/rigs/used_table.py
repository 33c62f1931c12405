"""``python -m tests.rigs.used_table DIRECTORY [--days N]``: a table that this environment's Delta makes and uses for 72 days.

The days pass at once: after each one, all times in the table become a day older. All values are fixed; the names of files are
Delta's own, and random. docs/evidence.md compares rehearsals of a VACUUM of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from pyspark.sql import SparkSession

from deltalog.shift_timestamps import shift_timestamps
from deltalog.storage.names import LOG_DIRECTORY
from engines.kind import Settings
from engines.provider import kind_of
from engines.spark.adapter import SparkEngine
from engines.spark.script_functions import forget
from engines.spark.sessions.session import disconnect
from model.vocabulary.table import DAY
from records.mistakes import UsageMistake
from runner.command_line.commands import Parser, ended
from runner.processes.workspace import Workspace

DAYS = 72

#: Partition values: most of them are encoded in the names of directories.
REGIONS = ("north/west", "a b", "50%:x", "größe", "plain", "a=b")

#: What happens once, on these days. ``{t}`` is the table.
ONCE = {
    6: ("ALTER TABLE {t} ADD COLUMN (note STRING, extra INT)",),
    9: ("ALTER TABLE {t} SET TBLPROPERTIES (delta.enableDeletionVectors = true)",),
    13: (
        "ALTER TABLE {t} SET TBLPROPERTIES (delta.columnMapping.mode = 'name', delta.feature.columnMapping = 'supported')",
    ),
    16: ("ALTER TABLE {t} RENAME COLUMN note TO remark",),
    18: ("DELETE FROM {t} WHERE region = 'plain'",),
    21: ("VACUUM {t} RETAIN 720 HOURS",),
    24: ("ALTER TABLE {t} DROP COLUMN extra",),
    27: ("ALTER TABLE {t} SET TBLPROPERTIES (delta.logRetentionDuration = 'interval 40 days', team = 'sales')",),
    30: ("RESTORE TABLE {t} TO VERSION AS OF {earlier}",),
    # LITE needs the log from its beginning, or from where the last one stopped.
    34: ("VACUUM {t} LITE",),
    38: ("REORG TABLE {t} APPLY (PURGE)",),
    40: ("VACUUM {t} RETAIN 720 HOURS",),
    45: ("ALTER TABLE {t} SET TBLPROPERTIES (delta.enableChangeDataFeed = false)",),
    48: ("INSERT OVERWRITE {t} SELECT * FROM {t} WHERE id % 10 < 8",),
    55: ("RESTORE TABLE {t} TO VERSION AS OF {earlier}",),
    60: ("DELETE FROM {t}",),
}


def statements(day: int, version: int) -> Iterator[str]:
    """The commands of a day, in SQL. ``version`` is the table's latest one."""
    if day == 0:
        yield (
            "CREATE TABLE {t} (id BIGINT, amount DECIMAL(12, 2), at TIMESTAMP, region STRING) USING delta "
            "PARTITIONED BY (region) TBLPROPERTIES (delta.enableChangeDataFeed = true)"
        )
    values = "id, CAST(id * 1.5 AS DECIMAL(12, 2)) AS amount, TIMESTAMP '2026-01-01 00:00:00' AS at"
    rows = f"SELECT {values}, {_region(day)} AS region"
    mine = f"FROM range({day * 40}, {day * 40 + 40})"
    # From the day on which the table has other columns, they are NULL.
    more = "" if day <= 6 else ", CAST(NULL AS STRING) AS remark" + ("" if day > 24 else ", CAST(NULL AS INT) AS extra")
    yield f"INSERT INTO {{t}} {rows}{more} {mine}"
    if day % 2:
        yield f"INSERT INTO {{t}} SELECT {values}, CAST(NULL AS STRING) AS region{more} FROM range({day * 40}, {day * 40 + 5})"
    yield from (one.replace("{earlier}", str(version - 6)) for one in ONCE.get(day, ()))
    yield _of_weekday(day, f"{rows}{more}")


def _region(day: int) -> str:
    values = ", ".join(f"'{one}'" for one in REGIONS)
    return f"element_at(array({values}), CAST((id + {day}) % {len(REGIONS)} + 1 AS INT))"


_MERGE = "MERGE INTO {t} AS t"
_MATCHED = "WHEN MATCHED AND t.id % 3 = 0 THEN UPDATE SET t.amount = 0 WHEN MATCHED AND t.id % 7 = 0 THEN DELETE"


def _of_weekday(day: int, rows: str) -> str:
    there = f"region = '{REGIONS[day % len(REGIONS)]}'"
    return (  # one for each day of a week
        f"UPDATE {{t}} SET amount = amount + 1 WHERE id % 17 = {day % 17}",
        f"{_MERGE} USING (SELECT id FROM range({day * 30}, {day * 40 + 20})) AS s ON t.id = s.id {_MATCHED}",
        f"DELETE FROM {{t}} WHERE id % 11 = {day % 11}",
        "OPTIMIZE {t}",
        f"INSERT INTO {{t}} REPLACE WHERE {there} SELECT * FROM ({rows} FROM range({day}, {day + 60})) WHERE {there}",
        f"DELETE FROM {{t}} WHERE {there} AND id >= 0",
        f"OPTIMIZE {{t}} WHERE {there} ZORDER BY (id)",
    )[day % 7]


def leave_stray_files(root: Path, day: int) -> None:
    """What other programs and aborted writes leave in the directory, and in the log."""
    for name in (
        f"region=a b/part-{day:05d}-aborted.snappy.parquet",
        f"part-{day:05d}-aborted.snappy.parquet",
        f"copies/{day}/of the table.csv",
        f"_temporary/{day}/part-{day:05d}.parquet",
        f".cache/{day}",
        f"_change_data/cdc-{day:05d}-aborted.snappy.parquet",
        f"{LOG_DIRECTORY}/.tmp-{day}",
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * (100 + day))
    (root / f"empty-{day}" / "deeper").mkdir(parents=True)


def use(session: SparkSession, root: Path, days: int, tell: Callable[[str], object]) -> None:
    """Make the table at ``root`` and use it, day after day."""
    version = 0
    for day in range(days):
        for statement in statements(day, version):
            session.sql(statement.replace("{t}", f"delta.`{root}`"))
        if day in (3, 25, 50):
            leave_stray_files(root, day)
        # Hadoop's checksums of files of the log, which are about to change.
        for checksum in (root / LOG_DIRECTORY).glob(".*.crc"):
            checksum.unlink()
        forget(session, str(root))
        shift_timestamps(root, by=DAY)
        version = max(int(path.stem) for path in (root / LOG_DIRECTORY).glob("[0-9]" * 20 + ".json"))
        tell(f"day {day + 1} of {days}: version {version}")


def main(arguments: list[str]) -> int:
    """0: the table is there, in DIRECTORY/table. Raises UsageMistake and EngineUnavailable."""
    parser = Parser(prog="python -m tests.rigs.used_table", description=__doc__, allow_abbrev=False)
    parser.add_argument("directory", type=Path, metavar="DIRECTORY", help="a new directory")
    parser.add_argument("--days", type=int, default=DAYS, metavar="N", help=f"stop after N days (default: {DAYS})")
    asked = parser.parse_args(arguments)
    directory: Path = asked.directory.resolve()
    try:
        directory.mkdir(parents=True)
    except OSError as error:
        raise UsageMistake(f"{directory} cannot be made ({error.strerror}): name a new directory.") from None
    kind = kind_of("spark")
    with ExitStack() as opened:
        workspace = Workspace(None)
        opened.callback(workspace.close)
        provider = kind.provider(Settings(workspace.directory, workspace.started))
        opened.callback(provider.close)
        opened.callback(disconnect)
        provider.start()
        engine = kind.open_adapter(provider.lease, time_limit=120)
        opened.callback(engine.close)
        assert isinstance(engine, SparkEngine), "the adapter of Delta on Spark"
        use(engine.session(), directory / "table", asked.days, lambda line: print(line, flush=True))
    return 0


if __name__ == "__main__":
    ended(main)
