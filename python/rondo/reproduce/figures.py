"""What each figure shows, as figures.toml describes it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = resources.files("rondo.reproduce")
ABSENT = (
    "The figures of the HPC Asia 2024 paper are not among them: they are times of GPUs over NCCL, "
    "which are not simulated; rondo-bench-gpu measures them on a machine with several GPUs."
)


@dataclass(frozen=True)
class Line:
    """An algorithm over the values of x."""

    algorithm: str  # with {root} and the like, see figures.toml
    label: str
    over: str = ""
    most: str = ""
    count: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, as data."""

    name: str
    paper: str
    section: str
    title: str
    shows: str
    against: str
    collective: str
    x: str
    y: str
    panels: list[str]
    lines: list[Line]
    axes: dict[str, list[Any]]
    measured: dict[str, list[Any]] = field(default_factory=dict)
    application: str = ""
    remark: str = ""
    times: int = 1

    @property
    def number(self) -> str:
        return self.name.rpartition("-")[2]


def names() -> list[str]:
    """The names of all figures, in the papers' order."""
    return list(_tables())


def figure(name: str) -> Figure:
    """The figure of that name; ValueError says which there are."""
    if name not in _tables():
        raise ValueError(f"no figure {name!r}; there are {', '.join(names())}")
    table = dict(_tables()[name])
    lines = [Line(**{"label": one["algorithm"], **one}) for one in table.pop("lines")]
    return Figure(name=name, lines=lines, **table)


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads((FOLDER / "figures.toml").read_text(encoding="utf-8"))
