"""Whole runs of a program, with and without Rondo in turn, timed from outside."""

import contextlib
import math
import shutil
import time
from dataclasses import dataclass, field

import ab_report
from launching import expect
from outcome import Failure

LIBRARY, RONDO = "library", "rondo"
# Relative, because ranks may add in another order in each run.
SAME = 1e-6


@dataclass
class Cell:
    """A program at a place. `run` runs a command there."""

    workspace: object
    program: object
    run: object
    inputs: object  # the folder that a run gets a copy of
    command: list
    seconds: float  # that a run may take
    results: list = field(default_factory=list)  # of the first run

    def timed(self, *before):
        """The seconds that a run took, and the finished process."""
        folder = self.inputs.parent / "run"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.inputs, folder)
        began = time.monotonic()
        done = self.run(self.workspace, [*before, *self.command], folder, self.seconds)
        seconds = time.monotonic() - began
        if seconds >= self.seconds:
            raise Failure(
                f"hangs: still ran after {self.seconds:.0f} s {' '.join(map(str, before))}"
            )
        self._check(done, folder)
        return seconds, done

    def _check(self, done, folder):
        expect(done.returncode == 0, "it did not end well", done)
        results = self.program.results(done, folder)
        expect(results, "it gives no results", done)
        self.results = self.results or results
        same = len(results) == len(self.results) and all(
            math.isclose(one, other, rel_tol=SAME) for one, other in zip(results, self.results)
        )
        expect(same, f"other results: {results}, and before {self.results}", done)

    def with_rondo(self, *options):
        return self.timed(self.workspace.exec_path(), *options)

    def pair(self, number):
        """The seconds of a run with Rondo and of one without, which alternate in going first."""
        runs = {LIBRARY: self.timed, RONDO: self.with_rondo}
        order = (LIBRARY, RONDO) if number % 2 == 0 else (RONDO, LIBRARY)
        return {arm: runs[arm]()[0] for arm in order}

    def ab(self):
        """The report of --ab."""
        seconds, done = self.with_rondo("--ab", "--stats")
        return {"seconds": seconds, **ab_report.read(done.stderr)}


@contextlib.contextmanager
def cell_of(workspace, program, where, seconds):
    """Yields a program at a place, with its input in a folder of its own."""
    workspace.require_family("openmpi")
    base = workspace.folder / "ab" / f"{program.name}-{where.name}".replace(" ", "-")
    shutil.rmtree(base, ignore_errors=True)
    inputs = base / "input"
    inputs.mkdir(parents=True)
    command = program.command(workspace, inputs, where.ranks)
    with where.up() as run:
        yield Cell(workspace, program, run, inputs, command, seconds)


def measure(workspace, program, where, options):
    """The results of a program at a place, for JSON."""
    with cell_of(workspace, program, where, options.seconds) as cell:
        cell.timed()  # so that no run that counts reads the program from the disk
        pairs = [cell.pair(number) for number in range(options.pairs)]
        reports = [cell.ab() for _ in range(options.ab_runs)]
    return {"pairs": pairs, "ab": reports}
