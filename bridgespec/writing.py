"""Atomic writing of files: a target is always the complete old or the complete new file. `written` is the entry."""

from __future__ import annotations

import errno
import os
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bridgespec.errors import FileWarning
from bridgespec.lazily import Lazy

if TYPE_CHECKING:
    import hashlib
    import tempfile
else:
    hashlib, tempfile = Lazy("hashlib"), Lazy("tempfile")

fcntl = Lazy("fcntl") if os.name == "posix" else None
"""File locks; None on systems without them, where files of killed runs are not removed."""

LONGEST = 180
"""Names of more bytes are shortened in the name of the temporary file, which must fit into 255 bytes."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The errors of a full disk, an exhausted quota and a file larger than the file system permits."""


@contextmanager
def written(path: str | os.PathLike[str], sync: bool = True) -> Iterator[BinaryIO]:
    """Yield a file to write that becomes ``path`` when the block succeeds; if the block fails, the old file remains.

    The new file is made beside the target, flushed to the disk unless ``sync`` is false, and renamed over the target. It keeps the
    target's owner, group and permissions where the system allows it, else it issues a `FileWarning`, as it does where the target
    has other hard links, which keep the old content. A symbolic link still points where it did. A target that is not a regular file
    (a pipe, a device) is written to directly. Temporary files of killed runs beside the target are removed. Where the file
    cannot be made or the disk is full, OSError names the target.
    """
    shown = os.fspath(path)
    target = os.path.realpath(path)
    if os.path.islink(target):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), shown)
    if os.path.exists(target) and not os.path.isfile(target):
        with _named(shown, "what was written before stays written"), open(target, "wb") as direct:
            yield direct
        return
    folder, name = os.path.split(target)
    prefix = hidden_name(name)
    _clear(folder, prefix)
    try:
        handle, temporary = _new(folder, prefix)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, shown) from None
    left = "the file that was there is as it was" if os.path.exists(target) else "no file was made"
    try:
        with _named(shown, left), os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            _keep_rights(target, file.fileno(), shown)
            if sync:
                os.fsync(file.fileno())
            # Renamed while it is open and therefore locked, so that no other run removes it as a leftover.
            os.replace(temporary, target)
        if sync:
            _sync_folder(folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def hidden_name(name: str) -> str:
    """Return the prefix of the names of hidden files beside a target: ``.name.``, with a digest in place of a long name."""
    if len(os.fsencode(name)) > LONGEST:
        name = hashlib.sha256(os.fsencode(name)).hexdigest()[:32]
    return f".{name}."


def _new(folder: str, prefix: str) -> tuple[int, str]:
    """Create a temporary file, locked as long as it is open. Return its descriptor and its path."""
    while True:
        handle, temporary = tempfile.mkstemp(prefix=prefix, suffix=".part", dir=folder)
        if fcntl is not None:
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Between creating and locking, another run may have taken the file for a leftover and removed it.
        if os.path.exists(temporary):
            return handle, temporary
        os.close(handle)


def _clear(folder: str, prefix: str) -> None:
    """Remove the temporary files of killed runs: those that no process has locked."""
    if fcntl is None:
        return
    with suppress(OSError):
        for name in os.listdir(folder or "."):
            if not (name.startswith(prefix) and name.endswith(".part")) or "." in name[len(prefix) : -len(".part")]:
                continue
            leftover = os.path.join(folder, name)
            with suppress(OSError), open(leftover, "rb") as file:
                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(leftover)


def _keep_rights(target: str, handle: int, shown: str) -> None:
    """Set the new file's owner, group and permissions to those of the replaced file; without one, its permissions to the default.

    Issue a FileWarning where owner and group cannot be set, or the replaced file has further hard links.
    """
    try:
        old = os.stat(target)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        _chmod(handle, 0o666 & ~mask)
        return
    new = os.fstat(handle)
    if hasattr(os, "fchown") and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.fchown(handle, old.st_uid, old.st_gid)
        except OSError:
            with suppress(OSError):
                os.fchown(handle, -1, old.st_gid)
            warnings.warn(f"{shown}: its owner and group could not be kept", FileWarning, stacklevel=4)
    # After the owner, since a change of owner takes some permissions away.
    _chmod(handle, stat.S_IMODE(old.st_mode))
    if old.st_nlink > 1:
        names = "another name" if old.st_nlink == 2 else f"{old.st_nlink - 1} other names"
        warnings.warn(f"{shown}: the old file has {names}, which keep the old content", FileWarning, stacklevel=4)


def _chmod(handle: int, mode: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(handle, mode)


def _sync_folder(folder: str) -> None:
    """Flush a folder with its renamed file to the disk; errors are ignored, since some systems cannot open a folder."""
    with suppress(OSError):
        handle = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _named(shown: str, left: str) -> Iterator[None]:
    """Add the file's name, and ``left``, its state after the failure, to the error of a full disk or quota; Python names no
    file.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise OSError(error.errno, f"{error.strerror}; {left}", shown) from None
        raise


# --- reading ------------------------------------------------------------------------------------------------------------


def source_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading. Raises OSError for a device that never ends. A named pipe is read to its end."""
    mode = os.stat(path).st_mode
    if stat.S_ISCHR(mode) and not os.path.samefile(path, os.devnull):
        with open(path, "rb", buffering=0) as device:
            if not device.isatty():
                raise OSError(errno.EINVAL, "this is a device, which has no end; give a file", os.fspath(path))
    return open(path, "rb")


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """Return all bytes of a file."""
    with source_file(path) as file:
        return file.read()


def same_file(one: str, other: str) -> bool:
    """Whether two paths refer to one file, existing or not."""
    first, second = Path(os.path.realpath(one)), Path(os.path.realpath(other))
    if first == second:
        return True
    with suppress(OSError):
        return first.samefile(second)
    with suppress(OSError):
        return first.name == second.name and first.parent.samefile(second.parent)
    return False
