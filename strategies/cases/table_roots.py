"""Cases on tables whose own directory has any name."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.case import Case
from model.vocabulary.steps import Delete, Mode, Read, Step, Vacuum
from model.vocabulary.table_roots import TableRoot
from strategies.conditions.predicates import picks
from strategies.steps.vacuums import LITE_MODES, vacuums
from strategies.tables.initial_tables import RETENTIONS
from strategies.tables.vacuum_tables import referenced_by_uri, vacuumables
from strategies.weights import odds, weighted

#: Every name but the plain one, which all other cases have.
NAMES = tuple(name for name in TableRoot if name is not TableRoot.PLAIN)


@st.composite
def table_root_cases(draw: DrawFn) -> Case:
    """A DELETE, a dry run, a VACUUM that lists the directory and one of any mode, and two reads: 6 engine steps.

    Each name of the table's directory is equally frequent. The table has removed files and three to six stray files at any
    depth. Where the name is encoded in a URI, the log names files by URI, as in half of the other tables. Shrinks to the first
    name.
    """
    root = draw(st.sampled_from(NAMES))  # first: Hypothesis varies earlier draws more often
    retention = draw(st.sampled_from(RETENTIONS))
    table = draw(vacuumables(retention=retention, min_stray_files=3, max_stray_files=6, flat=True, hidden_deeper=False))
    if quote(root.value) != root.value or draw(st.booleans()):
        table = draw(referenced_by_uri(table))
    table = replace(table, root=root)
    mode = draw(_MODES)
    steps: list[Step] = [draw(weighted((3, picks(table).map(Delete)), (1, st.just(Delete())))), Vacuum(dry_run=True)]
    return Case(table, (*steps, draw(vacuums()), draw(vacuums(mode=mode)), Read(before_step=0), Read()))


_MODES: SearchStrategy[Mode] = weighted(
    (2, LITE_MODES), (1, st.just(Mode.INVENTORY_QUERY)), (1, odds((1, Mode.INVENTORY_TABLE)))
)
