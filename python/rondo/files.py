"""The one way to read and the one way to write a file that the user names.

bench/summary.py uses this without building the package, so it imports nothing of the package.
"""

from __future__ import annotations

import errno
import os
import secrets
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
    raise OSError(errno.EINVAL, "Not a regular file", str(path))


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

    A link stays and its target is replaced, with the mode that it had. A device or a pipe cannot be
    replaced, so it is written to. Raises OSError, whose `strerror` says why that failed.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        _replace(path.resolve(), data, None)
        return
    if stat.S_ISREG(mode):
        if not os.access(path, os.W_OK):
            raise _error(errno.EACCES, path)
        _replace(path.resolve(), data, stat.S_IMODE(mode))
    else:
        _write_into(path, data)


def _replace(path: Path, data: bytes, mode: int | None) -> None:
    draft = path.with_name(f".rondo-{secrets.token_hex(8)}")
    with draft.open("xb") as file:  # which nobody else has made, and no link
        try:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(data)
            file.close()
            draft.replace(path)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise


def _write_into(path: Path, data: bytes) -> None:
    """Write to what is no regular file, unless it is a pipe that nobody reads."""
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


def _error(number: int, path: Path) -> OSError:
    return OSError(number, os.strerror(number), str(path))
