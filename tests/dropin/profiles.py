"""Profiles that hold on this machine, with decisions that a test makes."""

import os
from pathlib import Path

from support import options, run_ranks

LINK = ("alpha", "latency", "overhead", "gap")
HOST = ("copy_seconds_per_block", "typed_seconds_per_block", "arrival_seconds", "switch_seconds")
REASON = "the test says so"


def machine():
    prices = {"adapter_seconds_per_byte": 1e-10, "copy_seconds_per_byte": 1e-10}
    for place in ("inside", "between"):
        prices.update({f"{place}_{name}_seconds": 1e-6 for name in LINK})
        prices.update({f"{place}_{name}_seconds_per_byte": 1e-10 for name in ("beta", "gap")})
    prices.update({name: 1e-8 for name in HOST})
    return prices


def signature():
    """The signature of this machine, found in another way than by the library."""
    said = run_ranks(options.lengths, "library", ranks=0).stdout
    models = [
        line.partition(": ")[2]
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    ]
    return {
        "mpi": said.splitlines()[0].partition(",")[0].replace("\t", " "),
        "processor": models[0] if models else "unknown",
        "cores": os.sysconf("SC_NPROCESSORS_ONLN"),
    }


def band(algorithm):
    """The last one of a list."""
    return {"algorithm": algorithm, "reason": REASON}


def layout(ranks, alltoall, alltoallv):
    """The decisions on one node."""
    decisions = {"alltoall": alltoall, "alltoallv": alltoallv}
    return {"ranks": ranks, "nodes": 1, "per_node": ranks, "uneven_nodes": 0, **decisions}


def profile(*layouts):
    return {
        "schema": "rondo-profile",
        "version": 1,
        "rondo": str(options.version),
        "signature": signature(),
        "machine": machine(),
        "layouts": list(layouts),
    }
