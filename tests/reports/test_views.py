"""The views of a made-up run, comparison and run in turn are those that were approved; each begins with the answer."""

from __future__ import annotations

import io
import json
import textwrap

import pytest
from jsonschema_rs import Draft202012Validator, meta
from rich.console import Console

from reports.comparison.answer import answer_to
from reports.comparison.comparison import Comparison
from reports.document.markdown import markdown
from reports.document.terminal import show
from reports.render.comparison.document import comparison_document
from reports.render.comparison.files import as_json
from reports.render.github import of_comparison
from reports.text.cut import cut
from reports.text.ladder import Answer, Word, gravest
from tests.reports.answers import found
from tests.reports.test_comparison import SCHEMA
from tests.reports.views import APPROVED, views


def test_the_views_are_those_that_were_approved() -> None:
    """``python -m tests.reports.views`` writes them again: the diff is the change of the views."""
    made = views()
    approved = {path.name: path.read_text(encoding="utf-8").splitlines() for path in APPROVED.glob("*.txt")}
    assert approved.keys() == made.keys()
    for name, lines in made.items():
        assert lines == approved[name], name


def test_what_is_wrong_counts_before_what_could_not_be_judged() -> None:
    """And that before what is to be looked at."""
    for exit, lesser in ((1, (2, 3, 0)), (2, (3, 0)), (3, (0,))):
        words = [next(word for word in Word if word.exit == one) for one in (*lesser, exit)]
        assert gravest(Answer(word, "") for word in words).exit == exit


COMPARISONS = {what: one for what, one in found() if isinstance(one, Comparison)}


@pytest.mark.parametrize("comparison", COMPARISONS.values(), ids=COMPARISONS.keys())
def test_all_views_of_an_upgrade_have_its_answer(comparison: Comparison) -> None:
    answer = answer_to(comparison)
    assert len(textwrap.wrap(str(answer), 80)) <= 3
    assert answer.exit == comparison.exit
    assert bool([*of_comparison(comparison)]) == (answer.word is not Word.UPGRADE)
    stated = json.loads(json.dumps(as_json(comparison)))
    meta.validate(SCHEMA)
    assert not list(Draft202012Validator(SCHEMA).iter_errors(stated))
    assert (stated["exit"], "{word}: {reason}".format(**stated["answer"])) == (answer.exit, str(answer))
    assert markdown(comparison_document(comparison)).startswith(f"# {answer.mark} {answer}\n")
    console = Console(file=io.StringIO(), width=500)
    show(comparison_document(comparison), console)
    assert console.file.getvalue().startswith(f"{answer}\n")  # type: ignore[attr-defined]


def test_a_long_word_is_cut() -> None:
    assert cut("p=1/part-00000-20bdfea1.parquet", 20) == "p=1/part-00000-20bd…"
