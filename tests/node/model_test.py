#!/usr/bin/env python3
"""Check the model epochs.pml with SPIN in every order of steps, and that its mutants are wrong.

Exits with 77, which CTest counts as skipped, where there is no SPIN (Debian: spin).
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODEL = Path(__file__).resolve().parent / "epochs.pml"
SKIPPED = 77

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
]


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def verify(definitions, spin, compiler, folder):
    """What SPIN's verifier prints for the model with these definitions."""
    run([spin, "-a", *[f"-D{name}" for name in definitions], str(MODEL)], folder)
    # Partial-order reduction stays on; COLLAPSE keeps the states in some hundred megabytes.
    run([compiler, "-O1", "-w", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c"], folder)
    return run(["./pan", "-m100000"], folder)


def complaint(output, expected):
    """What is wrong with the verifier's verdict, or None."""
    if expected is not None:
        return None if expected in output else f"no '{expected}' was found"
    if "Search not completed" in output or "too small" in output:
        return "the search was not completed"
    return None if re.search(r"errors: 0\b", output) else "an error was found"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--spin", default="spin")
    options = parser.parse_args()
    if not shutil.which(options.spin):
        print("skipped: spin is not installed (Debian: apt-get install spin)")
        return SKIPPED
    failed = 0
    for name, definitions, expected in ROWS:
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="rondo-spin-") as folder:
            output = verify(definitions, options.spin, options.compiler, folder)
        wrong = complaint(output, expected)
        states = re.search(r"(\S+) states, stored", output)
        count = states.group(1) if states else "?"
        print(f"{name}: {count} states, {time.monotonic() - start:.1f} s")
        if wrong is not None:
            failed += 1
            print(f"FAIL model {name}: {wrong}\n{output}")
    print(f"rows: {len(ROWS) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
