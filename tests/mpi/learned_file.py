#!/usr/bin/env python3
"""The file that RONDO_LEARN names: what is in it, and that a run which begins with it decides so.

learned_file.py RANKS LAUNCHER... PROGRAM

as in learned_file.py 3 tools/mpirun -n 3 build/bin/test_learned_file
"""

import json
import sys
import tempfile
from pathlib import Path

from calling import Failures, run

# The exchanges of learned_file.cpp, and the lengths that are measured with theirs: up to the next
# power of two, or of four where lengths are uneven. Calls of the second and the third begin
# with what those of the length before have found.
ROWS = [
    ("alltoall", 12, 0, 63),
    ("alltoall", 80, 64, 127),
    ("alltoall", 160, 128, 255),
    ("alltoall", 20000, 16384, 32767),
    ("alltoallv", 12, 0, 127),
    ("alltoallv", 20000, 8192, 32767),
]


def band_of(bands, length):
    return next(band for band in bands if length <= band.get("up_to", length))


def is_in_row(exchange, length):
    rows = (row[2:] for row in ROWS if row[0] == exchange)
    return length < 0 or any(least <= length <= most for least, most in rows)


def check_file(failures, ranks, layouts):
    """Returns the algorithms by exchange."""
    found = [(one["ranks"], one["nodes"]) for one in layouts]
    failures.expect(found == [(ranks, 1)], f"the layouts of the file: {found}")
    algorithms = {}
    for exchange, length, least, most in ROWS:
        bands = layouts[0][exchange]
        band = band_of(bands, length)
        algorithms[exchange, length] = band["algorithm"]
        what = f"{exchange}, {length} bytes: {band}"
        is_learned = band["reason"].startswith("learned: ")
        failures.expect(is_learned and band["algorithm"] != "mpi", what)
        same = band_of(bands, least) == band == band_of(bands, most)
        failures.expect(same, f"{what} from {least} to {most}: {bands}")
        outside = [bytes_ for bytes_ in (least - 1, most + 1) if not is_in_row(exchange, bytes_)]
        for other in (band_of(bands, bytes_) for bytes_ in outside):
            failures.expect(other["algorithm"] == "mpi", f"{what}, beside it {other}")
    return algorithms


def check_begins(failures, command, path, algorithms):
    done = run(*command, "begin", variables={"RONDO_PROFILE": str(path), "RONDO_LEARN": "0"})
    expected = "".join(f"{call} {length} {name}\n" for (call, length), name in algorithms.items())
    right = (done.returncode, done.stdout) == (0, expected)
    failures.expect(right, f"a run that begins with the file runs:\n{expected}", done)


def main(ranks, *command):
    failures = Failures()
    with tempfile.TemporaryDirectory(prefix="rondo-learned-") as folder:
        path = Path(folder) / "learned.json"
        learn = {"RONDO_LEARN": str(path), "XDG_CONFIG_HOME": folder}
        done = run(*command, "learn", variables=learn)
        failures.expect(done.returncode == 0 and done.stderr == "", "a run that learns", done)
        layouts = json.loads(path.read_text(encoding="utf-8"))["layouts"]
        check_begins(failures, command, path, check_file(failures, int(ranks), layouts))
        path.unlink()
        done = run(*command, "learn", variables={**learn, "RONDO_SLOT_BYTES": "0"})
        failures.expect(done.returncode == 0, "a run without shared memory", done)
        failures.expect(not path.exists(), "it learns nothing that a profile could hold")
    return failures.status()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
