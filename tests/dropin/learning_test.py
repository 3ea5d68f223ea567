#!/usr/bin/env python3
"""Programs that learn: what they have learned goes into a file, from which other runs begin, and
into the report of --stats."""

import json
import os
import re
import stat
import sys
import tempfile
from pathlib import Path

from profiles import band, layout, profile
from support import RANKS, Failures, Report, options, parse, progresses_in_mpi, run_ranks

ROUNDS = 200
UNTRIED = 100  # calls before an algorithm runs of which nothing is known
FEW_ROUNDS = 4
SLOW_SECONDS = 0.2  # ten times what the library's call sleeps in turns.c
# Blocks of an int are measured together with all that are as short.
SHORT = 63
LINE = re.compile(
    rf"^rondo: learned: alltoall on {RANKS} ranks, blocks of up to {SHORT} bytes: from mpi to "
    r"(?P<after>\S+) after (?P<calls>\d+) calls, (?P<saved>-?[\d.]+) s saved per rank$",
    re.MULTILINE,
)


def run_turns(rounds, *mode, **variables):
    variables |= {"RONDO_FORWARD_CALLS": "0", "RONDO_VERBOSE": "1"}
    return run_ranks(options.exec, "--stats", options.turns, rounds, *mode, **variables)


def expect_right(failures, done, what):
    right = (done.returncode, done.stdout) == (0, "right\n")
    failures.expect(right, f"{what}: the results", done)


def check_learned(failures, path, wrong):
    """The profile says that the library is the fastest, and its call takes 20 ms. Returns what is
    faster."""
    learn = {"RONDO_PROFILE": str(wrong), "RONDO_LEARN": str(path)}
    # Memory that is freed is overwritten, because what a start has run outlives it in the report.
    overwritten = {"MALLOC_PERTURB_": "165", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
    done = run_turns(ROUNDS, "started", RONDO_NONBLOCKING="1", **learn, **overwritten)
    expect_right(failures, done, "learning")
    said = LINE.search(done.stderr)
    failures.expect(said is not None, "learning: the line of --stats", done)
    if said is None:
        return None
    saved = float(said["saved"])
    likely = 0 < saved < ROUNDS * SLOW_SECONDS and UNTRIED < int(said["calls"]) < ROUNDS
    failures.expect(likely, f"learning: {said[0]}", done)
    if progresses_in_mpi(options.turns):
        algorithm = said["after"].partition(":")[0]
        calls = Report(done.stderr).calls(call="ialltoall", algorithm=algorithm)
        is_right = calls == ROUNDS * RANKS
        failures.expect(is_right, f"learning: {calls} starts by {algorithm}", done)
    return said["after"]


def check_file(failures, path, wrong, after):
    """What was learned stands before what was not, and what was measured elsewhere stays."""
    found = json.loads(path.read_text(encoding="utf-8"))
    before = json.loads(wrong.read_text(encoding="utf-8"))
    same = [key for key in before if key != "layouts" and found[key] != before[key]]
    failures.expect(not same, f"the file differs in {same}")
    layouts = {one["ranks"]: one for one in found["layouts"]}
    failures.expect(layouts[64] == before["layouts"][1], f"the other layout: {layouts[64]}")
    first, rest = layouts[RANKS]["alltoall"]
    learned = (first["up_to"], first["algorithm"]) == (SHORT, after) and rest == band("mpi")
    failures.expect(learned, f"the file's alltoall: {first}, {rest}")
    said = re.fullmatch(r"learned: faster than mpi in \d+ of \d+ pairs of calls", first["reason"])
    failures.expect(said, f"the file's reason: {first['reason']}")


def check_begins(failures, path, after):
    """A second run decides by the file at once."""
    done = run_turns(ROUNDS, "slow", RONDO_PROFILE=str(path), RONDO_LEARN="0")
    expect_right(failures, done, "the second run")
    report = Report(done.stderr)
    ran = report.calls(call="alltoall", ranks=RANKS, algorithm=after.partition(":")[0])
    # One call is on the communicator that comes first.
    failures.expect(ran == (ROUNDS + 1) * RANKS, f"the second run: {ran} calls by {after}", done)
    failures.expect("the profile" not in done.stderr, "the second run accepts the file", done)
    failures.expect("rondo: learned:" not in done.stderr, "the second run learns nothing", done)


def full_device(path):
    """For root one of this test's own, since a fault would replace that of the system."""
    if os.geteuid() != 0:
        path.symlink_to("/dev/full")
    else:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 7))
    return path


def check_unwritable(failures, folder):
    """One warning, and nothing is left behind."""
    file = folder / "file"
    file.write_text("kept", encoding="utf-8")
    place = folder / "folder"
    place.mkdir()
    (place / "kept").touch()
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    device = full_device(folder / "device")
    before = sorted(folder.iterdir())
    for path, mode, why in (
        (file / "profile.json", "", "cannot make its folder: Not a directory"),
        (place, "", "Is a directory"),
        (pipe, "", "nobody reads from this pipe"),
        (device, "", "No space left on device"),
        (file, "limited", "it would exceed the limit on file sizes, 100 bytes"),
    ):
        done = run_turns(FEW_ROUNDS, mode, RONDO_LEARN=str(path))
        expect_right(failures, done, f"learning into {path}")
        warning = f"rondo: what was learned is not written: {path}: {why}"
        failures.expect(done.stderr.count(warning) == 1, f"one warning: {warning}", done)
    failures.expect(sorted(folder.iterdir()) == before, "nothing is left behind")
    failures.expect(file.read_text(encoding="utf-8") == "kept", "the file is kept")
    failures.expect(device.is_char_device() and pipe.is_fifo(), "the device and the pipe are kept")


def main():
    parse(__doc__, "exec", "lengths", "turns", "version")
    failures = Failures()
    with tempfile.TemporaryDirectory(prefix="rondo-learning-") as name:
        folder = Path(name)
        wrong = folder / "wrong.json"
        path = folder / "new" / "link.json"  # to where nothing is yet
        path.parent.mkdir()
        path.symlink_to(folder / "learned.json")
        by_library = layout(RANKS, [band("mpi")], [band("mpi")])
        elsewhere = layout(64, [band("pairwise")], [band("spread_out")])
        wrong.write_text(json.dumps(profile(by_library, elsewhere)), encoding="utf-8")
        after = check_learned(failures, path, wrong)
        failures.expect(path.is_symlink(), "the link is kept")
        if after is not None:
            check_file(failures, path, wrong, after)
            check_begins(failures, path, after)
        check_unwritable(failures, folder)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
