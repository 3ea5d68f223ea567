#!/usr/bin/env python3
"""Run rondo-bench-gpu on the GPU that is there, ranks sharing it, and look at #wrong.

Simple things first: NCCL's own ways, then those with kernels of ours, then graphs. NCCL takes
seconds to start, so a run goes through all sizes. Every run ends after 120 seconds.
Exit status 77, with a reason, where there is no GPU or NCCL lets no ranks share one.
"""

import sys

import calling
from calling import options

RANKS = range(1, 9)
CALLS = ["--iterations", "1000"]  # back to back
# On 7 ranks such graphs hung (docs/notes/gpu.md).
CAPTURING_RANKS = [1, 2, 3, 4, 5, 6, 8]
CAPTURED = ["--iterations", "50", "--graph-launches", "20"]
# 0, 1, 29, 841, ... up to 20 MB a rank: blocks that are empty, odd, in one line, in many, and long.
SIZES = "--min-bytes 0 --max-bytes 32m --step-factor 29".split()
UNIFORM = (
    "nccl_grouped,nccl_native,nccl_basic_bruck,nccl_modified_bruck,nccl_bruck,nccl_bruck:radix=2"
)
ROWS = [
    # algorithms, ranks, distributions, calls
    (UNIFORM, RANKS, ["constant"], CALLS),
    ("nccl_grouped", RANKS, ["uniform", "power:0.9", "sparse:1"], CALLS),
    ("direct,direct:blocks=1", RANKS, ["constant", "uniform", "power:0.9", "sparse:1"], CALLS),
    ("graph:nccl_bruck,graph:nccl_basic_bruck,graph:direct", RANKS, ["constant"], CALLS),
    ("nccl_grouped,nccl_bruck,direct", CAPTURING_RANKS, ["constant"], CAPTURED),
]


def run(ranks, arguments):
    """The rows of one run, or the reason why there are none."""
    started = [options.bench, "--threads", ranks, "--check", "--format", "json"]
    done = calling.run(*started, *arguments, timeout=120)
    if done.returncode == 0:
        return calling.json_rows(done.stdout), ""
    words = " ".join(map(str, done.args))
    return [], f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}"


def reason_to_skip():
    smallest = "--algorithm nccl_grouped --min-bytes 16 --max-bytes 16".split()
    _, trouble = run(1, smallest)
    if "no GPU" in trouble:
        return "there is no GPU"
    if trouble:
        sys.exit(trouble)
    _, trouble = run(2, smallest)
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
    for algorithms, all_ranks, distributions, calls in ROWS:
        for ranks in all_ranks:
            for distribution in distributions:
                arguments = ["--algorithm", algorithms, *calls, *SIZES]
                arguments += ["--distribution", distribution]
                results, trouble = run(ranks, arguments)
                rows += len(results)
                failures += [trouble] if trouble else []
                print(
                    f"{ranks} ranks, {algorithms}, {distribution}: {len(results)} rows", flush=True
                )
    print(f"{rows} rows, {len(failures)} runs failed")
    sys.exit("\n".join(failures) if failures else 0)


if __name__ == "__main__":
    sys.exit(main())
