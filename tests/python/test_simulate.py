"""Simulated exchanges: machines as files, and what papers print of real ones.

The physics is tested in C++ (tests/unit/simulated_test.cpp); here are the files, the command and
the published numbers that are simulated within a second. `make calibrate` compares all of them.
"""

import csv
import io
import json
import math
import re

import pytest
from test_commands import rondo

from rondo import simulate
from rondo.commands import waiting
from rondo.reproduce import published

QUICK_RANKS = 2048  # with more, what sends P^2 messages takes long

MINIMAL = """
cores = 4
mpi_alltoallv = "pairwise"
[between]
latency_seconds = 1e-6
[adapter]
per_node = 2
"""


def numbers(machine, kind):
    return [
        pytest.param(one, id=f"{one['algorithm']}-{one['ranks']}-{one.get('bytes', '')}")
        for one in published.numbers(machine)
        if one["kind"] == kind and one["ranks"] <= QUICK_RANKS
    ]


def seconds(machine, one, algorithm, size):
    there = simulate.machine(machine)
    return simulate.simulate(
        algorithm,
        one["ranks"],
        one.get("ranks_per_node", simulate.ranks_per_node(machine)),
        size,
        there,
        collective=one.get("collective", "alltoallv"),
        distribution=one.get("distribution", "uniform"),
    ).seconds


def test_every_machine_that_comes_along_can_be_used():
    assert {"theta", "polaris", "fugaku", "ethernet-cluster"} <= set(simulate.machines())
    for name in simulate.machines():
        there = simulate.machine(name)
        made = simulate.simulate("mpi", 2 * 32, 32, 64, there)
        assert 0 < made.seconds < 1
        assert made.messages > 0
        assert simulate.ranks_per_node(name) >= 1


def test_machines_are_files(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(MINIMAL)
    there = simulate.machine(str(file))
    assert (there.cores, there.adapter.per_node, there.mpi_alltoallv) == (4, 2, "pairwise")
    assert there.between.latency_seconds == 1e-6
    assert there.mpi_alltoall == "spread_out"
    assert simulate.ranks_per_node(str(file)) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("speed = 3", "speed is unknown"),
        ("[between]\nlatency = 1e-6", "between.latency is unknown"),
        ("cores = 2.5", "cores is 2.5"),
        ('[between]\nlatency_seconds = "long"', "between.latency_seconds is 'long'"),
        ("cores = ", "is not TOML"),
        ("cores = " + "[" * 100_000, "is TOML that is nested too deeply"),
        ("cores = 0", "cores is 0, must be in 1.."),
        ("cores = 4294967297", "cores is 4294967297, must be in 1.."),
        ("cores = true", "cores is True, must be in 1.."),
        ("[between]\nlatency_seconds = nan", "between.latency_seconds is nan, must be a number"),
        ("[between]\nlatency_seconds = -1", "between.latency_seconds is -1, must be a number"),
        ("[waiting]\nnoise_seconds = inf", "waiting.noise_seconds is inf, must be a number"),
        ("mpi_alltoall = 3", "mpi_alltoall is 3, must be the name of an algorithm"),
    ],
)
def test_what_is_no_machine_is_refused(text, says):
    with pytest.raises(ValueError, match=says):
        simulate.parse_machine(text)


def test_work_that_is_none_is_refused():
    for most in (0, -1.0, math.nan):
        with pytest.raises(ValueError, match=r"most_visits is .*, must be above 0"):
            simulate.simulate("pairwise", 4, 2, 8, simulate.machine("theta"), most_visits=most)
    with pytest.raises(TypeError):
        simulate.simulate("pairwise", 4, 2, 8, simulate.machine("theta"), most_visits="few")


def test_prices_and_calls_are_checked_before_anything_runs():
    for text in ("[between]\nlatency_seconds = -1", 'mpi_alltoallv = "fast"', "cores = 0"):
        with pytest.raises(ValueError):
            simulate.simulate("pairwise", 4, 2, 8, simulate.parse_machine(text))
    with pytest.raises(ValueError, match="do not fill nodes"):
        simulate.simulate("pairwise", 5, 2, 8, simulate.parse_machine(""))


def test_a_profiles_machine_can_be_simulated():
    from rondo import model

    there = simulate.simulated_machine(model.typical_cluster())
    made = simulate.simulate("spread_out", 8, 8, 100, there, distribution="constant")
    contest = model.Contest(8, 8, prices=model.loggp(model.typical_cluster()))
    assert made.seconds == pytest.approx(contest.predict("spread_out", 100).cost.total)


@pytest.mark.parametrize("one", numbers("theta", "ratio"))
def test_the_faster_one_is_faster(one):
    """Every printed comparison comes out the same way round."""
    ours = seconds("theta", one, one["algorithm"], one["bytes"])
    other = seconds("theta", one, one["over"], one["bytes"])
    assert (ours < other) == (one["value"] < 1)
    assert math.isclose(ours / other, one["value"], rel_tol=0.6)


@pytest.mark.parametrize(
    ("faster", "slower"),
    [
        ("tunable_bruck:radix=46:ports=1", "tunable_bruck:radix=2:ports=1"),
        ("two_layer_bruck:intra=8:inter=32:ports=1", "tunable_bruck:radix=46:ports=1"),
    ],
)
def test_the_better_radix_and_the_second_layer_pay(faster, slower):
    """TRA paper, sections V-A and V-C, at S = 128 and 32."""
    where = {"ranks": 2048, "collective": "alltoall", "distribution": "constant"}
    for size in (32, 128):
        assert seconds("theta", where, faster, size) < seconds("theta", where, slower, size)


@pytest.mark.parametrize("one", numbers("theta", "crossover"))
def test_crossovers_are_within_a_factor_of_two(one):
    def is_faster(size):
        ours = seconds("theta", one, one["algorithm"], size)
        return ours <= seconds("theta", one, one["over"], size)

    # A power of two is the last one that was measured to be faster: the next one was not.
    is_power = one["value"] & (one["value"] - 1) == 0
    assert is_faster(one["value"] // 2)
    assert not is_faster(one["value"] * (4 if is_power else 2))


@pytest.mark.parametrize("machine", ["theta", "hpc7g", "slingshot", "graviton3", "aurora"])
def test_times_are_of_the_order_of_those_measured(machine):
    explained = [
        parameter.values[0]
        for parameter in numbers(machine, "time")
        if "unexplained" not in parameter.values[0]
    ]
    for one in explained:
        made = seconds(machine, one, one["algorithm"], one["bytes"])
        assert 0.2 < made / one["value"] < 2, one


def test_the_command_prints_a_table():
    done = rondo("simulate", "-n", 128, "--bytes", 64, "--machine", "theta")
    assert done.returncode == 0, done.stderr
    assert "ranks_per_node 64" in done.stdout
    for name in ("mpi", "spread_out", "two_phase_bruck", "node_aware"):
        assert name in done.stdout


def test_columns_stand_below_their_names():
    done = rondo("simulate", "-n", 16, "--bytes", "16", "--machine", "theta", "node_aware", "mpi")
    lines = done.stdout.splitlines()
    heading = next(line for line in lines if line.startswith("algorithm"))
    rows = [line for line in lines if line.startswith(("node_aware", "mpi "))]
    assert [len(row) for row in rows] == [len(heading)] * 2
    names = ["algorithm", "S", "us", "±", "messages", "simulated", "in", "s"]
    assert heading.split() == names


def test_intervals_are_beside_the_times(monkeypatch):
    """Of samples. Those whose interval has the fastest time may be as fast."""
    simulated = simulate.simulate

    def quickly(algorithm, most_visits, **keywords):
        sampled = algorithm != "two_phase_bruck" and most_visits is None
        return simulated(algorithm, most_visits=100 if sampled else math.inf, **keywords)

    monkeypatch.setattr(simulate, "simulate", quickly)
    words = ("simulate", "-n", 256, "--ranks-per-node", 4, "--bytes", 4096, "--machine", "theta")
    names = ("pairwise", "spread_out:window=1", "two_phase_bruck")
    for more in ((), ("--exact",)):
        done = rondo(*words, *names, *more)
        lines = {line.split()[0]: line for line in done.stdout.splitlines() if line}
        assert [name for name in names if "%" in lines[name]] == ([] if more else list(names[:2]))
        assert ("may be as fast" in done.stdout) == (not more)
        rows = json.loads(rondo(*words, *names, *more, "--format", "json").stdout)["rows"]
        for row in rows:
            low, high = row["low_seconds"], row["high_seconds"]
            sampled = not more and row["algorithm"] != "two_phase_bruck"
            assert low < row["seconds"] < high if sampled else low == row["seconds"] == high


def test_one_algorithm_is_not_the_fastest():
    words = ["simulate", "-n", 16, "--bytes", "16,64", "--machine", "theta", "node_aware"]
    assert "is the fastest" not in rondo(*words).stdout
    assert rondo(*words, "mpi").stdout.count("is the fastest") == 2


def test_the_command_prints_json():
    asked = ("two_phase_bruck:radix=4", "node_aware", "-n", 64, "--ranks-per-node", 16)
    shape = ("--bytes", "16,256", "--distribution", "power:0.9", "--seed", 3)
    done = rondo("simulate", *asked, *shape, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["ranks"], found["ranks_per_node"], found["seed"]) == (64, 16, 3)
    assert [(row["algorithm"], row["bytes"]) for row in found["rows"]] == [
        (name, size) for size in (16, 256) for name in asked[:2]
    ]
    assert all(row["seconds"] > 0 for row in found["rows"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--machine", "nowhere"), "no machine 'nowhere'"),
        (("--machine", "missing.toml"), "cannot read"),
        (("--distribution", "flat"), "'flat' is not known"),
        (("--format", "xml"), "must be table, json or csv"),
        (("--machine", "teta"), "no machine 'teta' (did you mean theta?); there are: "),
        (("--collective", "sparse"), "no collective 'sparse'"),
        (("slow_bruck",), "no alltoallv algorithm 'slow_bruck'"),
    ],
)
def test_the_command_refuses(words, says):
    done = rondo("simulate", "-n", 16, "--bytes", 8, *words)
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())


def test_the_command_says_what_it_assumes():
    words = ("-n", 60, "--bytes", 64, "--machine", "theta")
    for command in ("simulate", "model"):
        done = rondo(command, *words)
        assert done.returncode == 0, done.stderr
        assumed = next(line for line in done.stdout.splitlines() if line.startswith("assumed: "))
        assert "--ranks-per-node 60, the most up to 64 that divides P" in assumed
        assert "--distribution uniform" in assumed
    there = simulate.machine("theta")
    assert f"mpi is {there.mpi_alltoallv}" in rondo("simulate", *words).stdout
    for collective, known in (("alltoall", there.mpi_alltoall), ("alltoallv", there.mpi_alltoallv)):
        question = {"ranks": 128, "ranks_per_node": 64, "bytes": 64, "machine": there}
        times = {
            simulate.simulate(name, collective=collective, **question).seconds
            for name in ("mpi", known)
        }
        assert len(times) == 1


def test_machines_are_the_same_for_the_model():
    for name in ("typical", *simulate.machines()):
        found = {}
        for command in ("simulate", "model"):
            words = ("-n", 128, "--bytes", "64,1KiB", "--machine", name, "--format", "csv")
            done = rondo(command, *words)
            assert done.returncode == 0, done.stderr
            rows = list(csv.DictReader(io.StringIO(done.stdout)))
            found[command] = {(row["machine"], row["ranks_per_node"], row["bytes"]) for row in rows}
        assert found["simulate"] == found["model"]


LONG = ("-n", 1 << 17, "--ranks-per-node", 64, "--bytes", 64)


def test_a_long_simulation_says_so_and_keeps_finished_rows(monkeypatch):
    simulated = simulate.simulate

    def until_interrupted(algorithm, told=None, **keywords):
        if told and algorithm == "node_aware":
            told(1)
            raise KeyboardInterrupt
        return simulated(algorithm, **{**keywords, "ranks": 8, "ranks_per_node": 4})

    monkeypatch.setattr(waiting, "LONG_SECONDS", 0)
    monkeypatch.setattr(simulate, "simulate", until_interrupted)
    for format in ("table", "json", "csv"):
        done = rondo("simulate", *LONG, "fused_bruck", "node_aware", "--format", format)
        assert done.returncode == 130
        assert "fused_bruck" in done.stdout and "node_aware" not in done.stdout
        said, *hints = done.stderr.splitlines()
        assert re.fullmatch(
            r"rondo: 1 of 2 rows are finished after 0 s; the unfinished rows may take 0 s. .*",
            said,
        )
        assert "blocks of 64 bytes" in hints[0] and "--slot-bytes / 131072" in hints[0]
        assert hints[-1] == "rondo: interrupted after 1 of 2 rows"


def test_ctrl_c_ends_a_simulation_at_once():
    """Also of one that takes hours. The messages simulated so far are told before that."""
    counts = []

    def told(messages):
        counts.append(messages)
        if len(counts) > 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate.simulate("spread_out", 1 << 16, 64, 64, simulate.machine("theta"), told=told)
    assert counts == sorted(counts) and 0 < counts[-1] < 4 << 20


def test_rows_that_are_left_take_as_long_as_those_of_their_algorithm():
    rows = waiting.Rows(["slow", "fast", "slow", "fast", "new"], [])
    assert rows._seconds_left() is None
    rows._seconds = [8, 2]
    assert rows._seconds_left() == 8 + 2 + 5


def test_one_node_represents_all_without_noise():
    words = ("-n", 4096, "--ranks-per-node", 64, "--bytes", 2048, "--machine", "theta")
    constant = ("--distribution", "constant", "--no-noise", "--format", "json")
    done = rondo("simulate", *words, *constant, "spread_out")
    (row,) = json.loads(done.stdout)["rows"]
    assert row["simulated_ranks"] == 64
    there = simulate.machine("theta")
    there.waiting.noise_seconds = 0
    every = simulate.simulate(
        "spread_out", 4096, 64, 2048, there, distribution="constant", every_rank=True
    )
    assert row["seconds"] == pytest.approx(every.seconds)


@pytest.mark.parametrize(
    "collective", ["alltoallv_dynamic", "sparse_alltoallv", "neighbor_alltoallv"]
)
def test_the_command_knows_the_collective(collective):
    asked = ("-n", 64, "--bytes", 64, "--machine", "theta", "--collective", collective)
    done = rondo("simulate", *asked, "--ranks-per-node", 8, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    few = collective != "alltoallv_dynamic"
    assert found["distribution"] == ("sparse:4" if few else "uniform")
    messages = {row["algorithm"]: row["messages"] for row in found["rows"]}
    if collective == "neighbor_alltoallv":
        assert messages["spread_out"] == 64 * 4
        assert messages["node_aware"] <= 8 * 7
    if collective == "sparse_alltoallv":
        assert messages["nbx"] == 64 * (4 + 4 + 6)
        assert messages["personalized"] == 64 * (4 + 6)
