"""Profiles as `rondo tune` would write them, for the tests."""

import json

from rondo import _core, mpi_library
from rondo.select import signature_here

_LINK = {
    "alpha_seconds": 3e-6,
    "beta_seconds_per_byte": 2e-10,
    "latency_seconds": 1e-6,
    "overhead_seconds": 5e-7,
    "gap_seconds": 6e-7,
    "gap_seconds_per_byte": 2e-10,
}
_HOST = {
    "adapter_seconds_per_byte": 8e-11,
    "copy_seconds_per_byte": 1e-10,
    "copy_seconds_per_block": 4e-9,
    "typed_seconds_per_block": 3e-8,
    "arrival_seconds": 2.5e-7,
    "switch_seconds": 1.5e-6,
}
LAYOUT = {"ranks": 8, "nodes": 2, "per_node": 4, "uneven_nodes": 0}
UNEVEN = {"ranks": 6, "nodes": 3, "per_node": 2, "uneven_nodes": 2}


def machine(slower=1):
    links = {
        f"{place}_{k}": v * slower for place in ("inside", "between") for k, v in _LINK.items()
    }
    return {**links, **_HOST}


def layout(where=LAYOUT, first="pairwise"):
    return {
        **where,
        "alltoall": [
            {"up_to": 100, "algorithm": "tunable_bruck:radix=3", "reason": "4.2 us against 5.1"},
            {"algorithm": "mpi", "reason": "[b]the library's own[/i]"},
        ],
        "alltoallv": [
            {"up_to": 100, "algorithm": first, "reason": "measured so"},
            {"algorithm": "spread_out", "reason": ""},
        ],
    }


def signature():
    here = signature_here(mpi_library.version_here() or "Some MPI")
    return {"mpi": here.mpi, "processor": here.processor, "cores": here.cores}


def profile(**other):
    """That holds here, but for what is given."""
    return {
        "schema": "rondo-profile",
        "version": 1,
        "rondo": _core.version,
        "signature": signature(),
        "machine": machine(),
        "layouts": [layout(), layout(UNEVEN)],
        **other,
    }


def foreign():
    return profile(signature={**signature(), "cores": signature()["cores"] + 1})


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path
