"""Check that a grammar can be parsed without backtracking, before any input is read.

Choices are ordered and expressions are possessive, so rules do not backtrack. Possible faults are a terminal whose regular
expression backtracks, a repetition of an expression that may be empty, and a rule that begins with itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from bridgespec.diagnostic import Severity, define
from bridgespec.spec.grammar.possessive import compile_regex
from bridgespec.spec.grammar.regex import backtracking, possessive, ways
from bridgespec.spec.grammar.rules import (
    Expr,
    Grammar,
    GrammarChoice,
    GrammarLiteral,
    GrammarRepeat,
    GrammarRule,
    Pattern,
    Ref,
    Sequence,
    names_in,
    source_of,
    walk,
)
from bridgespec.spec.problems import ENDLESS, IDLE, UNSUPPORTED, UNUSED, VALUE, Problems

MOST_PARTS = 100_000
"""The maximum number of expressions in a rule, those of the rules that it refers to counted with each reference."""
MOST_NESTED = 100
"""The maximum length of a chain of references: functions over a grammar recurse for each rule in it, and Python allows a thousand
nested calls.
"""
MOST_WAYS = 4096
"""The maximum of `regex.ways` for a terminal: the number of ways in which it is tried before it fails."""

SLOW = define(
    "slow-grammar",
    Severity.ERROR,
    """A terminal or a repetition could make reading slower than the input is long.

    Inside a terminal a repetition without a limit is possessive (`*+`, `++`) unless nothing follows it, so that no match is taken
    back. A repetition in a rule repeats something that cannot be empty.
    """,
)


EMPTY = define(
    "schema-empty-match",
    Severity.WARNING,
    """A terminal matches nothing at all, too.

    Lark itself refuses such a terminal. Let it match one character at least, and make it optional where it stands: `value?`.
    """,
)


def check_ends(grammar: Grammar, problems: Problems, file: str) -> None:
    """Report rules of the file that are not reachable or never end, alternatives that occur twice, and terminals that match the
    empty text.
    """
    reached = {grammar.start, *grammar.reach[grammar.start]}
    used, ending = _used(grammar), _ending(grammar)
    for rule in grammar.rules.values():
        # Other grammars may use the rules of an imported file.
        if rule.place.file != file:
            continue
        if rule.name not in used:
            problems.add(UNUSED, f"nothing leads to '{rule.name}'", rule.place)
        # A rule that is not used has one finding.
        elif rule.name not in ending:
            problems.add(ENDLESS, f"'{rule.name}' never ends: whatever it is made of leads back to it", rule.place)
        elif rule.name in reached:
            for part in walk(rule.expr):
                options = part.options if isinstance(part, GrammarChoice) else ()
                texts = [source_of(one) for one in options]
                by_text, counts = dict(zip(texts, options, strict=True)), Counter(texts)
                for text in [text for text in by_text if counts[text] > 1]:
                    shown = repr(one.text) if isinstance(one := by_text[text], GrammarLiteral) else text
                    problems.add(IDLE, f"'{rule.name}' has {shown} twice, and takes the first", rule.place, severity=Severity.ERROR)
                if isinstance(part, Pattern | GrammarLiteral) and nullable(grammar, part):
                    help_ = f"let it match one character at least, and write '{rule.name}?' where there may be none"
                    problems.add(EMPTY, f"'{rule.name}' matches nothing at all, too", rule.place, help_)


def _used(grammar: Grammar) -> set[str]:
    """Return the names of the rules that can be reached from the start rule, or that read texts of fields."""
    found, more = set[str](), {grammar.start}
    while more:
        found |= more.union(*(grammar.reach[name] for name in more))
        more = {target for name in found for _, target in grammar.rules[name].words.targets()} - found
    return found


def _ending(grammar: Grammar) -> set[str]:
    """Return the names of the rules that match some finite text."""
    found: set[str] = set()

    def ends(leaf: Expr) -> bool:
        return not isinstance(leaf, Ref) or leaf.name in found

    # A least fixed point: a rule ends if it has a parse of texts and of rules that are known to end.
    while new := {rule.name for rule in grammar.rules.values() if rule.name not in found and _has_parse(rule.expr, ends)}:
        found |= new
    return found


def _has_parse(expr: Expr, leaf: Callable[[Expr], bool]) -> bool:
    """Whether an expression has a parse in which ``leaf`` is true for every literal and reference."""
    match expr:
        case Sequence(items):
            return all(_has_parse(item, leaf) for item in items)
        case GrammarChoice(options):
            return any(_has_parse(option, leaf) for option in options)
        case GrammarRepeat(item, least):
            return least == 0 or _has_parse(item, leaf)
    return leaf(expr)


def check_linear(grammar: Grammar, problems: Problems) -> None:
    """Report rules whose parsing could take more than linear time, or never end."""
    # Patterns of the head are matched against the text as terminals are.
    for pattern in _form_patterns(grammar):
        for fault in backtracking(pattern):
            message = f"{fault} in /{pattern}/ can be taken back: make it possessive"
            problems.add(SLOW, message, grammar.rules[grammar.start].place, _possessive_help(pattern))
    for rule in grammar.rules.values():
        for part in walk(rule.expr):
            if isinstance(part, Pattern):
                if ways(part.regex) > MOST_WAYS:
                    few = "repetitions with a limit, each of which can be taken back,"
                    problems.add(SLOW, f"{rule.name}: {few} multiply in /{part.regex}/: make them possessive", rule.place)
                for fault in backtracking(part.regex):
                    message = f"{rule.name}: {fault} in /{part.regex}/ can be taken back: make it possessive"
                    problems.add(SLOW, message, rule.place, _possessive_help(part.regex))
            elif isinstance(part, GrammarRepeat) and part.most is None and nullable(grammar, part.item):
                empty = (grammar.rules[name] for name in names_in(part.item) if nullable(grammar, grammar.rules[name].expr))
                help_ = next((f"{one.name} may be empty: it begins on line {one.place.line}" for one in empty), None)
                problems.add(SLOW, f"{rule.name} repeats something that may be empty", rule.place, help_)
        # Such a rule would be entered at the same offset for ever.
        if rule.name in grammar.recursive and rule.name in _beginnings(grammar, rule.expr, set()):
            help_ = _repetition_help(rule)
            problems.add(UNSUPPORTED, f"rule {rule.name} reaches itself before it has read anything", rule.place, help_)


def _possessive_help(regex: str) -> str:
    """Return the help for a regular expression that backtracks: its repetitions that should be possessive, and the corrected
    expression.
    """
    parts, rewritten = possessive(regex)
    return f"{' and '.join(f'`{part}`' for part in parts)}: /{rewritten}/, where what follows needs nothing that it has matched"


def _repetition_help(rule: GrammarRule) -> str:
    """Return the help for a rule that begins with itself: the same rule as a repetition."""
    options = rule.expr.options if isinstance(rule.expr, GrammarChoice) else (rule.expr,)
    own = [one for one in options if isinstance(one, Sequence) and names_in(one.items[0]) == {rule.name}]
    first = [source_of(one) for one in options if one not in own]
    if not own or not first:
        return f"write what it begins with first, and what may follow as a repetition: {rule.name}: first (more)*"
    more = [source_of(Sequence(one.items[1:])) for one in own]
    begin = first[0] if len(first) == 1 else f"({' | '.join(first)})"
    return f"write it as a repetition: {rule.name}: {begin} ({' | '.join(more)})*"


def check_depth(grammar: Grammar, problems: Problems) -> None:
    """Report the first rule from which a chain of more than `MOST_NESTED` references leads; a recursive rule counts once."""
    depths: dict[str, int] = {}
    for top in grammar.rules:
        # With an explicit stack: a recursive function would fail at the depth that it is to report.
        pending = [(top, False)]
        while pending:
            name, known = pending.pop()
            inner = [other for other in names_in(grammar.rules[name].expr) if other in grammar.rules]
            if known:
                depths[name] = 1 + max((depths[other] for other in inner), default=0)
                if depths[name] > MOST_NESTED:
                    message = f"more than {MOST_NESTED} rules are nested in '{name}', each named by the one before it"
                    problems.add(VALUE, message, grammar.rules[name].place)
                    return
            elif name not in depths:
                depths[name] = 0
                pending += [(name, True), *((other, False) for other in inner if other not in depths)]


def check_size(grammar: Grammar, problems: Problems) -> None:
    """Report the first rule that expands to more than `MOST_PARTS` expressions, so that other functions on a grammar need no
    limit.

    Forty rules, each of which names the next three times, make a grammar of a kilobyte with 3**40 parts.
    """
    # The expansion of a recursive rule depends on the text; the reader limits its depth.
    sizes = dict.fromkeys(grammar.recursive, 1)
    # A rule reaches more rules than each rule that it refers to, whose size is therefore computed before its own.
    for rule in sorted(grammar.rules.values(), key=lambda rule: len(grammar.reach[rule.name])):
        if rule.name not in sizes:
            sizes[rule.name] = 1 + sum(sizes[part.name] if isinstance(part, Ref) else 1 for part in walk(rule.expr))
            if sizes[rule.name] > MOST_PARTS:
                message = f"'{rule.name}' unfolds into more than {MOST_PARTS:,} parts, those of its rules counted"
                problems.add(VALUE, message, rule.place)
                return


def _form_patterns(grammar: Grammar) -> Iterator[str]:
    """Yield the regular expressions in the head of a grammar."""
    form = grammar.form
    for pattern in (form.strict, *(text for fault in form.faults for text in (fault.at, fault.skip))):
        if pattern is not None:
            yield pattern


def _beginnings(grammar: Grammar, expr: Expr, found: set[str]) -> set[str]:
    """Add to ``found``, and return, the names of the rules that an expression may try before it has matched a character."""
    match expr:
        case Ref(name):
            if name not in found:
                found.add(name)
                _beginnings(grammar, grammar.rules[name].expr, found)
        case Sequence(items):
            for item in items:
                _beginnings(grammar, item, found)
                # Items after one that matches a character are tried at another offset.
                if not nullable(grammar, item):
                    break
        case GrammarChoice(options):
            for option in options:
                _beginnings(grammar, option, found)
        case GrammarRepeat(item):
            _beginnings(grammar, item, found)
        case _:
            pass
    return found


def nullable(grammar: Grammar, expr: Expr, seen: frozenset[str] = frozenset()) -> bool:
    """Whether an expression matches the empty text."""

    def empty(leaf: Expr) -> bool:
        match leaf:
            case GrammarLiteral(text):
                return not text
            case Pattern(regex, flags):
                return compile_regex(f"(?{flags}:{regex})" if flags else regex).fullmatch("") is not None
            case Ref(name):
                # A reference back to a rule being tested counts as not empty: some other alternative must be.
                return name not in seen and nullable(grammar, grammar.rules[name].expr, seen | {name})
        return False

    return _has_parse(expr, empty)
