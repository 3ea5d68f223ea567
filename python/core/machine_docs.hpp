// What Python's help says of machines and their prices.
#pragma once

namespace rondo::python::docs {

inline constexpr const char kHockney[] =
    R"(A message of n bytes takes alpha + n beta, whatever else is in flight.

Examples
--------
>>> typical_cluster().between.hockney.alpha_seconds < 1e-5
True
)";

inline constexpr const char kLogGp[] =
    R"(What a message takes at its sender, on the way and at its receiver.

A message of n bytes takes o at its sender, n G + L on the way and o at its receiver. Consecutive
messages of a rank are at least g apart.

Examples
--------
>>> typical_cluster().between.loggp.latency_seconds < 1e-5
True
)";

inline constexpr const char kLink[] =
    R"(The cost of a message between two ranks, in either model.

Examples
--------
>>> cluster = typical_cluster()
>>> cluster.inside.hockney.alpha_seconds < cluster.between.hockney.alpha_seconds
True
)";

inline constexpr const char kHost[] = R"(Costs that are the same in both models.

Examples
--------
>>> typical_cluster().host.cores
64
)";

inline constexpr const char kMachine[] = R"(The costs of a machine.

Examples
--------
>>> slow = typical_cluster()
>>> slow.between.loggp.latency_seconds = 20e-6
>>> slow.between.loggp.latency_seconds
2e-05
)";

inline constexpr const char kPrices[] = R"(A machine in one of the two models of messages.

Examples
--------
>>> prices = loggp(typical_cluster())
>>> Contest(ranks=64, prices=prices).predict("spread_out", bytes=8).messages
63.0
)";

inline constexpr const char kTypicalCluster[] =
    R"(A typical cluster: 100 Gb/s and 1.3 microseconds between nodes of 64 cores.

Returns
-------
Machine
    A new object, which may be changed.

Examples
--------
>>> typical_cluster().host.cores
64
)";

inline constexpr const char kHockneyPrices[] =
    R"(Hockney's model: messages in flight together cost as much as one after the other.

Parameters
----------
machine : Machine
    The costs of the machine.

Returns
-------
Prices
    What a Contest takes.

Raises
------
ValueError
    If a cost is negative or not finite.

Examples
--------
>>> Contest(ranks=8, prices=hockney(typical_cluster())).best("two_phase_bruck", bytes=8).name
'two_phase_bruck'
)";

inline constexpr const char kLogGpPrices[] =
    R"(LogGP: the latencies of messages in flight together overlap.

n messages in flight together take L + 2 o + (n - 1) max(g, 2 o), plus the time of their bytes.

Parameters
----------
machine : Machine
    The costs of the machine.

Returns
-------
Prices
    What a Contest takes.

Raises
------
ValueError
    If a cost is negative or not finite.

Examples
--------
>>> Contest(ranks=8, prices=loggp(typical_cluster())).best("two_phase_bruck", bytes=8).name
'two_phase_bruck'
)";

}  // namespace rondo::python::docs
