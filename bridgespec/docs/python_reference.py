"""The reference of the Python package, made from its source: the names in `bridgespec.__all__`, with signatures and docstrings.

The library Griffe parses the source, so that nothing is imported and annotations are printed as they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridgespec.docs.prose import Markup, docstring
from bridgespec.extras import Extra

if TYPE_CHECKING:
    import griffe
    from griffe import Alias, Class, Function, Module, Object
else:
    griffe = Extra("griffe")


@dataclass(frozen=True)
class PythonMember:
    """A public attribute or method of a class: ``signature`` is its declaration on one line, ``doc`` its docstring as HTML."""

    name: str
    signature: str
    doc: Markup


@dataclass(frozen=True)
class PythonName:
    """A public name of the package: ``kind`` is "class", "function" or "exception", ``summary`` the first paragraph of the
    docstring; functions have no members.
    """

    name: str
    kind: str
    signature: str
    summary: str
    doc: Markup
    members: tuple[PythonMember, ...] = ()

    @property
    def url(self) -> str:
        """The address from the site's root. Functions have no pages of their own: that of `par` would be the file of the class
        `Par` where file names ignore case.
        """
        return f"python/functions.html#{self.name}" if self.kind == "function" else f"python/{self.name}.html"


@cache
def python_names(package: str, names: tuple[str, ...]) -> tuple[PythonName, ...]:
    """Return the documented classes and functions of a package, in order; constants without a docstring are left out.

    Cached for the process, since parsing a package takes longer than most other parts of a site.
    """
    module = _package(package)
    items = {name: _final(module[name]) for name in names}
    # Adds the parameters of dataclasses, which are their fields; Griffe's loader would do so for all classes of the package.
    for path in dict.fromkeys(item.module.path for item in items.values()):
        griffe.DataclassesExtension().on_package(pkg=module.modules_collection.get_member(path))
    return tuple(found for name, item in items.items() if (found := _described(name, item)) is not None)


def _package(name: str) -> Module:
    """Return a package whose modules are parsed when a name in them is first looked up: public names need a quarter of them."""

    class LazyModules(griffe.ModulesCollection):
        """The modules of the package by name, parsed on first look-up."""

        def get_member(self, key: str | Sequence[str]) -> Any:
            parts = key.split(".") if isinstance(key, str) else key
            module = self.members[parts[0]]
            for part in parts[1:]:
                found = module.members.get(part) or _parsed(part, module, self)
                if not isinstance(found, griffe.Module):
                    break
                module = found
            return super().get_member(key)

    modules = LazyModules()
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin)
    modules.members[name] = griffe.visit(name, path, path.read_text("utf-8"), modules_collection=modules)
    return modules.members[name]


def _parsed(name: str, parent: Module, modules: griffe.ModulesCollection) -> Module | None:
    """Return a module of a package, parsed; None where the package has no file of this name."""
    folder = Path(str(parent.filepath)).parent
    for path in (folder / f"{name}.py", folder / name / "__init__.py"):
        if parent.is_init_module and path.is_file():
            made = griffe.visit(name, path, path.read_text("utf-8"), parent=parent, modules_collection=modules)
            parent.set_member(name, made)
            return made
    return None


def _final(item: Object | Alias) -> Object:
    """Return the definition of a name that may be imported."""
    return item.final_target if isinstance(item, griffe.Alias) else item


def _text(item: Object) -> str:
    return item.docstring.value.strip() if item.docstring else ""


def _described(name: str, item: Object) -> PythonName | None:
    """Return the documentation of a class or a function; None for any other object."""
    text = _text(item)
    summary = text.partition("\n\n")[0]
    if isinstance(item, griffe.Function):
        return PythonName(name, "function", _call(name, item), summary, docstring(text))
    if isinstance(item, griffe.Class):
        # By the names of the bases, since Python's exceptions are not in the source that is parsed.
        kind = "exception" if any("Error" in str(base) or "Exception" in str(base) for base in item.bases) else "class"
        signature = _call(name, item) if item.parameters else name
        return PythonName(name, kind, signature, summary, docstring(text), tuple(_members(item)))
    return None


def _call(name: str, item: Function | Class) -> str:
    """Return the signature of a function on one line: parameters with annotations and defaults, without ``self``."""
    parts, star = [], False
    for parameter in item.parameters:
        if parameter.name in ("self", "cls"):
            continue
        kind = parameter.kind.value if parameter.kind else ""
        if kind == "keyword-only" and not star:
            parts.append("*")
        # After *args all parameters are keyword-only, and another star would be a syntax error.
        star = star or kind in ("keyword-only", "variadic positional")
        prefix = {"variadic positional": "*", "variadic keyword": "**"}.get(kind, "")
        annotation = f": {parameter.annotation}" if parameter.annotation is not None else ""
        # Griffe gives *args and **kwargs the defaults "()" and "{}".
        given = parameter.default is not None and not prefix
        # PEP 8 has blanks around the = of a default only after an annotation.
        default = f"{' = ' if annotation else '='}{parameter.default}" if given else ""
        parts.append(f"{prefix}{parameter.name}{annotation}{default}")
    returns = f" -> {item.returns}" if isinstance(item, griffe.Function) and item.returns is not None else ""
    return f"{name}({', '.join(parts)}){returns}"


def _members(item: Class) -> Iterator[PythonMember]:
    """Yield the public members of a class in the order of the source, then those of its base classes in the package, each name
    once.
    """
    seen: set[str] = set()
    for owner in (item, *(base for base in item.mro() if base.package is item.package)):
        for name, member in owner.members.items():
            final = _final(member)
            if name.startswith("_") or name in seen or not isinstance(final, griffe.Function | griffe.Attribute):
                continue
            seen.add(name)
            if isinstance(final, griffe.Function):
                yield PythonMember(name, _call(name, final), docstring(_text(final)))
            elif final.docstring or final.annotation is not None:
                kind = f": {final.annotation}" if final.annotation is not None else ""
                yield PythonMember(name, f"{name}{kind}", docstring(_text(final)))
