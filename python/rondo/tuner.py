"""What rondo-tune says while it measures."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any


def news_in(line: str) -> dict[str, Any] | None:
    """A line of rondo-tune; None for what somebody else printed."""
    with suppress(ValueError):
        news = json.loads(line)
        if isinstance(news, dict):
            is_end = isinstance(news.get("layout"), dict) and "written" in news
            is_progress = isinstance(news.get("done"), (int, float)) and "doing" in news
            return news if is_end or is_progress else None
    return None
