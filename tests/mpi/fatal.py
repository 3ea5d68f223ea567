#!/usr/bin/env python3
"""Under a fatal error handler Rondo says what is wrong on stderr before the program ends.

fatal.py LAUNCHER... PROGRAM     as in fatal.py tools/mpirun -n 2 build/bin/test_fatal
"""

import subprocess
import sys

# case of test_fatal.cpp, words that stderr must hold
ROWS = [
    ("count", ["rondo:", "sendcounts", "-5"]),
    ("algorithm", ["rondo:", "no_such", "tunable_bruck"]),
    ("plan", ["rondo:", "sendtype"]),
]


def complaint(command, words):
    """What is wrong with a run of `command`, or None."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 0:
        return "the exit code is 0"
    if "still alive" in done.stdout:
        return "the program went on"
    missing = [word for word in words if word not in done.stderr]
    return f"stderr lacks {missing}: {done.stderr!r}" if missing else None


def main(command):
    failed = 0
    for case, words in ROWS:
        wrong = complaint([*command, case], words)
        if wrong is not None:
            failed += 1
            print(f"FAIL fatal {case}: {wrong}")
    print(f"rows: {len(ROWS) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
