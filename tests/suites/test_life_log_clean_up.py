"""LIFE-1I on the version checksum of a commit that another engine's clean-up has deleted."""

from __future__ import annotations

import os
from pathlib import Path

from faults.machinery.tampering import Tampering
from model.vocabulary.commands import Checkpoint, SetRetention
from model.vocabulary.steps import OtherCommand
from model.vocabulary.table import DAY, HOUR, Column, Commit, DataFile, Feature, Table
from model.vocabulary.values import Type
from tests.handmade.steps import judged_by, removing, right

COMMIT, YOUNG = "_delta_log/00000000000000000000.json", "_delta_log/00000000000000000001.crc"
TABLE = Table(
    columns=(Column("v", Type.INTEGER),),
    partition_by=(),
    files=(DataFile(0, (), ((0,),), -12 * DAY), DataFile(1, (), ((1,),), -12 * DAY)),
    commits=(Commit(-12 * DAY, adds=(0,)), Commit(-HOUR, adds=(1,))),
    features=(Feature.CHECKSUMS.value,),
)


def test_the_checksum_of_a_commit_that_is_gone_may_be_deleted_and_no_other(tmp_path: Path) -> None:
    """Delta 3.3 deletes an expired commit and leaves its young checksum, which a checkpoint of Delta 4.4 deletes."""
    checksum = COMMIT.replace(".json", ".crc")

    def without_its_commit(t: Tampering) -> None:
        t.disk.delete(COMMIT)
        os.utime(t.root / checksum)

    short = (OtherCommand(SetRetention(24, of_log=True)), right)
    first = (OtherCommand(Checkpoint()), without_its_commit)
    _, found = judged_by(
        TABLE, tmp_path / "gone", "LIFE-1I", short, first, (OtherCommand(Checkpoint()), removing(checksum))
    )
    assert {one.step for one in found} <= {1}
    _, found = judged_by(TABLE, tmp_path / "there", "LIFE-1I", short, (OtherCommand(Checkpoint()), removing(YOUNG)))
    assert {one.step for one in found} == {1}
