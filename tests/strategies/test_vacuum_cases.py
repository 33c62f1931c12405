"""Cases of VACUUM: the conditions of each campaign are drawn often enough."""

from __future__ import annotations

from collections import Counter

import pytest

from model.prediction.history import live_ids
from model.vocabulary.case import Case
from model.vocabulary.steps import (
    API_VACUUM_FORMS,
    AddStrayFiles,
    Delete,
    InvalidVacuum,
    Inventory,
    IOFault,
    Listing,
    Mode,
    Read,
    SetClock,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.vocabulary.table import Feature, Kind, Reference, VectorStorage
from strategies.steps.vacuums import IN_ORDER, RETAINS, keeping
from strategies.tables.initial_tables import live_files
from strategies.tables.paths import is_flat, is_hidden_deeper
from strategies.tables.vacuum_tables import TABLE_RETENTIONS
from tests.drawn_cases import drawn, matches
from tests.sampling import check_shares, sample

#: The tests share drawn cases: one worker of pytest-xdist does them all.
pytestmark = [pytest.mark.xdist_group("drawn"), pytest.mark.slow]


def vacuum_conditions(case: Case) -> dict[str, tuple[int, int, bool]]:
    """The conditions at the first clock of the case and the table's own retention.

    The bounds are those of ``vacuum_retentions`` and of ``vacuum_stray_files``.
    """
    table = case.table
    clock = next((step.to for step in case.steps if isinstance(step, SetClock)), None)
    stamped = clock is not None and clock.removed_by_step is not None
    cutoff = (0 if clock is None else clock.offset) - table.retention
    removals = [(r.file, r.deleted) for commit in table.commits for r in commit.removes if r.deleted is not None]
    ages = {file.id: file.modified for file in table.files}
    return {
        "two tombstones": (14, 23, len(removals) >= 2),
        "tombstone expired, file old": (18, 19, any(at < cutoff and ages[file] < cutoff for file, at in removals)),
        "tombstone expired, file young": (2, 5, any(at < cutoff <= ages[file] for file, at in removals)),
        "tombstone inside, file old": (8, 14, any(at >= cutoff > ages[file] for file, at in removals)),
        "tombstone on the cutoff": (3, 7, any(at == cutoff for _, at in removals)),
        "tombstone 1 ms older": (3, 6, any(at == cutoff - 1 for _, at in removals)),
        "tombstone 1 ms younger": (1, 3, any(at == cutoff + 1 for _, at in removals)),
        "live file": (29, 26, bool(live_files(table))),
        "live file, old": (27, 23, any(file.modified < cutoff for file in live_files(table))),
        "two stray files": (11, 30, len(table.stray_files) >= 2),
        "stray file on the cutoff": (1, 15, any(stray.modified == cutoff for stray in table.stray_files)),
        "stray file 1 ms older": (1, 13, any(stray.modified == cutoff - 1 for stray in table.stray_files)),
        "stray file in the future": (5, 20, any(stray.modified > 0 for stray in table.stray_files)),
        "empty directory": (7, 24, any(stray.kind is Kind.DIRECTORY for stray in table.stray_files)),
        "cutoff on a timestamp": (13, 0, stamped),
        "clock at the start": (5, 7, clock is None),
        "logging off": (2, 2, any(isinstance(step, Vacuum) and step.logging is False for step in case.steps)),
    }


@pytest.mark.parametrize(("name", "at"), [("vacuum_retentions", 0), ("vacuum_stray_files", 1)])
def test_conditions_of_vacuum_retentions_and_of_stray_files(name: str, at: int) -> None:
    check_shares(
        drawn(name), lambda case: {key: (float(one[at]), one[2]) for key, one in vacuum_conditions(case).items()}
    )


def test_stamped_deletes_often_remove_files() -> None:
    stamped = [case for case in drawn("vacuum_retentions") if isinstance(case.steps[0], Delete)]
    matching = [case for case in stamped if any(any(file) for file in matches(case, case.steps[0]))]  # type: ignore[arg-type]
    assert len(matching) >= 0.45 * len(stamped), f"{len(matching)} of {len(stamped)}"


def vacuums_of(cases: tuple[Case, ...]) -> list[Vacuum]:
    return [step for case in cases for step in case.steps if isinstance(step, Vacuum)]


def test_vacuum_stray_files_have_files_beside_the_root_and_links() -> None:
    seen: Counter[str] = Counter()
    for case in drawn("vacuum_stray_files"):
        stray_files = case.table.stray_files
        seen["beside"] += any(stray.path.startswith("../") for stray in stray_files)
        seen["a sibling that shares a prefix with the root"] += any(s.path.startswith("../table") for s in stray_files)
        links = [stray for stray in stray_files if stray.kind is Kind.LINK]
        seen["links"] += bool(links)
        seen["a link to a live file"] += any(not str(link.target).startswith("../") for link in links)
        seen["a link out of the table"] += any(str(link.target).startswith("../") for link in links)
    assert {name: count for name, count in seen.items() if count < 20} == {}, seen


def kind_of(hours: float) -> str:
    return next(kind for kind, all_hours in RETAINS.items() if hours in all_hours)


def test_vacuum_commands_have_every_mode_with_every_retain() -> None:
    found = drawn("vacuum_commands")
    steps = vacuums_of(found)
    seen = Counter((step.mode, kind_of(step.retain_hours or 0), step.safety_check) for step in steps)
    wanted = [(mode, kind, check) for mode in Mode for kind in RETAINS for check in (True, False)]
    assert {pair: seen[pair] for pair in wanted if seen[pair] < 12} == {}, seen
    assert {step.retain_hours for step in steps} == {hours for kind in RETAINS.values() for hours in kind}
    assert {case.table.retention_hours for case in found} == set(TABLE_RETENTIONS)
    assert {step.logging for step in steps} == {True, False, None}
    assert {step.dry_run for step in steps} == {True, False}
    # A case has one VACUUM of each mode.
    assert all(tuple(step.mode for step in vacuums_of((case,))) == IN_ORDER for case in found)


@pytest.mark.parametrize("name", ["vacuum_commands", "vacuum_modes", "programs"])
def test_inventories_have_no_path_that_is_too_deep(name: str) -> None:
    deeper = 0
    for case in drawn(name):
        known = list(case.table.stray_files)
        for step in case.steps:
            known += step.stray_files if isinstance(step, AddStrayFiles) else ()
            if isinstance(step, Vacuum) and step.mode.inventory:
                assert all(is_flat(stray) for stray in known)
                deeper += any(is_hidden_deeper(stray.path, case.table.partition_by) for stray in known)
    # Spark fails on files hidden deeper: few tables may have them, and programs none.
    assert (2 if name != "programs" else 0) <= deeper <= 0.2 * len(vacuums_of(drawn(name)))


def test_conditions_of_vacuum_modes() -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        steps = case.steps
        runs = vacuums_of((case,))
        lite = [place for place, step in enumerate(steps) if isinstance(step, Vacuum) and step.mode.lite]
        full = [place for place, step in enumerate(steps) if isinstance(step, Vacuum) and not step.mode.lite]
        real = [place for place in lite if not steps[place].dry_run]  # type: ignore[union-attr]

        def between(first: int) -> set[type]:
            return set(map(type, steps[first + 1 : lite[-1]]))

        feed = case.table.has(Feature.CHANGE_DATA_FEED)
        instants = {commit.at for commit in case.table.commits}
        clocks = [step.to for step in steps if isinstance(step, SetClock)]
        cutoffs = {moment.offset - case.table.retention for moment in clocks if moment.removed_by_step is None}
        if not clocks or steps.index(SetClock(clocks[0])) > steps.index(runs[0]):
            cutoffs.add(-case.table.retention)
        return {
            "all modes": (9, {run.mode for run in runs} == set(Mode)),
            "LITE three times": (9, len(lite) >= 3),
            "a clock between two LITEs": (12, bool(real) and SetClock in between(real[0])),
            "a DELETE between two LITEs": (2, bool(lite) and Delete in between(lite[0])),
            "LITE after FULL": (2, any(f < last for f in full for last in lite) and bool(real)),
            "change files, then LITE": (5, feed and isinstance(steps[0], Delete) and bool(real)),
            "files-only inventory": (7, any(r.mode.inventory and r.inventory is Inventory.FILES for r in runs)),
            "an inventory by a query that is no table": (1, any(r.listing is not Listing.PLAIN for r in runs)),
            "parallel": (20, any(run.parallel for run in runs)),
            "parallel LITE": (10, any(run.parallel and run.mode.lite for run in runs)),
            "logging unset": (20, any(run.logging is None for run in runs)),
            **{
                form.value: (2 if form in API_VACUUM_FORMS else 5, any(run.form is form for run in runs))
                for form in VacuumForm
            },
            **{
                f"a commit {edge:+} ms from the cutoff": (8, any(cutoff + edge in instants for cutoff in cutoffs))
                for edge in (-1, 0, 1)
            },
        }

    check_shares(drawn("vacuum_modes"), conditions)


def test_forms_without_sql_have_no_keyword_and_no_dry_run() -> None:
    for name in ("vacuum_commands", "vacuum_modes", "vacuum_io_faults", "refused_vacuums", "programs"):
        for step in vacuums_of(drawn(name)):
            if step.form in API_VACUUM_FORMS:
                assert not step.dry_run
                assert step.mode in (Mode.DEFAULT, Mode.LITE_SETTING)


def loses_files(case: Case) -> bool:
    """Whether Spark deletes files that must be kept: vectors with absolute paths, or targets of links."""
    deletion_vectors = [vector for commit in case.table.commits for vector in commit.deletion_vectors]
    return any(vector.storage is VectorStorage.ABSOLUTE for vector in deletion_vectors) or "link" in {
        s.path for s in case.table.stray_files
    }


def test_conditions_of_vacuum_vectors() -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        table = case.table
        live = set(live_ids(table))
        deletion_vectors = [(commit, vector) for commit in table.commits for vector in commit.deletion_vectors]
        references = {(file.reference, file.id in live) for file in table.files}
        twice = [vector.file for _, vector in deletion_vectors]
        in_files = Counter(
            id(commit) for commit, vector in deletion_vectors if vector.storage is not VectorStorage.INLINE
        )
        if loses_files(case):
            assert sum(not step.dry_run for step in vacuums_of((case,))) == 1
            assert not any(isinstance(step, Read) for step in case.steps)
        assert not any(isinstance(step, Delete) for step in case.steps), (
            "DELETEs of files referenced by URI are not judged"
        )
        return {
            "vectors": (40, bool(deletion_vectors)),
            "a shared vector file": (12, any(count > 1 for count in in_files.values())),
            "a vector file in a directory": (12, any(commit.vector_prefix for commit, _ in deletion_vectors)),
            "two vectors of a file": (8, len(set(twice)) < len(twice)),
            "a removed file with a vector": (12, any(vector.file not in live for _, vector in deletion_vectors)),
            "an orphan vector file": (25, any("deletion_vector_f" in stray.path for stray in table.stray_files)),
            "live by URI": (20, (Reference.ABSOLUTE, True) in references),
            "removed, by URI": (15, (Reference.ABSOLUTE, False) in references),
            "live outside": (20, (Reference.OUTSIDE, True) in references),
            "removed, outside": (15, (Reference.OUTSIDE, False) in references),
            "something that Spark loses": (4, loses_files(case)),
            "LITE": (3, any(run.mode.lite for run in vacuums_of((case,)))),
        }

    check_shares(drawn("vacuum_vectors"), conditions)


def test_conditions_of_vacuum_histories() -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        table = case.table
        removals = [(v, removal) for v, commit in enumerate(table.commits) for removal in commit.removes]
        points = [version for version, commit in enumerate(table.commits) if commit.checkpoint]
        assert points
        last = points[-1]
        past = Read(before_step=0) in case.steps
        clock = any(isinstance(step, SetClock) for step in case.steps)
        return {
            "pruned": (10, table.pruned > 0),
            "a remove that is only in the checkpoint": (12, any(version <= table.pruned for version, _ in removals)),
            "a checkpoint after removes": (15, any(version < last for version, _ in removals)),
            "removes after the checkpoint": (10, any(version > last for version, _ in removals)),
            "two checkpoints": (30, len(points) > 1),
            "several parts": (15, any(commit.parts > 1 for commit in table.commits)),
            "no time": (15, any(removal.deleted is None for _, removal in removals)),
            "bare": (15, any(removal.bare for _, removal in removals)),
            "the past is read, inside retention": (8, past and not clock),
            "the past is read, outside retention": (8, past and clock),
            "vectors": (12, any(commit.deletion_vectors for commit in table.commits)),
            "checksums": (12, table.has(Feature.CHECKSUMS)),
            "v2Checkpoints": (8, table.has(Feature.V2_CHECKPOINTS)),
            "frequentCheckpoints": (8, table.has(Feature.FREQUENT_CHECKPOINTS)),
            "brokenLastCheckpoint": (6, table.has(Feature.BROKEN_LAST_CHECKPOINT)),
            "vacuumProtocolCheck": (6, table.has(Feature.VACUUM_PROTOCOL_CHECK)),
        }

    check_shares(drawn("vacuum_histories"), conditions)


def test_vacuum_io_faults_have_every_fault() -> None:
    found = drawn("vacuum_io_faults")
    seen = Counter(step.io_fault for step in vacuums_of(found))
    assert {io_fault: seen[io_fault] for io_fault in IOFault if seen[io_fault] < 60} == {}, seen
    own = 0
    for case in found:
        known = {stray.path for stray in case.table.stray_files}
        for step in case.steps:
            if isinstance(step, AddStrayFiles):
                known |= {stray.path for stray in step.stray_files}
            elif isinstance(step, Vacuum) and step.faulty_path is not None:
                exists = any(path == step.faulty_path or path.startswith(f"{step.faulty_path}/") for path in known)
                own += not step.faulty_path.startswith("trouble ")
                assert exists or not step.faulty_path.startswith("trouble "), "the faulty path exists"
        last = vacuums_of((case,))[-1]
        assert last.io_fault is None
    assert own >= 30


def test_refused_vacuums_have_every_refusal() -> None:
    seen: Counter[object] = Counter()
    for case in drawn("refused_vacuums"):
        invalid = [step for step in case.steps if isinstance(step, InvalidVacuum)]
        seen.update(step.mistake for step in invalid)
        seen.update(("dry", step.dry_run) for step in invalid)
        if VacuumMistake.PARTITION_DIRECTORY in {step.mistake for step in invalid}:
            assert case.table.partition_by and live_files(case.table)
        unknown = case.table.has(Feature.UNKNOWN_READER, Feature.UNKNOWN_WRITER)
        for feature in (Feature.UNKNOWN_READER, Feature.UNKNOWN_WRITER):
            seen[feature] += case.table.has(feature)
        assert not (case.table.has(Feature.UNKNOWN_READER) and any(isinstance(step, Read) for step in case.steps))
        seen.update(("unknown protocol", run.mode) for run in vacuums_of((case,)) if unknown)
        seen["LITE of a pruned log"] += case.table.pruned > 0 and any(r.mode.lite for r in vacuums_of((case,)))
    wanted = [
        *VacuumMistake,
        ("dry", True),
        ("dry", False),
        Feature.UNKNOWN_READER,
        Feature.UNKNOWN_WRITER,
        *(("unknown protocol", mode) for mode in Mode),
        "LITE of a pruned log",
    ]
    assert {name: seen[name] for name in wanted if seen[name] < 8} == {}, seen


def test_programs_have_every_mode() -> None:
    found = vacuums_of(drawn("programs"))
    seen = Counter(step.mode for step in found)
    assert {mode: seen[mode] for mode in Mode if seen[mode] < 5} == {}, seen
    for drawn_too in ("parallel", "io_fault", "retain_hours"):
        assert any(getattr(step, drawn_too) for step in found), drawn_too


def test_versions_to_keep_are_drawn_in_any_order_and_more_than_one() -> None:
    found = sample(keeping(Vacuum(form=VacuumForm.API_PATH, mode=Mode.LITE)))
    assert {(step.form, step.mode) for step in found} == {(VacuumForm.SQL_PATH, Mode.LITE)}

    def conditions(step: Vacuum) -> dict[str, tuple[float, bool]]:
        return {
            "one": (15, len(step.keep) == 1),
            "several, back": (10, list(step.keep) != sorted(step.keep, reverse=True)),
            "several, forth": (10, len(step.keep) > 1 and list(step.keep) == sorted(step.keep, reverse=True)),
            "one twice": (4, len(set(step.keep)) < len(step.keep)),
        }

    check_shares(found, conditions)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least"), [("vacuum_old_versions", 18), ("vacuum_histories", 5)])
def test_vacuums_are_asked_to_keep_versions(name: str, least: int) -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        return {name: (least, any(step.keep for step in vacuums_of((case,))))}

    check_shares(drawn(name), conditions)


def test_a_version_to_keep_is_so_many_before_the_current_one() -> None:
    assert Vacuum(keep=(0, 2, 9)).kept_versions(5) == (5, 3, 0)
