#!/usr/bin/env python3
"""Under a fatal error handler Rondo says what is wrong on stderr before the program ends.

fatal.py LAUNCHER... PROGRAM     as in fatal.py tools/mpirun -n 2 build/bin/test_fatal
"""

import sys

from calling import Failures, run

# case of test_fatal.cpp, words that stderr must hold
ROWS = [
    ("count", ["rondo:", "sendcounts", "-5"]),
    ("algorithm", ["rondo:", "no_such", "tunable_bruck"]),
    ("plan", ["rondo:", "sendtype"]),
]


def main(command):
    failures = Failures()
    for case, words in ROWS:
        done = run(*command, case)
        is_ended = done.returncode != 0 and "still alive" not in done.stdout
        is_said = all(word in done.stderr for word in words)
        failures.expect(is_ended and is_said, f"fatal {case}: it ends and says {words}", done)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
