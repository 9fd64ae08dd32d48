"""What stands in a text as its grammar lets it, and is to be reported all the same: long lines, characters, keys of pairs that come
twice or too late. None of it decides how the text is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bridgespec.codec.text_explain import Explainer
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_shape import Program
from bridgespec.codec.text_strict import Kind, Pair, Sink, StrictCheck, tell
from bridgespec.diagnostic import Edit, Fix, Severity, define
from bridgespec.spec.grammar_form import Fault, Report

NO_RECORD = define(
    "no-record",
    Severity.ERROR,
    """There is text in the file, but no record of the format.

    Everything in it was passed over, as a format does that lets text stand between its records. Most likely the file is of
    another format, or damaged from its beginning on.
    """,
)


class Form:
    """The checks of one grammar."""

    def __init__(self, compiler: Compiler, explainer: Explainer) -> None:
        self.compiler = compiler
        self.explainer = explainer
        self.form = compiler.grammar.form
        self.claim = None if self.form.strict is None else re.compile(self.form.strict)
        self._faults = [(fault, _pattern(fault)) for fault in self.form.faults]
        self._usual = _usual(fault.characters for fault in self.form.faults if fault.characters is not None and not fault.strict)
        self._kinds: dict[int, Kind | None] = {}
        rules = compiler.grammar.rules
        fields = compiler.grammar.occurrences(rules[compiler.grammar.start].expr)
        terms = {name: rules[ref.name].words.binding.term or name for name, (ref, _) in fields.items()}
        self.lists = frozenset(name for name, term in terms.items() if term in ("boards", "system"))
        """The lists of records that the model is made of."""

    def claimed(self, text: str) -> bool:
        """Whether a text claims to keep to the strict form."""
        return self.claim is not None and self.claim.search(text) is not None

    def whole(self, sink: Sink, text: str, strict: bool) -> None:
        """Findings about lines and characters."""
        limit = self.form.lines
        if limit is not None:
            for start, stop in long_lines(text, limit.most):
                tell(sink, limit.report, start, stop, {"count": str(stop - start)})
        odd = self._usual is not None and bool(text.encode("latin-1").translate(None, self._usual))
        for fault, pattern in self._faults:
            if strict if fault.strict else odd or fault.characters is None:
                _tell_all(sink, fault, pattern, text)

    # --- the pairs of a record

    def kind(self, program: Program) -> Kind | None:
        """What is said of the pairs among the parts of a record; None where nothing is."""
        if id(program) not in self._kinds:
            self._kinds[id(program)] = _kind(program)
        return self._kinds[id(program)]

    def pairs(
        self, sink: Sink, kind: Kind, matches: Sequence[re.Match[str]], text: str, strict: bool, inherited: set[str]
    ) -> None:
        """Findings about the pairs of one record; ``inherited`` gathers the keys whose value holds from here on."""
        keys = [match[kind.key] for match in matches]
        form = kind.form
        for later, before in form.needed.items():
            if later in keys and form.needs is not None:
                at = keys.index(later)
                missing = [key for key in before if key not in keys[:at]]
                if missing:
                    start, stop = matches[at].span(kind.key)
                    tell(sink, form.needs, start, stop, {"key": later, "needed": " and ".join(missing)})
        if form.once is not None and len(set(keys)) < len(keys):
            self._repeated(sink, kind, form.once, [kind.pair(match) for match in matches if match[kind.key] is not None])
        if strict and form.strict is not None:
            pairs = [kind.pair(match) for match in matches if match[kind.key] is not None]
            StrictCheck(self.compiler, self.explainer, sink, text, kind, form.strict, pairs, inherited).run()

    @staticmethod
    def _repeated(sink: Sink, kind: Kind, report: Report, pairs: Sequence[Pair]) -> None:
        first: dict[tuple[str, ...], Pair] = {}
        section = ""
        for pair in pairs:
            sections = kind.form.within.get(pair.key)
            place = (pair.key,) if sections is None else (pair.key, section, pair.value.partition(":")[0])
            if pair.key in (name for names in kind.form.within.values() for name in names):
                section = pair.key
            earlier = first.setdefault(place, pair)
            if earlier is not pair:
                fix = Fix("remove it", (Edit(pair.start, pair.stop, b""),))
                values = {"key": pair.key, "line": str(sink.line(earlier.start))}
                tell(sink, report, pair.start, pair.value_stop, values, fix)


def _kind(program: Program) -> Kind | None:
    for slot in program.shape.slots.values():
        form, shape = slot.rule.words.form, slot.shape
        if form is not None and shape is not None and not slot.parts:
            named = shape.slots[str(slot.rule.words.extra["name"])]
            body = shape.slots.get("body")
            return Kind(form, slot.rule, named.group, shape.slots["value"].group, None if body is None else body.group)
    return None


# --- characters and lines


def long_lines(text: str, most: int) -> Iterator[tuple[int, int]]:
    """The bounds of every line of more than so many characters, its end included.

    >>> list(long_lines("abc\\n" + 9 * "x" + "\\r\\nabc", 10))
    [(4, 15)]
    """
    ends = "\n" if "\n" in text else "\r"
    at, size = 0, len(text)
    while size - at > most:
        end = text.rfind(ends, at, at + most)
        if end < 0:
            stop = text.find(ends, at + most)
            stop = size if stop < 0 else stop + 1
            for part in re.finditer(r"[^\r]*+(?:\r\n?+|\Z)", text[at:stop]):
                if part.end() - part.start() > most:
                    yield at + part.start(), at + part.end()
            end = stop - 1
        at = end + 1


def _pattern(fault: Fault) -> re.Pattern[str]:
    wanted = f"({fault.at or fault.characters})"
    return re.compile(f"{fault.skip}|{wanted}" if fault.skip else wanted)


def _usual(classes: Iterable[str]) -> bytes | None:
    """The characters that no class names; None where there is no class."""
    odd = [re.compile(each) for each in classes]
    return bytes(code for code in range(256) if not any(each.fullmatch(chr(code)) for each in odd)) if odd else None


def _tell_all(sink: Sink, fault: Fault, pattern: re.Pattern[str], text: str) -> None:
    found = (match.span(1) for match in pattern.finditer(text) if match.start(1) >= 0)
    places = list(found) if fault.once else found
    if isinstance(places, list):
        count = str(len(places))
        places = places[:1]
    else:
        count = "1"
    for start, stop in places:
        shown: Mapping[str, str] = {"text": text[start : min(stop, start + 40)], "count": count}
        tell(sink, fault.report, start, stop, shown)
