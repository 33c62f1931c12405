"""The capabilities of engines, and the enumerations of cases."""

from __future__ import annotations

from dataclasses import fields, replace
from enum import Enum
from typing import Any

import pytest

from model.prediction import delete, fates
from model.vocabulary import case, predicate, rules, steps, table, values
from model.vocabulary.capabilities import EVERYTHING, Capabilities, has, mistake_in
from model.vocabulary.commands import SWITCHED
from model.vocabulary.predicate import Function
from model.vocabulary.steps import DeleteMistake, Form, Mode, VacuumForm
from model.vocabulary.table import Feature, VectorStorage

FLAGS = [field.name for field in fields(Capabilities) if isinstance(getattr(EVERYTHING, field.name), bool)]


def words_of(found: frozenset[Enum]) -> type[Enum]:
    return type(next(iter(found)))


def test_by_default_an_engine_supports_everything() -> None:
    for field in fields(Capabilities):
        found = getattr(EVERYTHING, field.name)
        if field.name in ("switchable", "droppable"):  # of the features those that a property switches
            assert found == frozenset(SWITCHED)
        else:
            assert found is True or found == frozenset(words_of(found)), field.name


def with_field(name: str, value: bool | frozenset[Enum]) -> Capabilities:
    """Everything, except for one field."""
    return replace(EVERYTHING, **{name: value})  # type: ignore[arg-type]  # which of them it is, only its name says


def test_shared_flags() -> None:
    for flag in FLAGS:
        less = with_field(flag, False)
        assert EVERYTHING.shared(less) == less.shared(EVERYTHING) == less, flag
        assert has(EVERYTHING, flag) and not has(less, flag), flag


def test_shared_sets_are_intersections() -> None:
    some = replace(EVERYTHING, modes=frozenset({Mode.FULL, Mode.LITE}))
    others = replace(EVERYTHING, modes=frozenset({Mode.LITE, Mode.DEFAULT}))
    assert some.shared(others).modes == {Mode.LITE}
    assert has(some, Mode.FULL) and not has(others, Mode.FULL)


def test_engines_without_a_mode_in_common_share_the_vacuum_that_lists_the_table() -> None:
    full, plain, none = (replace(EVERYTHING, modes=frozenset(modes)) for modes in ({Mode.FULL}, {Mode.DEFAULT}, ()))
    assert full.shared(plain).modes == {Mode.DEFAULT}
    assert full.shared(none).modes == frozenset()


@pytest.mark.parametrize(
    ("field", "need"),
    [
        ("features", Feature.APPEND_ONLY),
        ("delete_forms", Form.TRUNCATE),
        ("vacuum_forms", VacuumForm.API_NAME),
        ("delete_mistakes", DeleteMistake.VIEW),
    ],
)
def test_a_need_is_looked_up_in_its_own_set(field: str, need: Feature | Form | VacuumForm | DeleteMistake) -> None:
    less = with_field(field, getattr(EVERYTHING, field) - {need})
    assert has(EVERYTHING, need) and not has(less, need)


@pytest.mark.parametrize(
    ("field", "claimed", "words"),
    [
        ("vacuum", "no", "vacuum is 'no', and must be True or False"),
        ("types", {"long"}, "types is {'long'}, and must be a frozenset of members of Type"),
        (
            "modes",
            frozenset({Feature.WIDENED}),
            f"modes is {Feature.WIDENED!r}, and must be a frozenset of members of Mode",
        ),
        ("delete_forms", frozenset(), "delete_forms and types must not be empty"),
        ("types", frozenset(), "delete_forms and types must not be empty"),
    ],
)
def test_capabilities_that_do_not_exist_are_a_mistake(field: str, claimed: object, words: str) -> None:
    assert mistake_in(replace(EVERYTHING, **{field: claimed})) == words  # type: ignore[arg-type]


def test_only_capabilities_are_capabilities() -> None:
    assert mistake_in(EVERYTHING) is None and mistake_in(replace(EVERYTHING, modes=frozenset())) is None
    assert mistake_in(None) == "they are None, and no model.vocabulary.capabilities.Capabilities"


WORDS: set[type[Enum]] = {
    one
    for module in (case, delete, fates, predicate, rules, steps, table, values)
    for one in vars(module).values()
    if isinstance(one, type) and issubclass(one, Enum) and issubclass(one, str) and len(one)
}


def test_values_of_enumerations_are_distinct() -> None:
    """Reports and case files contain the values."""
    for words in WORDS:
        texts = [word.value for word in words]
        assert len(set(texts)) == len(words.__members__), f"two names of one word: {words}"
        assert all(isinstance(value, str) and value and value != str(None) for value in texts), words


def test_columns_of_includes_all_parts() -> None:
    chosen = predicate.CaseWhen(predicate.IsNull("a"), predicate.Of("b"), predicate.Of("c"))
    call = predicate.Call(Function.UPPER, (predicate.Of("d"),))
    assert predicate.columns_of(predicate.Relate(chosen, predicate.Op.EQ, call)) == {"a", "b", "c", "d"}


def test_functions_have_their_sql_names() -> None:
    signs = {Function.ADD: "+", Function.SUBTRACT: "-", Function.MULTIPLY: "*", Function.REMAINDER: "%"}
    assert {function: function.value for function in Function} == {
        function: signs.get(function, function.name.lower()) for function in Function
    }


def test_without_the_feature_no_storage_of_deletion_vectors_is_supported() -> None:
    """Releases of delta-rs before 1.4: clauses about deletion vectors are unsupported there, not unexercised."""
    without = replace(EVERYTHING, features=EVERYTHING.features - {Feature.DELETION_VECTORS})
    assert has(EVERYTHING, VectorStorage.INLINE) and not has(without, VectorStorage.INLINE)


@pytest.mark.parametrize(
    ("need", "other"), [("streams", "earlier_sessions"), ("checksum_details", "version_checksums")], ids=str
)
def test_a_capability_that_is_nothing_without_another_is_not_there_without_it(need: str, other: str) -> None:
    without: dict[str, Any] = {other: False}
    assert has(EVERYTHING, need) and not has(replace(EVERYTHING, **without), need)
