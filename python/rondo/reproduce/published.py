"""What the papers print, from published.toml."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from rondo.reproduce.figures import FOLDER

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Number = dict[str, Any]

_DISTRIBUTIONS = {"alltoall": "constant", "alltoallv": "uniform"}


def numbers(of: str) -> list[Number]:
    """The printed numbers of a machine, or of "schedules", with their defaults."""
    return [_with_defaults(one) for one in _tables().get(of, {}).get("numbers", [])]


def applications(machine: str) -> list[Number]:
    """What is printed of applications there."""
    return [dict(one) for one in _tables().get(machine, {}).get("applications", [])]


def _with_defaults(number: Number) -> Number:
    collective = number.get("collective", "alltoallv")
    distribution = number.get("distribution") or _DISTRIBUTIONS[collective]
    return {**number, "collective": collective, "distribution": distribution}


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "published.toml").read_text(encoding="utf-8"))
