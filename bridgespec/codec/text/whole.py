"""What is wrong with a text as a whole: long lines and characters that may not stand. None of it decides how the text is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bridgespec.codec.text.findings import Findings
from bridgespec.diagnostic import Severity
from bridgespec.spec.grammar import Fault, TextForm


class WholeForm:
    """The checks that the head of a grammar asks for."""

    def __init__(self, form: TextForm) -> None:
        self.form = form
        self._claim = None if form.strict is None else re.compile(form.strict, re.MULTILINE)
        self._faults = [(fault, re.compile(_wanted(fault), re.MULTILINE), _pattern(fault)) for fault in form.faults]
        self._usual = _usual(fault.characters for fault in form.faults if fault.characters is not None and not fault.strict)

    @property
    def grave(self) -> bool:
        """Whether lines or characters may be errors."""
        reports = [fault.report for fault in self.form.faults] + ([] if self.form.lines is None else [self.form.lines.report])
        return any(report.severity is Severity.ERROR for report in reports)

    def is_strict(self, text: str) -> bool:
        """Whether a text claims to keep to the strict form."""
        return self._claim is not None and self._claim.search(text) is not None

    def check(self, findings: Findings, strict: bool) -> None:
        """Report lines and characters."""
        text, limit = findings.text, self.form.lines
        if limit is not None:
            for start, stop in long_lines(text, limit.most):
                findings.tell(limit.report, start, stop, {"count": str(stop - start)})
        # Deleting the usual characters is many times as fast as looking for the others, and nearly all files have no others.
        odd = self._usual is not None and bool(text.encode("latin-1").translate(None, self._usual))
        for fault, wanted, pattern in self._faults:
            if (strict if fault.strict else odd or fault.characters is None) and wanted.search(text) is not None:
                _tell_all(findings, fault, pattern)


def long_lines(text: str, most: int) -> Iterator[tuple[int, int]]:
    """The bounds of every line of more than so many characters, its end included.

    >>> list(long_lines("abc\\n" + 9 * "x" + "\\r\\nabc", 10))
    [(4, 15)]
    """
    ends = "\n" if "\n" in text else "\r"
    at, size = 0, len(text)
    while size - at > most:
        # The last line end within reach shows that all lines up to there are short.
        end = text.rfind(ends, at, at + most)
        if end < 0:
            stop = text.find(ends, at + most)
            stop = size if stop < 0 else stop + 1
            for part in re.finditer(r"[^\r]*+(?:\r\n?+|\Z)", text[at:stop]):
                if part.end() - part.start() > most:
                    yield at + part.start(), at + part.end()
            end = stop - 1
        at = end + 1


def _wanted(fault: Fault) -> str:
    return fault.at or fault.characters or ""


def _pattern(fault: Fault) -> re.Pattern[str]:
    wanted = f"({_wanted(fault)})"
    return re.compile(f"{fault.skip}|{wanted}" if fault.skip else wanted, re.MULTILINE)


def _usual(classes: Iterable[str]) -> bytes | None:
    """The characters that no class names; None where there is no class."""
    odd = [re.compile(each) for each in classes]
    return bytes(code for code in range(256) if not any(each.fullmatch(chr(code)) for each in odd)) if odd else None


def _tell_all(findings: Findings, fault: Fault, pattern: re.Pattern[str]) -> None:
    text = findings.text
    found = (match.span(1) for match in pattern.finditer(text) if match.start(1) >= 0)
    for start, stop in found:
        count = "1" if not fault.once else str(1 + sum(start < stop for start, stop in found))
        findings.tell(fault.report, start, stop, {"text": text[start : min(stop, start + 40)], "count": count})
