"""What the tests of the drop-in share."""

import ctypes
import os
import re

import calling
from calling import Failures, options, parse  # noqa: F401

RANKS = 3
LIBRARY = "forwarded"
# Calls on each communicator that the MPI library carries out before Rondo sets itself up.
FORWARDED = 8
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name == "RONDO_MPIRUN_ARGUMENTS" or not name.startswith("RONDO_") and name != "LD_PRELOAD"
}
ENVIRONMENT |= {"OMPI_MCA_mpi_yield_when_idle": "1", "RONDO_FORWARD_CALLS": str(FORWARDED)}


def run(command, timeout=60, pass_fds=(), **variables):
    environment = {**ENVIRONMENT, **variables}
    return calling.run(*command, timeout=timeout, pass_fds=pass_fds, env=environment)


def run_ranks(*command, ranks=RANKS, **variables):
    """Runs a command on that many ranks, or without mpirun if there are none."""
    launcher = [*options.mpirun, "-n", ranks] if ranks else []
    return run([*launcher, *command], **variables)


def progresses_in_mpi(program):
    """Whether the MPI library of the program lets Rondo's exchanges go on in all of its calls."""
    linked = re.search(r"libmpi\.so\.40 => (\S+)", run(["ldd", program]).stdout)
    if linked is None:
        return False
    library = ctypes.CDLL(linked[1], mode=ctypes.RTLD_LOCAL)
    return hasattr(library, "opal_progress_register")


LINE = re.compile(
    r"^rondo: (?P<call>i?(?:neighbor_)?alltoall[vw]?(?:_init)?) +(?P<ranks>\d+)  (?P<block>.{9})  "
    r"(?P<algorithm>.{20}) +"
    r"(?P<calls>\d+) +(?P<bytes>\d+) +(?P<seconds>[\d.]+)$",
    re.MULTILINE,
)
UNHANDLED = re.compile(
    r"^rondo: forwarded to the MPI library: (?P<what>.*), (?P<calls>\d+) calls$", re.MULTILINE
)
OWN_CALL = re.compile(
    r"^rondo: called by the program: (?P<what>\w+), (?P<calls>\d+) calls, [\d.]+ seconds$",
    re.MULTILINE,
)
SHARE = re.compile(
    r"^rondo: blocking exchanges took (?P<percent>[\d.]+) % of this run, "
    r"(?P<seconds>[\d.]+) of (?P<run>[\d.]+) s on an average rank(?:: (?P<next>.*))?$",
    re.MULTILINE,
)


class Report:
    """The output of RONDO_STATS=1."""

    def __init__(self, stderr):
        self.reports = stderr.count("rondo: all-to-all of")
        self.lines = [match.groupdict() for match in LINE.finditer(stderr)]
        self.unhandled = {m["what"]: int(m["calls"]) for m in UNHANDLED.finditer(stderr)}
        self.own_calls = {m["what"]: int(m["calls"]) for m in OWN_CALL.finditer(stderr)}
        self.shares = [match.groupdict() for match in SHARE.finditer(stderr)]

    def _sum(self, field, **wanted):
        """The sum over all lines with these values."""
        return sum(
            int(line[field])
            for line in self.lines
            if all(line[key].strip() == str(value) for key, value in wanted.items())
        )

    def calls(self, **wanted):
        return self._sum("calls", **wanted)

    def bytes(self, **wanted):
        return self._sum("bytes", **wanted)
