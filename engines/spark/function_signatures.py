"""The functions of the installed Spark, with types of arguments that they take: Spark is asked for all of them.

Spark describes each function with examples (DESCRIBE FUNCTION EXTENDED): their constants are replaced by columns of the same
types, as far as Spark takes that.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from model.vocabulary.signatures import ARGUMENTS, Signature

#: Rows as tables of the suite have them: a column of each type, named c0, c1, …
_ROWS = """SELECT * FROM VALUES
  (TRUE, 1, 1L, 0.5D, CAST(1.25 AS DECIMAL(10, 2)), 'a', X'61', DATE'2020-01-31', TIMESTAMP'2020-01-31 08:00:00', array('a')),
  (FALSE, -2, 7L, -1.5D, CAST(-0.01 AS DECIMAL(10, 2)), 'b c', X'', DATE'1999-12-31', TIMESTAMP'1970-01-01 00:00:00', array()),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (TRUE, 0, 0L, 0D, CAST(0 AS DECIMAL(10, 2)), '', X'0aff', DATE'2020-02-29', TIMESTAMP'2020-02-29 23:59:59.999999', array(NULL))
AS t(c0, c1, c2, c3, c4, c5, c6, c7, c8, c9)"""

#: What depends on the time, the session or the machine.
_NOT_ASKED = ("current", "now", "curdate", "localtime", "unix_timestamp", "input_file", "version", "user", "session_")

#: Types of constants that columns of other types stand for.
_SIMILAR = {"DECIMAL(2, 1)": "DECIMAL(10, 2)", "DECIMAL(3, 2)": "DECIMAL(10, 2)", "ARRAY<INT>": "ARRAY<STRING>"}

#: So many signatures are kept of each function.
_KEPT = 6

_EXAMPLE = re.compile(r"> SELECT (\w+)\((.*)\);")


def signatures(spark: SparkSession) -> list[Signature]:
    """The signatures of all deterministic scalar functions, at most ``_KEPT`` of each; sorted by name."""
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    spark.sql(_ROWS).createOrReplaceTempView("tombstone_signatures")
    names = sorted({str(row[0]) for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()})
    found: list[Signature] = []
    for name in names:
        if name.isidentifier() and not name.startswith(_NOT_ASKED):
            known = (_typed(spark, one) for one in dict.fromkeys(_candidates(spark, name)))
            found += _runnable(spark, [one for one in known if one is not None])[:_KEPT]
    return found


def _candidates(spark: SparkSession, name: str) -> Iterator[Signature]:
    """The calls of its examples with columns for constants: for all of them, for the first, for the last."""
    described = "\n".join(str(row[0]) for row in spark.sql(f"DESCRIBE FUNCTION EXTENDED {name}").collect())
    for called, text in _EXAMPLE.findall(described):
        arguments = _arguments(text)
        if called != name or not arguments:
            continue
        types = [_SIMILAR.get(type, type) if type else "" for type in _types(spark, arguments)]
        columns = [type if type in ARGUMENTS else argument for type, argument in zip(types, arguments)]
        for chosen in (columns, [columns[0], *arguments[1:]], [*arguments[:-1], columns[-1]]):
            if set(chosen) & set(ARGUMENTS):
                yield Signature(name, tuple(chosen), "")


def _arguments(text: str) -> list[str]:
    """The arguments in the text of a call; none if it has a part of another call's result behind it."""
    found, depth, start, quoted = [], 0, 0, False
    for place, character in enumerate(text):
        quoted ^= character == "'"
        if quoted:
            continue
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return []
        if character == "," and not depth:
            found.append(text[start:place].strip())
            start = place + 1
    return [*found, text[start:].strip()] if text.strip() else []


def _types(spark: SparkSession, arguments: Sequence[str]) -> list[str]:
    """The types of constants, by their names in SQL; empty texts if one has none."""
    try:
        schema = spark.sql(f"SELECT {', '.join(arguments)}").schema
    except (PySparkException, Py4JJavaError):
        return [""] * len(arguments)
    names = [_name(field.dataType.simpleString()) for field in schema.fields]
    return names if len(names) == len(arguments) else [""] * len(arguments)


def _name(type: str) -> str:
    return type.upper().replace(",", ", ")


def _typed(spark: SparkSession, signature: Signature) -> Signature | None:
    """With the type of the result; None if the call is refused, is not deterministic, or is no function of one row."""
    try:
        frame = spark.sql(f"SELECT {signature.call} AS r FROM tombstone_signatures")
        plan = frame._jdf.queryExecution().analyzed()
    except (PySparkException, Py4JJavaError):
        return None
    if plan.nodeName() != "Project" or not plan.deterministic():
        return None
    return Signature(signature.name, signature.arguments, _name(frame.schema[0].dataType.simpleString()))


def _runnable(spark: SparkSession, some: Sequence[Signature]) -> list[Signature]:
    """Those that are no error for the rows. All are tried at once, and after an error each half of them."""
    if not some:
        return []
    texts = ", ".join(f"{one.call} AS r{place}" for place, one in enumerate(some))
    try:
        spark.sql(f"SELECT {texts} FROM tombstone_signatures").write.format("noop").mode("overwrite").save()
        return list(some)
    except (PySparkException, Py4JJavaError):
        half = len(some) // 2
        return [*_runnable(spark, some[:half]), *_runnable(spark, some[half:])] if half else []
