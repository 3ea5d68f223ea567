#!/usr/bin/env python3
"""Everything that must be seen on a GPU, within ten minutes: `make check-gpu`, on one GPU or more.

    check_gpu.py BUILD [--build] [--python PYTHON] [--nccl FOLDER] [--seconds 590] [--log FILE]

Ranks share the GPU, which takes NCCL 2.30 or newer. BUILD is what build_programs.py makes, on
another machine or, with --build, now. PYTHON has PyTorch for CUDA. FOLDER/lib/libnccl.so.2 is the
NCCL of all programs, in the place of the one that PyTorch or the linker would find, as PyPI's
package nvidia-nccl-cu13 has it. Neither MPI nor a network is needed.

Each result is printed as soon as it is known, and written to the log (BUILD/check-gpu.log) with all
that the step has printed. A step that fails or hangs keeps no other from running: it is ended after
some time, rondo.torch goes on with the next case, and of a kind of which two steps have hung the
others are left out. Those for which no time is left are named. The kinds:

- the kernels alone, plainly and under compute-sanitizer;
- rondo.torch on 1 to 8 ranks: dtypes, uneven and empty splits, graphs, splits on the device,
  gradients, kernels of a call, and the host's time of a call beside that of torch.distributed;
- every algorithm on 1 to 8 ranks, in C, with several distributions, then graphs, comparing every
  byte; and the host's time of a call beside that of NCCL's group;
- a program without Rondo whose graphs hang on 7 ranks, or do not.

Exit status: 0, 1 if a step has failed or was not run, 77 where there is no GPU.
"""

import argparse
import os
import re
import shutil
import sys
import time
from collections import Counter, deque
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path.append(str(HERE.parent / "support"))
import calling  # noqa: E402

TENSORS = SOURCE / "tests/python/tensors_of_gpus.py"
# For how many seconds a step of a kind may run.
SECONDS = {
    "build": 240,
    "kernels": 60,
    "sanitizer": 60,
    "tensors": 90,
    "C": 40,
    "graphs": 40,
    "hang": 30,
}
SECONDS_TO_BEGIN = 15  # until a program of Python is ready; it ends itself so much earlier
MOST_HANGS = 2  # of a kind
MOST_TIMES_MORE = 4  # that rondo.torch goes on after a case that was wrong
FIRST_PORT = 29500

SIZES = "--check --min-bytes 0 --max-bytes 1m --step-factor 29 --iterations 100".split()
# Graphs of 7 ranks that share a GPU hung (docs/notes/gpu.md).
CAPTURED = "--check --min-bytes 29 --max-bytes 64k --step-factor 29 --iterations 50".split()
CAPTURED += ["--graph-launches", "20"]
ALL = "nccl_grouped,nccl_native,nccl_basic_bruck,nccl_modified_bruck,nccl_bruck,direct,graph:direct"
SOME = "nccl_grouped,direct"
HOST_TIME = "--min-bytes 4k --max-bytes 4k --iterations 1000".split()


class Step(NamedTuple):
    """A command of a kind, and what its output must not have."""

    kind: str
    name: str
    command: list
    wrong: str = ""
    may_hang: bool = False


def settings_for_sharing():
    """What ranks that share a GPU need."""
    text = (SOURCE / "bench/gpu/sharing.def").read_text(encoding="utf-8")
    return dict(re.findall(r"^RONDO_SHARING\((\w+), (\w+)\)", text, re.M))


def building(options):
    command = [sys.executable, HERE / "build_programs.py", options.build]
    command += ["--python", options.python]
    return Step("build", "building", command + (["--nccl", options.nccl] if options.nccl else []))


def bench(programs, ranks, algorithms, *words):
    start = [programs / "rondo-bench-gpu", "--threads", ranks, "--algorithm", algorithms]
    return [*start, *words]


def in_c(programs, ranks):
    return Step("C", f"{ranks} ranks in C", bench(programs, ranks, ALL, *SIZES))


def tensors(python, ranks):
    start = [python, "-m", "torch.distributed.run", "--nproc-per-node", ranks]
    start += ["--master-port", FIRST_PORT + ranks]  # one of its own, if the last is still in use
    words = [TENSORS, "--seconds", max(SECONDS["tensors"] - SECONDS_TO_BEGIN, 1)]
    wrong = "exchanged through the host"
    return Step("tensors", f"rondo.torch, {ranks} ranks", [*start, *words], wrong)


def sanitized(programs, tool):
    name = "compute-sanitizer"
    found = shutil.which(name) or Path("/usr/local/cuda/bin") / name
    words = ["--tool", tool, "--error-exitcode", "1", programs / "rondo_gpu_emulator", "quick"]
    return Step("sanitizer", f"{name}, {tool}", [found, *words])


def all_steps(programs, python):
    """What has never been seen comes first, and what may hang last."""
    yield Step("kernels", "the kernels alone", [programs / "rondo_gpu_emulator"])
    for ranks in (1, 2):
        yield tensors(python, ranks)
    words = bench(programs, 2, "nccl_grouped,nccl_native,direct,graph:direct", *HOST_TIME)
    yield Step("C", "host time of a call in C", words)
    for ranks in (3, 5, 8):
        yield tensors(python, ranks)
    for tool in ("memcheck", "racecheck", "synccheck"):
        yield sanitized(programs, tool)
    for ranks in range(1, 9):
        yield in_c(programs, ranks)
    for ranks, kind in ((2, "uniform"), (3, "power:0.9"), (5, "sparse:1"), (8, "uniform")):
        words = bench(programs, ranks, SOME, *SIZES, "--distribution", kind)
        yield Step("C", f"{ranks} ranks in C, blocks {kind}", words)
    for ranks in (1, 2, 3, 5, 8):
        words = bench(programs, ranks, "nccl_grouped,nccl_bruck,direct", *CAPTURED)
        yield Step("graphs", f"{ranks} ranks in C, graphs", words)
    for way in ("grouped", "phases"):
        for ranks in (8, 7):
            words = [programs / "nccl_hang", way, ranks, 50, 20]
            name = f"{ranks} ranks, graphs without Rondo, {way}"
            yield Step("hang", name, words, may_hang=True)


class Outcome(NamedTuple):
    is_right: bool
    said: str
    output: str = ""
    status: int = 0
    has_hung: bool = False


def run(step, seconds, variables):
    start = time.monotonic()
    try:
        limit = min(SECONDS[step.kind], seconds)
        done = calling.run(*step.command, timeout=limit, variables=variables)
    except OSError as error:
        return Outcome(False, f"FAILED: not run: {error}")
    took = f"{time.monotonic() - start:.0f} s"
    output = done.stdout + done.stderr
    if done.returncode == 0 and not (step.wrong and step.wrong in output):
        return Outcome(True, took, output)
    has_hung = "still ran after" in output or "Timeout (" in output  # ended by us, or by itself
    if step.may_hang and has_hung:
        return Outcome(True, f"HANGS: ended after {took}", output)
    status = done.returncode
    return Outcome(False, f"FAILED after {took}, status {status}", output, status, has_hung)


def what_to_show(output):
    """The lines of figures."""
    told = [line for line in output.splitlines() if re.match(r" {4,}\d|figure:|# \d+ ranks,", line)]
    return [f"    {line}" for line in told] if len(told) <= 8 else []


def rest_of(step, outcome):
    """The cases of rondo.torch after the one that ended it, if one had begun."""
    begun = re.findall(r"^case: (\w+)", outcome.output, re.M)
    if step.kind != "tensors" or outcome.status == 0 or not begun:
        return None
    name, command = step.name.partition(", after")[0], step.command
    if "--after" in command:
        command = command[: command.index("--after")]
    return step._replace(
        name=f"{name}, after {begun[-1]}", command=[*command, "--after", begun[-1]]
    )


class Report:
    """What is known, on the screen and, with every step's output, in a file."""

    def __init__(self, file):
        self._file = file
        self.went_well = self.went_wrong = 0

    def add(self, step, outcome):
        self.went_well += outcome.is_right
        self.went_wrong += not outcome.is_right
        lines = [f"{step.name}: {outcome.said}", *what_to_show(outcome.output)]
        command = " ".join(map(str, step.command))
        if not outcome.is_right:
            lines += [f"  {command}", outcome.output[-4000:]]
        print(*lines, sep="\n", flush=True)
        print(f"== {step.name}: {outcome.said}", command, outcome.output, sep="\n", file=self._file)
        self._file.flush()

    def say(self, text):
        print(text, flush=True)
        print(text, file=self._file, flush=True)


def run_all(steps, variables, report, end):
    """Those that are left out count as failures."""
    hangs, times_more = Counter(), 0
    waiting = deque(steps)
    while waiting:
        step = waiting.popleft()
        left = end - time.monotonic()
        if left < 5:
            report.add(step, Outcome(False, "NOT RUN: no time is left"))
            continue
        if hangs[step.kind] >= MOST_HANGS:
            report.add(step, Outcome(False, f"NOT RUN: {MOST_HANGS} of its kind hung"))
            continue
        outcome = run(step, left, variables[step.kind])
        report.add(step, outcome)
        hangs[step.kind] += outcome.has_hung
        rest = rest_of(step, outcome)
        if rest is not None and times_more < MOST_TIMES_MORE:
            times_more += 1
            waiting.appendleft(rest)


def environments(options):
    """By the kind of steps. Programs in C do what ranks that share a GPU need by themselves."""
    nccl = {}
    if options.nccl:
        nccl["LD_PRELOAD"] = str(options.nccl.resolve() / "lib/libnccl.so.2")
    paths = [str(options.build.resolve() / "site"), os.environ.get("PYTHONPATH", "")]
    tensors = {
        **settings_for_sharing(),
        "GLOO_SOCKET_IFNAME": "lo",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        **nccl,
    }
    alone = {"build": {}, "kernels": {}, "sanitizer": {}}  # without NCCL
    return {**dict.fromkeys(SECONDS, nccl), "tensors": tensors, **alone}


def reason_to_skip(programs):
    """That there is no GPU. What else keeps the first program from running is said later."""
    try:
        done = calling.run(programs / "rondo_gpu_emulator", "quick", timeout=60)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == calling.SKIPPED else ""


def main(words=None):
    start = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--python", default=sys.executable, help="with PyTorch")
    parser.add_argument("--build", dest="builds", action="store_true", help="build before")
    parser.add_argument("--nccl", type=Path, help="where lib/libnccl.so.2 is")
    parser.add_argument("--seconds", type=float, default=590, help="for all steps together")
    parser.add_argument("--log", type=Path, help="all that the steps print")
    options = parser.parse_args(words)
    calling.SECONDS_TO_END = 5
    options.build.mkdir(parents=True, exist_ok=True)
    programs, variables = options.build.resolve() / "bin", environments(options)
    log = options.log or options.build / "check-gpu.log"
    with log.open("w", encoding="utf-8", errors="replace") as file:
        report, end = Report(file), start + options.seconds
        if options.builds:
            run_all([building(options)], variables, report, end)
        if reason := reason_to_skip(programs):
            report.say(reason)
            return calling.SKIPPED
        run_all(all_steps(programs, options.python), variables, report, end)
        count = report.went_well + report.went_wrong
        report.say(f"{report.went_well} of {count} steps went well")
    return 1 if report.went_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
