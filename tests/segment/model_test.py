#!/usr/bin/env python3
"""Check the model epochs.pml with SPIN in every order of steps, and that its mutants are wrong.

Exits with 77, which CTest counts as skipped, where there is no SPIN (Debian: spin).
"""

import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

import calling
from calling import options

MODEL = Path(__file__).resolve().parent / "epochs.pml"

# name, definitions, what SPIN must find: nothing, or words of its complaint
# Whoever never has a block for someone only leaves out reads: all patterns with few epochs will do.
ROWS = [
    ("the protocol", ["EPOCHS=5"], None),
    ("the protocol, any pattern", ["EPOCHS=3", "ANY_PATTERN"], None),
    (
        "waits only for ranks with data",
        ["EPOCHS=3", "ANY_PATTERN", "WAIT_ONLY_FOR_DATA"],
        "assertion violated",
    ),
    ("one parity", ["EPOCHS=3", "ONE_PARITY"], "assertion violated"),
    ("stores the epoch first", ["EPOCHS=3", "SEND_FIRST"], "assertion violated"),
    ("long blocks, any pattern", ["EPOCHS=3", "LONG", "ANY_PATTERN"], None),
    ("leaves without receipts", ["EPOCHS=3", "LONG", "LEAVE_EARLY"], "assertion violated"),
    ("finds before all came", ["EPOCHS=3", "LONG", "FIND_BEFORE_ALL"], "assertion violated"),
]


def run(*command, **settings):
    done = calling.run(*command, **settings)
    if done.returncode != 0:
        sys.exit(f"{done.args}:\n{done.stdout}{done.stderr}")
    return done.stdout


def verify(definitions):
    """What SPIN's verifier prints for the model with these definitions."""
    with tempfile.TemporaryDirectory(prefix="rondo-spin-") as folder:
        run(options.spin, "-a", *[f"-D{name}" for name in definitions], MODEL, cwd=folder)
        # Partial-order reduction stays on; COLLAPSE keeps the states in some hundred megabytes.
        flags = ["-O1", "-w", "-DSAFETY", "-DCOLLAPSE"]
        run(options.compiler, *flags, "-o", "pan", "pan.c", cwd=folder)
        return run("./pan", "-m100000", cwd=folder)


def complaint(output, expected):
    """What is wrong with the verifier's verdict, or None."""
    if expected is not None:
        return None if expected in output else f"no '{expected}' was found"
    if "Search not completed" in output or "too small" in output:
        return "the search was not completed"
    return None if re.search(r"errors: 0\b", output) else "an error was found"


def main():
    calling.parse(__doc__, "compiler", "spin", has_ranks=False)
    if not shutil.which(options.spin):
        print("skipped: spin is not installed (Debian: apt-get install spin)")
        return calling.SKIPPED
    failures = calling.Failures()
    for name, definitions, expected in ROWS:
        start = time.monotonic()
        output = verify(definitions)
        states = re.search(r"(\S+) states, stored", output)
        count = states.group(1) if states else "?"
        print(f"{name}: {count} states, {time.monotonic() - start:.1f} s")
        wrong = complaint(output, expected)
        failures.expect(wrong is None, f"model {name}: {wrong}\n{output}")
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
