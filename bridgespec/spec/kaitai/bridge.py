"""Read the ``-bridge-`` keys of a binary schema into the IR: the binding of a field, and the checks, sources and samples."""

from __future__ import annotations

from bridgespec.diagnostic import Severity
from bridgespec.spec.encoding import bytes_of, canonical_encoding, form_of
from bridgespec.spec.ir import (
    Axis,
    Binding,
    BitsType,
    BytesType,
    Check,
    Digits,
    EndRecord,
    Field,
    IntType,
    NumberText,
    PosInstance,
    Sample,
    Source,
    StringType,
    SwitchType,
    ValueInstance,
)
from bridgespec.spec.kaitai.keys import IDLE, KNOWN_AXES
from bridgespec.spec.kaitai.type_scope import TypeScope, YamlReader, as_int
from bridgespec.spec.problems import APPLY, EXPRESSION, KEY, VALUE
from bridgespec.spec.yaml import Map, Scalar, Yaml


def read_binding(reader: YamlReader, field: Map, scope: TypeScope) -> Binding:
    """Return the binding of a field, from its ``-bridge-`` keys."""
    # Most fields of published schemas have no such key.
    if not any(key.startswith("-bridge-") for key in field.keys):
        return Binding()
    get = field.get
    return Binding(
        term=reader.text(get("-bridge-as"), "-bridge-as"),
        role=reader.text(get("-bridge-role"), "-bridge-role"),
        case=reader.text(get("-bridge-case"), "-bridge-case"),
        axes=_axes(reader, get("-bridge-axes")),
        at=_names(reader, get("-bridge-at"), "-bridge-at"),
        digits=_digits(reader, get("-bridge-digits")),
        number=_number(reader, get("-bridge-number")),
        codes=reader.text(get("-bridge-codes"), "-bridge-codes"),
        value=reader.expression(get("-bridge-value"), "-bridge-value"),
        default=reader.expression(get("-bridge-default"), "-bridge-default"),
        opaque=reader.flag(field, "-bridge-opaque", False),
        lenient=_lenient(reader, get("-bridge-lenient")),
        unknown=reader.integer(get("-bridge-unknown"), "-bridge-unknown"),
        end=_end(reader, field),
        prefer=reader.flag(field, "-bridge-prefer", False),
        code=reader.text(get("-bridge-code"), "-bridge-code"),
        severity=_severity(reader, get("-bridge-severity")),
    )


_INTEGERS, _STORED = (IntType, BitsType), (IntType, BitsType, BytesType, StringType, SwitchType)
_NEEDED_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "lenient": (_STORED, "integers, bytes or text"),
    "digits": (_INTEGERS, "an integer"),
    "number": ((StringType,), "text"),
    "unknown": (_INTEGERS, "an integer"),
}
"""For each attribute of a binding that needs a field of certain types, these types and their name in findings."""


def refuse_idle_words(reader: YamlReader, yaml: Map, loaded: Field | PosInstance | ValueInstance) -> None:
    """Report keys in ``yaml`` that have no effect on the field or instance ``loaded`` that was loaded from it."""
    place = yaml.key_place
    if isinstance(loaded, ValueInstance):
        _refuse_on_computed(reader, yaml, loaded)
        return
    field = loaded.field if isinstance(loaded, PosInstance) else loaded
    binding = field.binding
    for word, (kinds, needed) in _NEEDED_TYPES.items():
        # Not by truth: ``unknown`` may be the code 0. Without its key ``lenient`` is empty, the others are None.
        if getattr(binding, word) not in (None, {}) and not isinstance(field.type, kinds):
            reader.add(APPLY, f"'-bridge-{word}' can apply to {needed} only", place(f"-bridge-{word}"))
    if binding.codes is not None and binding.number is None and isinstance(field.type, StringType):
        reader.add(APPLY, "'-bridge-codes' of a text needs '-bridge-number'", place("-bridge-codes"))
    if binding.value is not None and binding.default is not None:
        reader.add(APPLY, "'-bridge-default' cannot apply to a derived field: its value is always known", place("-bridge-default"))
    if binding.given_twice is not None:
        reader.add(APPLY, f"'-bridge-at' cannot apply: the axes give the {binding.given_twice}", place("-bridge-at"))
    if isinstance(loaded, PosInstance):
        for key in sorted(IDLE["an instance"] & yaml.keys.keys()):
            why = "it is written only where it has a value"
            reader.add(APPLY, f"'{key}' cannot apply to an instance that is read at an offset: {why}", place(key))


def _refuse_on_computed(reader: YamlReader, yaml: Map, computed: ValueInstance) -> None:
    """Report keys in ``yaml`` that have no effect on a computed value."""
    for key in sorted(IDLE["a value instance"] & yaml.keys.keys()):
        stored = key.removeprefix("-bridge-") in ("value", "default", "lenient", "end")
        why = "it is neither read nor written" if stored else "the model takes nothing from it"
        reader.add(APPLY, f"'{key}' cannot apply to a computed value: {why}", yaml.key_place(key))
    for key in ("-bridge-code", "-bridge-severity"):
        if key in yaml and computed.valid is None:
            reader.add(APPLY, f"'{key}' needs 'valid' beside a computed value", yaml.key_place(key))


def read_checks(reader: YamlReader, owner: Map) -> tuple[Check, ...]:
    """Return the checks that a type's key ``-bridge-checks`` declares."""
    checks = []
    for item in reader.list(owner.get("-bridge-checks"), "-bridge-checks"):
        body = reader.map(item, "a check")
        if body is None:
            continue
        reader.unknown_keys(body, "a check")
        that = reader.expression(_needed(reader, body, "that"), "that")
        code = reader.text(_needed(reader, body, "code"), "code")
        message = reader.text(_needed(reader, body, "message"), "message")
        if that is not None and code is not None and message is not None:
            severity = _severity(reader, body.get("severity"))
            checks.append(Check(that, code, severity, message, body.place))
    return tuple(checks)


def read_sources(reader: YamlReader, top: Map) -> tuple[Source, ...]:
    """Return the sources of information that the schema's key ``-bridge-sources`` lists."""
    sources = []
    for item in reader.list(top.get("-bridge-sources"), "-bridge-sources"):
        body = reader.map(item, "a source")
        if body is None:
            continue
        reader.unknown_keys(body, "a source")
        title = reader.text(_needed(reader, body, "title"), "title")
        url, author, quote = (reader.text(body.get(key), key) for key in ("url", "author", "quote"))
        if title is not None:
            sources.append(Source(title, url, author, quote))
    return tuple(sources)


def read_samples(reader: YamlReader, top: Map) -> tuple[Sample, ...]:
    """Return the schema's ``-bridge-samples``: bytes as ``hex`` or ``base64``, or ``text`` in the schema's encoding."""
    samples = []
    meta = top.get("meta")
    named = meta.get("encoding") if isinstance(meta, Map) else None
    # Without an encoding text in a sample is Latin-1, in which each byte has a character.
    encoding = canonical_encoding(named.text) if isinstance(named, Scalar) else None
    for item in reader.list(top.get("-bridge-samples"), "-bridge-samples"):
        body = reader.map(item, "a sample")
        if body is None:
            continue
        reader.unknown_keys(body, "a sample")
        name = reader.text(_needed(reader, body, "name"), "name")
        data = _sample_bytes(reader, body, encoding or "ISO-8859-1")
        codes = reader.texts(body.get("codes"), "codes")
        doc = reader.text(body.get("doc"), "doc") or ""
        if name is not None and data is not None:
            samples.append(Sample(name, data, codes, doc, body.place))
    return tuple(samples)


def _sample_bytes(reader: YamlReader, body: Map, encoding: str) -> bytes | None:
    """Return the bytes of a sample, of which a text is in ``encoding``; None where an error was reported."""
    form, why = form_of(body.values)
    if form is None:
        reader.missing(body, why)
        return None
    if "ends" in body and form != "text":
        reader.add(KEY, f"ends: only a text has lines, not {form}", body.key_place("ends"))
    text, ends = reader.text(body.get(form), form), reader.text(body.get("ends"), "ends")
    try:
        return None if text is None else bytes_of(form, text, ends or "\n", encoding)
    except ValueError as error:
        reader.add(VALUE, str(error), body.values[form].place)
        return None


def _needed(reader: YamlReader, body: Map, key: str) -> Yaml | None:
    """Return the value of a key that is mandatory; report its absence and return None."""
    found = body.get(key)
    if found is None:
        reader.missing(body, f"'{key}' is missing")
    return found


def _severity(reader: YamlReader, yaml: Yaml | None) -> Severity:
    text = reader.text(yaml, "severity")
    if text is None or yaml is None:
        return Severity.ERROR
    if text not in {s.value for s in Severity}:
        reader.add(VALUE, f"severity: expected error, warning or note, found {text!r}", yaml.place)
        return Severity.ERROR
    return Severity(text)


def _axes(reader: YamlReader, yaml: Yaml | None) -> tuple[Axis, ...]:
    axes = []
    for item in reader.list(yaml, "-bridge-axes"):
        body = reader.map(item, "an axis")
        for name, value in body.values.items() if body else ():
            labels = reader.text(value, f"axis {name}")
            if name not in KNOWN_AXES:
                place = body.keys[name].place if body else value.place
                reader.add(VALUE, f"axis '{name}' is unknown: {', '.join(KNOWN_AXES)} are known", place)
            elif labels is not None:
                axes.append(Axis(name, labels))
    return tuple(axes)


def _names(reader: YamlReader, yaml: Yaml | None, what: str) -> dict[str, str]:
    body = reader.map(yaml, what)
    pairs = {key: reader.text(value, key) for key, value in body.values.items()} if body else {}
    return {key: text for key, text in pairs.items() if text is not None}


def _digits(reader: YamlReader, yaml: Yaml | None) -> Digits | None:
    body = reader.map(yaml, "-bridge-digits")
    if body is None:
        return None
    reader.unknown_keys(body, "-bridge-digits")
    base = reader.integer(_needed(reader, body, "base"), "base", 2, 256)
    return Digits(base, reader.text(body.get("enum"), "enum")) if base is not None else None


def _number(reader: YamlReader, yaml: Yaml | None) -> NumberText | None:
    body = reader.map(yaml, "-bridge-number")
    if body is None:
        return None
    reader.unknown_keys(body, "-bridge-number")
    pad = reader.text(body.get("pad-left"), "pad-left")
    if pad is not None and len(pad) != 1:
        reader.add(VALUE, "pad-left: expected one character", body.values["pad-left"].place)
        return None
    return NumberText(pad)


def _lenient(reader: YamlReader, yaml: Yaml | None) -> dict[int, int]:
    """Return the codes of ``-bridge-lenient``, each with the code as which it is read; empty without the key."""
    body = reader.map(yaml, "-bridge-lenient")
    codes: dict[int, int] = {}
    for key, value in body.values.items() if body else ():
        scalar = body.keys[key] if body else None
        raw = as_int(scalar) if scalar else None
        meant = as_int(value) if isinstance(value, Scalar) else None
        if raw is None or meant is None:
            reader.add(VALUE, "-bridge-lenient maps integers to integers", value.place)
        else:
            codes[raw] = meant
    return codes


def _end(reader: YamlReader, field: Map) -> EndRecord | None:
    """Return the value of ``-bridge-end``; None without the key, and where an error was reported."""
    body = reader.map(field.get("-bridge-end"), "-bridge-end")
    if body is None:
        return None
    if "repeat" not in field:
        reader.missing(field, "-bridge-end needs a repeated field", field.key_place("-bridge-end"))
    reader.unknown_keys(body, "-bridge-end")
    bits = reader.integer(_needed(reader, body, "bits"), "bits", 1, 8192)
    short = reader.integer(body.get("short"), "short", 0, 1024)
    # A short form with other bits than null bits could be the beginning of a record.
    if bits is not None and short is not None and 8 * short > bits + 7:
        reader.add(EXPRESSION, "short: the short form cannot be longer than the null bits", body.values["short"].place)
        return None
    return EndRecord(bits, short or 0) if bits is not None else None
