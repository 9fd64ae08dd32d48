"""The mistakes that are planted in C: one change of a token each; and the solver built with one, and tried.

The weights of leads are left alone: a program learns them, and any are right.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NATIVE = Path(__file__).parent.parent.parent / "native"

_TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|^[ ]*\#(?:\\\n|[^\n])*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      |(?P<word>[A-Za-z_]\w*)|(?P<number>(?:0x[0-9a-fA-F]+|\d+)[uUlL]*)
      |(?P<sign><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^<>=!~?:;,.(){}\[\]])""",
    re.X | re.S | re.M,
)
_SIGNS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "&&": "||",
    "||": "&&",
    "<<": ">>",
    ">>": "<<",
    "+": "-",
    "-": "+",
    "/": "*",
    "%": "/",
    "&": "|",
    "|": "&",
    "^": "|",
    "++": "--",
    "--": "++",
    "+=": "-=",
    "-=": "+=",
    "&=": "|=",
    "|=": "&=",
    "^=": "|=",
    "<<=": ">>=",
    ">>=": "<<=",
}
_TIGHT = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_WORDS = {"break": "continue", "continue": "break", "if": "if (0) if"}


@dataclass(frozen=True)
class Mistake:
    """One change of a file: what stands at a place, and what comes there."""

    path: str
    line: str
    nth: int
    start: int
    stop: int
    new: str

    @property
    def name(self) -> str:
        """What does not change when other lines do."""
        return f"native/{self.path} {self.line!r} {self.nth}: {self.new!r}"


def mistakes() -> Iterator[Mistake]:
    """Every change of every source file, in order."""
    for path in sorted((NATIVE / "src").iterdir()):
        if path.name != "weights.h":
            yield from _of(path)


def _of(path: Path) -> Iterator[Mistake]:
    text = path.read_text()
    seen: Counter[tuple[str, str]] = Counter()
    before = ";"
    for token in _TOKEN.finditer(text):
        if token["skip"]:
            continue
        old, kind = token[0], token.lastgroup
        operand = before[-1].isalnum() or before in (")", "]")
        news = []
        if kind == "sign" and old in _SIGNS and (operand or old in ("++", "--")):
            news = [_SIGNS[old], *([_TIGHT[old]] if old in _TIGHT else [])]
        elif kind == "number" and before not in ("[",):
            digits = old.rstrip("uUlL")
            news = [str(int(digits, 0) + 1) + old[len(digits) :]]
        elif kind == "word" and old in _WORDS:
            news = [_WORDS[old]]
        line = " ".join(text[text.rfind("\n", 0, token.start()) + 1 : text.find("\n", token.end())].split())
        for new in news:
            seen[line, new] += 1
            yield Mistake(path.name, line, seen[line, new], token.start(), token.end(), new)
        before = old


class Bench:
    """The solver's sources in a folder of their own, where one mistake at a time is built and tried."""

    UNITS = ("api", "check", "search_bmi2", "search_generic", "table")

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("src", "include", "tests"):
            shutil.copytree(NATIVE / name, folder / name, dirs_exist_ok=True)
        for flag in ("", "-DBSDD_NO_BMI2", "-DBSDD_NO_BOUNDS"):
            for unit in self.UNITS:
                self._compile(flag, unit, f"right{flag}-{unit}.o")
            for test in ("test_solver", "test_bounds"):
                self._run("cc", "-std=c11", "-O2", "-w", flag, "-c", "-o", f"{test}{flag}.o", f"tests/{test}.c")

        self._changed: tuple[str, ...] = ()
        # A test that fails as things are would find every mistake.
        assert not any(self._test(test, flag, *arguments) for test, flag, arguments in self.TESTS)

    TESTS = (
        ("test_solver", "", ("60", "3", "8")),
        ("test_solver", "-DBSDD_NO_BMI2", ("20", "1", "0")),
        ("test_bounds", "-DBSDD_NO_BOUNDS", ("4000",)),
    )

    def tried(self, mistake: Mistake) -> str | None:
        """The test that found the mistake, an empty text where none did; None where it does not compile."""
        path = self.folder / "src" / mistake.path
        right = path.read_text()
        path.write_text(right[: mistake.start] + mistake.new + right[mistake.stop :])
        name = mistake.path.removesuffix(".c")
        # What is compiled anew: a source alone; of a header those that include it, the search but once.
        self._changed = (name,) if name in self.UNITS else ("search_bmi2", *(("api", "table") if name == "internal.h" else ()))
        try:
            return self._tried(mistake.path)
        finally:
            path.write_text(right)

    def _tried(self, path: str) -> str | None:
        if path in ("table.c", "internal.h") and (found := self._test("test_table", "")) != "":
            return found
        if path in ("internal.h", "quick.h") and (found := self._test("test_bounds", "-DBSDD_NO_BOUNDS", "4000")) != "":
            return found
        if path == "search_generic.c":
            return self._test("test_solver", "-DBSDD_NO_BMI2", "20", "1", "0")
        found = self._test("test_solver", "", "10", "1", "1")
        return found if found != "" else self._test("test_solver", "", "60", "3", "8")

    def _test(self, test: str, flag: str, *arguments: str) -> str | None:
        """Build one test with what a mistake has changed, and run it."""
        if test == "test_table":
            built = self._run("cc", "-std=c11", "-O2", "-w", "-o", "mutant", "tests/test_table.c", "src/table.c") == 0
        else:
            changed = self._changed
            objects = [f"{'new' if unit in changed else 'right'}{flag}-{unit}.o" for unit in self.UNITS]
            built = all(self._compile(flag, unit, f"new{flag}-{unit}.o") for unit in changed)
            built = built and self._run("cc", "-o", "mutant", f"{test}{flag}.o", *objects) == 0
        if not built:
            return None
        return " ".join((test, *arguments)) if self._run("./mutant", *arguments) else ""

    def _compile(self, flag: str, unit: str, to: str) -> bool:
        return self._run("cc", "-std=c11", "-O2", "-w", *([flag] if flag else []), "-c", "-o", to, f"src/{unit}.c") == 0

    def _run(self, *command: str) -> int:
        """The exit status; a program that takes too much of the processor or of memory is ended, which is not 0."""
        limits = 'ulimit -t 30; ulimit -v 8000000; exec "$@"'
        return subprocess.run(
            ["sh", "-c", limits, "sh", *filter(None, command)], cwd=self.folder, capture_output=True, check=False
        ).returncode
