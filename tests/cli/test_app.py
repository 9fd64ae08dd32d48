"""The group of commands: what is found, how it fails, and that it never shows a traceback unasked."""

from __future__ import annotations

import pkgutil
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

import bridgespec.cli
from bridgespec.cli import explain
from bridgespec.cli.app import GROUPS, app, groups, short_helps
from bridgespec.cli.settings import Settings
from bridgespec.docs.codes import code_pages
from tests.listed import listed

from .running import HALVES, ROOT, SAMPLES, SIXTEEN, forked, process, run

COMMANDS = app.list_commands(click.Context(app))


def test_commands_are_found() -> None:
    """Each module that exposes ``command`` is one, helpers are none, and those that scripts rely on are there."""
    modules = {module.name.replace("_", "-") for module in pkgutil.iter_modules(bridgespec.cli.__path__)}
    assert {"formats", "validate", "convert", "join", "split", "show", "dump", "checksum", "explain"} <= set(COMMANDS) < modules


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_helps(name: str) -> None:
    """``--help`` tells what the command does and gives an example; the list of commands says it in a line."""
    result = run(name, "--help")
    assert result.exit_code == 0
    assert f"bridgespec {name}" in result.output.partition("Options:")[2], "no example"
    assert name in run("--help").output


def test_the_version_is_told() -> None:
    """``--version`` works in both ways of starting the program."""
    assert run("--version").output.startswith("bridgespec ")
    assert process("--version").stdout == run("--version").output


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["vlidate"], "did you mean 'validate'?"),
        (["validate"], "PATH"),
        (["validate", "--fromat", "x", "y"], "--format"),
        (["validate", str(SIXTEEN), "--limit", "-3"], "-3 is not in the range"),
        (["explain", "truncatd"], "truncated"),
        (["--specs", "/nowhere", "formats"], "/nowhere"),
        (["show", str(SIXTEEN), "--boards", "4-2"], "ends before it begins"),
        (["show", str(SIXTEEN), "--boards", "99"], "1 to 16"),
        (["formats", "zbdd"], "did you mean 'z"),
        (["convert", str(SIXTEEN), "x", "--to", "nosuch"], "there is no format"),
        (["convert", str(SIXTEEN), "x.nosuch"], "--to"),
        (["dump", "nosuch.zbd"], "nosuch.zbd: No such file"),
        (["dump", str(ROOT)], "takes one"),
        (["bid", "AKQ95.AT3.KJ2.97"], "--hand"),
        (["solve", "N:T2.J965.T7532.63 AKQ874.AQ2.J8.A5 J65.743.AK4.KQ82 93.KT8.Q96.JT974"], "--deal"),
    ],
)
def test_a_wrong_call_is_answered(args: list[str], told: str) -> None:
    """A call that cannot be carried out gets a message that helps, and status 2."""
    result = run(*args)
    assert result.exit_code == 2
    assert told in result.output
    assert "Traceback" not in result.output


def test_every_command_is_listed_in_one_group() -> None:
    """The help of the program lists each command once, below one of four headings."""
    assert groups().keys() == short_helps().keys()
    assert set(groups().values()) == set(GROUPS)
    text = run("--help").output
    sections = {heading: text.partition(f"\n{heading}:\n")[2].partition("\n\n")[0] for heading in GROUPS}
    for name, heading in groups().items():
        assert [one for one, listed in sections.items() if f"\n  {name} " in f"\n{listed}"] == [heading], name


def failing(error: BaseException) -> click.Command:
    def body() -> None:
        raise error

    return click.Command("fail", callback=body)


@pytest.fixture
def fails(monkeypatch: pytest.MonkeyPatch) -> type[SimpleNamespace]:
    """A command ``fail`` that raises whatever ``fails.error`` is."""

    class Holder(SimpleNamespace):
        error: BaseException = RuntimeError("odd")

    monkeypatch.setattr(type(app), "get_command", lambda *_: failing(Holder.error))
    return Holder


def test_a_fault_of_ours_is_told_as_one(fails: type[SimpleNamespace]) -> None:
    """An exception that nobody foresaw asks for a report and gives status 2; the traceback comes only with --debug."""
    plain, debug = run("fail"), run("--debug", "fail")
    assert plain.exit_code == debug.exit_code == 2
    assert plain.output.startswith("error: internal error: ")
    assert "RuntimeError: odd" in plain.output
    assert "Please report" in plain.output
    assert "Traceback" not in plain.output
    assert "Traceback" in debug.output


def test_being_stopped_is_no_error(fails: type[SimpleNamespace]) -> None:
    """Ctrl-C ends with status 130 and one line."""
    fails.error = KeyboardInterrupt()
    result = run("fail")
    assert (result.exit_code, result.output.strip().count("\n")) == (130, 0)


def test_a_reader_that_leaves_is_no_error() -> None:
    """``bridgespec ... | head -1`` ends without a complaint."""
    command = f"'{sys.executable}' -m bridgespec dump tests/samples/dup/sixteen.dup | head -1"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


@pytest.mark.long
def test_ctrl_c_leaves_no_half_file(tmp_path: Path) -> None:
    """A conversion that is stopped while it reads ends with status 130 and leaves the folder as it was."""
    command = [sys.executable, "-m", "bridgespec", "convert", "-", str(tmp_path / "x.zbd"), "--from", "zrd"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdin is not None
        running.stdin.write(b"x" * 100_000)
        running.stdin.flush()
        running.send_signal(signal.SIGINT)
        told = running.communicate()[1]
    assert running.returncode == 130
    assert b"stopped" in told
    assert not list(tmp_path.iterdir())


def test_any_terminal_can_show_it() -> None:
    """A terminal that knows no suit signs gets question marks, not an exception."""
    done = process("show", SIXTEEN, "--boards", "1", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert "Board 1" in done.stdout


def test_colours_are_for_terminals() -> None:
    """A pipe gets no escape codes unless they are asked for."""
    assert "\x1b[" not in run("validate", HALVES).output
    assert "\x1b[" in run("validate", HALVES, "--colour", "always").output


@pytest.mark.slice(None, quick=2)
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("validate --format zr", ["plain,zrd", "plain,zrj"]),
        ("formats zr", ["plain,zrd", "plain,zrj"]),
        ("explain bad-tr", ["plain,bad-tricks"]),
        ("validate boards/de", ["file,boards/de"]),
        ("convert deals.zbd de", ["file,de"]),
        ("solve deals.zbd -o de", ["file,de"]),
    ],
)
def test_the_shell_completes(words: str, offered: list[str]) -> None:
    """The names of formats and findings are offered where one is wanted, and files elsewhere."""
    given = {"COMP_WORDS": f"bridgespec {words}", "COMP_CWORD": str(len(words.split()))}
    # Which findings there are must not depend on what has been imported.
    ask = process if words.startswith("explain") else forked
    assert ask(_BRIDGESPEC_COMPLETE="bash_complete", **given).stdout.split() == offered


@pytest.mark.parametrize("before", [True, False])
def test_schemas_from_a_folder(tmp_path: Path, before: bool) -> None:
    """``--specs`` makes a format known, wherever it stands in the line."""
    head = "meta: {id: own, title: My own, file-extension: own}\ndoc: Mine.\n"
    (tmp_path / "own.ksy").write_text(head + "seq: [{id: a, type: u1, doc: One., -bridge-opaque: true}]\n")
    where = ["--specs", str(tmp_path)]
    args = [*where, "formats", "own"] if before else ["formats", "own", *where]
    result = run(*args)
    assert result.exit_code == 0
    assert "My own" in result.output


def test_a_schema_that_cannot_be_used_is_complained_of(tmp_path: Path) -> None:
    """It is not passed over in silence: the fault is named with its line, and asking for the format shows it."""
    (tmp_path / "own.ksy").write_text("meta: {id: own, file-extension: own}\nseq: [{id: a, type: nosuch}]\n")
    listed = run("--specs", tmp_path, "formats")
    assert listed.exit_code == 0
    assert "own.ksy:2:21" in listed.stderr
    asked = run("--specs", tmp_path, "formats", "own")
    assert asked.exit_code == 2
    assert "own.ksy:2:21" in asked.stderr
    assert "error[schema-name]" in asked.stderr


@listed
def codes() -> list[str]:
    """Return the codes that ``explain`` has a page for."""
    assert explain.DEFINING, "importing the command defines them"
    return sorted(code_pages(Settings().formats))


@pytest.mark.slice(None, quick=70)
@pytest.mark.parametrize("name", codes())
def test_every_code_has_a_page(name: str) -> None:
    """``explain`` prints a page for each code, and lists it."""
    result = run("explain", name.upper())
    assert result.exit_code == 0
    assert f"[{name}]" in result.output
    assert len(result.output.split()) > 5
    heading, gap, headline, *_ = result.output.splitlines()
    assert (bool(heading), gap, bool(headline)) == (True, "", True)
    assert not any(line.endswith(" ") for line in result.output.splitlines())


@pytest.mark.long
def test_codes_that_samples_give_have_pages() -> None:
    """No finding leads to a code that ``explain`` does not know."""
    known = code_pages(Settings().formats)
    found = {line.split('"')[3] for line in run("validate", SAMPLES, "--output-format", "json").stdout.splitlines()}
    assert found
    assert found <= set(known)


@pytest.mark.long
def test_codes_that_modules_define_have_pages() -> None:
    """In a program of its own, `explain` lists every code that a module of the package defines, imported or not."""
    modules = [path.read_text("utf-8") for path in (ROOT / "bridgespec").rglob("*.py")]
    defined = {name for text in modules for name in re.findall(r'^[A-Z_]+ = define\(\s*"([a-z-]+)"', text, re.MULTILINE)}
    done = subprocess.run([sys.executable, "-m", "bridgespec", "explain"], capture_output=True, text=True, check=True)
    assert len(defined) > 30
    assert not defined - set(done.stdout.split())


@pytest.mark.long
def test_runner_and_program_agree() -> None:
    """What the tests run in their own process is what the program does."""
    inside = CliRunner().invoke(app, ["checksum", str(SIXTEEN)], prog_name="bridgespec")
    assert process("checksum", SIXTEEN).stdout == forked("checksum", SIXTEEN).stdout == inside.stdout
