"""VACUUM. Each case is a table with files to keep or to delete, and a few runs; every applicable clause judges every step."""

from __future__ import annotations

from harness.campaigns.campaign import cases_from
from strategies.cases.corpus.telling_cases import telling_vacuums
from strategies.cases.spellings import spelling_cases
from strategies.cases.table_roots import table_root_cases
from strategies.cases.vacuum_commands import refused_vacuums, vacuum_commands, vacuum_io_faults, vacuum_modes
from strategies.cases.vacuums import (
    vacuum_histories,
    vacuum_old_versions,
    vacuum_retentions,
    vacuum_stray_files,
    vacuum_vectors,
)

#: Every mode on tables whose times are all within a millisecond of the cutoff.
test_telling_vacuums = cases_from("telling-vacuums", "VAC", 48, telling_vacuums())

#: Tombstones with ages around the cutoff.
test_vacuum_retention = cases_from("vacuum-retention", "VAC", 36, vacuum_retentions())

#: Files, directories and links that no commit names, of all depths and ages.
test_vacuum_stray_files = cases_from("vacuum-stray-files", "VAC", 28, vacuum_stray_files())

#: One VACUUM in each mode, each with its own RETAIN, with and without the safety check.
test_vacuum_commands = cases_from("vacuum-commands", "VAC", 80, vacuum_commands())

#: FULL, LITE and USING INVENTORY, alone and in sequence.
test_vacuum_modes = cases_from("vacuum-modes", "VAC", 84, vacuum_modes())

#: Tables with deletion vectors, and files named by URI.
test_vacuum_vectors = cases_from("vacuum-vectors", "VAC", 100, vacuum_vectors())

#: Checkpoints of all kinds, logs that were cleaned up, and removes with only the required fields.
test_vacuum_histories = cases_from("vacuum-histories", "VAC", 48, vacuum_histories())

#: Files that cannot be deleted or listed.
test_vacuum_io_faults = cases_from("vacuum-io-faults", "VAC", 38, vacuum_io_faults())

#: VACUUMs that must be refused and change nothing.
test_refused_vacuums = cases_from("refused-vacuums", "VAC READ", 54, refused_vacuums())

#: Tables whose directory has any name.
test_table_roots = cases_from("table-roots", "DEL VAC", 44, table_root_cases())

#: Commands that spell the path of their table in any way, and tables that the session has cached.
test_table_spellings = cases_from("table-spellings", "DEL VAC", 48, spelling_cases())

#: Versions and change feeds whose files a VACUUM deleted.
test_vacuum_old_versions = cases_from("vacuum-old-versions", "VAC", 40, vacuum_old_versions())
