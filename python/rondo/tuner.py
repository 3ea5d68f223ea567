"""The messages of rondo-tune while it measures."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any


def message_in(line: str) -> dict[str, Any] | None:
    """A message of rondo-tune; None if another program printed the line."""
    with suppress(ValueError, RecursionError):
        message = json.loads(line)
        if isinstance(message, dict):
            is_end = isinstance(message.get("layout"), dict) and "written" in message
            is_progress = isinstance(message.get("done"), (int, float)) and "doing" in message
            return message if is_end or is_progress else None
    return None
