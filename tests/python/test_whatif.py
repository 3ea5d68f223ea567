"""`rondo whatif`: records, how they scale, and what is predicted of them."""

import json
import math
import os
import random

import pytest
from document_text import SOURCE, blocks
from test_commands import require_refused, rondo

from rondo import record, scaling, simulate, whatif
from rondo.record import Arrivals, Exchanges, Length
from rondo.scaling import Load
from rondo.whatif import Target

SEED = int(os.environ.get("RONDO_TEST_SEED") or random.SystemRandom().randrange(1 << 32))


def row(**fields):
    """An exchange as --record writes it."""
    usual = {
        "communicator": "0.1",
        "collective": "alltoallv",
        "ranks": 8,
        "nodes": 1,
        "ranks_per_node": 8,
        "calls": 100,
        "longest_bytes": 512,
        "lengths": [{"blocks": 3200, "bytes": 0}, {"blocks": 3200, "bytes": 1638400}],
        "seconds": 0.8,
        "measured_calls": 99,
        "measured_seconds": 0.7,
        "waited_seconds": 0.0792,
        "arrivals": [
            {"within_seconds": 1e-6, "calls": 50},
            {"within_seconds": 0.016384, "calls": 49},
        ],
    }
    return {**usual, **fields}


def text(*rows, **fields):
    usual = {
        "schema": "rondo record",
        "version": 1,
        "rondo": "0",
        "mpi": "Open MPI v4.1.4",
        "ranks": 8,
        "nodes": 1,
        "ranks_per_node": 8,
        "cores": 2,
        "run_seconds": 2.5,
        "exchanges": list(rows),
    }
    return json.dumps({**usual, **fields})


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "trace.json"
        path.write_text(content)
        return path

    return write


def test_a_record_is_read():
    read = record.parse(text(row()))
    assert (read.ranks, read.nodes, read.ranks_per_node, read.run_seconds) == (8, 1, 8, 2.5)
    (one,) = read.exchanges
    assert one.lengths == (Length(0.5, 0.0), Length(0.5, 512.0))
    assert one.block_bytes == 256
    assert one.wait_seconds == pytest.approx(0.0792 / 99 / 8)
    assert one.waiting_share == pytest.approx(0.0792 / 0.7)


@pytest.mark.parametrize(
    ("calls", "half", "most"),
    [
        ({}, math.inf, math.inf),
        ({1e-6: 1}, 1e-6, 1e-6),
        ({1e-6: 1, 4e-6: 2}, 4e-6, 4e-6),
        ({1e-6: 5, 4e-6: 4, None: 1}, 1e-6, 4e-6),
        ({1e-6: 5, 4e-6: 3, None: 2}, 1e-6, math.inf),
    ],
)
def test_how_far_apart_ranks_arrive(calls, half, most):
    arrivals = [{"within_seconds": within, "calls": number} for within, number in calls.items()]
    (one,) = record.parse(text(row(arrivals=arrivals))).exchanges
    assert (one.skew_within(0.5), one.skew_within(0.9)) == (half, most)


def test_communicators_that_are_alike_become_one():
    others = [row(communicator=f"{root}.2", ranks=4, ranks_per_node=4) for root in (0, 4)]
    longer = row(communicator="0.2", ranks=4, ranks_per_node=4, longest_bytes=1 << 20)
    read = record.parse(text(row(), *others, longer))
    assert [(one.communicator, one.communicators, one.calls) for one in read.exchanges] == [
        ("0.1", 1, 100),
        ("0.2", 2, 200),
        ("0.2", 1, 100),
    ]
    merged = read.exchanges[1]
    assert merged.lengths == (Length(0.5, 0.0), Length(0.5, 512.0))
    assert merged.wait_seconds == pytest.approx(0.0792 / 99 / 4)
    assert merged.arrivals == (Arrivals(1e-6, 100), Arrivals(0.016384, 98))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "it is not JSON (truncated?)"),
        (text(row())[:-9], "it is not JSON (truncated?)"),
        ("[" * 100000, "it is not JSON (truncated?)"),
        ("[]", "it has no schema"),
        ('{"schema": "profile"}', "it is not a rondo record, which rondo run --record writes"),
        (text(version=2), "of another version than 1"),
        ("# alltoall, call 1 on ...; row s, column d: bytes\n1 2\n", "it is a count matrix"),
        (text(ranks=0), "ranks is 0, must be in 1.."),
        (text(cores=0), "cores is 0, must be in 1.."),
        (text(run_seconds=-1), "run_seconds is -1, must be a number in 0..1e+30"),
        (text(run_seconds=float("nan")), "run_seconds is nan, must be a number"),
        (text(run_seconds=10**400), "run_seconds is 1000"),
        (text(exchanges=3), "exchanges is 3, must be a list"),
        (text(3), "exchanges[0] has no collective"),
        (text(row(collective="gather")), "exchanges[0].collective is 'gather', must be alltoall"),
        (text(row(calls="many")), "exchanges[0].calls is 'many', must be in 1.."),
        (text(row(calls=True)), "exchanges[0].calls is True, must be in 1.."),
        (text(row(calls=0)), "exchanges[0].calls is 0, must be in 1.."),
        (
            text(row(longest_bytes=1 << 41)),
            "exchanges[0].longest_bytes is 2199023255552, must be in",
        ),
        (text(row(longest_bytes=511)), "exchanges[0].lengths has longer blocks than longest_bytes"),
        (text(row(nodes=9)), "exchanges[0].nodes is 9, must be in 1..8"),
        (text(row(lengths=[])), "exchanges[0].lengths is empty"),
        (text(row(lengths=[{"blocks": 1}])), "exchanges[0].lengths[0] has no bytes"),
        (text(row(arrivals=[{"calls": 1}])), "exchanges[0].arrivals[0] has no within_seconds"),
        (text(row(communicator=7)), "exchanges[0].communicator is 7, must be a text"),
        (text(), "has no exchanges"),
    ],
)
def test_bad_records_are_refused(file, content, says):
    require_refused(rondo("whatif", file(content)), says)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--machine", "teta"), "no machine 'teta' (did you mean theta?)"),
        (("--ranks-per-node", 4), "how many nodes? Give --nodes, too"),
        (("--nodes", 0), "--nodes is 0, must be in 1.."),
        (("--nodes", 4, "--ranks-per-node", -1), "--ranks-per-node is -1"),
        (("--nodes", 4, "--ranks-per-node", 0), "--ranks-per-node is 0"),
        (("--nodes", 1 << 20, "--ranks-per-node", 64), "are more than"),
        (("--format", "xml"), "must be table, json or csv"),
        (("--machine", "theta", "--profile", "x.json"), "cannot be combined"),
    ],
)
def test_bad_words_are_refused(file, words, says):
    require_refused(rondo("whatif", file(text(row())), *words), says)


def test_a_record_that_is_not_there(tmp_path):
    require_refused(rondo("whatif", tmp_path / "none.json"), "No such file or directory")
    require_refused(rondo("whatif", tmp_path), "cannot read the record")


def random_load(draw):
    """Lengths as programs have them: few or many blocks that are not empty, in up to four bands."""
    per_node = draw.choice([1, 2, 3, 8, 48])
    ranks = per_node * draw.choice([1, 2, 5, 16])
    bands = sorted(draw.uniform(1, 1 << draw.randrange(4, 21)) for _ in range(draw.randrange(1, 5)))
    weights = [draw.uniform(0.1, 1) for _ in bands]
    filled = draw.choice([1.0, draw.uniform(0.01, 1)])
    shares = [filled * weight / sum(weights) for weight in weights]
    lengths = [Length(share, length) for share, length in zip(shares, bands)]
    if filled < 1:
        lengths.insert(0, Length(1 - filled, 0.0))
    return Load(ranks, per_node, math.ceil(bands[-1]), tuple(lengths))


@pytest.mark.parametrize("turn", range(50))
def test_scaling_keeps_what_it_says(turn):
    draw = random.Random(f"{SEED} {turn}")
    print(f"RONDO_TEST_SEED={SEED}")
    load = random_load(draw)
    for way in scaling.WAYS:
        same = scaling.scaled(load, load.ranks, load.ranks_per_node, way)
        assert same.longest_bytes == load.longest_bytes
        assert same.rank_bytes == pytest.approx(load.rank_bytes)
        assert same.partner_share == pytest.approx(load.partner_share)
    per_node = draw.choice([1, 4, 64])
    ranks = per_node * draw.choice([1, 3, 64])
    weak, strong = (scaling.scaled(load, ranks, per_node, way) for way in scaling.WAYS)
    for there in (weak, strong):
        assert sum(one.share for one in there.lengths) == pytest.approx(1)
        assert all(one.bytes <= there.longest_bytes * (1 + 1e-9) for one in there.lengths)
        assert 0 < there.partner_share <= 1 + 1e-9
    if load.longest_bytes > 8:
        assert weak.rank_bytes == pytest.approx(load.rank_bytes)
        assert strong.rank_bytes * ranks == pytest.approx(load.rank_bytes * load.ranks)
    else:
        assert {weak.longest_bytes, strong.longest_bytes} == {load.longest_bytes}


def test_few_partners_stay_few_and_all_stay_all():
    few = Load(64, 8, 4096, (Length(0.9375, 0.0), Length(0.0625, 4096.0)))
    there = scaling.scaled(few, 1024, 8, "weak")
    assert there.ranks * there.partner_share == pytest.approx(4)
    assert there.longest_bytes == 4096
    everyone = Load(64, 8, 4096, (Length(1.0, 4096.0),))
    there = scaling.scaled(everyone, 1024, 8, "weak")
    assert (there.partner_share, there.longest_bytes) == (1, 256)


@pytest.mark.parametrize(
    ("own", "there", "expected"),
    [
        ((8, 1, 8), (8, 1, 8), (512, 64)),  # all ranks
        ((2, 1, 2), (8, 1, 8), (8, 8)),  # one side of a grid of 2 x 2 x 2
        ((4, 1, 4), (16, 4, 4), (64, 64)),  # a node
        ((4, 4, 1), (16, 4, 4), (8, 1)),  # one rank of each node
        ((1, 1, 1), (8, 1, 8), (1, 1)),
        ((4, 1, 4), (1, 1, 1), (512, 64)),  # the program's only rank and three that it has started
        ((12, 2, 6), (8, 1, 8), (512, 64)),
    ],
)
def test_ranks_of_communicators(own, there, expected):
    ranks, nodes, per_node = own
    one = Exchanges("0.1", "alltoallv", ranks, nodes, per_node, 1, 8, (), 0, 0, 0, 0)
    program = record.Record("", *there, 64, 1.0, (one,))
    found = scaling.ranks_there(one, program, 512, 64)
    assert found == expected


def test_the_recorded_size_has_the_recorded_prediction(file):
    """On as many ranks, scaling changes nothing."""
    words = ("--machine", "theta", "--nodes", 1, "--ranks-per-node", 8, "--format", "json")
    done = rondo("whatif", file(text(row(), row(collective="alltoall"))), *words)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert len(rows) == 6
    for collective in ("alltoallv", "alltoall"):
        own = [one for one in rows if one["collective"] == collective]
        times = {(one["mpi_seconds"], one["rondo_seconds"], one["algorithm"]) for one in own}
        assert len(times) == 1


def test_times_are_those_of_rondo_simulate(file):
    lengths = [{"blocks": 6400, "bytes": 6400 * 256}]
    one = row(longest_bytes=256, lengths=lengths)
    done = rondo("whatif", file(text(one)), "--machine", "theta", "--format", "json")
    (found,) = json.loads(done.stdout)["rows"]
    theta = simulate.machine("theta")
    for name, seconds in (("mpi", "mpi_seconds"), (found["algorithm"], "rondo_seconds")):
        made = simulate.simulate(name, 8, 8, 256, theta, distribution="constant")
        assert found[seconds] == made.seconds
    assert (found["skew_p50_seconds"], found["skew_p90_seconds"]) == (1e-6, 0.016384)
    error = simulate.calibration("theta").error
    assert found["mpi_low_seconds"] == pytest.approx(found["mpi_seconds"] / (1 + error))
    assert found["mpi_high_seconds"] == pytest.approx(found["mpi_seconds"] * (1 + error))


@pytest.mark.parametrize("collective", ["alltoall", "alltoallv", "alltoallw"])
def test_longer_blocks_and_more_ranks_take_longer(collective):
    there = simulate.machine("hpc7g")
    lengths = (Length(1.0, 1024.0),)
    one = Exchanges("0.1", collective, 64, 1, 64, 10, 1024, lengths, 1, 10, 1, 0)
    program = record.Record("", 64, 1, 64, 64, 1.0, (one,))
    seconds = {"weak": [], "strong": []}
    for nodes in (1, 4, 16):
        target = Target(there, 64 * nodes, 64, None)
        for way, load in whatif.loads(one, program, target):
            if way != "recorded":
                seconds[way].append(whatif.predict(one, load, target).library.seconds)
    assert seconds["weak"] == sorted(seconds["weak"])
    assert all(strong <= weak * 1.01 for strong, weak in zip(seconds["strong"], seconds["weak"]))


def test_rondo_is_never_slower_than_the_library():
    """auto measures both, so it ends with the library's own call where that is as fast."""
    draw = random.Random(SEED)
    print(f"RONDO_TEST_SEED={SEED}")
    for _ in range(20):
        load = random_load(draw)
        collective = draw.choice(["alltoallv", "alltoallw"])
        one = Exchanges(
            "0.1",
            collective,
            load.ranks,
            load.nodes,
            load.ranks_per_node,
            1,
            0,
            load.lengths,
            0,
            0,
            0,
            0,
        )
        there = simulate.machine(draw.choice(simulate.machines()))
        answer = whatif.predict(one, load, Target(there, load.ranks, load.ranks_per_node, 0.5))
        assert answer.rondo.seconds <= answer.library.seconds
        assert answer.gain >= 1
        assert answer.algorithm and answer.reason
        assert answer.library.low_seconds < answer.library.seconds < answer.library.high_seconds


def test_the_table_says_what_is_where(file):
    lengths = [{"blocks": 6400, "bytes": 6400 * 256}]
    rows = (row(), row(collective="alltoall", longest_bytes=256, lengths=lengths))
    words = ("--machine", "theta", "--nodes", 8, "--ranks-per-node", 64)
    done = rondo("whatif", file(text(*rows)), *words)
    assert done.returncode == 0, done.stderr
    shown = " ".join(done.stdout.split())
    for part in (
        "8 ranks on 1 node recorded, with Open MPI v4.1.4",
        "how far apart ranks arrived, as recorded",
        "alltoallv on 0.1 99 1 16384 11.3 %",
        "recorded with 4 ranks a core, predicted with 1: ranks that share a core take turns, so "
        "they wait less there than was recorded",
        "as recorded; 8 ranks, 8 a node",
        "weak scaling: a rank sends as much as before; 512 ranks, 64 a node",
        "strong scaling: all ranks together send as much as before; 512 ranks, 64 a node",
        "node_aware",
        "measure there with: rondo run --ab -- mpirun -n 512 PROGRAM",
        "mpirun -n 512 rondo-bench alltoallv --bytes",
        "of 15 published numbers that it was not fitted to, 4 of 5 were within a factor of",
    ):
        assert part in shown


def test_the_table_is_whole_on_narrow_terminals_and_in_files(file, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    done = rondo("whatif", file(text(row())), "--machine", "theta")
    _, line = [one for one in done.stdout.splitlines() if one.startswith("alltoallv on 0.1 ")]
    assert "measured calls  half within us  9 of 10 within us  waiting\n" in done.stdout
    assert line.split()[3:6] == ["8", "512", "100"]
    assert "node_aware" in line and "…" not in done.stdout


def test_sums_are_those_of_an_average_rank(file):
    """A rank is in one of four communicators, and makes the calls of that one."""
    alike = {"ranks": 2, "ranks_per_node": 2, "waited_seconds": 0.3}
    rows = [row(communicator=f"{root}.1", **alike) for root in (0, 2, 4, 6)]
    done = rondo("whatif", file(text(*rows)), "--machine", "theta")
    assert done.returncode == 0, done.stderr
    assert f"waits {4 * 0.3 / 99 * 100 / 8:.4g} s for late ranks" in done.stdout


def test_ctrl_c_keeps_finished_rows(file, monkeypatch):
    simulated = simulate.simulate

    def until_interrupted(algorithm, ranks, **keywords):
        if ranks == 8:
            raise KeyboardInterrupt
        return simulated(algorithm, ranks=ranks, **keywords)

    monkeypatch.setattr(simulate, "simulate", until_interrupted)
    path = file(text(row(), row(ranks=4, ranks_per_node=4)))
    words = ("--machine", "theta", "--nodes", 2, "--ranks-per-node", 4)
    done = rondo("whatif", path, *words)
    assert done.returncode == 130
    assert done.stderr == "rondo: interrupted after 3 of 6 rows\n"
    assert "weak scaling" in done.stdout and "in all calls" not in done.stdout
    done = rondo("whatif", file(text(row())), *words)
    assert (done.returncode, done.stdout) == (130, "")


def test_without_a_comparison_there_are_no_ranges(file):
    done = rondo("whatif", file(text(row())), "--machine", "fugaku")
    assert "nothing compares this machine with measured times" in done.stdout
    done = rondo("whatif", file(text(row())), "--machine", "fugaku", "--format", "csv")
    assert len(done.stdout.splitlines()) == 2


def test_neighbourhoods_keep_their_neighbours(file):
    lengths = [{"blocks": 4800, "bytes": 0}, {"blocks": 1600, "bytes": 1600 * 512}]
    one = row(collective="neighbor_alltoallv", lengths=lengths, measured_calls=0, arrivals=[])
    words = ("--machine", "theta", "--nodes", 4, "--ranks-per-node", 64)
    done = rondo("whatif", file(text(one)), *words, "--format", "json")
    rows = json.loads(done.stdout)["rows"]
    assert {one["distribution"] for one in rows} == {"sparse:2"}
    assert [one["longest_bytes"] for one in rows] == [512, 512, 16]


@pytest.mark.parametrize("name", simulate.machines())
def test_calibrations_are_shares(name):
    known = simulate.calibration(name)
    if known is not None:
        assert 0 <= known.median_error <= 1 and 0 < known.error < 3
        assert known.source and known.date


def test_a_bad_calibration_is_refused(tmp_path):
    path = tmp_path / "own.toml"
    for table in (
        "error = 1",
        'median_error = 0.1\nerror = "a"\nnumbers = 1\nsource = ""\ndate = ""',
    ):
        path.write_text(f"cores = 4\n[calibration]\n{table}\n")
        with pytest.raises(ValueError, match="calibration"):
            simulate.calibration(str(path))


def test_the_document_shows_what_is_printed(file):
    """The heading, every column and every kind of line, of an exchange like the document's."""
    (shown,) = blocks(SOURCE / "docs/whatif.md", "text")
    lengths = [{"blocks": 300 * 64, "bytes": 300 * 64 * 32768}]
    alike = {"collective": "alltoall", "longest_bytes": 32768, "lengths": lengths, "calls": 300}
    rows = [row(communicator=f"0.{number}", **alike) for number in (1, 2)]
    words = ("--machine", "hpc7g", "--nodes", 16)
    done = rondo("whatif", file(text(*rows)), *words)
    printed = done.stdout.splitlines()
    for line in shown.splitlines():
        if line.startswith(("alltoall on", "in all calls")):
            start = line.split("  ")[0] if line.startswith("alltoall") else "in all calls"
            assert any(own.startswith(start) for own in printed)
        else:
            assert any(line.split() == own.split() for own in printed), line
