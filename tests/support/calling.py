"""Shared parts of the tests in Python: running programs, reading their output, command lines."""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SKIPPED = 77  # the status of a test that was skipped, as CTest knows it
SECONDS_TO_END = 60

options = argparse.Namespace()  # what the test was called with


def run(*command, timeout=120, said=None, variables=None, **settings):
    """The finished process of a command, with its output as text.

    It reads `said`; `variables` are added to its environment. One that hangs is ended with all its
    ranks.
    """
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
    if variables is not None:
        settings["env"] = {**os.environ, **variables}
    with subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL if said is None else subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        **settings,
    ) as process:
        try:
            stdout, stderr = process.communicate(said, timeout)
        except subprocess.TimeoutExpired:
            stdout, stderr = _end(process)
            stderr = f"{stderr or ''}ended, because it still ran after {timeout} s"
        except BaseException:  # this test is ended
            _end(process)
            raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


def _end(process):
    process.terminate()  # not kill: a launcher ends its ranks first
    try:
        return process.communicate(timeout=SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()


def succeed(*command, timeout=900, **settings):
    """The output of a command. If it fails, this test ends."""
    print("+", *command, flush=True)
    done = run(*command, timeout=timeout, stderr=subprocess.STDOUT, **settings)
    if done.returncode != 0:
        print(done.stdout)
        sys.exit(f"failed with status {done.returncode}")
    return done.stdout


def seed():
    """RONDO_TEST_SEED, which repeats a run, else another one each time."""
    given = os.environ.get("RONDO_TEST_SEED")
    return int(given) if given else random.SystemRandom().getrandbits(32)


def write_program(path, text):
    """The path of a script, which can be executed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def run_ranks(ranks, *command, **settings):
    """Runs a command on that many ranks, or without mpirun if there are none."""
    launcher = [*options.mpirun, "-n", ranks] if ranks else []
    return run(*launcher, *command, **settings)


def processes_with(text):
    """The command lines that hold the text, by process number; words end with a null character."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (folder / "cmdline").read_bytes().decode(errors="replace")
            if text in line:
                found[int(folder.name)] = line
    return found


def wait_until(condition, seconds=60):
    """Whether the condition holds within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def json_rows(text):
    """The lines that are JSON. A launcher may have printed others."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def sentences(program, done):
    """The text of a program on stderr, without its name."""
    start = f"{program}: "
    return [line[len(start) :] for line in done.stderr.splitlines() if line.startswith(start)]


def parse(description, *programs, several=(), optional=(), flags=(), has_ranks=True):
    """Read the command line into `options`: --PROGRAM FILE... --FLAG... --mpirun COMMAND..."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    for name in programs:
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in several:
        parser.add_argument(f"--{name}", type=Path, action="append", default=[])
    for name in optional:
        parser.add_argument(f"--{name}", type=Path)
    for name in flags:
        parser.add_argument(f"--{name}", action="store_true")
    if has_ranks:
        started = "the command that starts ranks, with its options; comes last"
        parser.add_argument("--mpirun", required=True, nargs=argparse.REMAINDER, help=started)
    parser.parse_args(namespace=options)


def main(description, *programs, **others):
    """Run the unit tests of the calling file."""
    parse(description, *programs, **others)
    unittest.main(argv=sys.argv[:1], verbosity=2)


class ProgramTest(unittest.TestCase):
    """A test of programs, with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rondo-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        path.chmod(mode)
        return path

    def assert_refused(self, done, program, *words, status=2, rows_only=False):
        """Expects one sentence with these words, and on stdout nothing, or no row."""
        said = sentences(program, done)
        printed = json_rows(done.stdout) if rows_only else done.stdout
        self.assertEqual((done.returncode, len(said)), (status, 1), done)
        self.assertFalse(printed, done)
        for word in words:
            self.assertIn(word, said[0])


class Failures:
    """Prints the failures and counts the rows of a test."""

    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, condition, what, done=None):
        if condition:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAIL {what}", flush=True)
        if done is not None:
            print(f"  exit code {done.returncode}\n{done.stdout}{done.stderr}", flush=True)

    def status(self):
        print(f"rows: {self.passed} passed, {self.failed} failed, 0 skipped")
        return 1 if self.failed else 0
