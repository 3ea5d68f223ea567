#!/usr/bin/env python3
"""Counts the instructions of a call of Rondo on one of two ranks.

check_instructions.py --folder FOLDER BUILD [BUILD...]

Counted by callgrind (Debian: valgrind) on rank 0, in librondo and in memcpy, as the
difference between two numbers of calls. Waiting for the other rank is left out, since it depends on
what else the machine does. Printed as Markdown, a column for each BUILD.
"""

import os
import re
import sys

from launching import expect, finish, users_environment
from mpis import system
from outcome import STATUS_FAILED, STATUS_SKIPPED, Failure, Skip, parse_builds
from place import SOURCE, Place, installed, succeed

KINDS = {
    "alltoallv": "Rondo_Alltoallv",
    "alltoall": "Rondo_Alltoall",
    "plan": "Rondo_Execute",
}
CALLS = (2000, 4000)
BYTES = 16
SECONDS = 300
LINE = re.compile(r"\s*([\d,]+)\s+(\S.*)")
COUNTED = re.compile(r"librondo\.so|memmove|memcpy")
WAITING = re.compile(r"Node::pause|wait_for_all")


def counted(text):
    """The instructions, from the output of callgrind_annotate."""
    matches = [match for match in map(LINE.match, text.splitlines()) if match]
    return sum(
        int(count.replace(",", ""))
        for count, place in (match.groups() for match in matches)
        if COUNTED.search(place) and not WAITING.search(place)
    )


def instructions(place, program, kind, calls):
    """The instructions of rank 0 in a whole run of the program."""
    launcher = system(place, "openmpi").launcher
    output = place.folder / f"instructions.{kind}.{calls}"
    words = [program, kind, calls, BYTES]
    valgrind = [installed("valgrind", "valgrind"), "--tool=callgrind"]
    command = [SOURCE / "tools/mpirun", "--launcher", launcher, "-n", 1, *valgrind]
    command += [f"--callgrind-out-file={output}", *words, ":", "-n", 1, *words]
    done = finish(command, SECONDS, place.folder, users_environment())
    expect(done.returncode == 0, "it did not end well", done)
    annotate = ["callgrind_annotate", "--inclusive=no", "--threshold=100", "--show-percs=no"]
    return counted(succeed(*annotate, output, reason="callgrind's output cannot be read"))


def each_call(place, program, kind):
    few, many = (instructions(place, program, kind, calls) for calls in CALLS)
    return (many - few) / (CALLS[1] - CALLS[0])


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
        print("| call |" + "".join(f" {os.path.relpath(build)} |" for build in place.builds))
        print("| --- |" + " --- |" * len(programs))
        for kind, name in KINDS.items():
            cells = [f"{each_call(place, program, kind):.0f}" for program in programs]
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
