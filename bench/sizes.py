"""Sizes in bytes, read as rondo-bench reads them."""

import argparse
import re

_SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30}


def parse_size(text: str) -> int:
    """Parse 64, 4k or 4KiB."""
    found = re.fullmatch(r"([0-9]+)(?:b|([kmg])(?:i?b)?)?", text, re.IGNORECASE | re.ASCII)
    if not found:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size, as in 64, 4k or 4KiB")
    return int(found[1]) << _SHIFTS[(found[2] or "").lower()]


def parse_sizes(text: str) -> list[int]:
    """Parse sizes separated by commas."""
    return [parse_size(word) for word in text.split(",")]
