"""What stands in a text as its grammar lets it, and is to be reported all the same: long lines, characters, keys of pairs that come
twice or too late. None of it decides how the text is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bridgespec.codec.text_explain import Explainer
from bridgespec.codec.text_pairs import PairFact, pairs_of
from bridgespec.codec.text_program import Compiler
from bridgespec.codec.text_shape import Slot
from bridgespec.codec.text_strict import Claim, Kind, Pair, Sink, StrictCheck, tell
from bridgespec.codec.text_tree import RecordMaker
from bridgespec.diagnostic import Edit, Fix, Severity, define
from bridgespec.spec.grammar import Fault, Report
from bridgespec.spec.grammar import Pair as PairWords

NO_RECORD = define(
    "no-record",
    Severity.ERROR,
    """There is text in the file, but no record of the format.

    Everything in it was passed over, as a format does that lets text stand between its records. Most likely the file is of
    another format, or damaged from its beginning on.
    """,
)


_MANY = 1000
_NONE: frozenset[str] = frozenset()


class Form:
    """The checks of one grammar."""

    def __init__(self, compiler: Compiler, explainer: Explainer) -> None:
        self.compiler = compiler
        self.explainer = explainer
        self.form = compiler.grammar.form
        self._claim = None if self.form.strict is None else re.compile(self.form.strict, re.MULTILINE)
        self._faults = [(fault, re.compile(_wanted(fault), re.MULTILINE), _pattern(fault)) for fault in self.form.faults]
        self._usual = _usual(fault.characters for fault in self.form.faults if fault.characters is not None and not fault.strict)
        self._fellows: dict[int, _Fellows] = {}
        rules = compiler.grammar.rules
        fields = compiler.grammar.occurrences(rules[compiler.grammar.start].expr)
        terms = {name: rules[ref.name].words.binding.term or name for name, (ref, _) in fields.items()}
        self.lists = frozenset(name for name, term in terms.items() if term in ("boards", "system"))
        """The lists of records that the model is made of."""

    def claim(self, text: str) -> Claim:
        """Whether a text claims to keep to the strict form, and what is to be kept in mind of it."""
        return Claim(self._claim is not None and self._claim.search(text) is not None)

    def whole(self, sink: Sink, text: str, claim: Claim) -> None:
        """Findings about lines and characters."""
        limit = self.form.lines
        if limit is not None:
            for start, stop in long_lines(text, limit.most):
                tell(sink, limit.report, start, stop, {"count": str(stop - start)})
        odd = self._usual is not None and bool(text.encode("latin-1").translate(None, self._usual))
        for fault, wanted, pattern in self._faults:
            if (claim.strict if fault.strict else odd or fault.characters is None) and wanted.search(text) is not None:
                _tell_all(sink, fault, pattern, text)

    # --- the pairs of a record

    def pairs(
        self, sink: Sink, slot: Slot, maker: RecordMaker, claim: Claim, met: Sequence[PairFact], rounds: Mapping[int, Sequence[str]]
    ) -> None:
        """Findings about the pairs of one record, which are these in their order; ``rounds`` are those of its regions by place."""
        known = self._fellows.get(id(slot))
        if known is None:
            known = self._fellows[id(slot)] = _Fellows(self, slot)
        form = known.form
        keys = tuple([fact.key for fact in met])
        late = twice = False
        if keys not in known.right:
            late, twice = known.late(keys), len(set(keys)) < len(keys)
            if not late and not twice and len(known.right) < _MANY:
                known.right.add(keys)
        if late or twice:
            pairs = list(known.pairs(maker))
            if late and form.needs is not None:
                _late(sink, form, form.needs.report, pairs)
            if twice and form.once is not None:
                self._repeated(sink, form, form.once.report, pairs)
        if claim.strict and known.strict is not None:
            doubtful = known.doubtful(known.strict, maker, rounds)
            if doubtful is None:
                pairs = list(known.pairs(maker))
                values = [pair.value for pair in pairs]
                known.strict.run(sink, claim, maker.text, tuple([pair.key for pair in pairs]), values, pairs.__getitem__, pairs)
            else:
                values = [fact.raw for fact in met]
                known.strict.run(sink, claim, maker.text, keys, values, lambda index: list(known.pairs(maker))[index], doubtful)

    @staticmethod
    def _repeated(sink: Sink, form: PairWords, report: Report, pairs: Sequence[Pair]) -> None:
        first: dict[tuple[str, ...], Pair] = {}
        section = ""
        for pair in pairs:
            sections = form.within.get(pair.key)
            place = (pair.key,) if sections is None else (pair.key, section, pair.value.partition(":")[0])
            if pair.key in (name for names in form.within.values() for name in names):
                section = pair.key
            earlier = first.setdefault(place, pair)
            if earlier is not pair:
                fix = Fix("remove it", (Edit(pair.start, pair.stop, b""),))
                values = {"key": pair.key, "line": str(sink.line(earlier.start))}
                tell(sink, report, pair.start, pair.value_stop, values, fix)


class _Fellows:
    """The pairs of a list: the groups of each of its parts, and what is said of all."""

    def __init__(self, form: Form, slot: Slot) -> None:
        rule = slot.rule
        if rule.words.form is None:
            raise TypeError(f"nothing is said of {slot.name}")
        self.form = rule.words.form
        self.parts = [(part, _kind(form.compiler, part)) for part in slot.parts or (slot,)]
        self.right: set[tuple[str, ...]] = set()
        """Keys of records that are in order, none twice."""
        self.needed = [] if self.form.needs is None else list(self.form.needed.items())
        strict = self.form.strict
        self.strict = None if strict is None else StrictCheck(form.compiler, form.explainer, rule, strict)

    def late(self, keys: Sequence[str]) -> bool:
        """Whether a key stands before one that it needs."""
        for later, before in self.needed:
            if later in keys:
                at = keys.index(later)
                if any(key not in keys or keys.index(key) > at for key in before):
                    return True
        return False

    def pairs(self, maker: RecordMaker) -> Iterator[Pair]:
        """The pairs of a record."""
        for part, kind in self.parts:
            if part.kind != "array":
                yield kind.pair(maker.text, maker.span)
                continue
            start, stop = maker.span(part.group)
            pattern = None if part.body is None else kind.pattern or part.body.pattern
            for match in () if pattern is None or start < 0 else pattern.finditer(maker.text, start, stop):
                if match.start(kind.key) >= 0:
                    yield kind.found(match)

    def doubtful(self, strict: StrictCheck, maker: RecordMaker, rounds: Mapping[int, Sequence[str]]) -> list[Pair] | None:
        """The pairs that perhaps do not keep to the strict form; None where the texts of the rounds are not all known."""
        text, span = maker.text, maker.span
        found: list[Pair] = []
        for part, kind in self.parts:
            if part.kind != "array":
                pair = kind.pair(text, span)
                if not strict.fits(text, pair):
                    found.append(pair)
                continue
            at, stop = span(part.group)
            if at < 0 or at == stop:
                continue
            texts = rounds.get(at, ())
            if kind.pattern is None or sum(map(len, texts)) != stop - at:
                return None
            if strict.right.get(text[at - 1 : at], _NONE).issuperset(texts):
                continue
            for each in texts:
                if each not in strict.right.get(text[at - 1 : at], _NONE):
                    match = kind.pattern.match(text, at, stop)
                    if match is None:
                        return None
                    if match.start(kind.key) >= 0 and not strict.fits(text, pair := kind.found(match)):
                        found.append(pair)
                at += len(each)
        return found


def _kind(compiler: Compiler, part: Slot) -> Kind:
    """The groups of a part of a list of pairs: one pair, or rounds of which some are."""
    pairs = None if part.body is None else pairs_of(compiler, part.body)
    if pairs is not None:
        return Kind(0, pairs.key, pairs.value, pairs.body or None, pairs.pattern)
    one = part if part.body is None else part.body.shape.slots[part.name]
    if one.shape is None:
        raise TypeError(f"{part.name} is no pair")
    slots = one.shape.slots
    named = slots[str(part.rule.words.extra["name"])]
    return Kind(one.group, named.group, slots["value"].group, slots["body"].group if "body" in slots else None)


def _late(sink: Sink, form: PairWords, report: Report, pairs: Sequence[Pair]) -> None:
    seen: set[str] = set()
    for pair in pairs:
        missing = [key for key in form.needed.get(pair.key, ()) if key not in seen]
        if missing and pair.key not in seen:
            tell(sink, report, pair.key_at, pair.key_at + len(pair.key), {"key": pair.key, "needed": " and ".join(missing)})
        seen.add(pair.key)


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


def _wanted(fault: Fault) -> str:
    return fault.at or fault.characters or ""


def _pattern(fault: Fault) -> re.Pattern[str]:
    wanted = f"({_wanted(fault)})"
    return re.compile(f"{fault.skip}|{wanted}" if fault.skip else wanted, re.MULTILINE)


def _usual(classes: Iterable[str]) -> bytes | None:
    """The characters that no class names; None where there is no class."""
    odd = [re.compile(each) for each in classes]
    return bytes(code for code in range(256) if not any(each.fullmatch(chr(code)) for each in odd)) if odd else None


def _tell_all(sink: Sink, fault: Fault, pattern: re.Pattern[str], text: str) -> None:
    found = (match.span(1) for match in pattern.finditer(text) if match.start(1) >= 0)
    for start, stop in found:
        count = "1" if not fault.once else str(1 + sum(start < stop for start, stop in found))
        tell(sink, fault.report, start, stop, {"text": text[start : min(stop, start + 40)], "count": count})
