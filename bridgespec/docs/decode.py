"""Worked examples for the page of a format: how bytes of a sample are decoded, step by step. `worked_examples` is the entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bridgespec.codec.anatomy import places_of
from bridgespec.codec.bind import Binder
from bridgespec.codec.node import ByteNode, Cells, FieldNode
from bridgespec.codec.text.scope import scope_of
from bridgespec.codec.text.text_tree import TextNode
from bridgespec.docs.prose import Markup, code, suits
from bridgespec.docs.type_names import shown_bytes
from bridgespec.model.cards import RANKS, Card, Seat, Suit
from bridgespec.model.document import Document
from bridgespec.spec.grammar import DigitsForm as TextDigits
from bridgespec.spec.grammar import Grammar
from bridgespec.spec.ir import BitsType, Digits, Spec
from bridgespec.spec.kaitai.expr.evaluator import EvaluationError, compile_tree
from bridgespec.spec.kaitai.expr.tree import Attribute, CallExpression, Expression, Index, LiteralExpression, Name, Tree, walk
from bridgespec.spec.numeral import Numeral

_SIGNS = {suit.letter: suit.symbol for suit in Suit}


@dataclass(frozen=True)
class WorkedExample:
    """A worked example: its title, and the bytes of the sample with the steps as HTML. Of several examples with one title a page
    shows the one of the greatest ``weight``, the number of parts that it explains.
    """

    title: str
    body: Markup
    weight: int = 0


def worked_examples(spec: Spec, root: FieldNode, document: Document, data: bytes) -> list[WorkedExample]:
    """Return an example for each kind of computation in a schema, with the values of a sample: its tree, document and bytes."""
    found: dict[tuple[str, str], WorkedExample] = {}
    for path, node in root.walk():
        if node.decl is None or node.broken:
            continue
        # By declaration: a field of all records of a file is one computation, fields of one name in two types are two.
        kind = (node.decl.name, str(node.decl.place))
        made = _of_node(spec, path, node, data)
        if made is not None and kind not in found:
            found[kind] = made
    hand = _fourth_hand(Binder(spec), document)
    results = [*found.values(), *([hand] if hand else []), *_derived(root)]
    if isinstance(spec.text, Grammar):
        results += _positions(spec.text, root)
    return results


_PLACES, _CLOSE = 5, 0.75
"""The least number of fields of a record that is shown position by position, and the least share of neighbours among them that are
adjacent.
"""


def _positions(grammar: Grammar, root: FieldNode) -> Iterator[WorkedExample]:
    """Yield examples for records of a text whose fields are mostly adjacent: for each kind of record the one with most fields, and
    others with fields that it lacks.
    """
    found: dict[str, list[tuple[TextNode, list[list[TextNode]]]]] = {}
    for array in root.children or ():
        for record in array.children or ():
            # A record of one field, such as a choice of rules, has its fields one level below.
            inner = record.children[0] if record.children and len(record.children) == 1 else record
            if not isinstance(inner, TextNode) or inner.children is None:
                continue
            runs = _runs(inner)
            close = sum(one[-1].stop == two[0].start for one, two in pairwise(runs))
            if len(runs) >= _PLACES and close >= _CLOSE * (len(runs) - 1):
                found.setdefault(inner.field, []).append((inner, runs))
    for name, records in found.items():
        seen: set[str] = set()
        # The longest first: shorter records of the kind are shown only if they have a field that it lacks.
        for record, runs in sorted(records, key=lambda one: -len(one[1])):
            fields = [run[0].field.replace("_", " ") for run in runs]
            more = [field for field in dict.fromkeys(fields) if field not in seen]
            if more:
                title = f"{name.capitalize()} with {', '.join(more)}" if seen else f"{name.capitalize()}, position by position"
                seen.update(fields)
                yield WorkedExample(title, _position_table(grammar, record, runs), len(runs))


def _position_table(grammar: Grammar, record: TextNode, runs: Sequence[Sequence[TextNode]]) -> Markup:
    """Return the text of a record, and a table with a row for each field and for each text between fields."""
    rows: list[list[str | Markup]] = []
    at = record.start
    for run in runs:
        first, last = run[0], run[-1]
        # Literals of the grammar have no node, so the text between two fields is taken from the source.
        if first.start > at:
            between = record.source[at // 8 : first.start // 8]
            rows.append([_columns(record, at, first.start), code(between), "", "as it stands"])
        names = ", ".join(dict.fromkeys(str(one.value) for one in run)) if first.decl is not None and first.decl.enum else ""
        doc = first.own.words.says or first.own.words.doc or grammar.rules[first.own.name].words.doc
        text = record.source[first.start // 8 : last.stop // 8]
        field = first.field.replace("_", " ")
        rows.append(
            [_columns(record, first.start, last.stop), code(text), field, f"{names}: {doc}" if names and doc else names or doc]
        )
        at = last.stop
    steps = table(["Position", "Text", "Field", "What it says"], rows)
    return Markup("<p>{}</p>{}").format(code(record.text.rstrip("\r\n")), steps)


def _runs(record: TextNode) -> list[list[TextNode]]:
    """Return the leaves of a record in groups: adjacent elements of one list together, any other leaf by itself."""
    runs: list[list[TextNode]] = []
    for _, node in record.walk():
        if node.children is not None or node.stop == node.start or not isinstance(node, TextNode):
            continue
        last = runs[-1][-1] if runs else None
        # An element of a list is named by its index; a field that occurs twice in a row is not merged.
        if last is not None and last.field == node.field and last.stop == node.start and node.name.isdigit():
            runs[-1].append(node)
        else:
            runs.append([node])
    return runs


def _columns(record: TextNode, start: int, stop: int) -> str:
    """Return the columns of a range of bits in a record, counted from 1."""
    first, last = (start - record.start) // 8 + 1, (stop - record.start) // 8
    return str(first) if last <= first else f"{first}–{last}"


def _of_node(spec: Spec, path: str, node: FieldNode, data: bytes) -> WorkedExample | None:
    """Return the example for a field: an array of bits, a number that is an array of digits, or a list of such numbers; None for
    any other field.
    """
    assert node.decl is not None
    # Elements of a byte or more need no explanation: the dump shows their bytes.
    if isinstance(node.children, Cells) and isinstance(node.decl.type, BitsType) and node.decl.type.bits < 8:
        return _bits(spec, path, node, node.children, data)
    digits = node.decl.binding.digits
    if digits is not None and isinstance(node.value, int) and node.value > 0 and digits.enum:
        return _digits(spec, path, node, digits)
    if isinstance(spec.text, Grammar) and node.children:
        rule = spec.text.rules.get(node.decl.name)
        if rule is not None and rule.words.digits is not None and rule.words.number is not None:
            return _text_digits(path, node, rule.words.digits, rule.words.number, data)
    return None


def table(head: Sequence[str], rows: Sequence[Sequence[str | Markup]]) -> Markup:
    """Return an HTML table in a frame that scrolls."""
    top = Markup("").join(Markup('<th scope="col">{}</th>').format(suits(cell)) for cell in head)
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(Markup("<td>{}</td>").format(_cell(cell)) for cell in row)) for row in rows
    )
    return Markup(
        '<div class="scroll" tabindex="0" role="group" aria-label="Steps"><table class="steps"><thead><tr>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>"
    ).format(top, body)


def _cell(cell: str | Markup) -> Markup:
    return cell if isinstance(cell, Markup) else suits(cell)


def place_sign(place: str, axes: Sequence[str]) -> str:
    """Return the label of an array element with a symbol for each letter of a suit: ``SA`` -> ``♠A``."""
    return "".join(_SIGNS.get(letter, letter) if axis == "suit" else letter for axis, letter in zip(axes, place, strict=False))


def _places(node: FieldNode) -> list[str]:
    """Return the labels of the elements of an array; empty where its positions have no meaning."""
    if node.decl is None:
        return []
    axes = [axis.name for axis in node.decl.binding.axes]
    return [place_sign(place, axes) for place in places_of(node.decl)]


def _bits(spec: Spec, path: str, node: FieldNode, cells: Cells, data: bytes) -> WorkedExample | None:
    """Return the example for an array of bit fields: the shift and the mask of the elements in its first two bytes."""
    enum = spec.enums.get(node.decl.enum) if node.decl and node.decl.enum else None
    names = {value: member.name for value, member in enum.members.items()} if enum else {}
    places = _places(node) or [str(index) for index in range(len(cells))]
    first = node.start // 8
    rows: list[list[str | Markup]] = []
    # Two bytes show the order of the elements, within a byte and from one to the next.
    for index in range(min(len(cells), 8 // cells.step * 2)):
        start = cells.start + index * cells.step
        byte = start // 8
        # An element across two bytes cannot be shown by one shift and one mask.
        if (start + cells.step - 1) // 8 != byte or byte >= len(data) or index >= len(places):
            break
        value = cells.values[index]
        shown = f"{data[byte]:08b}"
        # The distance of the element's lowest bit from that of its byte, which is the shift to the right.
        low = start % 8 if cells.lsb else 8 - start % 8 - cells.step
        left = 8 - low - cells.step
        bits = Markup("{}<mark>{}</mark>{}").format(shown[:left], shown[left : left + cells.step], shown[left + cells.step :])
        mask = (1 << cells.step) - 1
        step = f"({data[byte]:#04x} >> {low}) & {mask}" if low else f"{data[byte]:#04x} & {mask}"
        rows.append(
            [f"{byte} ({data[byte]:02x})", code(bits), code(f"{step} = {value}"), places[index], names.get(value, str(value))]
        )
    if not rows:
        return None
    order = f"Bits are taken from the {'low' if cells.lsb else 'high'} end of each byte"
    intro = Markup("<p>{}: the elements of {} that stand in {}.</p>").format(
        order, code(path), f"byte {first}" if len(rows) <= 8 // cells.step else f"bytes {first} and {first + 1}"
    )
    title = f"Bits of {node.decl.name if node.decl else path}"
    return WorkedExample(title, intro + table(["Byte", "Bits", "Value", "Place", "Code"], rows))


def _digits(spec: Spec, path: str, node: FieldNode, digits: Digits) -> WorkedExample:
    """Return the example for an integer whose digits are an array: the divisions that yield the digits."""
    assert isinstance(node.value, int)
    assert node.decl is not None
    enum = spec.enums[str(digits.enum)]
    rest, rows = node.value, []
    for place in _places(node):
        quotient, digit = divmod(rest, digits.base)
        member = enum.members.get(digit)
        rows.append([place, f"{rest} = {digits.base} × {quotient} + {digit}", str(digit), member.name if member else "?"])
        rest = quotient
        # All further digits are 0, which the text above the table states.
        if rest == 0:
            break
    names = ", ".join(f"{value} {member.name}" for value, member in enum.members.items())
    text = "<p>{} is {}: a number in base {}, lowest digit first. Digits are {}. Once 0 is left, all further digits are 0.</p>"
    body = Markup(text).format(code(path), code(node.value), digits.base, names)
    weight = sum(row[2] != "0" for row in rows)
    return WorkedExample(f"Digits of {node.decl.name}", body + table(["Place", "Division", "Digit", "Code"], rows), weight)


def _text_digits(path: str, node: FieldNode, digits: TextDigits, numeral: Numeral, data: bytes) -> WorkedExample | None:
    """Return the example for a list of texts that are numbers of two digits each: the first eight of them."""
    assert node.decl is not None
    base, names = digits.base, digits.codes
    places = _places(node)
    rows: list[list[str]] = []
    for index, child in enumerate((node.children or ())[:8]):
        # A file may be in any encoding; digits are ASCII, and latin-1 decodes every byte.
        text = data[child.start // 8 : child.stop // 8].decode("latin-1")
        number = numeral.read(text)
        if number is None or 2 * index + 1 >= len(places):
            break
        one, other = divmod(number - digits.first, base)
        pair = (one, other) if digits.high else (other, one)
        codes = ", ".join(f"{place} {names[digit]}" for place, digit in zip(places[2 * index : 2 * index + 2], pair, strict=True))
        rows.append([text, f"{number - digits.first} = {base} × {one} + {other}", codes])
    if not rows:
        return None
    all_codes = ", ".join(f"{index} {name}" for index, name in enumerate(names))
    order = "the high digit first" if digits.high else "the low digit first"
    intro = Markup("<p>Each element of {} is a number of two digits in base {}, {}: {}. The first of them:</p>")
    steps = table(["Text", "Number", "Says"], rows)
    return WorkedExample(f"Digits of {node.decl.name}", intro.format(code(path), base, order, all_codes) + steps)


def _fourth_hand(binder: Binder, document: Document) -> WorkedExample | None:
    """Return the example for a fourth hand that follows from three stored ones; None where no board has such a hand."""
    for index, board in enumerate(document.boards):
        for hands in binder.places.hands(document, index) if board.deal is not None else ():
            # The hands that are stored in the file; the board's deal has all four.
            if len(hands) != 3 or any(len(cards) != 13 for cards in hands.values()):
                continue
            return _left_cards(hands)
    return None


def _left_cards(hands: Mapping[Seat, Sequence[Card]]) -> WorkedExample:
    """Return the example for three hands: their cards of each suit, and those that are left for the fourth."""
    left = next(seat for seat in Seat if seat not in hands)
    rows = []
    for suit in Suit:
        given = {card % 13 for cards in hands.values() for card in cards if card.suit == suit}
        held = [sorted(card for card in cards if card.suit == suit) for cards in hands.values()]
        there = [" ".join(RANKS[card % 13] for card in cards) or "–" for cards in held]
        rows.append([suit.symbol, *there, " ".join(RANKS[rank] for rank in range(13) if rank not in given) or "–"])
    head = ["Suit", *(seat.name.title() for seat in hands), f"left for {left.name.title()}"]
    intro = Markup("<p>Three hands are stored. {} has the cards that are in none of them.</p>").format(left.name.title())
    return WorkedExample(f"The hand of {left.name.title()}", intro + table(head, rows))


def _derived(root: FieldNode) -> Iterator[WorkedExample]:
    """Yield an example for each derived field of the schema that the tree contains."""
    seen: set[str] = set()
    for path, owner in [("", root), *root.walk()]:
        frame = owner.scope if isinstance(owner, ByteNode) else scope_of(owner) if isinstance(owner, TextNode) else None
        for node in owner.children or ():
            value = node.decl.binding.value if node.decl else None
            if frame is None or value is None or value.constant is not None or node.decl is None or node.name.isdigit():
                continue
            if str(node.decl.place) in seen or node.broken:
                continue
            steps = list(_evaluated(value, frame))
            if not steps:
                continue
            seen.add(str(node.decl.place))
            where = f"{path}.{node.name}" if path else node.name
            intro = Markup("<p>{} is computed when written and verified when read: {}.</p>").format(code(where), code(value.source))
            rows = [[code(name), str(shown)] for name, shown in steps]
            rows.append([Markup("stored in the sample"), _shown(node.value)])
            yield WorkedExample(f"The value of {node.decl.name}", intro + table(["Part", "Value"], rows))


def _evaluated(value: Expression, frame: object) -> Iterator[tuple[str, str]]:
    """Yield the names and attributes in an expression, then the whole expression, each as its source and its value."""
    seen: set[str] = set()
    for tree in walk(value.tree):
        text = _spelled(tree)
        # These are records and streams, which have no value that a page can show.
        if text is None or text in seen or text in ("_parent", "_root", "_io"):
            continue
        seen.add(text)
        try:
            result = compile_tree(tree)(frame)
        # A part may have no value by itself: only the other parts and the whole expression are shown.
        except (EvaluationError, TypeError, AttributeError, LookupError, ArithmeticError):
            continue
        if isinstance(result, int | float | str | bytes | bool):
            yield text, _shown(result)
    try:
        yield value.source, _shown(compile_tree(value.tree)(frame))
    except (EvaluationError, TypeError, AttributeError, LookupError, ArithmeticError):
        return


def _shown(value: object) -> str:
    """Return a value as pages show it."""
    if isinstance(value, bytes):
        return shown_bytes(value)
    return "yes" if value is True else "no" if value is False else str(value)


def _spelled(tree: Tree) -> str | None:
    """Return the source of a name, an attribute, an element or a call without arguments; None for any other expression."""
    match tree:
        case Name(name):
            return name
        case Attribute(of, name):
            inner = _spelled(of)
            return None if inner is None else f"{inner}.{name}"
        case Index(of, LiteralExpression(at)):
            inner = _spelled(of)
            return None if inner is None or not isinstance(at, int) else f"{inner}[{at}]"
        case CallExpression(of, ()):
            inner = _spelled(of)
            return None if inner is None else f"{inner}()"
    return None
