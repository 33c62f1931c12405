"""A run as JUnit XML: one testcase for each clause, so that any CI server shows the results clause by clause."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from records.run import Verdict
from reports.findings.failures import Example, examples
from reports.findings.of_run import findings_of
from reports.findings.verdicts import ClauseFinding
from reports.stream.reading import Run
from reports.text.quantities import counted

_SKIPPED = (Verdict.KNOWN_FAULT, Verdict.NOT_APPLICABLE, Verdict.DISABLED)
_ERRORS = (Verdict.NOT_TESTED, Verdict.ERROR)
_FAILURES = (Verdict.FAILS, Verdict.LISTED_BUT_GONE)

#: What XML 1.0 cannot contain, not even as a reference (XML 1.0, "Characters"), such as lone surrogates.
_FORBIDDEN = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def junit(run: Run) -> str:
    """The text of ``junit.xml``, to be written as UTF-8. Times are the engine's seconds.

    The clauses that fail come first, the gravest at the top. Those that fail or are listed but gone are failures;
    known faults, and what is not applicable or disabled, are skipped; what is not tested or ended in an error is an error, and
    so is each case that ended in one, as a testcase of its own.
    """
    findings = findings_of(run)
    results, erred = findings.results, findings.errors
    suites = ET.Element("testsuites")
    suite = ET.SubElement(
        suites,
        "testsuite",
        name="tombstone",
        tests=str(len(results) + len(erred)),
        failures=str(sum(result.verdict in _FAILURES for result in results)),
        errors=str(sum(result.verdict in _ERRORS for result in results) + len(erred)),
        skipped=str(sum(result.verdict in _SKIPPED for result in results)),
        time=f"{run.footer.seconds:.3f}",
    )
    header = run.header
    about = {"engine": header.engine, "profile": header.profile, "seed": header.seed, **header.versions}
    _properties(suite, {**about, "known_bad": header.known_bad, "platform": header.platform})
    shown = examples(findings.failures)
    place = {clause: number for number, clause in enumerate(shown)}
    for result in sorted(results, key=lambda result: place.get(result.clause, len(place))):
        _clause(suite, run, result, shown.get(result.clause, ()))
    for case in erred:
        element = ET.SubElement(suite, "testcase", classname=text(case.campaign), name=f"case {case.case}", time="0")
        error = ET.SubElement(element, "error", type=case.error.kind, message=text(case.error.message))
        error.text = text(case.error.log)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def text(value: object) -> str:
    """``value`` as text that XML 1.0 can contain: what it cannot is written as ``\\\\x1b`` or ``\\\\ud800``."""
    return _FORBIDDEN.sub(_escape, str(value))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _clause(suite: ET.Element, run: Run, result: ClauseFinding, shown: Sequence[Example]) -> None:
    clause = run.clauses[result.clause]
    element = ET.SubElement(
        suite, "testcase", classname=text(clause.chapter), name=result.clause, time=f"{result.seconds:.3f}"
    )
    known = {"sentence": clause.sentence, "met": result.met, "subjects": result.subjects, "seconds": result.seconds}
    _properties(element, known)
    if result.verdict in _SKIPPED:
        ET.SubElement(element, "skipped", type=result.verdict.value, message=text(result.reason))
    elif result.verdict in _ERRORS:
        ET.SubElement(element, "error", type=result.verdict.value, message=text(result.reason))
    elif result.verdict is Verdict.LISTED_BUT_GONE:
        ET.SubElement(element, "failure", type=result.verdict.value, message=text(result.reason))
    elif result.verdict is Verdict.FAILS:
        _failure(element, result, shown)


def _failure(element: ET.Element, result: ClauseFinding, shown: Sequence[Example]) -> None:
    first = f"{shown[0].severity.value}: {shown[0].violation.message}" if shown else "The violation has no message."
    failure = ET.SubElement(element, "failure", type="fails", message=text(first))
    lines = [f"{counted(result.failures, 'failing case')}.", ""]
    for example in shown:
        violation = example.violation
        lines += [f"{example.severity.value}, case {example.judged.id}, step {violation.step}; cause: {example.cause}"]
        lines += [violation.message, *(f"  {line}" for line in violation.evidence), ""]
    failure.text = text("\n".join(lines))


def _properties(parent: ET.Element, values: dict[str, object]) -> None:
    properties = ET.SubElement(parent, "properties")
    for name, value in values.items():
        if value is not None:
            ET.SubElement(properties, "property", name=text(name), value=text(value))
