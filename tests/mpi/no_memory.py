#!/usr/bin/env python3
"""Run no_memory_as_it_is where /dev/shm is really full, read-only or missing: a mount namespace.

no_memory.py LAUNCHER... PROGRAM     as in no_memory.py tools/mpirun -n 3 build/bin/mpi_tests

Exits with 77, which CTest counts as skipped, where no such namespace can be had (it needs root).
"""

import shutil
import sys
import tempfile

import calling
from environment import private_environment

TINY = "mount -t tmpfs -o size=64k tiny /dev/shm"
FULL = f"{TINY}; head -c 65536 /dev/zero > /dev/shm/full"
READ_ONLY = "mount -t tmpfs -o ro,size=64k none /dev/shm"
MISSING = """
new=$(mktemp -d)
mount -t tmpfs dev $new
for name in null zero random urandom tty ptmx; do
  if [ -e /dev/$name ]; then touch $new/$name; mount --bind /dev/$name $new/$name; fi
done
mkdir $new/pts
mount --rbind /dev/pts $new/pts
ln -s /proc/self/fd $new/fd
mount --move $new /dev
test ! -e /dev/shm
"""

# name, what is done to /dev/shm, the segment that must be had
ROWS = [
    ("too small for a name", TINY, "none"),
    ("full", FULL, "none"),
    ("read-only", READ_ONLY, "none"),
    ("missing", MISSING, "none"),
    ("too small, but a memfd needs none of it", TINY, "memfd"),
    ("missing, but a memfd needs none of it", MISSING, "memfd"),
    ("as large as ever", "mount -t tmpfs -o size=64m large /dev/shm", "name"),
]


def run(mounts, command, folder, **variables):
    script = f'set -e\n{mounts}\nexec "$@"\n'
    words = ["unshare", "--mount", "sh", "-c", script, "sh", *command]
    return calling.run(*words, env={**private_environment(folder), **variables})


def main(command):
    if not shutil.which("unshare"):
        print("skipped: no unshare")
        return calling.SKIPPED
    failures = calling.Failures()
    with tempfile.TemporaryDirectory(prefix="rondo-no-memory-") as folder:
        for mounts in (TINY, MISSING):
            tried = run(mounts, ["true"], folder)
            if tried.returncode != 0:
                print(f"skipped: no mount namespace of its own: {tried.stderr.strip()}")
                return calling.SKIPPED
        for name, mounts, kind in ROWS:
            done = run(mounts, [*command, "no_memory_as_it_is"], folder, RONDO_TEST_MEMORY=kind)
            failures.expect(done.returncode == 0, f"/dev/shm {name}: {kind}", done)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
