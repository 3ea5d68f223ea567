"""The regret of `auto`, by the search of bench/regret.py: how much slower it is than the best."""

from __future__ import annotations

from functools import partial
from typing import Any

from regret_lib import race
from regret_lib.candidates import Cell
from regret_lib.verdict import judge

from measure_lib.ranks import Ranks, program
from measure_lib.tasks import NotMeasured, Part, Task

DISTRIBUTIONS = ("uniform", "power:0.99", "constant")
SIZES = (16, 256, 4096, 32768)
_COLLECTIVE = "alltoallv"
_SEED = 1
_LEAST_SECONDS = 10.0


def title(ranks: int, cell: Cell) -> str:
    return f"regret: {ranks} ranks, {cell.title()}"


def all_cells() -> list[Cell]:
    return [Cell(distribution, size) for size in SIZES for distribution in DISTRIBUTIONS]


def part(ranks: Ranks) -> Part:
    tasks = [
        Task(title(number, cell), _LEAST_SECONDS, partial(_measure, ranks, number, cell))
        for number in dict.fromkeys((ranks.most, ranks.numbers[0]))
        for cell in all_cells()
    ]
    return Part("regret", 2, tasks)


def _measure(ranks: Ranks, number: int, cell: Cell, seconds: float) -> dict[str, Any]:
    words = ranks.launcher(number)
    bench = race.Bench(words, str(program("rondo-bench")), _COLLECTIVE, _SEED, 2 * seconds)
    try:
        entered = race.look_around(bench, cell.distribution)
        result = race.race(bench, entered, cell, race.Effort(seconds))
    except race.RaceError as error:
        raise NotMeasured(str(error)) from error
    verdict = judge({row["algorithm"]: row["samples_us"] for row in result.rows})
    return {
        "best": verdict.best,
        "regret": list(verdict.regret),
        "slowdown": list(verdict.slowdown),
        "short_runs": result.record,
        "rows": result.rows,
    }
