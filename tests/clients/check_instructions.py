#!/usr/bin/env python3
"""Counts the instructions of a call of Rondo on one of two ranks.

check_instructions.py --folder FOLDER BUILD [BUILD...]

Counted by callgrind (Debian: valgrind) on rank 0, in librondo and in memcpy, in windows of calls.
Waiting for the other rank is left out, since it depends on what else the machine does. Printed as
Markdown, three columns for each BUILD: with RONDO_LEARN=0; once calls have learned; and then with
the trials that learning goes on making. The first two are of the window with the fewest, since a
part of the waiting counts all the same; the last one is the mean of all windows.
"""

import os
import re
import statistics
import sys

from launching import expect, finish, users_environment
from mpis import system
from outcome import STATUS_FAILED, STATUS_SKIPPED, Failure, Skip, parse_builds
from workspace import SOURCE, Workspace, installed

KINDS = {
    "alltoallv": "Rondo_Alltoallv",
    "alltoall": "Rondo_Alltoall",
    "dynamic": "Rondo_Alltoallv_dynamic",
    "plan": "Rondo_Execute",
}
CALLS = {"0": (2000, 22000), "1": (40000, 60000)}  # from which to which, by RONDO_LEARN
WINDOW = 500
BYTES = 16
SECONDS = 300
NAME = re.compile(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?$")
COST = re.compile(r"[+*-]?\d*\S* (\d+)$")
COPYING = re.compile(r"memmove|memcpy")
WAITING = "Node::pause"


def counted(lines):
    """The instructions of librondo and of copying, from the lines of callgrind's file.

    callgrind_annotate leaves the library out of many of its lines, so the file itself is read.
    """
    names = {"ob": {}, "fn": {}}
    here = {"ob": None, "fn": None}
    is_of_call = False
    total = 0
    for line in lines:
        if match := NAME.match(line):
            is_called, kind, number, name = match.groups()
            if name:
                names[kind][number] = name
            if not is_called:
                here[kind] = number
        elif line.startswith("calls="):
            is_of_call = True
        elif match := COST.match(line):
            if not is_of_call and _is_counted(*(names[kind].get(here[kind], "") for kind in here)):
                total += int(match[1])
            is_of_call = False
    return total


def _is_counted(library, function):
    return WAITING not in function and bool("librondo.so" in library or COPYING.search(function))


def windows(workspace, program, kind, learn):
    """The instructions of a call on rank 0, in each window of calls."""
    launcher = system(workspace, "openmpi").launcher
    first, last = CALLS[learn]
    output = workspace.folder / f"instructions.{kind}.{learn}"
    for old in workspace.folder.glob(f"{output.name}*"):
        old.unlink()
    words = [program, kind, last, BYTES, WINDOW]
    valgrind = [installed("valgrind", "valgrind"), "--tool=callgrind"]
    valgrind += ["--dump-before=begin_window", f"--callgrind-out-file={output}"]
    command = [SOURCE / "tools/mpirun", "--launcher", launcher, "-n", 1, *valgrind, *words]
    command += [":", "-n", 1, *words]
    done = finish(command, SECONDS, workspace.folder, users_environment(RONDO_LEARN=learn))
    expect(done.returncode == 0, "it did not end well", done)
    # The first dump is what comes before the calls.
    dumps = range(2 + first // WINDOW, 2 + last // WINDOW)
    texts = (
        (workspace.folder / f"{output.name}.{dump}").read_text(errors="replace") for dump in dumps
    )
    return [counted(text.splitlines()) / WINDOW for text in texts]


def cells(workspace, program, kind):
    without, learned = (windows(workspace, program, kind, learn) for learn in CALLS)
    return [min(without), min(learned), statistics.mean(learned)]


def compiled(workspace, build, number):
    library = build / "lib"
    words = ["-O2", SOURCE / "tests/clients/instructions.c", f"-I{SOURCE / 'include'}"]
    words += [f"-L{library}", "-lrondo", f"-Wl,-rpath,{library}"]
    return workspace.compiled(f"instructions_{number}", system(workspace, "openmpi").cc, *words)


def main():
    options = parse_builds(__doc__).parse_args()
    workspace = Workspace(options.folder, options.builds)
    try:
        programs = [
            compiled(workspace, build, number) for number, build in enumerate(workspace.builds)
        ]
        names = [os.path.relpath(build) for build in workspace.builds]
        print("| call |" + "".join(f" {name} | learned | with trials |" for name in names))
        print("| --- |" + " --- | --- | --- |" * len(programs))
        for kind, name in KINDS.items():
            figures = [figure for program in programs for figure in cells(workspace, program, kind)]
            print(f"| {name} |" + "".join(f" {figure:.0f} |" for figure in figures), flush=True)
    except Skip as reason:
        print(f"skipped: {reason}")
        return STATUS_SKIPPED
    except Failure as error:
        print(error, file=sys.stderr)
        return STATUS_FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
