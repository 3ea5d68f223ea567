#!/usr/bin/env python3
"""Counts the instructions of a call of Rondo on one of two ranks.

check_instructions.py --folder FOLDER BUILD [BUILD...]

Counted by callgrind (Debian: valgrind) on rank 0, in librondo and in memcpy, as the
difference between two numbers of calls. Waiting for the other rank is left out, since it depends on
what else the machine does. Printed as Markdown, two columns for each BUILD: with RONDO_LEARN=0, and
of calls that have learned, with all that learning still does in between.
"""

import os
import re
import sys

from launching import expect, finish, users_environment
from mpis import system
from outcome import STATUS_FAILED, STATUS_SKIPPED, Failure, Skip, parse_builds
from place import SOURCE, Place, installed

KINDS = {
    "alltoallv": "Rondo_Alltoallv",
    "alltoall": "Rondo_Alltoall",
    "dynamic": "Rondo_Alltoallv_dynamic",
    "plan": "Rondo_Execute",
}
CALLS = {"0": (2000, 4000), "1": (40000, 60000)}  # by RONDO_LEARN
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


def instructions(place, program, kind, learn, calls):
    """The instructions of rank 0 in a whole run of the program."""
    launcher = system(place, "openmpi").launcher
    output = place.folder / f"instructions.{kind}.{calls}"
    words = [program, kind, calls, BYTES]
    valgrind = [installed("valgrind", "valgrind"), "--tool=callgrind"]
    command = [SOURCE / "tools/mpirun", "--launcher", launcher, "-n", 1, *valgrind]
    command += [f"--callgrind-out-file={output}", *words, ":", "-n", 1, *words]
    done = finish(command, SECONDS, place.folder, users_environment(RONDO_LEARN=learn))
    expect(done.returncode == 0, "it did not end well", done)
    return counted(output.read_text(errors="replace").splitlines())


def each_call(place, program, kind, learn):
    few, many = (instructions(place, program, kind, learn, calls) for calls in CALLS[learn])
    return (many - few) / (CALLS[learn][1] - CALLS[learn][0])


def compiled(place, build, number):
    library = build / "lib"
    words = ["-O2", SOURCE / "tests/clients/instructions.c", f"-I{SOURCE / 'include'}"]
    words += [f"-L{library}", "-lrondo", f"-Wl,-rpath,{library}"]
    return place.compiled(f"instructions_{number}", system(place, "openmpi").cc, *words)


def main():
    options = parse_builds(__doc__).parse_args()
    place = Place(options.folder, options.builds)
    try:
        programs = [compiled(place, build, number) for number, build in enumerate(place.builds)]
        names = [os.path.relpath(build) for build in place.builds]
        print("| call |" + "".join(f" {name} | learned |" for name in names))
        print("| --- |" + " --- | --- |" * len(programs))
        for kind, name in KINDS.items():
            cells = [
                f"{each_call(place, program, kind, learn):.0f}"
                for program in programs
                for learn in CALLS
            ]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
    except Skip as reason:
        print(f"skipped: {reason}")
        return STATUS_SKIPPED
    except Failure as error:
        print(error, file=sys.stderr)
        return STATUS_FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
