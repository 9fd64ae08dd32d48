"""Names of encodings in schemas with their codecs in Python, and the bytes of samples that schemas give as text."""

from __future__ import annotations

import base64
from collections.abc import Container

ENCODINGS = {
    "ASCII": "ascii",
    "UTF-8": "utf-8",
    "UTF-16LE": "utf-16-le",
    "UTF-16BE": "utf-16-be",
    "UTF-32LE": "utf-32-le",
    "UTF-32BE": "utf-32-be",
    **{f"ISO-8859-{n}": f"iso8859-{n}" for n in (*range(1, 12), 13, 14, 15, 16)},
    **{f"windows-{n}": f"cp{n}" for n in range(1250, 1259)},
    **{f"IBM{n}": f"cp{n}" for n in (437, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869)},
    "IBM037": "cp037",
    "Shift_JIS": "shift_jis",
    "SJIS": "shift_jis",
    "windows-31j": "cp932",
    "EUC-JP": "euc_jp",
    "EUC-KR": "euc_kr",
    "Big5": "big5",
    "GB2312": "gb2312",
    "GBK": "gbk",
    "GB18030": "gb18030",
    "KOI8-R": "koi8-r",
    "KOI8-U": "koi8-u",
    "macintosh": "mac-roman",
}
"""The name of Python's codec by Kaitai's canonical name of the encoding."""

_ALIASES = {
    "UTF8": "UTF-8", "US-ASCII": "ASCII", "UTF-16-LE": "UTF-16LE", "UTF-16-BE": "UTF-16BE", "UTF16LE": "UTF-16LE",
    "UTF16BE": "UTF-16BE", "LATIN1": "ISO-8859-1", "LATIN-1": "ISO-8859-1", "CP437": "IBM437", "CP866": "IBM866",
    "SHIFT-JIS": "Shift_JIS", "MS932": "windows-31j", "CP932": "windows-31j", "CP1252": "windows-1252", "MAC-ROMAN": "macintosh",
}  # fmt: skip


def canonical_encoding(name: str) -> str | None:
    """Return Kaitai's spelling of an encoding's name; None where it is unknown.

    >>> canonical_encoding("utf-8"), canonical_encoding("nonsense")
    ('UTF-8', None)
    """
    by_upper = {known.upper().replace("_", "-"): known for known in ENCODINGS}
    key = name.upper().replace("_", "-")
    return by_upper.get(key) or _ALIASES.get(key)


def python_encoding(name: str) -> str | None:
    """Return the name of Python's codec for one of Kaitai's encodings; None where there is none."""
    canonical = canonical_encoding(name)
    return ENCODINGS[canonical] if canonical is not None else None


FORMS = {"text": "text of {}: write its bytes as hex", "hex": "hexadecimal", "base64": "base64"}
"""The forms in which a schema may give bytes, each with its description."""


def form_of(keys: Container[str]) -> tuple[str | None, str]:
    """Return the one key of `FORMS` among the keys of a sample, with an empty text; None with an error message where no such key
    or more than one is present.
    """
    given = [form for form in FORMS if form in keys]
    if len(given) == 1:
        return given[0], ""
    return None, f"only one of {' and '.join(given)} can be given" if given else "the data are missing: text, hex or base64"


def bytes_of(form: str, text: str, ends: str, encoding: str) -> bytes:
    """Return the bytes of a sample whose key ``form`` (of `FORMS`) has the value ``text``. Under ``text``, ``ends`` replaces each
    line feed, and ``encoding`` encodes the result. Raises ValueError, with the reason, for a value that the form does not allow.

    >>> bytes_of("text", "é\\n", "\\r\\n", "ISO-8859-1"), bytes_of("base64", "AA ==", "", "")
    (b'\\xe9\\r\\n', b'\\x00')
    """
    try:
        if form == "text":
            return text.replace("\n", ends).encode(python_encoding(encoding) or "latin-1")
        return bytes.fromhex(text) if form == "hex" else base64.b64decode("".join(text.split()), validate=True)
    except ValueError:
        raise ValueError(f"{form}: this is not {FORMS[form].format(encoding)}") from None


def undecodable(error: UnicodeDecodeError, encoding: str) -> str:
    r"""Return a message about bytes that are not text in an encoding.

    >>> undecodable(UnicodeDecodeError("ascii", b"a\xff", 1, 2, ""), "ASCII")
    'ff is not ASCII text'
    """
    return f"{error.object[error.start : error.end][:4].hex(' ')} is not {encoding} text"
