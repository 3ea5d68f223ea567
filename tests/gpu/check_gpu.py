#!/usr/bin/env python3
"""Everything that must be seen on a GPU, within ten minutes: `make check-gpu`, on one GPU or more.

    check_gpu.py BUILD [--python PYTHON] [--seconds 590]

Ranks share the GPU. PYTHON has PyTorch for CUDA and the package rondo; librondo_nccl is that of
BUILD. A step that hangs is ended, and those for which no time is left are named. Steps:

- the kernels alone, plainly and under compute-sanitizer;
- rondo.torch on 1 to 8 ranks: dtypes, uneven and empty splits, graphs, splits on the device,
  gradients, kernels of a call, and the host's time of a call beside that of torch.distributed;
- every algorithm on 1 to 8 ranks, in C, with several distributions, then graphs, comparing every
  byte; and the host's time of a call beside that of NCCL's group;
- a program without Rondo whose graphs hang on 7 ranks, or do not.

Exit status: 0, 1 if a step has failed, 77 where there is no GPU.
"""

import argparse
import os
import re
import shutil
import sys
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "support"))
import calling  # noqa: E402

PYTHON_TESTS = HERE.parent / "python"
SHARED = {  # what ranks that are processes and share a GPU need; NCCL 2.30 or newer
    "NCCL_MULTI_RANK_GPU_ENABLE": "1",
    "NCCL_MAX_CTAS": "8",
    "NCCL_CGA_CLUSTER_SIZE": "0",
    "NCCL_LAUNCH_ORDER_IMPLICIT": "0",
    "NCCL_GRAPH_MIXING_SUPPORT": "0",
    "CUDA_DEVICE_MAX_CONNECTIONS": "32",
    "CUDA_MODULE_LOADING": "EAGER",
}
SIZES = "--check --min-bytes 0 --max-bytes 1m --step-factor 29 --iterations 100".split()
# Graphs of 7 ranks that share a GPU hung (docs/notes/gpu.md).
CAPTURED = "--check --min-bytes 29 --max-bytes 64k --step-factor 29 --iterations 50".split()
CAPTURED += ["--graph-launches", "20"]
ALL = "nccl_grouped,nccl_native,nccl_basic_bruck,nccl_modified_bruck,nccl_bruck,direct,graph:direct"
SOME = "nccl_grouped,direct"
HOST_TIME = "--min-bytes 4k --max-bytes 4k --iterations 1000".split()


class Step(NamedTuple):
    """A command, and what its output must not have."""

    name: str
    command: list
    seconds: int
    wrong: str = ""
    may_hang: bool = False


def bench(programs, ranks, algorithms, *words):
    start = [programs / "rondo-bench-gpu", "--threads", ranks, "--algorithm", algorithms]
    return [*start, *words]


def steps_of_kernels(programs):
    emulator = programs / "rondo_gpu_emulator"
    yield Step("the kernels alone", [emulator], 120)
    sanitizer = "compute-sanitizer"
    found = shutil.which(sanitizer) or Path("/usr/local/cuda/bin") / sanitizer
    for tool in ("memcheck", "racecheck", "synccheck"):
        words = ["--tool", tool, "--error-exitcode", "1", emulator, "quick"]
        yield Step(f"compute-sanitizer, {tool}", [found, *words], 60)


def steps_in_c(programs):
    for ranks in range(1, 9):
        yield Step(f"{ranks} ranks in C", bench(programs, ranks, ALL, *SIZES), 60)
    for ranks, kind in ((2, "uniform"), (3, "power:0.9"), (5, "sparse:1"), (8, "uniform")):
        words = bench(programs, ranks, SOME, *SIZES, "--distribution", kind)
        yield Step(f"{ranks} ranks in C, blocks {kind}", words, 60)
    for ranks in (1, 2, 3, 5, 8):
        words = bench(programs, ranks, "nccl_grouped,nccl_bruck,direct", *CAPTURED)
        yield Step(f"{ranks} ranks in C, graphs", words, 60)
    words = bench(programs, 2, "nccl_grouped,nccl_native,direct,graph:direct", *HOST_TIME)
    yield Step("host time of a call in C", words, 60)


def steps_in_python(python):
    for ranks in (1, 2, 3, 5, 8):
        start = [python, "-m", "torch.distributed.run", "--nproc-per-node", ranks]
        yield Step(
            f"rondo.torch, {ranks} ranks",
            [*start, PYTHON_TESTS / "tensors_of_gpus.py"],
            120,
            wrong="exchanged through the host",
        )


def steps_that_hung(programs):
    for kind in ("grouped", "phases"):
        for ranks in (8, 7):
            words = [programs / "nccl_hang", kind, ranks, 50, 20]
            yield Step(f"{ranks} ranks, graphs without Rondo, {kind}", words, 30, may_hang=True)


def run(step, seconds, variables):
    """Whether it went well, and what it printed."""
    start = time.monotonic()
    try:
        done = calling.run(*step.command, timeout=min(step.seconds, seconds), variables=variables)
    except OSError as error:
        return False, f"not run: {error}", ""
    took = f"{time.monotonic() - start:.0f} s"
    output = done.stdout + done.stderr
    if done.returncode == 0 and not (step.wrong and step.wrong in output):
        return True, took, output
    if step.may_hang and "still ran after" in output:
        return True, f"HANGS: ended after {took}", output
    return False, f"FAILED after {took}, status {done.returncode}", output


def what_to_show(output):
    """The lines of figures."""
    told = [line for line in output.splitlines() if re.match(r" {4,}\d|figure:", line)]
    return [f"    {line}" for line in told] if len(told) <= 6 else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--python", default=sys.executable, help="with PyTorch and rondo")
    parser.add_argument("--seconds", type=float, default=590, help="for all steps together")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    programs, libraries = options.build / "bin", options.build.resolve() / "lib"
    paths = [str(libraries), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    in_python = {**SHARED, "LD_LIBRARY_PATH": os.pathsep.join(paths)}
    first = calling.run(programs / "rondo_gpu_emulator", "quick")
    if first.returncode == calling.SKIPPED:
        print(first.stdout.strip())
        return calling.SKIPPED
    rows = [(one, {}) for one in steps_of_kernels(programs)]
    rows += [(one, in_python) for one in steps_in_python(options.python)]
    rows += [(one, {}) for one in (*steps_in_c(programs), *steps_that_hung(programs))]
    failed = []
    for step, variables in rows:
        left = end - time.monotonic()
        if left < 5:
            print(f"{step.name}: NOT RUN, no time is left", flush=True)
            failed.append(step.name)
            continue
        is_right, said, output = run(step, left, variables)
        print(f"{step.name}: {said}", *what_to_show(output), sep="\n", flush=True)
        if not is_right:
            failed.append(step.name)
            print(" ", " ".join(map(str, step.command)), output[-4000:], sep="\n", flush=True)
    print(f"{len(rows) - len(failed)} of {len(rows)} steps went well")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
