"""``python -m selfcheck.signatures``: asks the installed engine for its functions, and writes them down for the strategies."""

from __future__ import annotations

from model.vocabulary.predicate import Language
from model.vocabulary.signatures import Signature
from runner.command_line.commands import ended
from selfcheck.options import asked
from strategies.conditions.signatures import FILES, text_of
from tombstone.commands import Word
from tombstone.values import one_of


def _of_spark() -> list[Signature]:
    from pyspark.sql import SparkSession

    from engines.spark.function_signatures import signatures

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")  # type: ignore[attr-defined]
    spark = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    try:
        spark.sparkContext.setLogLevel("OFF")
        return signatures(spark)
    finally:
        spark.stop()


def _of_deltalake() -> list[Signature]:
    from engines.deltalake.function_signatures import signatures

    return signatures()


_ASKED = {"spark": (Language.SPARK, _of_spark), "deltalake": (Language.DATAFUSION, _of_deltalake)}


def main(arguments: list[str]) -> int:
    (engine,) = asked(
        "selfcheck.signatures",
        __doc__,
        arguments,
        words=(Word("ENGINE", "the engine whose functions are wanted", kind=one_of(*_ASKED)),),
    ).words
    language, ask = _ASKED[engine]
    found = ask()
    FILES[language].write_text(text_of(found), encoding="utf-8")
    print(f"{len({one.name for one in found})} functions, {len(found)} signatures: {FILES[language]}")
    return 0


if __name__ == "__main__":
    ended(main)
