"""Three applications, whose exchanges go by MPI's calls and by Rondo in turn; as apps/demo.py."""

from __future__ import annotations

from functools import partial
from typing import Any

import demo

from measure_lib.ranks import Ranks, program
from measure_lib.tasks import NotMeasured, Part, Task

_REPEAT = 5
_LEAST_SECONDS = 5.0


def title(ranks: int, name: str, what: str) -> str:
    return f"applications: {name}, {what}, {ranks} ranks"


def part(ranks: Ranks) -> Part:
    tasks = [
        Task(
            title(ranks.most, name, what),
            _LEAST_SECONDS,
            partial(_measure, ranks, [name, *options]),
        )
        for name, options, what in demo.RUNS
    ]
    return Part("applications", 1, tasks)


def costs(results: dict[str, Any], ranks: int) -> list[demo.Cost]:
    """Of those that were measured."""
    found = [(name, what, results.get(title(ranks, name, what))) for name, _, what in demo.RUNS]
    return [demo.Cost(name, what, ranks, report) for name, what, report in found if report]


def _measure(ranks: Ranks, words: list[str], seconds: float) -> dict[str, Any]:
    name, *options = words
    ways = ["--algorithm", ",".join(demo.ARMS), "--repeat", str(_REPEAT), "--meet", "--quiet"]
    command = [program(name), *options, *ways, "--format", "json"]
    reports, _ = ranks.lines(ranks.most, command, seconds)
    if not reports:
        raise NotMeasured("it was not done in its part of the budget")
    return reports[-1]
