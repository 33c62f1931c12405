"""The page of a rehearsal: the answer, both releases' numbers, and the directories as a tree of a limited size."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rehearsal.document import LISTED, document_of
from rehearsal.rehearsed import Announced, Sum, Trial
from rehearsal.tree import MOST, MOST_IN_ONE, Node, tree_of
from rehearsal.words import trial_lines
from reports.document.html import html
from reports.document.markdown import markdown
from reports.text.ladder import Answer, Word
from tests.rehearsal.rehearsals import BROKEN, GOES, STAYS, rehearsal_of, release


@pytest.mark.parametrize(
    ("announced", "words"),
    [
        (Announced(37), ""),
        (Announced(37, absent=2, directories=1), ". Of those listed 2 were not there any more, 1 is a directory"),
        (Announced(37, stayed=4), ". Of those listed 4 stayed"),
        (Announced(37, unlisted=1, checksums=1), ". 1 file went without being listed: checksums"),
        (Announced(37, unlisted=3, checksums=2), ". 3 files went without being listed: 2 of them checksums"),
        (Announced(37, unlisted=3), ". 3 files went without being listed"),
    ],
)
def test_what_a_dry_run_listed_is_held_against_what_went(announced: Announced, words: str) -> None:
    trial = Trial("Delta 4.4.0", None, True, Sum(4, 10), (), announced)
    said = "Delta 4.4.0 on a copy: DRY RUN listed 37 paths, and then 4 files (10 bytes) went"
    assert list(trial_lines(trial)) == [f"{said}{words}"]


def test_the_page_lists_what_is_wrong_in_one_way() -> None:
    alike = replace(BROKEN, count=1204, subjects=("p=1/a", "p=1/b"))
    found = rehearsal_of([release("Delta 4.4.0", {".": (STAYS,)})])
    found = replace(found, trials=(replace(found.trials[0], broken=(alike,)),))
    text = markdown(document_of(Answer(Word.FAIL, "it deletes"), found))
    assert "(VAC-SAFE-3; 1,203 more alike). A known fault: It deletes young files" in text
    assert "Delta 4.4.0, VAC-SAFE-3: 2 of 1,204" in text and "- p=1/b" in text


def names(node: Node) -> list[str]:
    return [one.name for one in node.below]


def test_a_tree_has_the_sums_of_what_is_below() -> None:
    found = tree_of([release("A", {".": (STAYS,), "a": (STAYS,), "a/b": (GOES,), "a/c": (GOES, STAYS), "d": (STAYS,)})])
    assert names(found) == ["", "a", "d"] and found.shown == 7
    own, a, _ = found.below
    assert names(a) == ["", "b", "c"] and not own.below
    assert (found.releases[0].deleted.files, found.releases[0].kept.bytes) == (6, 200)
    assert (a.releases[0].deleted.bytes, a.releases[0].kept.files) == (6000, 4)


def test_a_large_tree_is_folded_to_where_most_goes() -> None:
    many = {f"p={number}": (GOES if number in (7, 400) else STAYS,) for number in range(5_000)}
    found = tree_of([release("A", many)])
    assert len(found.below) == MOST_IN_ONE and found.folded == 5_000 - MOST_IN_ONE
    assert {"p=7", "p=400"} < set(names(found)) and names(found) == sorted(names(found))
    assert found.releases[0].kept.files == 2 * 4_998
    broad = tree_of([release("A", {f"p={number % 90}/q={number}": (GOES,) for number in range(9_000)})])
    assert MOST / 2 < broad.shown <= MOST


def test_a_deep_directory_is_folded() -> None:
    found = tree_of([release("A", {"/".join("x" * 900): (GOES,)})])
    assert found.shown < 20 and found.releases[0].deleted.files == 3


def test_a_page_of_many_files_is_small() -> None:
    many = {f"p={number}/q={number % 7}": (GOES, STAYS) for number in range(5_000)}
    releases = [release("A", many), release("B", dict.fromkeys(many, (STAYS,)))]
    deleted = [f"{path}/{number}.parquet" for path in many for number in range(3)]
    text = html(document_of(Answer(Word.LOOK_FIRST, "they differ"), rehearsal_of(releases), [deleted, []]))
    assert len(text.encode()) < 2_000_000
    assert f"The first {LISTED} are here too" in text
    assert "4,900 directories in it are not shown; the numbers above have them too." in text
