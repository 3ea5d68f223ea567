"""Errors of one rank, which all ranks raise.

A rank that fails sends its error to all ranks in place of what they expect of it. So all ranks
arrive at every exchange, and leave it together. An error is anything that may be raised, also an
interrupt from the keyboard: the other ranks would wait for ever for a rank that left alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from rondo.arrow._library import pa

# No message of Arrow's begins with these bytes: their first four have all bits set.
_MARK = b"refused:"
_KINDS = {
    kind.__name__: kind
    for kind in (KeyError, TypeError, ValueError, NotImplementedError, MemoryError, RuntimeError)
}


def refusal_of(error: BaseException) -> pa.Buffer:
    """What the other ranks need to raise it, in words of 8 bytes."""
    kinds = [kind.__name__ for kind in type(error).__mro__]
    name = next((name for name in kinds if name in _KINDS), RuntimeError.__name__)
    is_plain = name == type(error).__name__
    text = _text_of(error)
    told = text if is_plain else f"{type(error).__name__}: {text}"
    refusal = _MARK + json.dumps([name, told]).encode()
    return pa.py_buffer(refusal + b" " * (-len(refusal) % len(_MARK)))


def _text_of(error: BaseException) -> str:
    """Its text, or none if that fails too."""
    try:
        return str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    except BaseException:
        return ""


def raise_first(error: BaseException | None, received: Sequence[pa.Buffer]) -> None:
    """Raise this rank's own error, or else that of the lowest rank that has sent one."""
    if error is not None:
        raise error
    for rank, block in enumerate(received):
        if bytes(memoryview(block)[: len(_MARK)]) == _MARK:
            name, text = json.loads(bytes(memoryview(block)[len(_MARK) :]))
            raise _KINDS[name](f"rank {rank}: {text}")
