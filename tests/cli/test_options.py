"""Options mean the same in every command: one table of what each name may be, and every command held against it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import click

from bridgespec.cli.app import app, short_helps
from bridgespec.cli.settings import common_options

from .running import SIXTEEN, run

CONTEXT = click.Context(app)
COMMON = {name for option in common_options(False) for name in option.opts} | {"--help", "-h"}
MEANINGS = {
    "--boards": ("RANGES", "boards"),
    "--canonical": ("", "nothing of the source's own spelling"),
    "--cluster": ("ADDRESS", "the scheduler"),
    "--deal": ("DEAL", "a deal on the command line"),
    "--format": ("ID", "the format of the file that is named"),
    "--from": ("ID", "the format of what is made into another"),
    "--jobs": ("N", "processes or threads"),
    "--json": ("", "the result as JSON"),
    "--output": (None, "the file that is written"),
    "--quiet": ("", "no progress, and nothing when all is well"),
    "--strict": ("", "stricter"),
    "--to": (None, "the format that is made"),
    "--vul": (None, "vulnerability"),
}
"""Options of several commands: what their value is called (None where a command may choose: a file, a folder, a target), and what
they mean."""
SHORT = {"-o": "--output", "-q": "--quiet", "-j": "--jobs", "-n": "--count"}


def options() -> Iterator[tuple[str, click.Option]]:
    """Every option of every command, those that all commands take aside."""
    for name in short_helps():
        command = app.get_command(CONTEXT, name)
        assert command is not None
        for option in command.params:
            if isinstance(option, click.Option):
                yield name, option


def test_an_option_has_one_kind_of_value_in_every_command() -> None:
    """The value of each shared option has one name; a flag is a flag everywhere."""
    found: dict[str, set[str]] = defaultdict(set)
    for _, option in options():
        for name in option.opts:
            found[name].add("" if option.is_flag else option.metavar or "")
    for name, (metavar, _) in MEANINGS.items():
        assert found[name], f"no command has {name}"
        assert metavar is None or found[name] == {metavar}, name


def test_short_options_stand_for_the_same_long_one() -> None:
    """`-o` is `--output` in every command, and so on; there is no other short option."""
    for command, option in options():
        for short in (name for name in option.opts if not name.startswith("--") and name != "-h"):
            assert SHORT.get(short) in option.opts, (command, short)
        if "--output" in option.opts:
            assert "-o" in option.opts, command


def test_a_file_that_becomes_another_has_from_and_a_file_that_is_looked_at_has_format() -> None:
    """No command has both; one with `--to` has no `--format`."""
    names: dict[str, set[str]] = defaultdict(set)
    for command, option in options():
        names[command].update(option.opts)
    for command, known in names.items():
        assert not {"--from", "--format"} <= known, command
        assert not {"--to", "--format"} <= known, command
        assert "--from" not in known or "--to" in known or command == "split", command


def test_hidden_options_are_those_of_every_command_alone() -> None:
    """A mistyped option is never answered with one that no help lists."""
    for command, option in options():
        assert not option.hidden or set(option.opts) <= COMMON, (command, option.opts)
    told = run("convert", SIXTEEN, "x.zbd", "--forc")
    assert told.exit_code == 2
    assert "--force" not in told.output


def test_quiet_is_taken_by_every_command() -> None:
    """`-q` may stand behind any command, and before it."""
    for before, after in ((["-q"], []), ([], ["--quiet"])):
        result = run(*before, "validate", SIXTEEN, *after)
        assert result.exit_code == 0
        assert "ok" not in result.output
    assert run("formats", "zbd", "-q").exit_code == 0
