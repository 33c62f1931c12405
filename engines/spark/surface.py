"""What Delta on Spark offers: asks Spark for its classes, its parsers and its registries, and reads no text about it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import delta.tables
import pyspark.sql.types
from pyspark.sql import SparkSession

#: Settings of Spark that have to do with reading and writing files, and with what a condition means.
SETTINGS = (
    *(
        "spark.databricks.",
        "spark.sql.files.",
        "spark.sql.parquet.",
        "spark.sql.legacy.",
        "spark.sql.ansi",
        "spark.sql.sources.",
    ),
    *(
        "spark.sql.adaptive.",
        "spark.sql.codegen.",
        "spark.sql.caseSensitive",
        "spark.sql.session.",
        "spark.sql.shuffle.",
    ),
    *("spark.sql.optimizer.", "spark.sql.hive.convert", "spark.sql.timestampType", "spark.sql.storeAssignment"),
    *(
        "spark.sql.charVarchar",
        "spark.sql.readSideCharPadding",
        "spark.sql.preserveCharVarchar",
        "spark.sql.mapKeyDedup",
    ),
    *("spark.sql.variable.", "spark.sql.execution.", "spark.sql.subexpression", "spark.sql.constraintPropagation"),
    *("spark.sql.datetime", "spark.sql.decimal", "spark.sql.crossJoin", "spark.sql.autoBroadcast", "spark.sql.join."),
    *("spark.sql.cache.", "spark.sql.inMemory", "spark.sql.defaultColumn.", "spark.sql.collation", "spark.sql.variant"),
)

#: The statements whose clauses are listed, by the names of their rules in the grammar of Spark; and the rules of conditions.
STATEMENTS = ("deleteFromTable", "truncateTable", "updateTable", "mergeIntoTable", "cacheTable", "refreshTable")
CONDITIONS = ("booleanExpression", "predicate", "valueExpression", "primaryExpression", "constant")

_DELTA = "org.apache.spark.sql.delta"
_PARSER = "org.apache.spark.sql.catalyst.parser.SqlBaseParser"
_DELTA_PARSER = "io.delta.sql.parser.DeltaSqlBaseParser"

Items = Mapping[str, str]


def surface(spark: SparkSession) -> dict[str, Items]:
    """What this session offers: by kind, each item with a detail that a release may change (a default, a class)."""
    return {
        "api": dict(_api()),
        "condition": dict(_rules(spark, _PARSER, CONDITIONS)),
        "feature": dict(_features(spark)),
        "function": dict(_functions(spark)),
        "grammar of Delta": dict(_grammar_of_delta(spark)),
        "option": {str(name): "" for name in _each(_module(spark, f"{_DELTA}.DeltaOptions").validOptionKeys())},
        "property": dict(_properties(spark)),
        "setting": dict(_settings(spark)),
        "statement": dict(_statements(spark)),
        "type": dict(_types()),
        "widening": dict(_widenings(spark)),
    }


def _api() -> Iterator[tuple[str, str]]:
    """The public methods of the classes of Python's API, and the parameters of each: the detail is the default."""
    for name, kind in inspect.getmembers(delta.tables, inspect.isclass):
        if kind.__module__ != delta.tables.__name__:
            continue
        for method, function in inspect.getmembers(kind, callable):
            if method.startswith("_") and method != "__init__":
                continue
            yield f"{name}.{method}", ""
            for parameter in inspect.signature(function).parameters.values():
                if parameter.name != "self":
                    default = "" if parameter.default is parameter.empty else f"default {parameter.default!r}"
                    yield f"{name}.{method}({parameter.name})", default


def _features(spark: SparkSession) -> Iterator[tuple[str, str]]:
    """The detail is the class' kind: of readers, of writers, on trial."""
    features = _module(spark, f"{_DELTA}.TableFeature").allSupportedFeaturesMap()
    for feature in _each(features.values()):
        reads = bool(feature.isReaderWriterFeature())
        yield str(feature.name()), "readers and writers" if reads else "writers"


def _properties(spark: SparkSession) -> Iterator[tuple[str, str]]:
    for property in _each(_module(spark, f"{_DELTA}.DeltaConfigs").getAllConfigs().values()):
        yield str(property.key()), f"default {property.defaultValue()}"


def _settings(spark: SparkSession) -> Iterator[tuple[str, str]]:
    for holder in (f"{_DELTA}.sources.DeltaSQLConf", "org.apache.spark.sql.hive.HiveUtils"):
        _module(spark, holder)  # registers its settings when it is loaded
    entries = _module(spark, "org.apache.spark.sql.internal.SQLConf").getConfigEntries()
    for entry in entries.toArray():
        key = str(entry.key())
        if key.startswith(SETTINGS):
            detail = "" if key in _OF_THE_MACHINE else f"default {entry.defaultValueString()}"
            yield key, ", ".join(filter(None, ("" if entry.isPublic() else "internal", detail)))


#: Settings whose default depends on the machine.
_OF_THE_MACHINE = {"spark.sql.session.timeZone"}


def _functions(spark: SparkSession) -> Iterator[tuple[str, str]]:
    """The detail is the class of the expression, by which aliases are known."""
    registry = spark._jsparkSession.sessionState().functionRegistry()
    registered = {str(one.funcName()): registry.lookupFunction(one) for one in _each(registry.listFunction())}
    for (name,) in spark.sql("SHOW SYSTEM FUNCTIONS").collect():
        found = registered.get(str(name))
        yield str(name), _short(found.get().getClassName()) if found is not None and found.isDefined() else ""


def _short(name: object) -> str:
    """The name of a class without its package."""
    return str(name).rpartition(".")[2]


def _types() -> Iterator[tuple[str, str]]:
    base = pyspark.sql.types.DataType
    for name, kind in inspect.getmembers(pyspark.sql.types, inspect.isclass):
        if issubclass(kind, base) and not kind.__subclasses__() and kind.__module__ == base.__module__:
            yield name.removesuffix("Type"), ""


def _widenings(spark: SparkSession) -> Iterator[tuple[str, str]]:
    types = {name: _type(spark, name) for name in _ATOMIC}
    widening = _module(spark, f"{_DELTA}.TypeWidening")
    for source, narrow in types.items():
        for target, wide in types.items():
            if source != target and widening.isTypeChangeSupported(narrow, wide):
                yield f"{source} to {target}", ""


_ATOMIC = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary", "date", "timestamp"),
    *("timestamp_ntz", "decimal(10,0)", "decimal(20,0)", "decimal(20,5)"),
)


# The grammars ------------------------------------------------------------------------------


def _grammar_of_delta(spark: SparkSession) -> Iterator[tuple[str, str]]:
    """What its parser knows: each rule with the tokens and rules that it may have, and the words that are tokens."""
    for rule, parts in _contexts(spark, _DELTA_PARSER).items():
        yield rule, ""
        yield from ((f"{rule}({part})", "") for part in parts)


def _statements(spark: SparkSession) -> Iterator[tuple[str, str]]:
    """The alternatives of Spark's statement and DML statement; of those in ``STATEMENTS`` with their clauses."""
    contexts = _contexts(spark, _PARSER)
    bases = {"StatementContext", "DmlStatementNoWithContext"}
    for rule, parts in contexts.items():
        if _base(spark, _PARSER, rule) in bases:
            yield rule, ""
            if rule in STATEMENTS:
                yield from ((f"{rule}({part})", "") for part in parts)


def _rules(spark: SparkSession, parser: str, rules: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The alternatives of these rules, with their parts."""
    bases = {f"{rule[0].upper()}{rule[1:]}Context" for rule in rules}
    for rule, parts in _contexts(spark, parser).items():
        own = f"{rule[0].upper()}{rule[1:]}Context"
        if own in bases or _base(spark, parser, rule) in bases:
            yield rule, ""
            yield from ((f"{rule}({part})", "") for part in parts)


def _contexts(spark: SparkSession, parser: str) -> dict[str, tuple[str, ...]]:
    """The rules and labelled alternatives of a parser that ANTLR made: each is a class, which has a method for each part."""
    found = {}
    for kind in _class(spark, parser).getDeclaredClasses():
        name = str(kind.getSimpleName())
        if name.endswith("Context") and not name.lower().endswith(
            "nonreservedcontext"
        ):  # a list of words that may be names
            rule = name.removesuffix("Context")
            parts = {str(method.getName()) for method in kind.getDeclaredMethods() if _is_part(method)}
            found[f"{rule[0].lower()}{rule[1:]}"] = tuple(sorted(parts))
    return dict(sorted(found.items()))


def _is_part(method: Any) -> bool:
    """Whether a method of a context gives a token or another context; one that may be repeated, by its place."""
    if str(method.getName()) in _PUNCTUATION:
        return False
    returned, taken = str(method.getReturnType().getSimpleName()), [str(kind) for kind in method.getParameterTypes()]
    return taken in ([], ["int"]) and (returned == "TerminalNode" or returned.endswith("Context"))


_PUNCTUATION = {"COMMA", "DOT", "EOF", "LEFT_PAREN", "RIGHT_PAREN"}


def _base(spark: SparkSession, parser: str, rule: str) -> str:
    kind = _class(spark, f"{parser}${rule[0].upper()}{rule[1:]}Context")
    return str(kind.getSuperclass().getSimpleName())


# Java and Scala from Python ----------------------------------------------------------------


def _class(spark: SparkSession, name: str) -> Any:
    return spark._jvm.java.lang.Class.forName(name, True, _loader(spark))  # type: ignore[union-attr]


def _loader(spark: SparkSession) -> Any:
    return spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()  # type: ignore[union-attr]


def _module(spark: SparkSession, name: str) -> Any:
    """Scala's object of this name."""
    return _class(spark, f"{name}$").getField("MODULE$").get(None)


def _each(collection: Any) -> Iterator[Any]:
    """The elements of a collection of Scala's."""
    iterator = collection.iterator()
    while iterator.hasNext():
        yield iterator.next()


def _type(spark: SparkSession, name: str) -> Any:
    return spark._jvm.org.apache.spark.sql.types.DataType.fromDDL(name)  # type: ignore[union-attr]
