"""The ``meta`` section of a schema."""

from __future__ import annotations

import re

from bridgespec.spec.kaitai.scope import Reader
from bridgespec.spec.keys import MODEL, wrong_extension
from bridgespec.spec.problems import UNSUPPORTED, VALUE
from bridgespec.spec.yaml import Items, Map, Scalar, Yaml

LANGUAGE = (0, 11)
"""The version of Kaitai's language that the loader knows."""
OLDEST = (0, 6)
_VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5}))?")


def check_meta(reader: Reader, meta: Map) -> None:
    """Refuse unknown keys, and versions of the language that the loader does not know."""
    reader.unknown_keys(meta, "meta")
    for key in ("title", "license"):
        reader.text(meta.get(key), key)
    for key in ("file-extension", "application"):
        texts = reader.texts(meta.get(key), key)
        if key == "file-extension" and (wrong := wrong_extension(texts)):
            reader.add(VALUE, f"{key}: {wrong}", meta.values[key].place)
    model = reader.text(meta.get("-bridge-model"), "-bridge-model")
    if model is not None and model not in MODEL.shape["enum"]:
        known = " or ".join(MODEL.shape["enum"])
        reader.add(VALUE, f"-bridge-model: expected {known}, found {model!r}", meta.values["-bridge-model"].place)
    for key in ("ks-debug", "ks-zero-copy-substream"):
        reader.flag(meta, key, False)
    for item in reader.list(meta.get("tags"), "tags"):
        reader.text(item, "tags")
    reader.map(meta.get("xref"), "xref")
    version = reader.text(meta.get("ks-version"), "ks-version")
    if version is None:
        return
    given = meta.values["ks-version"]
    place = given.place
    if isinstance(given, Scalar) and given.kind == "float" and version.endswith("0"):
        version = version.rstrip("0")  # what YAML makes of it
    match = _VERSION.fullmatch(version)
    if match is None:
        reader.add(VALUE, f"ks-version: {version!r} is not a version like 0.10", place)
        return
    number = (int(match[1]), int(match[2]))
    if number > LANGUAGE:
        known = ".".join(map(str, LANGUAGE))
        reader.add(UNSUPPORTED, f"ks-version: the schema wants {version}, {known} is supported", place)
    elif number < OLDEST:
        help = "write '0.10' in quotes: YAML reads 0.10 as the number 0.1" if version == "0.1" else None
        reader.add(VALUE, f"ks-version: {version} is older than 0.6, the oldest there is", place, help)


def meta_values(yaml: Map) -> dict[str, object]:
    """Return the section as plain values: text, lists and mappings."""
    return {key: _plain(value) for key, value in yaml.values.items()}


def _plain(yaml: Yaml) -> object:
    if isinstance(yaml, Scalar):
        return yaml.text
    if isinstance(yaml, Items):
        return [_plain(item) for item in yaml.items]
    return {key: _plain(value) for key, value in yaml.values.items()}
