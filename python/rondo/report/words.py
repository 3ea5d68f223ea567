"""Numbers of a report as text."""

from __future__ import annotations

from rondo.report.judge import Ratio


def size_text(size: int) -> str:
    """As rondo-bench takes it."""
    return f"{size // 1024}k" if size >= 1024 and size % 1024 == 0 else str(size)


def time_text(microseconds: float) -> str:
    """Three figures, or the whole ones."""
    digits = 2 if microseconds < 10 else 1 if microseconds < 100 else 0
    return f"{microseconds:.{digits}f}"


def ratio_text(value: float) -> str:
    return f"{value:.2f}×" if value < 10 else f"{value:.0f}×"


def interval_text(ratio: Ratio) -> str:
    return f"{ratio.low:.2f} to {ratio.high:.2f}"


def percent_text(share: float) -> str:
    return f"{100 * share:.0f}\u00a0%"


def duration_text(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def memory_text(size: int) -> str:
    if size >= 2**30:
        return f"{size / 2**30:.0f}\u00a0GiB"
    return f"{size / 2**20:.0f}\u00a0MiB"
