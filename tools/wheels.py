"""Makes a release: the source archive, and a wheel with the solver for each platform, all of them on one machine.

    python -m tools.wheels                         everything, into dist/
    python -m tools.wheels manylinux-x86_64        one platform
    python -m tools.wheels --check --twice         with the auditors that are installed, and everything a second time

The source archive is built first and everything else from it, so that it is known to suffice. Bytes depend on the sources and
on SOURCE_DATE_EPOCH (or the last commit's time) alone. It needs ``pip install -e '.[release]'``.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bridgespec.version import VERSION
from tools import archive, zig

ROOT = Path(__file__).parent.parent
SOLVER = "bridgespec/solver/"


def seconds() -> int:
    """The time that everything in a release gets."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is not None:
        return int(given)
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False)
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip() else archive.EARLIEST


def obstacles() -> Iterator[str]:
    """Why this is not yet a release."""
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    if re.search(rf"^## \[{re.escape(VERSION)}\]", changes, re.MULTILINE) is None:
        yield f"CHANGELOG.md has no section for {VERSION}"
    done = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode or done.stdout.strip():
        yield "there are changes that are not committed"


def build(out: Path, targets: Sequence[zig.Target], cache: Path | None = None) -> list[Path]:
    """The source archive and the wheels of these targets, in ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    made = []
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        _run([sys.executable, "-m", "build", "--sdist", "--outdir", str(work)], ROOT)
        plain = _only(work, "*.tar.gz")
        source = out / plain.name
        source.write_bytes(archive.source(plain, seconds()))
        made.append(source)
        with tarfile.open(source) as packed:
            packed.extractall(work / "unpacked", filter="data")
        (tree,) = (work / "unpacked").iterdir()
        wheels = work / "wheels"
        environment = {"BRIDGESPEC_EXTENSION": "0", "SOURCE_DATE_EPOCH": str(seconds())}
        _run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", str(wheels), str(tree)], work, environment)
        files = archive.read_wheel(_only(wheels, "*-py3-none-any.whl"))
        for target in targets:
            solver = _solver(target, tree / "native", work / target.name, cache)
            name, data = archive.wheel({**files, **solver}, target.tags, seconds())
            (out / name).write_bytes(data)
            made.append(out / name)
    return made


def _solver(target: zig.Target, native: Path, folder: Path, cache: Path | None) -> dict[str, bytes]:
    """The files that give a package its solver on the target."""
    folder.mkdir()
    binding, declared, built = folder / "_native.c", folder / "_declared.py", folder / target.file
    program = f"import build_ffi; build_ffi.builder(True).emit_c_code({str(binding)!r}); build_ffi.declared({str(declared)!r})"
    _run([sys.executable, "-c", program], native)
    zig.library(target, native, binding, built, cache)
    # A Windows library is accompanied by what a linker would want of it, which nobody links here.
    wanted = [built] if target.is_module else [built, declared]
    return {SOLVER + path.name: path.read_bytes() for path in wanted}


def _run(words: Sequence[str], folder: Path, more: dict[str, str] | None = None) -> None:
    done = subprocess.run(words, cwd=folder, env={**os.environ, **(more or {})}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words[:4])} failed:\n{done.stdout}{done.stderr}")


def _only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def checks(wheel: Path) -> Iterator[tuple[str, list[str]]]:
    """The auditors that have something to say of a wheel, each with the command."""
    name = wheel.name
    if "musllinux_" in name:
        # The system's own C library is another one, which must not be looked into.
        yield "auditwheel", ["auditwheel", "show", "--ldpaths", os.devnull, str(wheel)]
    elif "linux_" in name and "-none-" not in name:
        yield "auditwheel", ["auditwheel", "show", str(wheel)]
    if "-abi3-" in name:
        yield "abi3audit", ["abi3audit", "--strict", "--summary", str(wheel)]
    if "macosx" in name:
        yield "delocate", ["delocate.cmd.delocate_listdeps", "--all", str(wheel)]
    if "win_" in name:
        yield "delvewheel", ["delvewheel", "show", str(wheel)]


def check(wheel: Path) -> bool:
    """Have the auditors that are installed look at a wheel; whether none objected."""
    good = True
    for tool, words in checks(wheel):
        if importlib.util.find_spec(tool) is None or (tool == "delocate" and shutil.which("otool") is None):
            print(f"  {tool}: it cannot run here, so it did not look")
            continue
        done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)
        told = (done.stdout + done.stderr).strip()
        good = good and done.returncode == 0
        print(f"  {tool}: exit {done.returncode}\n    " + "\n    ".join(line for line in told.splitlines() if line.strip()))
    return good


def main() -> None:
    """The program."""
    known = {**zig.TARGETS, zig.TRIAL.name: zig.TRIAL}
    parser = argparse.ArgumentParser(prog="python -m tools.wheels", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("platform", nargs="*", help=f"of {', '.join(known)}; all but the last unless given")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--check", action="store_true", help="have auditwheel, abi3audit, delocate and delvewheel look at them")
    parser.add_argument("--twice", action="store_true", help="build a second time from nothing and compare every byte")
    parser.add_argument("--release", action="store_true", help="refuse what is not ready to be released")
    given = parser.parse_args()
    if unknown := sorted(set(given.platform) - set(known)):
        parser.error(f"there is no platform {', '.join(unknown)}")
    found, wanted = zig.installed(), zig.wanted()
    if found != wanted:
        raise SystemExit(f"releases are built with ziglang=={wanted}; {found or 'none'} is installed")
    told = list(obstacles())
    if told and given.release:
        raise SystemExit("this is not a release: " + "; ".join(told))
    targets = [known[name] for name in given.platform] or zig.ALL
    made = build(given.out, targets)
    good = True
    for path in made:
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}  {path.stat().st_size:,} bytes")
        good = (not given.check or check(path)) and good
    if given.twice:
        with tempfile.TemporaryDirectory() as scratch:
            again = build(Path(scratch) / "dist", targets, Path(scratch) / "cache")
            differ = [one.name for one, other in zip(made, again, strict=True) if one.read_bytes() != other.read_bytes()]
        print(f"built twice: {'every byte is the same' if not differ else 'not the same: ' + ', '.join(differ)}")
        good = good and not differ
    for obstacle in told:
        print(f"not a release: {obstacle}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
