#!/usr/bin/env python3
"""Programs with a profile: one that holds is obeyed by all ranks; one that is spoilt, foreign or
not there is passed over with one warning, and the program runs as if there were none."""

import json
import os
import sys
import tempfile
from pathlib import Path

from profiles import band, layout, profile
from support import RANKS, Failures, Report, options, parse, run_ranks

SHORT, LONG, AFTER = 20, 100, 120  # calls
CALLS = SHORT + LONG + AFTER
HEARD = 4  # lengths by which a call is decided: the least of them
# Of SILENT calls by algorithms that report no lengths, TELLING are by one that does; then of twice
# as many.
SILENT, TELLING = 64, 2
# Runs a command; the ranks other than 0 get the path of a profile that does not exist.
ONLY_RANK_0 = """
if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 0 ]; then RONDO_PROFILE=/nowhere/none.json; fi
exec "$@"
"""


def bands(short, long):
    return [{"up_to": 100, "algorithm": short}, band(long)]


def run_lengths(path):
    """With a profile that only rank 0 can find, as if it were on the first node only."""
    variables = {
        "RONDO_PROFILE": str(path),
        "RONDO_FORWARD_CALLS": "0",
        "RONDO_LEARN": "0",
        "RONDO_VERBOSE": "1",
    }
    command = [options.exec, "--stats", options.lengths, SHORT, LONG, AFTER]
    return run_ranks("sh", "-c", ONLY_RANK_0, "sh", *command, **variables)


def check_obeyed(failures, path, short, long):
    """A rank's calls by algorithm, alike on all ranks, and what is said of them. Where neither of
    the two tells lengths, fused_bruck does now and then."""
    done = run_lengths(path)
    what = f"{short}, then {long}"
    right = done.returncode == 0 and done.stdout == f"right: {CALLS * RANKS}\n"
    failures.expect(right, f"{what}: the results", done)
    failures.expect("is not used" not in done.stderr, f"{what}: the profile holds", done)
    for line in (f"S = 0: {short}; ", f"{long}; the test says so"):
        said = done.stderr.count(line)
        failures.expect(said <= 1, f"{what}: {line!r} is said {said} times", done)
    report = Report(done.stderr)
    calls = {name: report.calls(algorithm=name) for name in {short, long, "fused_bruck"}}
    total = sum(calls.values())
    failures.expect(total == CALLS * RANKS, f"{what}: {calls} are not all calls", done)
    failures.expect(all(n % RANKS == 0 for n in calls.values()), f"{what}: {calls}", done)
    return {name: n // RANKS for name, n in calls.items()}, done


def check_return(failures, path):
    """fused_bruck tells lengths, spread_out does not: it is left when calls in between have told of
    short blocks."""
    calls, done = check_obeyed(failures, path, "fused_bruck", "spread_out")
    # It begins when the last HEARD calls were long, and ends when the second calls in between are
    # among the short ones.
    expected = SILENT - TELLING + 2 * SILENT - TELLING
    failures.expect(calls["spread_out"] == expected, f"spread_out: {calls}", done)
    for said in ("S = 0: fused_bruck; ", "S = 1000: spread_out; the test says so"):
        failures.expect(said in done.stderr, f"{said!r} is not said", done)


def check_silent(failures, path):
    """Neither tells lengths: the calls in between, by fused_bruck, hear of long blocks, and then as
    many as it takes to decide by them. The first one that hears of short blocks is enough."""
    calls, done = check_obeyed(failures, path, "sloav", "spread_out")
    expected = HEARD + 1 + TELLING
    failures.expect(calls["fused_bruck"] == expected, f"fused_bruck: {calls}", done)
    expected = SILENT - TELLING
    failures.expect(calls["spread_out"] == expected, f"spread_out: {calls}", done)


def spoilt(good):
    text = json.dumps(good)
    foreign = json.loads(text)
    foreign["signature"]["cores"] += 1
    stale = {**good, "rondo": "99.0.0"}
    other = {**good, "layouts": [{"ranks": 3}]}
    return [
        ("cut", text[: len(text) // 2], "it is not valid JSON (truncated?)"),
        ("empty", "", "it is not valid JSON"),
        ("foreign", json.dumps(foreign), "it is of a machine with"),
        ("stale", json.dumps(stale), "it is of Rondo 99.0.0"),
        ("incomplete", json.dumps(other), 'profile.layouts[0] has no "nodes"'),
        ("deep", "[" * 1000000, "it is not valid JSON"),
        ("long", " " * (1 << 23), "longer than"),
        ("unknown", text.replace("pairwise", "pigeon"), "no alltoall algorithm 'pigeon'"),
    ]


def check_spoilt(failures, folder, good):
    """Ranks learn of it from rank 0, whatever the reason, so there are several for one of them."""
    os.mkfifo(folder / "pipe.json")
    rows = [
        ("none", None, "No such file or directory"),
        ("pipe", None, "not a regular file"),
        *spoilt(good),
    ]
    for name, text, why in rows:
        path = folder / f"{name}.json"
        if text is not None:
            path.write_text(text, encoding="utf-8")
        variables = {"RONDO_PROFILE": str(path), "RONDO_FORWARD_CALLS": "0"}
        ranks = RANKS if text is None else 0
        done = run_ranks(options.exec, options.lengths, 0, 4, 0, ranks=ranks, **variables)
        right = (done.returncode, done.stdout) == (0, f"right: {4 * (ranks or 1)}\n")
        failures.expect(right, f"{name}: the results", done)
        said = [line for line in done.stderr.splitlines() if line.startswith("rondo: ")]
        start = f"rondo: the profile {path} is not used: "
        one = len(said) == 1 and said[0].startswith(start) and why in said[0]
        failures.expect(one, f"{name}: one warning, with {why!r}", done)


def check_variables(failures):
    """A misspelt one is said once, by rank 0, if its right name is near. An empty one is not set.
    Where there is no home, nobody has named a profile."""
    rows = [
        ({"RONDO_ALTOALLV": "pairwise"}, "RONDO_ALTOALLV", "RONDO_ALLTOALLV"),
        ({"RONDO_CHEK": ""}, "RONDO_CHEK", "RONDO_CHECK"),
        ({"RONDO_PIGEON": "1"}, None, None),
        ({"RONDO_ROOT": "/opt/rondo", "RONDO_TEST_SEED": "7", "RONDO_STATS": "0"}, None, None),
        ({"RONDO_CHECK": "", "RONDO_MEMORY": "", "RONDO_AB": "", "RONDO_LEARN": ""}, None, None),
        ({"HOME": "/dev/null", "XDG_CONFIG_HOME": ""}, None, None),
    ]
    for variables, name, meant in rows:
        variables |= {"RONDO_FORWARD_CALLS": "0", "RONDO_NONBLOCKING": "1"}
        done = run_ranks(options.exec, options.lengths, 0, 4, 0, **variables)
        right = (done.returncode, done.stdout) == (0, f"right: {4 * RANKS}\n")
        failures.expect(right, f"{variables}: the results", done)
        said = [line for line in done.stderr.splitlines() if line.startswith("rondo: ")]
        why = f"is set, but Rondo has no such setting (did you mean {meant}?)"
        due = [f"rondo: {name} {why}"] if name else []
        failures.expect(said == due, f"{variables}: {due} is said", done)


def main():
    parse(__doc__, "exec", "lengths", "version")
    failures = Failures()
    with tempfile.TemporaryDirectory(prefix="rondo-profile-") as name:
        folder = Path(name)
        path = folder / "profile.json"
        for check, alltoallv in (
            (check_return, bands("fused_bruck", "spread_out")),
            (check_silent, bands("sloav", "spread_out")),
        ):
            good = profile(layout(RANKS, [band("pairwise")], alltoallv))
            path.write_text(json.dumps(good), encoding="utf-8")
            check(failures, path)
        check_spoilt(failures, folder, good)
    check_variables(failures)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
