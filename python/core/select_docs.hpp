// What Python's help says of `auto` and of profiles.
#pragma once

namespace rondo::python::docs {

inline constexpr const char kBand[] =
    R"(A range of block lengths, from the end of the previous band up to `up_to` bytes.

Examples
--------
>>> last = Decisions([16] * 4).of("alltoall")[-1]
>>> last.up_to is None
True
)";

inline constexpr const char kDecision[] =
    R"(What `auto` runs in an exchange with few partners, and why.

Examples
--------
>>> Decisions([16]).decision("sparse_alltoallv")
Decision(algorithm='node_aware', reason='a fixed rule: ranks of a node share memory')
)";

inline constexpr const char kSignature[] =
    R"(The machine and MPI library that a profile is valid for.

Parameters
----------
mpi : str
    The MPI library's version text, up to the first comma.
processor : str
    The processor's name, as the system gives it.
cores : int
    The cores of a node, whether or not they are in use.

Examples
--------
>>> Signature("Open MPI v4.1.4", "a processor", 64)
Signature(mpi='Open MPI v4.1.4', processor='a processor', cores=64)
)";

inline constexpr const char kMeasured[] =
    R"(The layout of a communicator, and the best algorithms on it.

Examples
--------
>>> def fastest(profile):  # of a profile that was read from a file
...     return {one.ranks: one.of("alltoallv")[0].algorithm for one in profile.layouts}
)";

inline constexpr const char kMeasuredOf[] = R"(The bands of a collective, ascending.

Parameters
----------
collective : str
    "alltoall", "alltoallv" or "alltoallw".

Returns
-------
list of Band
    The last one has no end.

Raises
------
ValueError
    If there is no such collective.
)";

inline constexpr const char kProfile[] =
    R"(What tuning has measured on a machine with its MPI library.

Examples
--------
>>> from pathlib import Path
>>> def read(path):  # the file that `rondo tune` has written
...     return parse_profile(Path(path).read_bytes())
)";

inline constexpr const char kText[] = R"(The text of the profile's file.

Returns
-------
str
    JSON, which parse_profile reads.
)";

inline constexpr const char kRefusal[] =
    R"(Why the profile is not valid for that signature and this Rondo.

Parameters
----------
here : Signature
    The signature of the machine that it is to be used on.

Returns
-------
str
    The reason; empty if the profile is valid.
)";

inline constexpr const char kParseProfile[] = R"(Parse a profile.

Parameters
----------
content : bytes
    What a profile's file has.

Returns
-------
Profile
    The profile.

Raises
------
ValueError
    If it is not a profile, or has a value that none can have.

Examples
--------
>>> parse_profile(b"{}")
Traceback (most recent call last):
    ...
ValueError: ...
)";

inline constexpr const char kSignatureHere[] =
    R"(The signature of this machine with an MPI library of that version text.

Parameters
----------
mpi_library : str
    What MPI_Get_library_version says.

Returns
-------
Signature
    What a profile that is made here is valid for.

Examples
--------
>>> signature_here("Open MPI v4.1.4, package: Debian").mpi
'Open MPI v4.1.4'
)";

inline constexpr const char kDecisions[] =
    R"(What `auto` runs on a communicator whose nodes have `node_sizes` ranks.

The decisions are the library's own. They are measured if the profile has such a communicator, and
predicted otherwise: for the profile's machine, or for a typical cluster without a profile. Blocks
have S bytes in alltoall, and any number up to S in alltoallv and alltoallw.

Parameters
----------
node_sizes : list of int
    The ranks of each node.
profile : Profile or None
    What was measured.
shared_memory : bool
    Whether the ranks of a node can share memory.
machine : Machine or None
    The machine for which they are predicted, whatever the profile says.

Raises
------
ValueError
    If there is no node, or too many ranks.

Examples
--------
>>> decided = Decisions([16] * 4)
>>> decided
Decisions(ranks=64, nodes=4, measured=False)
>>> decided.band("alltoallv", bytes=512).algorithm.partition(":")[0]
'node_aware'
)";

inline constexpr const char kOf[] = R"(The bands of a collective, ascending.

Parameters
----------
collective : str
    "alltoall", "alltoallv" or "alltoallw".

Returns
-------
list of Band
    The last one has no end.

Raises
------
ValueError
    If there is no such collective.

Examples
--------
>>> len(Decisions([64]).of("alltoall")) >= 1
True
)";

inline constexpr const char kBandOf[] = R"(The band that contains S.

Parameters
----------
collective : str
    "alltoall", "alltoallv" or "alltoallw".
bytes : int
    S.

Returns
-------
Band
    What `auto` runs for that length, and why.

Raises
------
ValueError
    If there is no such collective, or `bytes` is negative.

Examples
--------
>>> Decisions([64]).band("alltoall", bytes=8).reason != ""
True
)";

inline constexpr const char kDecisionOf[] =
    R"(The decision for a neighbourhood exchange or a sparse one.

Blocks have S bytes. The profile's machine counts, but not what was measured for its layouts.

Parameters
----------
collective : str
    "neighbor_alltoallv" or "sparse_alltoallv". The decision for sparse exchanges depends on the
    nodes alone.
bytes : int
    S.
partners : int or None
    Of a neighbourhood exchange: the other ranks to which a rank sends, drawn at random. 4 by
    default.

Returns
-------
Decision
    What `auto` runs, and why.

Raises
------
ValueError
    If it is another collective, or a number is out of range.

Examples
--------
>>> Decisions([16]).decision("neighbor_alltoallv", bytes=512, partners=8).algorithm
'node_aware'
)";

inline constexpr const char kComparedAt[] =
    R"(The S at which the prediction for S = bytes was made.

Parameters
----------
bytes : int
    S.

Returns
-------
int
    The S of the comparison.

Raises
------
ValueError
    If `bytes` is negative.

Examples
--------
>>> Decisions([64]).compared_at(bytes=512)
512
)";

inline constexpr const char kCandidates[] =
    R"(The candidates of `auto`, as predicted at compared_at(bytes).

"mpi", whose algorithm is unknown, counts as spread_out.

Parameters
----------
collective : str
    "alltoall", "alltoallv" or "alltoallw".
bytes : int
    S.

Returns
-------
list of Prediction
    The fastest first.

Raises
------
ValueError
    If there is no such collective, or `bytes` is negative.

Examples
--------
>>> len(Decisions([64]).ranking("alltoallv", bytes=512)) > 1
True
)";

}  // namespace rondo::python::docs
