#!/usr/bin/env python3
"""rondo-judge as a program under --ab starts it: whatever the program has done to its files and
signals, and where it cannot be started or fails, which costs the report only."""

import shutil
import sys
import tempfile
from pathlib import Path

from support import Failures, options, parse, run, run_ranks

ROUNDS = 30
REPORT = "rondo: the MPI library and Rondo took turns"
NO_REPORT = "rondo: cannot print the report: "


def check_streams(failures):
    """Ranks without standard streams of their own, and with children that nobody waits for."""
    for line in ("<&-", ">&-", "<&- >&-"):
        script = f'trap "" CHLD; exec "$@" {line}'
        command = ["sh", "-c", script, "sh", options.exec, "--ab", options.turns, ROUNDS]
        done = run_ranks(*command)
        is_reported = done.returncode == 0 and done.stderr.count(REPORT) == 1
        failures.expect(is_reported, f"a report with {line}", done)
        is_whole = done.stdout == ("" if ">" in line else "right\n")
        failures.expect(is_whole, f"nothing else is printed with {line}", done)


def installed(folder):
    """An installation that can be spoilt: its rondo-exec, preload library and rondo-judge."""
    library = folder / "lib/rondo"
    family = library / options.part.parent.name
    for place in (folder / "bin", family):
        place.mkdir(parents=True)
    for file in options.preload.parent.glob("librondo_preload*.so"):
        shutil.copy(file, library)
    shutil.copy(options.part, family)
    rondo_exec = shutil.copy(options.exec, folder / "bin")
    judge = shutil.copy(options.judge, library)
    return Path(rondo_exec), library / options.preload.name, Path(judge)


def check_failing(failures, folder):
    """The program's results and status are the same as without a report."""
    rondo_exec, preload, judge = installed(folder)
    program = [options.turns, ROUNDS]
    done = run_ranks(rondo_exec, "--ab", *program)
    is_reported = (done.returncode, done.stdout, done.stderr.count(REPORT)) == (0, "right\n", 1)
    failures.expect(is_reported, "a tree that was copied", done)
    preloaded = ["env", f"LD_PRELOAD={preload}", "RONDO_AB=1", *program]
    done = run_ranks(*preloaded, "limited")
    is_whole = (done.returncode, done.stdout) == (0, "right\n")
    is_said = done.stderr.count(f"{NO_REPORT}cannot make a memory file: it would exceed") == 1
    failures.expect(is_whole and is_said, "no report: a limit on file sizes", done)
    for script, words in (
        ("exit 3", "exit status 3"),
        ("echo spoilt >&2; exit 1", "exit status 1 spoilt"),
        ("kill -9 $$", "ended by signal 9"),
        (None, "No such file or directory"),
    ):
        judge.unlink()
        if script:
            judge.write_text(f"#!/bin/sh\n{script}\n")
            judge.chmod(0o755)
        done = run_ranks(*preloaded)
        is_whole = (done.returncode, done.stdout) == (0, "right\n")
        is_said = done.stderr.count(NO_REPORT) == 1 and f"{judge}: {words}" in done.stderr
        failures.expect(is_whole and is_said, f"no report: {words}", done)
    done = run_ranks(rondo_exec, *program)
    is_run = (done.returncode, done.stdout, done.stderr) == (0, "right\n", "")
    failures.expect(is_run, "without --ab nobody needs it", done)


def check_options(failures):
    done = run([options.judge, "--version"])
    is_said = done.returncode == 0 and done.stdout.startswith("rondo-judge ")
    failures.expect(is_said, "--version", done)
    done = run([options.judge, "--no-such-option"])
    is_refused = (done.returncode, done.stdout) == (2, "")
    failures.expect(is_refused and "--no-such-option is not an option" in done.stderr, "it", done)


def check_input(failures):
    for source in ("printf nonsense", "true"):
        done = run(["sh", "-c", f"{source} | {options.judge}"])
        is_refused = done.returncode == 2 and "not a record of times" in done.stderr
        failures.expect(is_refused and done.stdout == "", f"{source} is no record", done)


def main():
    parse(__doc__, "exec", "preload", "part", "judge", "turns")
    failures = Failures()
    check_streams(failures)
    with tempfile.TemporaryDirectory(prefix="rondo-judge-") as folder:
        check_failing(failures, Path(folder))
    check_options(failures)
    check_input(failures)
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
