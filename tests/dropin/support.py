"""What the tests of the drop-in share."""

import os
import re
import subprocess

FORWARDED = (
    8  # calls on each communicator that the MPI library carries out before Rondo sets itself up
)

ENVIRONMENT = dict(os.environ, OMPI_MCA_mpi_yield_when_idle="1")
for name in [name for name in ENVIRONMENT if name.startswith("RONDO_") or name == "LD_PRELOAD"]:
    if name != "RONDO_MPIRUN_ARGUMENTS":
        del ENVIRONMENT[name]
ENVIRONMENT["RONDO_FORWARD_CALLS"] = str(FORWARDED)


def run(command, timeout=60, **variables):
    """A finished process, with its output as text; one that hangs is ended, and says so."""
    with subprocess.Popen(
        [str(word) for word in command],
        env=dict(ENVIRONMENT, **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.terminate()  # not kill: a launcher ends its ranks first
            stdout, stderr = process.communicate()
            stderr += f"ended after {timeout} s: {command}"
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


class Failures:
    """Prints what was not as expected, and remembers that there was something."""

    def __init__(self):
        self.rows = 0
        self.failed = 0

    def expect(self, condition, what, done=None):
        self.rows += 1
        if condition:
            return
        self.failed += 1
        print(f"FAIL {what}")
        if done is not None:
            print(f"  exit code {done.returncode}\n{done.stdout}{done.stderr}")

    def status(self):
        print(f"rows: {self.rows - self.failed} passed, {self.failed} failed, 0 skipped")
        return 1 if self.failed else 0


LINE = re.compile(
    r"^rondo: (?P<call>alltoall[vw]?) +(?P<ranks>\d+)  (?P<block>.{9})  (?P<algorithm>.{20}) +"
    r"(?P<calls>\d+) +(?P<bytes>\d+) +(?P<seconds>[\d.]+)$",
    re.MULTILINE,
)
UNHANDLED = re.compile(r"^rondo: not handled: (?P<what>.*), (?P<calls>\d+) calls$", re.MULTILINE)


class Report:
    """What RONDO_STATS=1 printed."""

    def __init__(self, stderr):
        self.reports = stderr.count("rondo: all-to-all of")
        self.lines = [match.groupdict() for match in LINE.finditer(stderr)]
        self.unhandled = {m["what"]: int(m["calls"]) for m in UNHANDLED.finditer(stderr)}

    def _sum(self, field, **wanted):
        """Over all lines with these values."""
        return sum(
            int(line[field])
            for line in self.lines
            if all(line[key].strip() == str(value) for key, value in wanted.items())
        )

    def calls(self, **wanted):
        return self._sum("calls", **wanted)

    def bytes(self, **wanted):
        return self._sum("bytes", **wanted)
