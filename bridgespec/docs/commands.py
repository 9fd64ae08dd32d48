"""Pages of commands: `command_pages` makes one for each command that click defines, from the help texts that a terminal shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click

from bridgespec.docs.prose import Markup, highlight, plain, prose


@dataclass(frozen=True)
class Option:
    """An option of a command: its spellings, the name of its argument, its help text and the default that is shown."""

    name: str
    takes: str
    help: str
    default: str = ""


@dataclass(frozen=True)
class CommandPage:
    """The page of one command: its usage line, its help text, its options and the examples below them."""

    name: str
    short: str
    usage: str
    help: Markup
    options: tuple[Option, ...]
    examples: Markup


def command_pages(root: click.Group, program: str) -> list[CommandPage]:
    """Return the page of every command of a program, with those of its sub-commands, by name."""
    return sorted(_pages(root, click.Context(root, info_name=program), ""), key=lambda page: page.name)


def _pages(group: click.Group, context: click.Context, prefix: str) -> Iterator[CommandPage]:
    """Yield the pages of a group's commands, with those of sub-groups; ``prefix`` is the name of the group, with a blank."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, parent=context, info_name=name)
        yield _page(command, inner, f"{prefix}{name}")
        if isinstance(command, click.Group):
            yield from _pages(command, inner, f"{prefix}{name} ")


def common_options(root: click.Group, program: str) -> list[Option]:
    """Return the options that every command takes."""
    context = click.Context(root, info_name=program)
    return [_option(one, context) for one in root.get_params(context) if isinstance(one, click.Option) and not one.hidden]


def _page(command: click.Command, context: click.Context, name: str) -> CommandPage:
    shown = [one for one in command.get_params(context) if not getattr(one, "hidden", False)]
    usage = f"{context.command_path} {' '.join(command.collect_usage_pieces(context))}"
    return CommandPage(
        name,
        # Click cuts at 45 characters by default.
        command.get_short_help_str(200),
        usage,
        blocks(command.help or ""),
        tuple(_option(one, context) for one in shown if isinstance(one, click.Option)),
        blocks(_examples(command.epilog), code_only=True),
    )


def _examples(epilog: str | None) -> str:
    """Return the text below the options without its heading, which the page has itself."""
    text = epilog or ""
    head, _, rest = text.lstrip("\b\n ").partition("\n")
    return "\b\n" + rest if head.strip().lower().startswith("example") else text


def _option(one: click.Option, context: click.Context) -> Option:
    """Return an option as its page has it; that it may be repeated is added to a help text that does not mention it."""
    names = ", ".join([*one.opts, *one.secondary_opts])
    takes = "" if one.is_flag or one.count else one.make_metavar(context)
    default = one.default if isinstance(one.default, str | int | float) and not isinstance(one.default, bool) else ""
    shown = str(default) if one.show_default and default != "" else ""
    repeat = " May be repeated." if one.multiple and "repeat" not in (one.help or "") else ""
    return Option(names, takes, plain(one.help or "") + repeat, shown)


def blocks(text: str, code_only: bool = False) -> Markup:
    """Return Click's help text as HTML: paragraphs are wrapped, those marked with a backspace keep their lines."""
    out = []
    for block in text.strip("\n").split("\n\n"):
        if block.strip().startswith("\b"):
            lines = block.strip(" ").lstrip("\b").strip("\n").split("\n")
            margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
            out.append(highlight("\n".join(line[margin:] for line in lines), "none"))
        elif block.strip():
            out.append(highlight(block.strip(), "none") if code_only else prose(plain(block)))
    return Markup("").join(out)
