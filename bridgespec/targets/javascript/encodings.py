"""Encodings of text in JavaScript. Tables are written out, because browsers' decoders differ from the reference codec's."""

from __future__ import annotations

from collections.abc import Mapping

from bridgespec.spec.encoding import python_encoding
from bridgespec.spec.place import SchemaPlace
from bridgespec.targets.javascript.runtime import helpers
from bridgespec.targets.javascript.source import CallCode, CodeText, JsValue, integer, quoted
from bridgespec.targets.refused import NotExpressible

FORM = "a JavaScript module"
"""The name of the target in messages of `NotExpressible`."""
NOTHING = "\uffff"
"""The entry of a table for bytes that are no character."""
WIDE = frozenset({"euc_jp", "gb18030"})
"""Encodings of more than two bytes per character, for which there is no table."""


def encoding_value(name: str, write: bool = False) -> JsValue | None:
    """Return the source of a decoder for one of Kaitai's encodings, with ``write`` also of its encoder; None where there is none.

    >>> encoding_value("ASCII"), encoding_value("GB18030")
    (CallCode(name='ascii', args=('ASCII',)), None)
    """
    codec = python_encoding(name.strip("'")) if name.startswith("'") else python_encoding(name)
    if codec is None:
        return CallCode("unknownEncoding", (name,))
    if codec in WIDE:
        return None
    if codec == "ascii":
        return CallCode("ascii", (name,))
    if codec == "utf-8":
        return CallCode("utf8", (name,))
    if codec.startswith("utf-"):
        return CallCode(f"utf{codec[4:6]}", (name, codec[-2:]))
    # Tables are made by Python's own codecs, so that both decode alike.
    single = "".join(_decoded(bytes([byte]), codec) for byte in range(256))
    leads = [byte for byte in range(128, 256) if _begins(byte, codec)]
    if leads:
        pairs = [(lead, *_row(lead, codec)) for lead in leads]
        rows = tuple((lead, first, _literal(row)) for lead, first, row in pairs)
        read = {bytes([lead, trail]): one for lead, first, row in pairs for trail, one in enumerate(row, first)}
        others = _encoder_exceptions(read, codec) if write else ()
        return CallCode("doubleByte", (name, _literal(single), rows, *others))
    # Most single-byte encodings begin with ASCII, which needs no table.
    first = next((byte for byte in range(256) if single[byte] != chr(byte)), 256)
    others = _encoder_exceptions({}, codec) if write else ()
    return CallCode("singleByte", (name, first, _literal(single[first:]), *others))


class Encodings:
    """Collects the decoders that a module needs while it is generated: ``values`` by constant name, ``names`` the constants by
    encoding. With ``write`` they encode as well. A `BinarySource` makes one.
    """

    def __init__(self, write: bool) -> None:
        self.write = write
        self.names: dict[str, str] = {}
        self.values: dict[str, JsValue] = {}

    def constant(self, name: str, place: SchemaPlace) -> str:
        """Return the constant name of an encoding. Raises NotExpressible where there is no decoder."""
        if name not in self.names:
            value = encoding_value(name, self.write)
            if value is None:
                raise NotExpressible(f"text in {name}", place, FORM)
            constant = encoding_constant(name, len(self.names))
            while constant in self.values or constant in helpers("ksy"):
                constant += "_"
            self.names[name] = constant
            self.values[constant] = value
        return self.names[name]


def _encoder_exceptions(pairs: Mapping[bytes, str], codec: str) -> tuple[JsValue, ...]:
    """Return the characters that Python's codec does not encode to the first bytes that decode to them, with the bytes that it
    does; an empty tuple without any. ``pairs`` are the characters of two bytes.

    EUC-KR's syllables of eight bytes, which the decoder does not have either, are left out.
    """
    first: dict[str, bytes] = {}
    for data, one in {**{bytes([byte]): _decoded(bytes([byte]), codec) for byte in range(256)}, **pairs}.items():
        first.setdefault(one, data)
    others = {}
    # Without surrogates, which no encoding has, and `NOTHING`, which stands for no character.
    for one in map(chr, (*range(0xD800), *range(0xE000, ord(NOTHING)))):
        # With "ignore", a character that the encoding lacks has no bytes, as it has none in the table.
        data = one.encode(codec, "ignore")
        # A writer inverts the table and uses the first bytes of a character: all others are exceptions.
        if data != first.get(one, b"") and len(data) <= 2:
            others[one] = list(data)
    return (others,) if others else ()


def _decoded(data: bytes, codec: str) -> str:
    """Return the single character that bytes encode, else `NOTHING`."""
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return NOTHING
    return text if len(text) == 1 else NOTHING


def _begins(byte: int, codec: str) -> bool:
    """Whether a byte is the first of two in an encoding; some such bytes begin no character at all."""
    try:
        bytes([byte]).decode(codec)
    except UnicodeDecodeError as error:
        return error.reason.startswith("incomplete")
    return False


def _row(lead: int, codec: str) -> tuple[int, str]:
    """Return the first byte that follows ``lead`` in a character of two bytes, and the characters for this and each further second
    byte up to the last with one, `NOTHING` for others; 0 and an empty text without any.
    """
    row = "".join(_decoded(bytes([lead, trail]), codec) for trail in range(256))
    known = [trail for trail in range(256) if row[trail] != NOTHING]
    return (known[0], row[known[0] : known[-1] + 1]) if known else (0, "")


def _literal(characters: str) -> CodeText:
    return CodeText(quoted(characters))


def encoding_constant(name: str, number: int) -> str:
    """Return the constant name for an encoding; it is made of ``number`` where the encoding's name is no identifier.

    >>> encoding_constant("UTF-16LE", 1), encoding_constant("?", 2)
    ('utf16leText', 'text2')
    """
    plain = "".join(c for c in name.lower() if c.isascii() and c.isalnum())
    return f"{plain}Text" if plain and plain[0].isalpha() else f"text{integer(number)}"
