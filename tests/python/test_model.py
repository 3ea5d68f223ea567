"""Predicted costs, against formulas that share nothing with the library, and `rondo model`."""

import json
import operator

import pytest
from test_commands import require_refused, rondo

from rondo import model, registry, select, simulate

ALPHA, BETA = 3e-6, 2e-9
LATENCY, OVERHEAD, GAP = 5e-6, 1e-6, 4e-6


def machine_of_the_formulas():
    """Messages between nodes cost what the formulas say; adapters are not the limit."""
    machine = model.typical_cluster()
    machine.between.hockney.alpha_seconds = ALPHA
    machine.between.hockney.beta_seconds_per_byte = BETA
    machine.between.loggp.latency_seconds = LATENCY
    machine.between.loggp.overhead_seconds = OVERHEAD
    machine.between.loggp.gap_seconds = GAP
    machine.between.loggp.gap_seconds_per_byte = BETA
    machine.host.adapter_seconds_per_byte = 0
    return machine


def contest(ranks, collective="alltoall", prices=model.hockney, **others):
    machine = machine_of_the_formulas()
    return model.Contest(ranks, collective=collective, prices=prices(machine), **others)


def bits(ranks):
    """Messages of Bruck at radix 2: the binary digits of the farthest block's distance."""
    return (ranks - 1).bit_length()


def ones(ranks):
    """Blocks of Bruck at radix 2: each travels once for every 1 in its distance."""
    return sum(bin(distance).count("1") for distance in range(ranks))


# Algorithm, collective, distribution; messages and blocks of a rank; bytes of a block by S.
HOCKNEY = [
    ("spread_out", "alltoall", "constant", lambda p: p - 1, lambda p: p - 1, lambda s: s),
    ("mpi", "alltoall", "constant", lambda p: p - 1, lambda p: p - 1, lambda s: s),
    ("spread_out", "alltoallv", "uniform", lambda p: p - 1, lambda p: p - 1, lambda s: s / 2),
    ("pairwise", "alltoallw", "constant", lambda p: p - 1, lambda p: p - 1, lambda s: s),
    ("basic_bruck", "alltoall", "constant", bits, ones, lambda s: s),
    ("tunable_bruck:radix=2", "alltoall", "constant", bits, ones, lambda s: s),
    ("two_phase_bruck", "alltoallv", "constant", lambda p: 2 * bits(p), ones, lambda s: s + 4),
    ("two_phase_bruck", "alltoallv", "uniform", lambda p: 2 * bits(p), ones, lambda s: s / 2 + 4),
]


@pytest.mark.parametrize("ranks", [1, 2, 7, 64, 300])
@pytest.mark.parametrize("row", HOCKNEY, ids=lambda row: "-".join(row[:3]))
def test_hockneys_formula(row, ranks):
    algorithm, collective, distribution, messages, blocks, block_bytes = row
    made = contest(ranks, collective, distribution=distribution).predict(algorithm, 400)
    assert made.messages == messages(ranks)
    assert made.bytes == pytest.approx(blocks(ranks) * block_bytes(400))
    assert made.cost.latency == pytest.approx(messages(ranks) * ALPHA)
    assert made.cost.bandwidth == pytest.approx(made.bytes * BETA)


@pytest.mark.parametrize(("window", "waits"), [(299, 1), (100, 3), (1, 299)])
def test_loggps_formula(window, waits):
    """Every batch of n messages takes L + 2 o + (n - 1) g, as g is larger than 2 o here."""
    made = contest(300, prices=model.loggp).predict(f"spread_out:window={window}", 400)
    alone = LATENCY + 2 * OVERHEAD
    assert made.waits == waits
    assert made.cost.latency == pytest.approx(waits * alone + (299 - waits) * GAP)
    assert made.cost.bandwidth == pytest.approx(299 * 400 * BETA)


def test_parts_of_a_cost_are_all_of_it():
    for one in contest(96, "alltoallv", per_node=12, distribution="uniform").ranking(400):
        cost = one.cost
        parts = [cost.latency, cost.bandwidth, cost.copies, cost.arrivals, cost.switches]
        assert cost.total == pytest.approx(sum(parts) + cost.agreement)


@pytest.mark.parametrize("size", [0, 8, 400, 20000])
def test_the_best_radix_is_that_of_a_search(size):
    there = contest(50)
    costs = {
        radix: there.predict(f"tunable_bruck:radix={radix}", size).cost.total
        for radix in range(2, 51)
    }
    best = there.best("tunable_bruck", size)
    assert best.cost.total == min(costs.values()) == costs[best.radices["radix"]]
    kept = there.best("tunable_bruck:radix=5", size)
    assert kept.algorithm == there.predict("tunable_bruck:radix=5", size).algorithm


@pytest.mark.parametrize("collective", ["alltoall", "alltoallv"])
@pytest.mark.parametrize(("ranks", "per_node"), [(1, 1), (300, 1), (24, 24), (32, 4)])
def test_ranking_has_every_algorithm_at_its_best(collective, ranks, per_node):
    there = contest(ranks, collective, per_node=per_node)
    ranking = there.ranking(400)
    names = {row.name for row in registry.algorithms() if row.collective == collective}
    assert {one.name for one in ranking} == names - {"mpi"}
    costs = [one.cost.total for one in ranking]
    assert costs == sorted(costs)
    assert costs == [there.best(one.name, 400).cost.total for one in ranking]


@pytest.mark.parametrize(("collective", "per_node"), [("alltoall", 1), ("alltoallv", 4)])
def test_the_fastest_changes_where_crossovers_say(collective, per_node):
    there = contest(64, collective, per_node=per_node)
    found = there.crossovers(1, 1 << 18)
    assert found
    before = there.ranking(1)[0].name
    for one in found:
        assert one.before.name == before == there.ranking(one.bytes - 1)[0].name
        assert one.after.name == there.ranking(one.bytes)[0].name
        assert one.reason == model.why_faster(one.after, one.before)
        before = one.after.name
    assert before == there.ranking(1 << 18)[0].name


def test_reasons_have_the_numbers():
    there = contest(300)
    bruck, straight = (there.predict(name, 1) for name in ("basic_bruck", "spread_out"))
    assert model.why_faster(bruck, straight) == "9 messages instead of 299"


def short(one):
    """What `--algorithm` or the environment variable must say; the rest is at its defaults."""
    name = ":".join([one.name, *(f"{radix}={value}" for radix, value in one.radices.items())])
    assert model.Contest(300).predict(name, 400).algorithm == one.algorithm
    return name


def test_the_posters_question():
    options = ["--ranks", 300, "--bytes", 400, "--ranks-per-node", 1]
    options += ["--distribution", "constant"]
    done = rondo("model", *options, "--format", "json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    ranking = model.Contest(300).ranking(400)
    assert [one["algorithm"] for one in told["algorithms"]] == [one.algorithm for one in ranking]
    for told_one, one in zip(told["algorithms"], ranking):
        assert (
            told_one["seconds"] == one.cost.total == pytest.approx(sum(told_one["parts"].values()))
        )
        assert (told_one["messages"], told_one["bytes"]) == (one.messages, one.bytes)
    usual = next(one for one in ranking if one.name == "spread_out")
    assert f"use {short(ranking[0])}: " in told["answer"]
    assert f"with spread_out, {model.why_faster(ranking[0], usual)}." in told["answer"]
    assert [one["bytes"] for one in told["crossovers"]] == [
        one.bytes for one in model.Contest(300).crossovers()
    ]

    tables = rondo("model", *options).stdout
    lines = tables.splitlines()
    assert lines[-1] == told["answer"]
    places = [tables.index(f"\n{short(one)} ") for one in ranking]
    assert places == sorted(places)
    for one in told["crossovers"]:
        assert any(one["reason"] in line and f"{one['bytes']} " in line for line in lines)


@pytest.mark.parametrize("options", [["--bytes", 1 << 20], ["-n", 1], ["--ranks-per-node", 300]])
def test_an_answer_everywhere(options):
    """Also where spread_out itself is the fastest or all are alike."""
    done = rondo("model", "--ranks", 300, "--bytes", 400, "--prices", "loggp", *options)
    assert done.returncode == 0, done.stderr
    answer = done.stdout.splitlines()[-1]
    taken, other = answer.partition(" use ")[2].split(":")[0], answer.partition(" us with ")[2]
    assert taken and other and not other.startswith(taken + ",")


@pytest.mark.parametrize(
    ("options", "per_node"),
    [([], 60), (["-n", 128], 64), (["-n", 61], 61), (["-n", 67], 1), (["--nodes", 20], 15)],
)
def test_nodes_are_full_unless_asked_otherwise(options, per_node):
    """Of 64 cores, or of as many of them as divide the ranks; the answer says what is assumed."""
    done = rondo("model", "--ranks", 300, "--bytes", 400, *options, "--format", "json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["ranks_per_node"] == per_node
    is_said = any(f"--ranks-per-node {per_node}" in one for one in told["assumed"])
    assert is_said == ("--nodes" not in options)


@pytest.mark.parametrize(("size", "nodes"), [(8, 512), (64, 64)])
def test_node_aware_stands_where_it_belongs_on_many_nodes(size, nodes):
    """Short blocks: model, `auto` and simulation agree on the fastest on 64 nodes, and the model
    has the same on 512."""
    named = ("--ranks", 64 * nodes, "--bytes", size, "--distribution", "uniform")
    done = rondo("model", *named, "--prices", "loggp", "--format", "json")
    assert json.loads(done.stdout)["algorithms"][0]["algorithm"].startswith("node_aware")
    band = select.Decisions([64] * 64).band("alltoallv", bytes=size)
    assert band.algorithm.startswith("node_aware")
    there = simulate.simulated_machine(model.typical_cluster())
    seconds = {
        name: simulate.simulate(name, 4096, 64, size, there).seconds
        for name in ("node_aware", "fused_bruck", "two_phase_bruck")
    }
    assert min(seconds, key=seconds.__getitem__) == "node_aware"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--ranks", 0], "--ranks is 0, must be in 1..2097152"),
        (["--ranks", 10**30], f"ranks is {10**30}, must be in"),
        (["--bytes", -1], "'-1' is not a size"),
        (["--bytes", 10**20], f"--bytes: '{10**20}' is more than {1 << 40} bytes"),
        (["--ranks-per-node", 0], "--ranks-per-node is 0, must be in 1..2097152"),
        (["--ranks-per-node", 7], "300 ranks do not fill nodes of 7 ranks"),
        (["--ranks-per-node", 301], "300 ranks do not fill nodes of 301 ranks"),
        (["--nodes", 7], "300 ranks do not fill 7 equal nodes"),
        (["--nodes", 0], "--nodes is 0, must be in 1..2097152"),
        (["--nodes", 3, "--ranks-per-node", 10], "300 ranks do not fill 3 nodes of 10 ranks"),
        (
            ["--collective", "alltoal"],
            "no collective 'alltoal' (did you mean alltoall?); there are: ",
        ),
        (["--distribution", "[b]"], "distribution is '[b]', must be constant, uniform or sparse:K"),
        (
            ["--distribution", "uniform", "--collective", "alltoall"],
            "all blocks of alltoall have the same length",
        ),
        (["--prices", "pigeon"], "prices is 'pigeon', must be hockney or loggp"),
        (["--format", "xml"], "format is 'xml', must be table, json or csv"),
    ],
)
def test_model_refuses(options, sentence):
    require_refused(rondo("model", "--ranks", 300, "--bytes", 400, *options), sentence)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: contest(8).predict("pigeon", 8), "no alltoall algorithm 'pigeon'"),
        (lambda: contest(8).best("tunable_bruck:radix=1", 8), "must be in 2..2147483647"),
        (lambda: contest(8).ranking(-1), "bytes is -1"),
        (lambda: contest(8).crossovers(9, 8), "to_bytes is 8, must be in 9"),
    ],
)
def test_wrong_arguments(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


@pytest.mark.parametrize("prices", [model.hockney, model.loggp])
@pytest.mark.parametrize(
    ("part", "field", "value", "sentence"),
    [
        ("host", "cores", 0, "cores is 0, must be at least 1"),
        ("host", "copy_seconds_per_byte", float("nan"), "a price of nan"),
        ("between.loggp", "gap_seconds", -1, "a price of -1, must be 0 or more"),
        ("inside.hockney", "alpha_seconds", float("inf"), "a price of inf"),
    ],
)
def test_machines_that_cannot_be(prices, part, field, value, sentence):
    machine = model.typical_cluster()
    setattr(operator.attrgetter(part)(machine), field, value)
    with pytest.raises(ValueError, match=sentence):
        prices(machine)


# Sparse algorithms, and what a rank sends at 64 ranks with 3 partners: messages, and bytes without
# those of the blocks.
SPARSE = [
    ("nbx", 6 + 3 + 3, 6 * 16 + 3 * 8),
    ("personalized", 6 + 3, 8 * 64 + 3 * 8),
    ("mpi", 6 + 3, 6 * 8 * 64 / 2),
]


@pytest.mark.parametrize("row", SPARSE, ids=lambda row: row[0])
def test_sparse_exchanges(row):
    algorithm, messages, others = row
    made = contest(64, "sparse_alltoallv", partners=3).predict(algorithm, 400)
    assert made.messages == pytest.approx(messages)
    assert made.bytes == pytest.approx(others + 3 * 400)


def test_dynamic_exchanges_send_lengths_first_unless_messages_carry_them():
    known, unknown = contest(64, "alltoallv"), contest(64, "alltoallv_dynamic")
    for algorithm, differs in (("fused_bruck", False), ("spread_out", True)):
        more = unknown.predict(algorithm, 64).bytes - known.predict(algorithm, 64).bytes
        assert (more > 0) == differs


def test_neighbourhood_exchanges_send_along_edges():
    made = contest(64, "neighbor_alltoallv", partners=6).predict("spread_out", 400)
    assert (made.messages, made.bytes) == (pytest.approx(6), pytest.approx(6 * 400))


@pytest.mark.parametrize(
    "collective", ["alltoallv_dynamic", "sparse_alltoallv", "neighbor_alltoallv"]
)
def test_the_command_knows_the_collective(collective):
    asked = ("--ranks", 64, "--ranks-per-node", 8, "--bytes", 64, "--machine", "typical")
    done = rondo("model", *asked, "--collective", collective, "--partners", 2, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    rows = [*registry.algorithms(), *registry.sparse_algorithms()]
    own = {"alltoallv_dynamic": "alltoallv"}.get(collective, collective)
    known = {row.name for row in rows if row.collective == own}
    names = {one["algorithm"].partition(":")[0] for one in found["algorithms"]}
    assert names == known - (set() if collective == "sparse_alltoallv" else {"mpi"})
    assert found["partners"] == 2
    assert found["answer"].startswith("For P = 64 and S = 64 use ")
    done = rondo("model", *asked, "--collective", collective)
    assert done.returncode == 0, done.stderr


def test_partners_of_an_exchange_with_all_are_refused():
    words = ("--ranks", 8, "--bytes", 8, "--collective", "alltoall", "--partners", 2)
    require_refused(rondo("model", *words), "every rank of alltoall sends to all")
