"""Converting many records of fixed size into a format that arrays cannot write: some hundreds at a time, by several processes.

The memory that it takes does not grow with the file, and the bytes are those that the whole file would give at once.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack

from bridgespec.cli.files import STDIO, output
from bridgespec.cli.large import large_file
from bridgespec.cli.progress import byte_meter
from bridgespec.cli.settings import Settings
from bridgespec.cli.status import CLEAN, FINDINGS
from bridgespec.cli.stretches import Sums, Work, each, why_not_stretched
from bridgespec.cli.transfer import Taken, Target, tell_losses, tell_unread, tell_written
from bridgespec.codec.losses import in_words
from bridgespec.errors import WriteError
from bridgespec.spec.ir import Spec

MANY = 1024
"""So many boards are worth it."""


def convert_streamed(
    settings: Settings, path: str, format: str | None, dest: str, target: Target, strict: bool, quiet: bool, canonical: bool
) -> int | None:
    """Convert the file a stretch at a time, and give the exit status; None where that cannot be done: nothing has happened."""
    large = large_file(settings, path, format, MANY) if isinstance(target, Spec) else None
    if large is None or not isinstance(target, Spec) or large.spec.id == target.id:
        return None
    work = Work(large, target.id, canonical)
    if work.count < MANY or why_not_stretched(settings, work):
        return None
    with ExitStack() as stack:
        # What is on standard output cannot be taken back, and whether --strict forbids it is known at the end.
        held = stack.enter_context(tempfile.TemporaryFile()) if strict and dest == STDIO else None
        file = held or stack.enter_context(output(dest))
        sums = Sums()
        with byte_meter(settings, large.size, f"writing {dest}") as meter:
            for done in each(settings, work):
                sums.add(done)
                file.write(done.stretch.data)
                meter.reach(large.offset(min(sums.boards, work.count)))
        if sums.left.count and not sums.state.boards:
            raise WriteError(next(iter(sums.left)).message)
        tell_unread(settings, large.source(), sums.errors, strict, sums.unread)
        tell_losses(settings, [*sums.left, *in_words(target.id, sums.lost)], strict)
        if held is not None:
            held.seek(0)
            shutil.copyfileobj(held, stack.enter_context(output(dest)))
    if not quiet:
        taken = Taken(path, large.spec.id)
        tell_written(settings, [taken], dest, target, sums.state.boards, sums.size)
    return FINDINGS if sums.left.count else CLEAN
