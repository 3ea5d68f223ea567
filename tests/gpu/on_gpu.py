#!/usr/bin/env python3
"""Run rondo-bench-gpu on the GPU that is there, ranks sharing it, and look at #wrong.

Simple things first: NCCL's own ways, then those with kernels of ours, then graphs. Every run ends
after 60 seconds.
Exit status 77, with a reason, where there is no GPU or NCCL lets no ranks share one.
"""

import json
import sys
import tempfile
from pathlib import Path

import calling
from calling import options

CALLS = 1000  # back to back
BLOCKS = [0, 1, 15, 16, 4096, 1 << 20]
UNIFORM = (
    "nccl_grouped,nccl_native,nccl_basic_bruck,nccl_modified_bruck,nccl_bruck,nccl_bruck:radix=2"
)
ROWS = [
    # algorithms, distributions, further arguments
    (UNIFORM, ["constant"], []),
    ("nccl_grouped", ["uniform", "power:0.9", "sparse:1"], []),
    ("direct,direct:blocks=1", ["constant", "uniform", "power:0.9", "sparse:1"], []),
    ("graph:nccl_bruck,graph:nccl_basic_bruck,graph:direct", ["constant"], []),
    ("nccl_grouped,nccl_bruck,direct", ["constant"], ["-G", "20"]),
]


def run(ranks, arguments):
    """The rows of one run, or the reason why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        done = calling.run(options.bench, "-t", ranks, "-J", results, *arguments, timeout=60)
        if done.returncode == 0:
            return json.loads(results.read_text())["results"], ""
    words = " ".join(map(str, done.args))
    return [], f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}"


def reason_to_skip():
    _, trouble = run(1, ["-a", "nccl_grouped", "-b", "16", "-e", "16"])
    if "no GPU" in trouble:
        return "there is no GPU"
    if trouble:
        sys.exit(trouble)
    _, trouble = run(2, ["-a", "nccl_grouped", "-b", "16", "-e", "16"])
    if "Duplicate GPU" in trouble or "invalid usage" in trouble:
        return "this NCCL lets no ranks share a GPU: it takes 2.30 or newer"
    return ""


def main():
    calling.parse(__doc__, "bench", has_ranks=False)
    if reason := reason_to_skip():
        print(f"skipped: {reason}")
        return calling.SKIPPED
    rows = 0
    failures = []
    for algorithms, distributions, more in ROWS:
        for ranks in range(1, 9):
            for block in BLOCKS:
                for distribution in distributions:
                    size = str(block * ranks)
                    calls = CALLS if block < 1 << 20 else 5
                    arguments = ["-a", algorithms, "-b", size, "-e", size, "-n", calls]
                    arguments += ["--distribution", distribution, *more]
                    results, trouble = run(ranks, arguments)
                    rows += len(results)
                    failures += [trouble] if trouble else []
    print(f"{rows} rows, {len(failures)} runs failed")
    sys.exit("\n".join(failures) if failures else 0)


if __name__ == "__main__":
    sys.exit(main())
