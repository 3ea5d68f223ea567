"""The exchanges, described once: most of each docstring is made of the words in this file.

The name and the signature of a function say who takes part (all ranks, the edges of a topology,
named partners), which lengths are known, and when it exchanges (a call, a start, a plan). Its
source has the summary; `described` adds the sections. It needs no MPI: the site is made without.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from inspect import cleandoc
from typing import Any, Callable, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
# What depends on who takes part.
_RANKS = {
    "who": "rank",
    "class": "Comm",
    "topology": "",
    "no_topology": "",
    "in_place": " MPI.IN_PLACE exchanges in `recv`.",
    "unprepared": "Call `prepare` first; until then the MPI library carries out the exchange.",
}
_EDGES = {
    "who": "edge",
    "class": "Topocomm",
    "topology": ", which has a topology",
    "no_topology": ", or the communicator has no topology",
    "in_place": "",
    "unprepared": "Until a neighbourhood exchange has been called or planned on the communicator, "
    "the MPI library carries it out.",
}
_STARTED = "It returns at once, without waiting for other ranks. {unprepared}"
_UNPREPARED_DYNAMIC = "Call `prepare` first; without it the exchange cannot start."
_SENDS = "What this rank sends, as in {class}.{method}: a buffer"
_PLACED = "A buffer with the blocks at the same places as the plan's; by default the plan's own."
# Of a parameter, or of a function and its parameter.
_PARAMETERS = {
    "comm": "The communicator{topology}.",
    "alltoall send": f"{_SENDS} that the blocks fill, one for each {{who}}, or a buffer with the "
    "number of elements in a block and their datatype.{in_place}",
    "alltoallv send": f"{_SENDS} with a count for each {{who}}, with displacements if the blocks "
    "do not follow each other, and with a datatype if it is not the buffer's own.{in_place}",
    "alltoallw send": f"{_SENDS} with counts, displacements and datatypes, one of each for every "
    "{who}.{in_place}",
    "alltoallv_dynamic send": "What this rank sends, as in alltoallv.",
    "sparse_alltoallv send": "What this rank sends, as in alltoallv, with a count for each "
    "destination. A block without elements is not announced to anybody.",
    "sparse_plan send": "What this rank sends, as in sparse_alltoallv.",
    "plan send": "What this rank sends, as in the function of that name.",
    "execute send": f"{_PLACED} A plan made in place takes none.",
    "execute recv": _PLACED,
    "recv": "Where this rank receives, in the same form.",
    "destinations": "The ranks to which this rank sends, in any order, each once. This rank may be "
    "among them.",
    "dtype": "NumPy's type of the elements that arrive; by default that of the elements sent.",
    "collective": '"alltoall", "alltoallv", "alltoallw", "neighbor_alltoall", '
    '"neighbor_alltoallv" or "neighbor_alltoallw".',
    "info": 'May name an algorithm, as in the C interface. With the key "rondo_measure" the plan '
    "tries a few algorithms at once, to learn which is the fastest.",
    "prepare info": "May name algorithms, as in the C interface.",
    "set_algorithm collective": '"alltoall", "alltoallv", "alltoallw", "sparse_alltoallv" or '
    '"neighbor_alltoallv", which stands for all neighbourhood exchanges.',
    "algorithm": 'The algorithm, as in "fused_bruck:radix=4"; the same on all ranks. "auto" leaves '
    "the choice to Rondo.",
}
_RETURNS = {
    "Received": "The blocks in one new array, with their counts and displacements.",
    "SparseReceived": "The blocks in one new array, with their sources, counts and displacements.",
    "Request": "Complete it on every rank, by wait() or test().",
    "DynamicRequest": "Complete it on every rank, by wait() or test(). Its `result` is what has "
    "arrived.",
    "Plan": "Execute it any number of times, then free it on all ranks.",
    "SparsePlan": "Execute it any number of times, then free it on all ranks. Its `received` has "
    "the sources, and what the last execution has received in the plan's own buffer.",
}
_ERRORS = {  # by what is returned, or by the function
    "Request": "the exchange cannot start",
    "DynamicRequest": "the exchange cannot start",
    "Plan": "the plan cannot be made",
    "SparsePlan": "the plan cannot be made",
    "prepare": "the set-up fails",
    "set_algorithm": "there is no such algorithm",
}

_WORLD = ">>> comm = MPI.COMM_WORLD"
_RING = """>>> world = MPI.COMM_WORLD
>>> below, above = (world.rank - 1) % world.size, (world.rank + 1) % world.size
>>> ring = world.Create_dist_graph_adjacent([below], [above])"""
_ONE_EACH = f"{_WORLD}\n>>> send, recv = np.full(comm.size, comm.rank), np.zeros(comm.size, int)"
_EXAMPLES = {
    "alltoall": f"""{_WORLD}
>>> send = np.arange(comm.size) + 100 * comm.rank  # one number to each
>>> recv = np.empty_like(send)
>>> rondo.alltoall(comm, send, recv)
>>> recv.tolist() == [100 * rank + comm.rank for rank in range(comm.size)]
True""",
    "alltoallv": f"""Rank r sends r + 1 numbers to every rank:

{_WORLD}
>>> sent, arriving = [comm.rank + 1] * comm.size, [rank + 1 for rank in range(comm.size)]
>>> send, recv = np.full(sum(sent), comm.rank), np.empty(sum(arriving), int)
>>> rondo.alltoallv(comm, (send, sent), (recv, arriving))
>>> recv.tolist() == [rank for rank in range(comm.size) for _ in range(rank + 1)]
True""",
    "alltoallw": f"""{_WORLD}
>>> send, recv = np.full(comm.size, 1.0 * comm.rank), np.empty(comm.size)
>>> ones, starts = [1] * comm.size, [8 * rank for rank in range(comm.size)]
>>> kinds = [MPI.DOUBLE] * comm.size
>>> rondo.alltoallw(comm, (send, ones, starts, kinds), (recv, ones, starts, kinds))
>>> recv.tolist() == list(range(comm.size))
True""",
    "neighbor_alltoall": """On a ring, to the rank below and to the rank above:

>>> ring = MPI.COMM_WORLD.Create_cart([MPI.COMM_WORLD.size], periods=[True])
>>> send, recv = np.array([10 * ring.rank, 10 * ring.rank + 1]), np.zeros(2, int)
>>> rondo.neighbor_alltoall(ring, send, recv)
>>> below, above = ring.Shift(0, 1)
>>> recv.tolist() == [10 * below + 1, 10 * above]
True
>>> ring.Free()""",
    # MPI libraries may mix up two edges between the same two ranks, and may carry out a start.
    "ineighbor_alltoall": f"""On a ring, two numbers to the rank above:

{_RING}
>>> send, recv = np.full(2, world.rank), np.zeros(2, int)
>>> rondo.neighbor_alltoall(ring, send, recv)
>>> recv.tolist() == [below, below]
True
>>> ring.Free()""",
    "neighbor_alltoallv": f"""On a ring, rank r sends r + 1 numbers to the rank above:

{_RING}
>>> send, recv = np.full(world.rank + 1, world.rank), np.zeros(below + 1, int)
>>> rondo.neighbor_alltoallv(ring, (send, [world.rank + 1]), (recv, [below + 1]))
>>> recv.tolist() == [below] * (below + 1)
True
>>> ring.Free()""",
    "neighbor_alltoallw": f"""On a ring, a column of a matrix goes to the rank above:

{_RING}
>>> column = MPI.DOUBLE.Create_vector(3, 1, 4).Commit()
>>> send, recv = np.full((3, 4), world.rank, float), np.zeros((3, 4))
>>> rondo.neighbor_alltoallw(ring, (send, [1], [24], [column]), (recv, [1], [0], [column]))
>>> recv[:, 0].tolist() == [below] * 3
True
>>> column.Free()
>>> ring.Free()""",
    "alltoallv_dynamic": f"""Rank r sends r + 1 numbers to every rank; no rank knows what arrives:

{_WORLD}
>>> sent = [comm.rank + 1] * comm.size
>>> arrived = rondo.alltoallv_dynamic(comm, (np.full(sum(sent), comm.rank), sent))
>>> arrived.counts.tolist() == [rank + 1 for rank in range(comm.size)]
True
>>> int(arrived.data[arrived.displs[0]])
0""",
    "ialltoallv_dynamic": f"""Rank r sends r + 1 numbers to every rank; no rank knows what arrives:

{_WORLD}
>>> rondo.prepare(comm)
>>> sent = [comm.rank + 1] * comm.size
>>> request = rondo.ialltoallv_dynamic(comm, (np.full(sum(sent), comm.rank), sent))
>>> request.result.counts.tolist() == [rank + 1 for rank in range(comm.size)]
True""",
    "sparse_plan": f"""Every rank sends two numbers to the next, again and again:

{_WORLD}
>>> above, below = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
>>> send = np.full(2, comm.rank)
>>> with rondo.sparse_plan(comm, [above], (send, [2])) as plan:
...     plan.execute()
...     send += 100
...     plan.execute()
>>> plan.received.sources.tolist() == [below]
True
>>> plan.received.data.tolist() == [below + 100] * 2
True""",
    "sparse_alltoallv": f"""Every rank sends two numbers to the next; no rank knows who sends to it:

{_WORLD}
>>> above, below = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
>>> arrived = rondo.sparse_alltoallv(comm, [above], (np.full(2, comm.rank), [2]))
>>> arrived.sources.tolist() == [below] and arrived.data.tolist() == [below, below]
True""",
    "prepare": ">>> rondo.prepare(MPI.COMM_WORLD)",
    "set_algorithm": """>>> comm = MPI.COMM_WORLD.Dup()
>>> rondo.set_algorithm(comm, "alltoallv", "fused_bruck:radix=4")
>>> comm.Free()""",
    "plan": f"""{_ONE_EACH}
>>> info = MPI.Info.Create({{"rondo_alltoall": "tunable_bruck:radix=2"}})
>>> with rondo.plan("alltoall", comm, send, recv, info) as plan:
...     plan.execute()
...     plan.algorithm.partition(":")[0]
'tunable_bruck'
>>> recv.tolist() == list(range(comm.size))
True
>>> info.Free()""",
    "execute": f"""{_ONE_EACH}
>>> with rondo.plan("alltoall", comm, send, recv) as plan:
...     plan.execute()
...     plan.execute(send=2 * send)
>>> recv.tolist() == [2 * rank for rank in range(comm.size)]
True""",
}


def described(function: _Function) -> _Function:
    """Complete the docstring of a function; its source has the summary."""
    if function.__doc__:  # python -OO leaves none
        *names, _ = function.__annotations__
        returned = str(function.__annotations__["return"])
        function.__doc__ = docstring(function.__name__, names, returned, function.__doc__)
    return function


def docstring(name: str, parameters: Iterable[str], returned: str, summary: str) -> str:
    """The whole docstring of a function, made of its name, its signature and its summary."""
    returned = returned.rpartition(".")[2]
    is_start = returned.endswith("Request")
    called = "execute" if name == "start" else name[1:] if is_start else name
    form = called.removeprefix("neighbor_")
    who = _RANKS if form == called else _EDGES
    words = {**who, "method": called.capitalize()}
    if returned == "DynamicRequest":
        words["unprepared"] = _UNPREPARED_DYNAMIC
    parameter_words = {
        one: (_PARAMETERS.get(f"{form} {one}") or _PARAMETERS[one]).format_map(words)
        for one in parameters
    }
    error = _ERRORS.get(returned) or _ERRORS.get(name, "the exchange fails")
    raised = {
        "TypeError": "If an argument has a wrong type.",
        "ValueError": "If an argument has a wrong value, or a block is not inside its buffer.",
        "Error": f"If {error}{who['no_topology']}.",
    }
    if "send" not in parameter_words:
        del raised["ValueError"]
    parts = [
        cleandoc(summary),
        _filled(_STARTED.format_map(words)) if is_start and name != "start" else "",
        _section("Parameters", parameter_words),
        _section("Returns", {returned: _RETURNS[returned]} if returned in _RETURNS else {}),
        _section("Raises", raised),
        f"Examples\n--------\n{_example(name, called)}",
    ]
    return "\n\n".join(filter(None, parts))


def _filled(text: str) -> str:
    return textwrap.fill(text, 92, break_on_hyphens=False)


def _section(title: str, entries: Mapping[str, str]) -> str:
    lines = [f"{one}\n{textwrap.indent(_filled(text), '    ')}" for one, text in entries.items()]
    return "\n".join([title, "-" * len(title), *lines]) if lines else ""


def _example(name: str, called: str) -> str:
    """What is written for the call, with the call's line replaced in that of a start."""
    example = _EXAMPLES.get(name) or _EXAMPLES[called]
    imports = ">>> import numpy as np\n" if "np." in example else ""
    imports += ">>> import rondo\n>>> from mpi4py import MPI\n"
    text = example.replace(">>> ", f"{imports}>>> ", 1)
    if name == called:
        return text
    started = rf"\1request = \2{name}\3\n\1request.wait()"
    return re.sub(rf"^(\W+)(rondo\.|plan\.){called}(\(.*\))$", started, text, flags=re.M)
