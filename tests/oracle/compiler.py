"""The real Kaitai compiler, installed into a cache folder outside the repository and run over our schemas."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent
TOOLS = ("package.json", "compile.js")


class Unavailable(Exception):
    """The oracle cannot be asked on this machine; the message says what is missing."""


@dataclass(frozen=True)
class Compiled:
    """What the compiler made of a folder of schemas: Python modules, and the message for each schema that it refused."""

    folder: Path
    errors: dict[str, str]
    ids: tuple[str, ...]
    modules: dict[str, ModuleType] = field(default_factory=dict)

    def parser(self, name: str) -> Any:
        """The class that parses files of a schema: call it with a ``KaitaiStream``."""
        if name not in self.modules:
            with _importable(self.folder):
                self.modules[name] = importlib.import_module(name)
        return getattr(self.modules[name], "".join(part.capitalize() for part in name.split("_")))


def cache() -> Path:
    """Where the compiler is installed, once for each pinned version."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    pinned = hashlib.sha256((HERE / "package.json").read_bytes()).hexdigest()[:12]
    return base / "bridgespec" / f"oracle-{pinned}"


def installed() -> Path:
    """The folder with the compiler, installed by npm on first use; Unavailable says why it cannot be had."""
    missing = [tool for tool in ("node", "npm") if shutil.which(tool) is None]
    if missing:
        raise Unavailable(f"the real Kaitai compiler needs Node.js: no {' and no '.join(missing)} on this machine's PATH")
    target = cache()
    if (target / "complete").exists():
        return target
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "package.json", target / "package.json")
    command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
    done = subprocess.run(command, cwd=target, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise Unavailable(f"npm could not install the real Kaitai compiler: {last}")
    (target / "complete").touch()
    return target


def compile_folder(schemas: Path, out: Path) -> Compiled:
    """Every schema of a folder compiled to Python modules in ``out``; Unavailable where there is no compiler."""
    home = installed()
    out.mkdir(parents=True, exist_ok=True)
    command = ["node", str(HERE / "compile.js"), str(schemas.resolve()), str(out.resolve())]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise RuntimeError(f"the compiler's script failed: {done.stderr.strip()}")
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return Compiled(out, {line["id"]: line["error"] for line in lines if line["error"]}, tuple(line["id"] for line in lines))


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """The compiled modules import each other by bare names: let them, and leave no trace of it."""
    names = {path.stem for path in folder.glob("*.py")}
    hidden = {name: sys.modules.pop(name) for name in names & sys.modules.keys()}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(hidden)
