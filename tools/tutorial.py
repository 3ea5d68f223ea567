#!/usr/bin/env python3
"""Run the commands of docs/start.md, and check that they print what the document shows.

tutorial.py [--update] [--launcher LAUNCHER] [--only-document]

Numbers differ from run to run, so only the form of the output is compared. --update writes the
output into the document. It needs an mpicc and the Python package on PATH, and mpi4py.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parent.parent
DOCUMENT = SOURCE / "docs/start.md"
EXAMPLES = SOURCE / "examples"
# Indented commands, and the output that stands below them.
SHOWN = re.compile(r"((?:^    [^\n]*\n)+)\n```text\n(.*?)^```$", re.M | re.S)
CODE = re.compile(r"^```(c|python)\n(.*?)^```$", re.M | re.S)
# The ways of exchanging of walkers.c: with Rondo, and with MPI alone.
WAYS = re.compile(r"void exchange.*?#ifdef WITH_RONDO\n(.*?)#else\n(.*?)#endif", re.S)
SECONDS_OF_A_STEP = 300

WALKERS = r"128 walkers, \d+ steps: sum (\d+), [\d.]+ s"
STATS = (
    WALKERS,
    r"rondo: all-to-all of 4 ranks; calls, bytes and seconds are sums over the ranks",
    r"rondo: alltoall +4  < 16  .* +\d+ +\d+ +[\d.]+",
    r"rondo: alltoallv +4  < 256  .* +\d+ +\d+ +[\d.]+",
    r"rondo: blocking exchanges took [\d.]+ % of this run, [\d.]+ of [\d.]+ s on an average .*",
)
AB = (
    WALKERS,
    r"rondo: the MPI library and Rondo took turns, 8 calls each; .*",
    r"rondo: speedup of the program: .*95 % interval [\d.]+ \.\. [\d.]+, \d+ pairs of turns",
    r"rondo: rank \d took [\d.]+ s until MPI_Finalize, [\d.]+ s of it \(\d+ %\) in exchanges",
    r"rondo: alltoallv +\d+ +[\d.]+ +[\d.]+",
)
TUNE = (r"wrote .*/rondo/\w+\.json", r"alltoallv, 4 ranks on 1 node, 4 a node")
EXPLAIN = (r"alltoallv on 4 ranks, 1 node, S = 64: \w.*",)
PYTHON_WALKERS = (
    r"by_mpi: \d+ steps: sum (\d+), [\d.]+ s",
    r"by_rondo: \d+ steps: sum (\d+), [\d.]+ s",
)
# What each step must print, in the order of the document; a pattern is that of a line.
FORMS = ((WALKERS,), STATS, AB, TUNE, EXPLAIN, (WALKERS,), PYTHON_WALKERS)


class Step(NamedTuple):
    commands: str
    output: str
    form: tuple[str, ...]


def steps(text: str) -> list[Step]:
    found = SHOWN.findall(text)
    if len(found) != len(FORMS):
        sys.exit(f"{DOCUMENT.name} shows {len(found)} outputs instead of {len(FORMS)}")
    return [Step(*one, form) for one, form in zip(found, FORMS)]


def faults(step: Step, output: str) -> list[str]:
    """What the output lacks."""
    lines = output.splitlines()
    return [one for one in step.form if not any(re.fullmatch(one, line) for line in lines)]


def sums(outputs: list[str]) -> list[set[str]]:
    """The sums of the programs in C and in Python. A program has one, however it exchanges."""
    text = "\n".join(outputs)
    return [set(re.findall(pattern, text)) for pattern in (WALKERS, r"by_\w+: .* sum (\d+)")]


def check(found: list[Step], outputs: list[str], what: str) -> None:
    for step, output in zip(found, outputs):
        lacking = faults(step, output)
        if lacking or not output.strip():
            sys.exit(f"{what}: {step.commands.strip()}\nprints no line {lacking}:\n{output}")
    if any(len(one) != 1 for one in sums(outputs)):
        sys.exit(f"{what}: programs do not agree on their sums: {sums(outputs)}")


def run(step: Step, folder: Path, options: argparse.Namespace) -> str:
    """What the commands print, standard output first."""
    # Open MPI's launcher puts its own folder first, where there may be another Python.
    meant = {"mpirun": options.launcher, "python3": sys.executable}
    script = re.sub(r"\b(mpirun|python3)\b", lambda one: shlex.quote(meant[one[1]]), step.commands)
    done = subprocess.run(
        ["bash", "-ec", script],
        cwd=folder,
        env={**os.environ, "XDG_CONFIG_HOME": str(folder / ".config"), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=SECONDS_OF_A_STEP,
        check=False,
    )
    output = (done.stdout + done.stderr).replace(options.launcher, "mpirun")
    output = output.replace(str(folder), "~")
    if done.returncode != 0:
        sys.exit(f"{step.commands.strip()}\nfails with status {done.returncode}:\n{output}")
    return "".join(f"{line.rstrip()}\n" for line in output.strip().splitlines())


def run_all(found: list[Step], options: argparse.Namespace) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program in EXAMPLES.glob("walkers.*"):
            shutil.copy(program, folder)
        return [run(step, folder, options) for step in found]


def written(text: str, outputs: list[str]) -> str:
    """The document with these outputs, and with the code of the examples as it is."""
    with_rondo, by_mpi = WAYS.search((EXAMPLES / "walkers.c").read_text(encoding="utf-8")).groups()
    code = iter([by_mpi, with_rondo, (EXAMPLES / "walkers.py").read_text(encoding="utf-8")])
    left = iter(outputs)
    text = SHOWN.sub(lambda match: f"{match[1]}\n```text\n{next(left)}```", text)
    return CODE.sub(lambda match: f"```{match[1]}\n{next(code)}```", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the output into the document")
    parser.add_argument("--only-document", action="store_true", help="run nothing")
    parser.add_argument("--launcher", default="mpirun", help="what stands for mpirun")
    options = parser.parse_args()
    text = DOCUMENT.read_text(encoding="utf-8")
    found = steps(text)
    if not options.only_document:
        outputs = run_all(found, options)
        check(found, outputs, "a run")
        if options.update:
            text = written(text, outputs)
            DOCUMENT.write_text(text, encoding="utf-8")
            found = steps(text)
    check(found, [step.output for step in found], DOCUMENT.name)


if __name__ == "__main__":
    main()
