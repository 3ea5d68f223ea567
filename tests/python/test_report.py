"""`rondo report`: what it measures, keeps, judges and says, with programs that measure nothing."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import report_support as support
from test_commands import require_refused, rondo

from rondo import programs
from rondo.report.clock import Clock
from rondo.report.findings import find
from rondo.report.judge import judge, ratio_of, regions
from rondo.report.launch import launch_of, numbers_of_ranks, rank_count_of
from rondo.report.measure import Measuring
from rondo.report.page import page
from rondo.report.start import BudgetTooSmall
from rondo.report.state import CannotKeep, Case, State, key_of
from rondo.report.topology import seen_in, topology_of

SIZES = [16, 64, 256, 1024, 4096, 16384, 65536]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    support.make_programs(tmp_path)
    monkeypatch.setattr(programs, "find", lambda name: tmp_path / name)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(4)))
    return tmp_path


def report(folder, *options, launch=("-n", 4)):
    """The command, with everything that it writes in `folder`."""
    files = ["--output", folder / "page.html", "--state", folder / "state"]
    words = ["--", folder / "mpirun", *launch] if launch else []
    return rondo("report", "--budget", "20s", *files, *options, *words)


def states(folder):
    return [one for one in (folder / "state").glob("*.json") if "profile" not in one.name]


@pytest.mark.parametrize(
    ("words", "ranks"),
    [
        ("mpirun -n 64", 64),
        ("mpirun -np 8 --map-by core", 8),
        ("srun --ntasks=128 -N 4", 128),
        ("srun -n16", 16),
        ("nice -n 5 mpirun -np 4", 4),
        ("env OMP_NUM_THREADS=1 mpiexec -n 2", 2),
        ("srun -N 4", None),
        ("mpirun -n 4 a : -n 4", None),
        ("mpirun -n many", None),
        ("env", None),
    ],
)
def test_where_the_number_of_ranks_stands(words, ranks):
    count = rank_count_of(words.split())
    assert (count and count.ranks) == ranks
    expected = words if ranks is None else re.sub(rf"(\b|(?<=-n)){ranks}\b", "3", words)
    assert launch_of(words.split()).command(3, "program") == [*expected.split(), "program"]


@pytest.mark.parametrize(
    ("ranks", "numbers"),
    [(1, [1]), (2, [2]), (4, [4, 2]), (8, [8, 4, 2]), (48, [48, 12, 3]), (512, [512, 128, 32])],
)
def test_numbers_of_ranks(ranks, numbers):
    assert numbers_of_ranks(ranks) == numbers


def test_a_report_is_measured_once_until_it_is_to_be_fresh(folder):
    """Measuring takes long, so what comes after it follows in the same folder."""
    done = report(folder)
    assert done.returncode == 0, done.stderr
    assert "measured before" not in done.stdout
    assert f"wrote {folder}/page.html" in done.stdout
    assert f"rondo tune -- {folder}/mpirun -n 4" in done.stdout
    text = (folder / "page.html").read_text(encoding="utf-8")
    for words in ("two_phase_bruck", "P = 4", "P = 2", "Open MPI 4.1.4", "▲ faster", "mpirun -n 4"):
        assert words in text
    assert [ranks for ranks, _ in support.told(folder, "tuned")] == [2, 4]
    # The whole machine comes first; 'auto' goes by what was tuned just now.
    calls = support.told(folder, "benched")
    (path,) = states(folder)
    profile = path.with_name(f"{path.stem}.profile.json")
    assert {call[3] for call in calls} == {str(profile)}
    races = [("alltoall", 4), ("alltoallv", 4), ("alltoall", 2), ("alltoallv", 2)]
    assert [(call[0], call[1]) for call in calls] == races * 2
    assert all(call[2]["--algorithm"] == "all" for call in calls)

    (folder / "page.html").unlink()
    done = report(folder)
    assert done.returncode == 0
    assert "Everything was measured before; --fresh measures again." in done.stdout
    assert support.told(folder, "benched") == calls and (folder / "page.html").exists()

    path.write_text("{", encoding="utf-8")
    done = report(folder)
    assert done.returncode == 2 and "--fresh discards them" in done.stderr
    assert report(folder, "--fresh").returncode == 0
    assert support.told(folder, "benched") == calls * 2


def test_a_launcher_that_passes_no_variables_on(folder):
    """Ranks have the profile nevertheless."""
    launcher = folder / "mpirun"
    text = launcher.read_text(encoding="utf-8")
    text = text.replace('"$@" &', 'env -i "$@" &').replace("exec", 'exec env -i RANKS="$RANKS"')
    launcher.write_text(text, encoding="utf-8")
    assert report(folder).returncode == 0
    (path,) = states(folder)
    profiles = {call[3] for call in support.told(folder, "benched")}
    assert profiles == {str(path.with_name(f"{path.stem}.profile.json"))}


def test_without_a_launcher_all_cores_are_ranks(folder):
    assert report(folder, launch=()).returncode == 0
    assert {call[1] for call in support.told(folder, "benched")} == {4, 2}


def test_it_goes_on_where_it_was_killed(folder):
    """All that was complete is kept, and not measured again."""
    support.behave(folder, seconds={str(size): 0.2 for size in SIZES})
    code = (
        f"import sys; sys.path[:0] = {[str(Path(__file__).parent)]!r}\n"
        "from pathlib import Path\n"
        "from rondo import programs\n"
        "from rondo.commands import app\n"
        f"programs.find = lambda name: Path({str(folder)!r}) / name\n"
        "app()"
    )
    words = ["report", "--budget", "20s", "--output", folder / "page.html"]
    words += ["--state", folder / "state", "--", folder / "mpirun", "-n", "4"]
    with subprocess.Popen([sys.executable, "-c", code, *map(str, words)]) as running:
        end = time.monotonic() + 60
        while len(kept(folder)) < 3:
            assert running.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        running.kill()
    before = kept(folder)
    assert {case[:2] for case in before} == {("alltoall", 4)} and len(before) < len(SIZES)
    support.behave(folder)
    (folder / "benched").unlink()
    assert report(folder).returncode == 0
    first = support.told(folder, "benched")[0]
    measured = [case[2] for case in before]
    listed = ",".join(str(size) for size in SIZES if size not in measured)
    assert first[:2] == ["alltoall", 4] and first[2]["--bytes"] == listed


def kept(folder):
    """The cases in the state."""
    found = states(folder)
    content = json.loads(found[0].read_text()) if found else {"cases": []}
    return [tuple(case) for case, _ in content["cases"]]


def test_another_machine_and_another_command_are_apart(folder):
    plan = support.plan_of(folder)
    other = plan.topology.nodes[0]._replace(host="node<2>")
    words = plan.launch.words
    keys = [
        key_of(words, plan.topology, plan.bench),
        key_of(words, plan.topology._replace(nodes=[other]), plan.bench),
        key_of([*words, "--bind-to", "core"], plan.topology, plan.bench),
    ]
    with plan.bench.open("a") as bench:
        bench.write("# another build\n")
    keys.append(key_of(words, plan.topology, plan.bench))
    assert len(set(keys)) == 4
    assert key_of(words, plan.topology, plan.bench) == keys[-1]


def test_the_budget_is_kept(folder):
    """A size that takes for ever is left out, and the page says so."""
    support.behave(folder, seconds={str(size): 60 for size in SIZES if size > 256})
    plan, state, clock = support.plan_of(folder, ranks=2), State(folder, "key"), Clock(12)
    Measuring(plan, state, clock, support.Silent()).run()
    assert clock.spent < clock.budget
    found = find(plan, state, clock, support.Silent())
    assert {case.bytes for case in state.cases} == {16, 64, 256}
    assert "Alltoallv, 2 ranks, S = 1k, 4k, 16k, 64k: the budget was over." in found.left_out
    assert "S = 1k, 4k, 16k, 64k: the budget was over" in page(found)
    tuned = [float(budget) for _, budget in support.told(folder, "tuned")]
    assert len(tuned) == 1 and sum(tuned) < 0.31 * 12
    assert all(state.samples(case) > 3 for case in state.cases)


def test_a_tuner_that_overruns_its_budget_leaves_time_to_race(folder):
    support.behave(folder, tuning=60)
    plan, state, clock = support.plan_of(folder, ranks=4), State(folder, "key"), Clock(10)
    Measuring(plan, state, clock, support.Silent()).run()
    assert clock.spent < clock.budget and state.cases
    assert state.failures["tuning, 2 ranks"] == "it was not done in its part of the budget"


def test_a_budget_in_which_nothing_is_measured(folder):
    support.behave(folder, seconds={str(size): 60 for size in SIZES})
    plan, state = support.plan_of(folder), State(folder, "key")
    with pytest.raises(BudgetTooSmall, match="before any algorithm was measured: give a larger"):
        Measuring(plan, state, Clock(3), support.Silent()).run()


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("10.5", "11.5"),
        lambda text: text.replace('"median_us"', '"median"'),
        lambda text: text[:-9],
        lambda _: "[]",
        lambda _: '{"version":2}',
        lambda _: "[" * 100_000,
        lambda text: text + "\udcff",
    ],
)
def test_measurements_that_were_changed_are_not_used(tmp_path, change):
    """All of the file is compared, so that no field needs a check of its own."""
    kept = State(tmp_path, "key")
    kept.add(Case("alltoall", 4, 16), [{"iterations": 3, "median_us": 10.5}])
    kept.write()
    assert State(tmp_path, "key").cases == kept.cases
    text = change(kept.path.read_text(encoding="utf-8"))
    kept.path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(CannotKeep, match="--fresh discards them"):
        State(tmp_path, "key")


# Samples that were there, samples that come and whether they stay; d: disturbed.
KEPT = [
    ("3", "5", True),
    ("5", "3", False),
    ("5", "5", True),
    ("5", "50d", False),
    ("3", "50d", True),
    ("5d", "50d", True),
    ("50d", "5", False),
]


@pytest.mark.parametrize(("before", "then", "stays"), KEPT)
def test_more_samples_replace_fewer_but_disturbed_ones_no_calm_ones(tmp_path, before, then, stays):
    def rows(text):
        disturbed = "the cores have moved" if text.endswith("d") else None
        return [{"iterations": int(text.rstrip("d")), "disturbed": disturbed}]

    case, state = Case("alltoall", 4, 16), State(tmp_path, "key")
    state.add(case, rows(before))
    state.add(case, rows(then))
    assert state.cases[case] == rows(then if stays else before)


def test_fewer_ranks_may_fail(folder):
    support.behave(folder, fails=[2])
    assert report(folder).returncode == 0
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert "Alltoall, 2 ranks: it ended with status 1: rondo-bench: no slots." in text


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"fails": [4]}, "this ended with status 1: "),
        ({"sees": 1}, "4 ranks were to be started, but Rondo's programs see 1"),
    ],
)
def test_a_race_that_fails(folder, how, sentence):
    support.behave(folder, **how)
    done = report(folder)
    assert done.returncode == 3 and sentence in done.stderr
    if "fails" in how:
        assert "rondo-bench: no slots" in done.stderr
        assert f"whether ranks start at all: {folder}/mpirun -n 4 hostname" in done.stderr


@pytest.mark.parametrize(
    ("script", "status", "sentence"),
    [
        ("echo no such host >&2; exit 3", 3, "this ended with status 3: "),
        ("kill -KILL $$", 3, "this ended with signal 9 (Killed): "),
        ("exit 0", 3, "no rank has said anything: is this a launcher with its options?"),
        ("exec sleep 60", 2, "ranks had not started and ended within 5 s, a quarter of the budget"),
    ],
)
def test_a_launch_that_fails(folder, script, status, sentence):
    (folder / "mpirun").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    done = report(folder)
    assert done.returncode == status and sentence in done.stderr
    assert not (folder / "page.html").exists()


def test_a_launcher_that_is_not_there(folder):
    (folder / "mpirun").unlink()
    done = report(folder)
    assert done.returncode == 3
    assert f"cannot start {folder}/mpirun: No such file or directory; is it on PATH" in done.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--budget", "5s"], "--budget is '5s', must be from 20s to 100000s"),
        (["--budget", "soon"], "--budget is 'soon', must be"),
        (["--output", "no/page.html"], "/no: No such file or directory; --output names another"),
        (["--output", "."], "cannot write .: Is a directory"),
        (["--state", "/proc/state"], "cannot make the folder /proc/state: No such file"),
    ],
)
def test_report_refuses(folder, options, sentence):
    require_refused(report(folder, *options), sentence)
    assert not (folder / "benched").exists()


def test_without_rondo_bench(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "PACKAGED", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    require_refused(
        rondo("report"), "rondo-bench not found: this package was built without it", status=3
    )


def row(name, times):
    middle = sorted(times)[len(times) // 2]
    common = {"collective": "alltoall", "iterations": len(times), "samples_us": times}
    return {**common, "algorithm": name, "median_us": middle, "low_us": 0.9 * middle,
            "high_us": 1.1 * middle, "parameters": ""}  # fmt: skip


def noisy(time_us, shift=0):
    """Samples that differ by 10 %."""
    return [time_us * (1 + 0.01 * ((at + shift) * 7 % 11)) for at in range(40)]


def verdict(size, **times):
    rows = [row(name, noisy(time_us, at)) for at, (name, time_us) in enumerate(times.items())]
    return judge(Case("alltoall", 4, size), rows)


def test_what_cannot_be_told_apart():
    judged = verdict(16, mpi=10, close=5.0, closer=5.01, far=6.5, auto=5)
    assert set(judged.tied) == {"close", "closer"}
    assert judged.gain.is_more and 1.8 < judged.gain.low <= 2 <= judged.gain.high < 2.2
    assert not ratio_of(judged.rows["close"], judged.rows["closer"]).is_less


def test_samples_of_an_iteration_belong_together():
    """What slows both by half in some iterations hides no difference of a tenth."""
    waves = [1 + 0.5 * (at % 3 == 0) for at in range(60)]
    slow, quick = (row("x", [time_us * wave for wave in waves]) for time_us in (11.0, 10.0))
    assert ratio_of(slow, quick).low == pytest.approx(1.1)


def test_regions_are_as_few_as_will_do():
    judged = [
        verdict(16, mpi=20, a=5.0, b=9.0),
        verdict(64, mpi=20, a=4.95, b=5.0),
        verdict(256, mpi=20, a=9.0, b=5.0),
        verdict(1024, mpi=20, a=9.0, b=5.0),
    ]
    taken = regions(judged)
    assert [taken[one.case] for one in judged] == ["a", "b", "b", "b"]
    few = judge(Case("alltoall", 4, 16), [row("mpi", [1.0] * 3), row("a", [2.0] * 3)])
    assert not few.is_told and regions([few]) == {}


def test_ranks_tell_of_their_nodes():
    """As every rank does, here on two nodes of which one says little."""
    from rondo.report import probe

    done = subprocess.run(
        [sys.executable, probe.__file__], stdout=subprocess.PIPE, text=True, check=True
    )
    seen = seen_in(done.stdout)
    assert seen["allowed"] == len(os.sched_getaffinity(0)) and seen["processors"] == os.cpu_count()
    bare = {"processor": "", "processors": 8, "cores": None, "sockets": None, "caches": []}
    other = {**bare, "host": "!other", "memory_bytes": None, "allowed": 4, "variable": None}
    found = topology_of([seen, other, {**other, "allowed": 2}, seen])
    assert [(node.host, node.ranks) for node in found.nodes] == [("!other", 2), (seen["host"], 2)]
    assert found.nodes[0].allowed == 2 and found.ranks == 4 and len(found.kinds) == 2
    assert seen_in("[]") is seen_in("a launcher talks") is seen_in('{"rondo_probe": 1}') is None
