"""Load Kaitai Struct schemas: ``.ksy`` files to the intermediate representation, by `load`.

A schema is untrusted: no code runs from it, imports stay inside its folder and the given search folders, every loop and
depth is bounded. All errors are reported at once, each with its position.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from bridgespec.diagnostic import Diagnostic
from bridgespec.errors import SpecError
from bridgespec.sources import is_source
from bridgespec.spec.ir import EndianSwitch, Enum, Field, Parameter, PosInstance, Record, Spec, ValueInstance
from bridgespec.spec.kaitai.bridge import read_checks, read_samples, read_sources, refuse_idle_words
from bridgespec.spec.kaitai.cycles import check_cycles
from bridgespec.spec.kaitai.expr.tree import Expression
from bridgespec.spec.kaitai.expression_checks import SchemaChecker
from bridgespec.spec.kaitai.field_loader import FieldReader
from bridgespec.spec.kaitai.names import SchemaNames
from bridgespec.spec.kaitai.naming_style import lint
from bridgespec.spec.kaitai.style import check_encoding
from bridgespec.spec.kaitai.type_scope import TypeScope, YamlReader, read_scopes
from bridgespec.spec.kaitai.unfold import check_unfolding
from bridgespec.spec.keys import MODEL, wrong_extension
from bridgespec.spec.place import SchemaPlace, schema_text
from bridgespec.spec.problems import IMPORT, NAME, UNSUPPORTED, VALUE, Problems
from bridgespec.spec.yaml import Items, Map, Scalar, Yaml, load_yaml

LANGUAGE = (0, 11)
"""The version of Kaitai's language that the loader knows."""
OLDEST = (0, 6)
"""The oldest version of Kaitai's language that `ks-version` may name."""
_VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5}))?")


def check_meta(reader: YamlReader, meta: Map) -> None:
    """Report values that keys of ``meta`` cannot have, and versions of the language that are not supported."""
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
    # 0.10 without quotes is the number 0.1 in YAML, although the scalar has the text "0.10".
    if isinstance(given, Scalar) and given.kind == "float" and version.endswith("0"):
        version = version.rstrip("0")
    match = _VERSION.fullmatch(version)
    if match is None:
        reader.add(VALUE, f"ks-version: {version!r} is not a version like 0.10", place)
        return
    # Only major and minor: a patch release of the compiler does not change the language.
    number = (int(match[1]), int(match[2]))
    if number > LANGUAGE:
        known = ".".join(map(str, LANGUAGE))
        reader.add(UNSUPPORTED, f"ks-version: the schema wants {version}, {known} is supported", place)
    elif number < OLDEST:
        help = "write '0.10' in quotes: YAML reads 0.10 as the number 0.1" if version == "0.1" else None
        reader.add(VALUE, f"ks-version: {version} is older than 0.6, the oldest there is", place, help)


def meta_values(yaml: Map) -> dict[str, object]:
    """Return the section ``meta`` as plain values: texts, lists and dicts."""
    return {key: _plain(value) for key, value in yaml.values.items()}


def _plain(yaml: Yaml) -> object:
    if isinstance(yaml, Scalar):
        return yaml.text
    if isinstance(yaml, Items):
        return [_plain(item) for item in yaml.items]
    return {key: _plain(value) for key, value in yaml.values.items()}


MAX_IMPORTS = 200


def load(
    path: Path | str,
    search: Iterable[Path | str] = (),
    processors: frozenset[str] = frozenset(),
    problems: Problems | None = None,
    text: str | None = None,
) -> Spec:
    """Return the schema in a file. Raises SpecError with every finding where it cannot be used.

    ``search`` are further folders for imports; ``processors`` the names of ``process`` routines that the caller provides to the
    codec. ``problems`` collects every finding, with the warnings of a usable schema. ``text`` replaces the file's content, for an
    editor in which the file is not saved.
    """
    path = Path(path)
    try:
        text = schema_text(path) if text is None else text
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        finding = Diagnostic(IMPORT.name, IMPORT.severity, f"cannot be read: {reason}", path=str(path))
        raise SpecError(f"{path}: cannot be read: {reason}", (finding,)) from None
    return _Loader(path, [Path(s) for s in search], processors, problems).load(text)


def loads(
    text: str,
    path: str = "schema.ksy",
    search: Iterable[Path | str] = (),
    processors: frozenset[str] = frozenset(),
) -> Spec:
    """Return the schema in ``text``, as `load`; imports are looked up beside ``path``.

    >>> spec = loads("meta: {id: pair, endian: le}\\nseq: [{id: a, type: u2}, {id: b, type: u2}]")
    >>> spec.id, [field.name for field in spec.top.fields], spec.top.fields[1].place.line
    ('pair', ['a', 'b'], 2)
    """
    return _Loader(Path(path), [Path(s) for s in search], processors).load(text)


def names_of(spec: Spec) -> SchemaNames:
    """Return the names that an expression relative to the root record can use, for tools that evaluate expressions on a file."""
    scopes: dict[str, TypeScope] = {}
    blank = Map({}, {}, SchemaPlace(spec.path, 1, 1))
    # Outer types first, since each scope is created with its parent.
    for name in sorted(spec.records, key=lambda name: name.count("::")):
        outer, _, short = name.rpartition("::")
        scope = TypeScope(name, blank, scopes.get(outer), spec.path)
        scopes[name] = scope
        if outer:
            scopes[outer].types[short] = scope
        prefix = f"{name}::"
        scope.enums = {e.removeprefix(prefix): spec.enums[e] for e in spec.enums if e.rpartition("::")[0] == name}
    names = SchemaNames(spec.root, spec.records, scopes, {n: s for n, s in scopes.items() if s.parent is None})
    names.find_parents()
    return names


class _Loader:
    """Loads one schema with its imports; errors are added to ``problems``. Made by `load` and `loads` for each load."""

    def __init__(self, path: Path, search: list[Path], processors: frozenset[str], problems: Problems | None = None) -> None:
        self.path = path
        self.search = search
        self.processors = processors
        self.problems = Problems() if problems is None else problems
        self.reader = YamlReader(self.problems)
        self.files: dict[Path, TypeScope | None] = {}
        """The scopes of the files read, by resolved path; None while a file is being read, and for one that cannot be used."""
        self.tops: dict[str, TypeScope] = {}
        """The scopes of the schema and its imports, by schema id."""
        self.imports: list[str] = []

    # --- files ---

    def load(self, text: str) -> Spec:
        """Return the schema in ``text``. Raises SpecError with every error."""
        top = self._file(self.path, text)
        if top is None:
            self.problems.raise_errors()
            raise SpecError(f"{self.path}: not a schema")
        records: dict[str, Record] = {}
        scopes: dict[str, TypeScope] = {}
        # Opaque types before all records: loading one adds a schema whose types the records may name.
        for schema in list(self.tops.values()):
            self._opaque(schema)
        for schema in list(self.tops.values()):
            for scope in schema.walk():
                scopes[scope.name] = scope
                records[scope.name] = self._record(scope)
        # Names are resolved only in a schema that is complete: each missing type would make errors in expressions.
        self.problems.raise_errors()
        names = SchemaNames(top.name, records, scopes, self.tops)
        checker = SchemaChecker(self.reader, names, self.processors)
        checker.check_records()
        checksum = self.reader.expression(top.yaml.get("-bridge-checksum"), "-bridge-checksum")
        checker.check_checksum(checksum, top.name)
        for record in records.values():
            check_cycles(record, self.reader)
        check_unfolding(records, self.reader)
        self.problems.raise_errors()
        lint({name: record for name, record in records.items() if scopes[name].top is top}, self.reader)
        return self._spec(top, records, scopes, checksum)

    def _file(self, path: Path, text: str) -> TypeScope | None:
        """Return the scope of the schema in a file, after reading its imports; None where it has no usable ``meta``."""
        # Entered before its imports are read, so that schemas which import each other are read once.
        self.files[path.resolve()] = None
        shown = str(path)
        yaml = load_yaml(text, shown, self.problems)
        if yaml is None:
            return None
        if not isinstance(yaml, Map):
            self.reader.add(VALUE, f"a schema is a mapping, not {yaml.what}", yaml.place)
            return None
        self.reader.unknown_keys(yaml, "a schema")
        meta = self.reader.map(yaml.get("meta"), "meta")
        if meta is not None:
            self.reader.unknown_keys(meta, "meta")
        if meta is None or "id" not in meta:
            self.reader.missing(yaml if meta is None else meta, "a schema needs meta/id")
            return None
        name = self.reader.identifier(meta.get("id"), "schema id")
        check_meta(self.reader, meta)
        if name is None:
            return None
        scope = read_scopes(self.reader, name, yaml, None, shown)
        if scope.encoding is not None and "encoding" in meta:
            check_encoding(self.reader, scope.encoding, meta.values["encoding"].place)
        self.files[path.resolve()] = scope
        if name in self.tops and self.tops[name].file != shown:
            both = f"{self.tops[name].file} and {shown}"
            self.reader.add(NAME, f"two schemas are called '{name}': {both}", meta.values["id"].place)
        self.tops.setdefault(name, scope)
        for item in self.reader.list(meta.get("imports"), "imports"):
            wanted = self.reader.text(item, "import")
            if wanted is not None:
                self._import(wanted, path, item.place)
        return scope

    def _import(self, wanted: str, importer: Path, place: SchemaPlace) -> None:
        """Read the schema that the file ``importer`` imports under the name ``wanted``, unless it has been read."""
        # `Spec.imports` has the imports of this schema alone.
        if wanted not in self.imports and importer == self.path:
            self.imports.append(wanted)
        found = self._find(wanted, importer)
        if found is None:
            where = "in the folders for schemas" if wanted.startswith("/") else "beside the schema"
            self.reader.add(IMPORT, f"'{wanted}' is not {where}", place)
            return
        if found.resolve() in self.files:
            return
        if len(self.files) >= MAX_IMPORTS:
            self.reader.add(IMPORT, f"more than {MAX_IMPORTS} schemas are imported", place)
            return
        try:
            text = schema_text(found)
        except (OSError, UnicodeDecodeError) as error:
            self.reader.add(IMPORT, f"'{wanted}' cannot be read: {getattr(error, 'strerror', None) or error}", place)
            return
        self._file(found, text)

    def _find(self, wanted: str, importer: Path) -> Path | None:
        """Return the path of the schema that the file ``importer`` imports under the name ``wanted``; None where there is none."""
        # A null character is an error of the file system, and a backslash would leave the folder on Windows.
        if "\0" in wanted or "\\" in wanted:
            return None
        home = self.path.parent.resolve()
        relative = [importer.parent / wanted] if not wanted.startswith("/") else []
        # A collection keeps its schemas in folders and imports them from its top: `/network/pcap`.
        above = [folder for folder in home.parents[:-1] if wanted.startswith("/")]
        candidates = relative + [folder / wanted.lstrip("/") for folder in (*self.search, home, *above)]
        allowed = [home, *(folder.resolve() for folder in (*self.search, *above))]
        for candidate in candidates:
            file = candidate.with_name(candidate.name + ".ksy")
            # Resolved, so that a symbolic link does not lead out of the folders either.
            if is_source(file) and any(file.resolve().is_relative_to(folder) for folder in allowed):
                return file
        return None

    def _opaque(self, schema: TypeScope) -> None:
        """Load the opaque types of a schema: external code in Kaitai, here other schemas, looked up like imports."""
        if not schema.opaque:
            return
        for scope in schema.walk():
            for item in self.reader.list(scope.yaml.get("seq"), "seq"):
                given = item.get("type") if isinstance(item, Map) else None
                if isinstance(given, Scalar) and (match := re.match(r"[a-z][a-z0-9_]*", given.text)):
                    name = match[0]
                    builtin = name in ("str", "strz") or re.fullmatch(r"[usfb][0-9]+(le|be)?", name)
                    if not builtin and scope.find_type([name], self.tops) is None:
                        if self._find(name, Path(schema.file)) is None:
                            self.reader.add(UNSUPPORTED, f"opaque type '{name}' is code outside schemas", given.place)
                        else:
                            self._import(name, Path(schema.file), given.place)

    # --- records ---

    def _record(self, scope: TypeScope) -> Record:
        """Return the record of a type; its scope and those of all other types are complete."""
        reader, yaml = self.reader, scope.yaml
        top = scope.parent is None
        if not top and (meta := reader.map(yaml.get("meta"), "meta")) is not None:
            for key in ("id", "title"):
                reader.text(meta.get(key), key)
            if "encoding" in meta and scope.encoding is not None:
                check_encoding(reader, scope.encoding, meta.values["encoding"].place)
        reader.texts(yaml.get("doc-ref"), "doc-ref")
        fields = FieldReader(reader, scope, self.tops)
        seen: dict[str, SchemaPlace] = {}
        params = self._params(fields, yaml, seen)
        seq = self._seq(fields, yaml, seen)
        instances = self._instances(fields, yaml, seen)
        return Record(
            name=scope.name,
            fields=seq,
            place=yaml.place,
            instances=instances,
            params=params,
            checks=read_checks(reader, yaml),
            doc=reader.text(yaml.get("doc"), "doc") or "",
            parent=scope.parent.name if scope.parent is not None else None,
            endian_switch=self._endian_switch(scope),
            to_string=reader.expression(yaml.get("to-string"), "to-string"),
        )

    def _declare(self, name: str | None, place: SchemaPlace, seen: dict[str, SchemaPlace]) -> None:
        """Add the name of a field, parameter or instance to those of its record; report one that is declared already."""
        if name is None:
            return
        if name in seen:
            self.reader.add(NAME, f"'{name}' stands twice; the first is in line {seen[name].line}", place)
        seen.setdefault(name, place)

    def _params(self, fields: FieldReader, yaml: Map, seen: dict[str, SchemaPlace]) -> tuple[Parameter, ...]:
        out = []
        for item in self.reader.list(yaml.get("params"), "params"):
            body = self.reader.map(item, "a parameter")
            if body is None:
                continue
            self.reader.unknown_keys(body, "a parameter")
            if "id" not in body:
                self.reader.missing(body, "a parameter needs an id")
                continue
            name = self.reader.identifier(body.get("id"), "parameter name")
            self._declare(name, body.values["id"].place, seen)
            if name is not None and (parameter := fields.parameter(body, name)) is not None:
                out.append(parameter)
        return tuple(out)

    def _seq(self, fields: FieldReader, yaml: Map, seen: dict[str, SchemaPlace]) -> tuple[Field, ...]:
        out = []
        for number, item in enumerate(self.reader.list(yaml.get("seq"), "seq")):
            body = self.reader.map(item, "a field")
            if body is None:
                continue
            self.reader.unknown_keys(body, "a field")
            name: str | None = f"_unnamed{number}"
            if "id" in body:
                name = self.reader.identifier(body.get("id"), "field name")
                self._declare(name, body.values["id"].place, seen)
            if (field := fields.field(body, name or f"_unnamed{number}")) is not None:
                refuse_idle_words(self.reader, body, field)
                out.append(field)
        return tuple(out)

    def _instances(self, fields: FieldReader, yaml: Map, seen: dict[str, SchemaPlace]) -> dict[str, ValueInstance | PosInstance]:
        out: dict[str, ValueInstance | PosInstance] = {}
        reader = self.reader
        table = self.reader.map(yaml.get("instances"), "instances")
        for key, value in table.values.items() if table is not None else ():
            at: Yaml = table.keys[key] if table is not None else value
            name = self.reader.identifier(at, "instance name")
            body = self.reader.map(value, f"instance {key}")
            self._declare(name, at.place, seen)
            if body is not None and (given := reader.text(body.get("id"), "id")) is not None and given != name:
                reader.add(NAME, f"the instance is '{name}', its id says '{given}'", body.values["id"].place)
            if name is not None and body is not None and (instance := fields.instance(name, body)) is not None:
                refuse_idle_words(self.reader, body, instance)
                out[name] = instance
        return out

    def _endian_switch(self, scope: TypeScope) -> EndianSwitch | None:
        meta = scope.yaml.get("meta")
        given = meta.get("endian") if isinstance(meta, Map) else None
        if not isinstance(given, Map):
            return None
        reader = self.reader
        reader.unknown_keys(given, "an endian switch")
        on = reader.expression(given.get("switch-on"), "switch-on")
        cases = reader.map(given.get("cases"), "cases")
        if on is None or cases is None:
            reader.missing(given, "an endian switch needs switch-on and cases")
            return None
        out: list[tuple[object, str]] = []
        for key, value in cases.values.items():
            text = reader.text(value, "endian") or ""
            if text not in ("le", "be"):
                reader.add(VALUE, f"endian: expected le or be, found {value.what}", value.place)
            case = None if key == "_" else reader.expression(cases.keys[key], "case")
            if key == "_" or case is not None:
                out.append((case, text))
        # `_` is the default wherever it stands, and cases are tried in order.
        ordered = sorted(out, key=lambda pair: pair[0] is None)
        return EndianSwitch(on, tuple(ordered))  # type: ignore[arg-type]

    def _spec(self, top: TypeScope, records: dict[str, Record], scopes: dict[str, TypeScope], checksum: Expression | None) -> Spec:
        enums: dict[str, Enum] = {enum.name: enum for scope in scopes.values() for enum in scope.enums.values()}
        meta = top.yaml.get("meta")
        values = meta_values(meta) if isinstance(meta, Map) else {}
        extension = values.get("file-extension", [])
        extensions = tuple(extension) if isinstance(extension, list) else (str(extension),)
        return Spec(
            id=top.name,
            title=str(values.get("title", top.name)),
            language="ksy",
            path=str(self.path),
            doc=records[top.name].doc,
            extensions=extensions,
            root=top.name,
            records=records,
            enums=enums,
            sources=read_sources(self.reader, top.yaml),
            samples=read_samples(self.reader, top.yaml),
            encoding=top.encoding,
            imports=tuple(self.imports),
            meta=values,
            warnings=self._finish(),
            checksum=checksum,
        )

    def _finish(self) -> tuple[Diagnostic, ...]:
        self.problems.raise_errors()
        return self.problems.warnings
