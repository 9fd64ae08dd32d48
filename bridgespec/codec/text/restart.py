"""Regular expressions for records that end where another begins, which depends on the fields read so far."""

from __future__ import annotations

from collections.abc import Sequence

from bridgespec.codec.text.compiled_expressions import (
    PLAIN,
    ChoiceExpression,
    Emit,
    NotRegular,
    RepeatExpression,
    SequenceExpression,
    TextExpression,
)
from bridgespec.codec.text.parse_state import Boundary
from bridgespec.codec.text.rule_references import FieldReference, LayoutReference


def guarded(body: TextExpression, restart: Boundary, emit: Emit) -> str:
    """Return the regular expression of a record with ``restart``: once a field has matched ``restart.after``, the record ends
    before the next field that matches ``restart.at``.

    A regular expression has no memory, so the rest of a record is emitted twice after each field that may match ``restart.after``:
    for a record in which a field did, and for one in which none did. Raises `NotRegular` where an item with fields does not begin
    with its only field, or a repetition of fields has a maximum or needs more than one round.
    """
    return _Guards(restart, emit).of(body.steps, False)


class _Guards:
    """Makes the regular expression of one record. Lookaheads at the begin of a field are its guards: ``begins`` and ``not_yet`` for
    ``restart.after``, ``not_another`` for ``restart.at``.
    """

    def __init__(self, restart: Boundary, emit: Emit) -> None:
        self.begins = f"(?={restart.word.after})"
        self.not_yet = f"(?!{restart.word.after})"
        self.not_another = f"(?!{restart.word.at})"
        self.emit = emit

    def of(self, items: Sequence[TextExpression], begun: bool) -> str:
        """Return the regular expression for the remaining items of a record. ``begun``: a field matched ``restart.after``."""
        if not items:
            return ""
        item, rest = items[0], items[1:]
        if not item.names:
            return item.regex(self.emit) + self.of(rest, begun)
        if isinstance(item, RepeatExpression) and item.most != 1:
            return self.loop(item, rest, begun)
        single = item.item if isinstance(item, RepeatExpression) else item
        if not _leads(single):
            raise NotRegular
        optional = isinstance(item, RepeatExpression) and item.least == 0
        if begun:
            text = f"{self.not_another}{single.regex(self.emit)}"
            # An optional field that begins like a record is left to the next record.
            return (f"(?>{text}|)" if optional else text) + self.of(rest, True)
        first = f"{self.begins}{single.regex(self.emit)}{self.of(rest, True)}"
        other = f"{self.not_yet}{single.regex(self.emit)}{self.of(rest, False)}"
        # An optional field is absent only where it does not match at all, as its expression would find.
        none = f"|(?!{single.regex(PLAIN)}){self.of(rest, False)}" if optional else ""
        return f"(?>{first}|{other}{none})"

    def loop(self, item: RepeatExpression, rest: Sequence[TextExpression], begun: bool) -> str:
        """Return the regular expression for a repetition and the items after it."""
        if item is self.emit.until:
            return ""
        if not _leads(item.item) or item.most is not None or item.least > 1:
            raise NotRegular
        inner, plain = item.item.regex(self.emit.bare()), item.item.regex(PLAIN)
        count = "+" if item.least else "*"
        # A section must not end before a round that can cause a finding: the proof would overlook it.
        another = f"(?!{self.not_another}{plain})" if self.emit.avoids(item) else ""
        after = f"(?:{self.not_another}{inner})*+{another}"
        if begun:
            return self.stretch(item, f"(?:{self.not_another}{inner}){count}+" if item.least else after) + self.of(rest, True)
        # Groups are numbered from left to right, so expressions must be made in this order.
        if not item.least:
            text = self.stretch(item, f"(?:{self.not_yet}{inner})*+")
            text += f"(?>{self.begins}{self.stretch(item, inner + after)}{self.of(rest, True)}"
            return f"{text}|(?!{plain}){self.of(rest, False)})"
        text = f"(?>{self.begins}{self.stretch(item, inner + after)}{self.of(rest, True)}"
        text += f"|{self.stretch(item, f'(?:{self.not_yet}{inner})++')}"
        text += f"(?>{self.begins}{self.stretch(item, inner + after)}{self.of(rest, True)}"
        return f"{text}|(?!{plain}){self.of(rest, False)}))"

    def stretch(self, item: RepeatExpression, text: str) -> str:
        """Return the regular expression for all repetitions of an item; one group if groups are collected."""
        pair = self.emit.pair is not None
        if self.emit.groups is None or (pair and self.emit.field not in item.names):
            return text
        # With a group for each field of a pair, repeated pairs would have no fixed number of groups.
        if pair:
            raise NotRegular
        self.emit.groups.append(item)
        return f"({text})"


def _leads(piece: TextExpression) -> bool:
    """Whether an expression begins with a field and has no other field."""
    match piece:
        case FieldReference():
            return True
        case ChoiceExpression():
            return all(_leads(option) for option in piece.options)
        case SequenceExpression():
            return _leads(piece.items[0]) and not any(item.names for item in piece.items[1:])
        case LayoutReference():
            return bool(piece.names) and _leads(piece.value.body)
        case _:
            return False
