"""How far `node_aware` is from the limit of a node's shared memory, which rondo-limit measures."""

from __future__ import annotations

import statistics
import time
from functools import partial
from typing import Any

from measure_lib.ranks import Ranks, program
from measure_lib.tasks import NotMeasured, Part, Task
from rondo.report.state import LEAST_SAMPLES

ALGORITHM = "node_aware"
SIZES = (16, 64, 256, 1024)
BATCHES = (1, 20)
_ROUNDS = 3  # in which the two programs take turns
_MOST_SAMPLES = 500
_LEAST_SECONDS = 6.0


def title(ranks: int, batch: int) -> str:
    return f"limit: {ranks} ranks" + (f", batches of {batch}" if batch > 1 else "")


def part(ranks: Ranks) -> Part:
    tasks = [
        Task(title(number, batch), _LEAST_SECONDS, partial(_measure, ranks, number, batch))
        for number in ranks.numbers
        for batch in BATCHES
    ]
    return Part("limit", 1, tasks)


def _measure(ranks: Ranks, number: int, batch: int, seconds: float) -> dict[str, Any]:
    """The medians of all rounds: [S, limit, node_aware] in microseconds."""
    if not ranks.is_one_node:
        raise NotMeasured("rondo-limit is for ranks of one node")
    end = time.monotonic() + seconds
    times: dict[tuple[str, int], list[float]] = {}
    samples = LEAST_SAMPLES
    for turn in range(_ROUNDS):
        begin = time.monotonic()
        for name, words in _programs(samples, batch).items():
            lines, _ = ranks.lines(number, words, max(end - time.monotonic(), 0))
            for line in lines:
                if line.get("algorithm", name) == name and "bytes" in line:
                    times.setdefault((name, line["bytes"]), []).append(line["median_us"])
        left = end - time.monotonic()
        if turn + 1 < _ROUNDS and left < time.monotonic() - begin:
            break
        samples = _MOST_SAMPLES if samples == LEAST_SAMPLES and left > _LEAST_SECONDS else samples
    rows = [
        [size, *(statistics.median(times[name, size]) for name in ("limit", ALGORITHM))]
        for size in SIZES
        if ("limit", size) in times and (ALGORITHM, size) in times
    ]
    if not rows:
        raise NotMeasured("no length was measured in its part of the budget")
    return {"rows": rows}


def _programs(samples: int, batch: int) -> dict[str, list[object]]:
    shared = ["--bytes", ",".join(map(str, SIZES)), "--iterations", samples, "--batch", batch]
    bench = ["alltoallv", "--algorithm", f"mpi,{ALGORITHM}", "--format", "json", "--quiet"]
    return {
        "limit": [program("rondo-limit"), "--format", "json", *shared],
        ALGORITHM: [program("rondo-bench"), *bench, *shared],
    }
