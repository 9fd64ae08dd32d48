"""Measures conformance to Kaitai Struct and prints it as a table.

``python -m tests.conformance.run SUITE [--gallery FOLDER] [--json FILE] [--markdown FILE] [--failures]``, where SUITE is a
checkout of kaitai_struct_tests (or in the environment as ``BRIDGESPEC_KAITAI_TESTS``) and FOLDER one of
kaitai_struct_formats (or in the environment as ``BRIDGESPEC_KAITAI_FORMATS``).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from tests.conformance import broken, gallery, kst, made, roundtrip
from tests.conformance.suite import GALLERY, VARIABLE, Result, gallery_folder, suite_folder

TITLES = {
    "kst": "`.kst` tests, by interpretation",
    "broken": "broken schemas, refused with line and column",
    "doubtful": "doubtful schemas, warned of with line and column",
    "roundtrip": "files read, written back byte for byte, respelled and read again: equal",
    "gallery": "schemas of the gallery that load and pass `check-spec`",
    "made": "files of the gallery's formats, read without an error, written back byte for byte, also from JSON",
}

INTRODUCTION = """# Conformance to Kaitai Struct

Measured on kaitai_struct_tests, the official suite, and kaitai_struct_formats, the gallery of real schemas, by
`python -m tests.conformance.run SUITE --gallery FORMATS --markdown docs/conformance.md --json docs/conformance.json`.
Schemas are interpreted, not compiled. A test that expects no exception has no finding of severity error (three are excepted in
`tests/conformance/kst.py`, each with its reason), floats agree to their last digit, and a broken schema has a finding of the
expected severity where the suite says that the mistake is. Custom `process` routines are given to the codec as the suite gives
them to Kaitai's targets; opaque types are read as schemas.
"""


def measure(suite: Path, formats: Path | None) -> dict[str, list[Result]]:
    """Every result by kind."""
    results = {
        "kst": kst.run_all(suite),
        "broken": broken.run_all(suite, "error"),
        "doubtful": broken.run_all(suite, "warning"),
        "roundtrip": roundtrip.run_all(suite),
    }
    if formats is not None:
        results["gallery"] = gallery.run_all(formats)
        results["made"] = made.run_all(formats)
    return results


def summary(results: dict[str, list[Result]]) -> list[dict[str, object]]:
    """The table as plain values: counts, and the names and reasons of what does not pass."""
    return [
        {
            "what": TITLES[kind],
            "passed": sum(r.passed for r in rows),
            "of": len(rows),
            "failed": [{"name": r.name, "reason": r.reason} for r in rows if not r.passed],
        }
        for kind, rows in results.items()
    ]


def markdown(results: dict[str, list[Result]]) -> str:
    """The table, and below it what does not pass and why."""
    lines = ["| what | passed | of |", "| --- | ---: | ---: |"]
    lines += [f"| {TITLES[kind]} | {sum(r.passed for r in rows)} | {len(rows)} |" for kind, rows in results.items()]
    for kind, rows in results.items():
        failed = [r for r in rows if not r.passed]
        if failed:
            lines += ["", f"Not passed, {TITLES[kind]}:", ""]
            lines += [f"- {r.name}: {r.reason}" for r in failed]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure conformance to Kaitai Struct.")
    parser.add_argument("suite", nargs="?", type=Path, default=suite_folder())
    parser.add_argument("--gallery", type=Path, default=gallery_folder())
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--failures", action="store_true", help="list what does not pass")
    options = parser.parse_args()
    if options.suite is None or not (options.suite / "spec/ks").is_dir():
        print(f"give the folder of kaitai_struct_tests, or set {VARIABLE}", file=sys.stderr)
        return 2
    if options.gallery is not None:
        os.environ[GALLERY] = str(options.gallery)
    results = measure(options.suite, options.gallery)
    text = markdown(results)
    print(text if options.failures else text.partition("\n\n")[0])
    if options.markdown:
        options.markdown.write_text(f"{INTRODUCTION}\n{text}", "utf-8")
    if options.json:
        options.json.write_text(json.dumps(summary(results), indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
