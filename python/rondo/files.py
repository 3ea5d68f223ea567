"""The one way to read and the one way to write a file that the user names.

bench/summary.py uses this without building the package, so it imports nothing of the package.
"""

from __future__ import annotations

import errno
import os
import secrets
import select
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

MOST_BYTES = 1 << 28  # of a file of text; what programs of Rondo write is far shorter


def opened(path: Path) -> BinaryIO:
    """Open a regular file to read it. A pipe without a writer would never end, nor a terminal.

    Raises OSError, whose `strerror` says why it cannot be read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise _error(errno.EISDIR, path)
    raise _error(errno.EINVAL, path, "Not a regular file")


def read_text(path: Path, most_bytes: int = MOST_BYTES) -> str:
    """The text of a regular file.

    Raises OSError, whose `strerror` says why it cannot be read, or ValueError if it is not UTF-8.
    """
    with opened(path) as file:
        content = file.read(most_bytes + 1) or b""
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, f"Longer than {most_bytes >> 20} MiB", str(path))
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8") from error


def write(path: Path, content: str | bytes) -> None:
    """Write a whole file: whoever reads it finds all of it, or what was there before.

    A new file takes the place of the old one if only the content can show that; a link stays. Else
    the file is written in place: if it has several names or none, if the new one cannot have its
    owner and group or cannot be made, and if it is a mount, a device, a pipe or this process's
    standard output. Raises OSError, whose `strerror` says why that failed.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        before = path.stat()
    except FileNotFoundError:
        before = None
    if not _replace(path, data, before):
        _write_in_place(path, data)


def _replace(path: Path, data: bytes, before: os.stat_result | None) -> bool:
    """Return whether that was done; else the file is to be written in place."""
    target = path.resolve()
    if before is not None and not _has_one_name(target, before):
        return False
    if before is not None and not os.access(path, os.W_OK):
        raise _error(errno.EACCES, path)
    draft = target.with_name(f".rondo-{secrets.token_hex(8)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        descriptor = os.open(draft, flags, 0o666 if before is None else 0o600)
    except OSError as error:
        if before is not None:
            return False
        if error.errno == errno.ENOENT:
            raise _error(errno.ENOENT, path, f"the folder {target.parent} does not exist") from None
        raise
    try:
        with os.fdopen(descriptor, "wb") as file:
            if before is not None and not _takes_owner(descriptor, before):
                return False
            file.write(data)
        return _takes_place(draft, target, before)
    finally:
        with suppress(OSError):
            draft.unlink()


def _has_one_name(target: Path, file: os.stat_result) -> bool:
    """Whether this is it. A link of /proc may end at a name that is no longer that of its file."""
    if not stat.S_ISREG(file.st_mode) or file.st_nlink != 1 or _own_stream(file) is not None:
        return False
    try:
        return os.path.samestat(target.lstat(), file)
    except OSError:
        return False


def _own_stream(file: os.stat_result) -> int | None:
    """The descriptor of the standard output or error that is this file."""
    for descriptor in (1, 2):
        with suppress(OSError):  # which is closed
            if os.path.samestat(os.fstat(descriptor), file):
                return descriptor
    return None


def _takes_owner(descriptor: int, other: os.stat_result) -> bool:
    """Give a file the owner, the group and the mode of another one. Only root may give it away."""
    try:
        os.fchown(descriptor, other.st_uid, other.st_gid)
    except OSError:
        with suppress(OSError):
            os.fchown(descriptor, -1, other.st_gid)
    with suppress(OSError):  # Not all file systems have modes.
        os.fchmod(descriptor, other.st_mode & 0o777)
    file = os.fstat(descriptor)
    return (file.st_uid, file.st_gid) == (other.st_uid, other.st_gid)


def _takes_place(draft: Path, target: Path, before: os.stat_result | None) -> bool:
    """A file may be a mount, or somebody else's in a folder where each user removes only theirs."""
    try:
        draft.replace(target)
    except OSError as error:
        if before is None or error.errno not in (errno.EBUSY, errno.EXDEV, errno.EPERM):
            raise
        return False
    return True


def _write_in_place(path: Path, data: bytes) -> None:
    descriptor = _opened_in_place(path)
    try:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(descriptor, rest) :]
            except BlockingIOError:
                ready = select.poll()
                ready.register(descriptor, select.POLLOUT)
                ready.poll()
    finally:
        os.close(descriptor)


def _opened_in_place(path: Path) -> int:
    """What is printed on standard output stays. Opening a pipe that nobody reads would block."""
    file = path.stat()
    stream = _own_stream(file)
    if stream is not None:
        print(end="", flush=True)
        return os.dup(stream)
    flags = os.O_WRONLY | os.O_TRUNC | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno == errno.ENXIO and stat.S_ISFIFO(file.st_mode):
            raise _error(errno.ENXIO, path, "nobody reads from this pipe") from None
        raise
    os.set_blocking(descriptor, True)
    return descriptor


def _error(number: int, path: Path, reason: str = "") -> OSError:
    return OSError(number, reason or os.strerror(number), str(path))
