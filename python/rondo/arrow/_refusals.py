"""Errors of one rank, which all ranks raise.

A rank that fails sends its error to all ranks in place of rows, as metadata of a batch without
rows. So all ranks arrive at every exchange, and leave it together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Optional

Metadata = Optional[Mapping[bytes, bytes]]
_KEY = b"rondo.error"
_KINDS = {
    kind.__name__: kind
    for kind in (KeyError, TypeError, ValueError, NotImplementedError, MemoryError, RuntimeError)
}


def metadata_of(error: Exception) -> dict[bytes, bytes]:
    """What the other ranks need to raise it."""
    kinds = [kind.__name__ for kind in type(error).__mro__]
    name = next((name for name in kinds if name in _KINDS), RuntimeError.__name__)
    is_plain = name == type(error).__name__
    text = _text_of(error)
    told = text if is_plain else f"{type(error).__name__}: {text}"
    return {_KEY: json.dumps([name, told]).encode()}


def _text_of(error: Exception) -> str:
    """Its text, or none if that fails too."""
    try:
        return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    except Exception:
        return ""


def raise_first(error: Exception | None, received: Mapping[int, Metadata]) -> None:
    """Raise this rank's own error, or else that of the lowest rank that has one."""
    if error is not None:
        raise error
    for rank, metadata in sorted(received.items()):
        if metadata and _KEY in metadata:
            name, text = json.loads(metadata[_KEY])
            raise _KINDS[name](f"rank {rank}: {text}")
