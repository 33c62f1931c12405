"""Cases whose commands spell the path of their table in any way, and whose sessions have cached it."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.vocabulary.case import Case
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    DELETES_BY_PATH,
    NAMED_RELATIVELY,
    VACUUMS_BY_PATH,
    Delete,
    Form,
    Mode,
    Read,
    Vacuum,
    VacuumForm,
)
from model.vocabulary.table import Table
from strategies.conditions.predicates import picks
from strategies.steps.vacuums import LISTED_MODES
from strategies.tables.initial_tables import RETENTIONS
from strategies.tables.vacuum_tables import referenced_by_uri, vacuumables
from strategies.weights import odds, one_in, weighted

#: Every spelling but the plain one, which all other cases have.
SPELLINGS = tuple(spelling for spelling in Spelling if spelling is not Spelling.PLAIN)

_OTHER_FORMS = tuple(form for form in Form if form not in DELETES_BY_PATH)
_BY_PATH_OR_NOT = odds((3, True), (1, False))
_CACHED = odds((1, False), (2, True))


@st.composite
def spelling_cases(draw: DrawFn) -> Case:
    """A DELETE, a dry run, a VACUUM that lists the directory, and a read: 4 engine steps.

    The commands by path spell it in the same way, each of ``SPELLINGS`` equally often. One DELETE in four is by name. In
    two of three cases the session has cached the table before the DELETE. The table has removed files and two to five stray
    files; one in four names files by URI, but not where the commands name a link. Shrinks to the first spelling.
    """
    spelling = draw(st.sampled_from(SPELLINGS))  # first: Hypothesis varies earlier draws more often
    retention = draw(st.sampled_from(RETENTIONS))
    table = draw(vacuumables(retention=retention, min_stray_files=2, max_stray_files=5, flat=True, hidden_deeper=False))
    if draw(one_in(4)) and spelling is not Spelling.LINK:
        table = draw(referenced_by_uri(table))
    delete = draw(_deletes(table, spelling))
    form = draw(st.sampled_from([form for form in VACUUMS_BY_PATH if _has(form, spelling)]))
    in_sql = form if form is not VacuumForm.API_PATH else VacuumForm.SQL_QUOTED_PATH
    mode = draw(LISTED_MODES) if form is not VacuumForm.API_PATH else Mode.DEFAULT
    shown = Vacuum(dry_run=True, form=in_sql, spelling=spelling)
    return Case(table, (delete, shown, Vacuum(form=form, mode=mode, spelling=spelling), Read()))


@st.composite
def _deletes(draw: DrawFn, table: Table, spelling: Spelling) -> Delete:
    by_path, cached = draw(_BY_PATH_OR_NOT), draw(_CACHED)
    where = draw(weighted((4, picks(table)), (1, st.none())))
    if by_path:
        form = draw(st.sampled_from([form for form in DELETES_BY_PATH if _has(form, spelling)]))
        return Delete(where, form=form, cached=cached, spelling=spelling)
    form = draw(st.sampled_from(_OTHER_FORMS))
    return Delete(None if form is Form.TRUNCATE else where, form=form, cached=cached)


def _has(form: Form | VacuumForm, spelling: Spelling) -> bool:
    """Whether a path can be spelled so in the form."""
    return spelling is not Spelling.RELATIVE or form in NAMED_RELATIVELY
