"""tools/measure: how it divides the budget, and keeps and shows results. Nothing is measured."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import report_support as support

SOURCE = Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / folder) for folder in ("tools", "apps", "bench", "tests/clients")]

from measure_lib import choosing, limit, sections, speed, whole_programs  # noqa: E402
from measure_lib.ranks import Ranks  # noqa: E402
from measure_lib.store import Store  # noqa: E402
from measure_lib.tasks import BUDGET_OVER, NotMeasured, Part, Task, carry_out  # noqa: E402

from rondo.report.page import page  # noqa: E402
from rondo.report.parts import text_of  # noqa: E402


class FakeClock:
    """A budget of which only the test spends."""

    def __init__(self, budget):
        self.budget, self.spent = budget, 0.0

    @property
    def left(self):
        return self.budget - self.spent

    def add(self, seconds):
        self.spent += seconds


class FakeRanks:
    """Programs whose lines are those of `answers`, by a word of their command."""

    most, numbers, is_one_node = 4, [2, 4], True

    def __init__(self, answers, is_whole=True):
        self.answers, self.is_whole, self.asked = answers, is_whole, []

    def lines(self, ranks, words, seconds):
        self.asked.append((ranks, [str(word) for word in words]))
        for word, rows in self.answers.items():
            if word in " ".join(self.asked[-1][1]):
                return rows, self.is_whole
        return [], self.is_whole


@pytest.fixture
def clock():
    return FakeClock(100)


@pytest.fixture
def store(tmp_path, clock):
    return Store(tmp_path / "measure.json", "this machine", clock)


@pytest.fixture
def programs(monkeypatch):
    for module in (speed, limit, choosing):
        monkeypatch.setattr(module, "program", Path)


def plan_ranks(folder, ranks=8):
    return Ranks(support.plan_of(folder, ranks), folder / "profile.json", support.Silent())


def row(algorithm, size, microseconds):
    series = [microseconds * (1 + 0.01 * (at % 3)) for at in range(9)]
    return {
        "algorithm": algorithm,
        "bytes": size,
        "iterations": len(series),
        "median_us": microseconds,
        "samples_us": series,
    }


def spending(clock, given, seconds=None, fails=None):
    """A measurement that takes all the time it gets, or `seconds`."""

    def measure(allowed):
        given.append(allowed)
        clock.spent += allowed if seconds is None else seconds
        if fails:
            raise NotMeasured(fails)
        return {"seconds": allowed}

    return measure


def test_parts_share_the_time_and_leave_what_they_do_not_use(store, clock):
    given = []
    quick = Part("quick", 1, [Task("quick: a", 1, spending(clock, given, seconds=5))])
    slow = Part("slow", 3, [Task(f"slow: {name}", 1, spending(clock, given)) for name in "ab"])
    carry_out([quick, slow], store, clock, support.Silent())
    assert given == [25, 47.5, 47.5]
    assert list(store.results) == ["quick: a", "slow: a", "slow: b"]


def test_what_does_not_fit_is_left_out_and_the_rest_is_done(store, clock):
    given = []
    tasks = [Task(f"p: {name}", 40, spending(clock, given)) for name in "abc"]
    carry_out([Part("p", 1, tasks)], store, clock, support.Silent())
    assert given == [40, 40]
    assert store.left_out == {"p: c": BUDGET_OVER}


def test_a_failure_is_left_out_with_its_reason_and_tried_again(store, clock, tmp_path):
    tasks = [Task("p: a", 1, spending(clock, [], seconds=1, fails="no FFTW"))]
    carry_out([Part("p", 1, tasks)], store, clock, support.Silent())
    assert store.left_out == {"p: a": "no FFTW"}
    again = Store(tmp_path / "measure.json", "this machine", clock)
    carry_out(
        [Part("p", 1, [Task("p: a", 1, spending(clock, []))])], again, clock, support.Silent()
    )
    assert again.left_out == {}
    assert "p: a" in again.results


def test_the_same_command_continues_and_another_begins_anew(store, clock, tmp_path):
    clock.spent = 30
    store.add("p: a", 7)
    fresh = FakeClock(100)
    same = Store(tmp_path / "measure.json", "this machine", fresh)
    assert (same.results, fresh.spent) == ({"p: a": 7}, 30)
    given = []
    tasks = [Task(f"p: {name}", 1, spending(fresh, given)) for name in "ab"]
    carry_out([Part("p", 1, tasks)], same, fresh, support.Silent())
    assert given == [70]
    other = FakeClock(100)
    assert Store(tmp_path / "measure.json", "another machine", other).results == {}
    assert Store(tmp_path / "measure.json", "this machine", other, is_fresh=True).results == {}
    assert other.spent == 0


def test_speed_measures_both_and_keeps_the_ratio(programs):
    rows = [row("mpi", 16, 4.0), row("auto", 16, 2.0), row("mpi", 64, 9.0)]
    ranks = FakeRanks({"rondo-bench": rows})
    ranks.plan = support.plan_of(Path("/nowhere"), 4)
    series = speed.Series("alltoallv", "uniform", 4, speed.SHORT, 20)
    result = speed._measure(ranks, series, 1.0)
    assert [size for size, _ in result["ratios"]] == [16], "64 has only one of the two"
    value, low, high = result["ratios"][0][1]
    assert value == pytest.approx(2.0)
    assert low <= value <= high
    (number, words), more = ranks.asked[0], ranks.asked[-1][1]
    assert number == 4
    assert words[words.index("--batch") + 1] == "20"
    assert int(more[more.index("--iterations") + 1]) == 60


def test_disturbed_speeds_do_not_replace_calm_ones():
    calm = [row("mpi", 16, 4.0), row("auto", 16, 2.0)]
    noisy = [
        {**one, "iterations": 60, "disturbed": "the cores have moved"}
        for one in (*calm, row("mpi", 64, 9.0), row("auto", 64, 3.0))
    ]
    assert speed._merged(calm, noisy) == [*calm, *noisy[2:]]


def test_speed_leaves_out_lengths_whose_buffers_do_not_fit(tmp_path):
    series = speed.Series("alltoallv", "uniform", 8, speed.LONG, 1)
    node = support.plan_of(tmp_path).topology.nodes[0]  # 8 ranks, 8 GiB
    most = node.memory_bytes // 8 // 4 // 8
    fitting = speed.fitting(plan_ranks(tmp_path), series)
    assert fitting == [size for size in speed.LONG if 8 * size <= most]
    assert 0 < len(fitting) < len(speed.LONG) + 1


def test_nothing_measured_is_said(programs):
    ranks = FakeRanks({}, is_whole=False)
    ranks.plan = support.plan_of(Path("/nowhere"), 4)
    with pytest.raises(NotMeasured, match="no length"):
        speed._measure(ranks, speed.Series("alltoallv", "uniform", 4, speed.SHORT, 1), 1.0)


def test_the_limit_and_the_algorithm_take_turns(programs):
    least = [{"program": "limit", "bytes": 16, "median_us": 0.5}]
    own = [row("mpi", 16, 9.0), row("node_aware", 16, 1.0)]
    ranks = FakeRanks({"rondo-limit": least, "rondo-bench": own})
    assert limit._measure(ranks, 2, 1, 30.0) == {"rows": [[16, 0.5, 1.0]]}
    turns = ["rondo-limit" in words[0] for _, words in ranks.asked]
    assert turns == [True, False] * 3
    ranks.is_one_node = False
    with pytest.raises(NotMeasured, match="one node"):
        limit._measure(ranks, 2, 1, 30.0)


def test_numbers_of_ranks(tmp_path):
    assert plan_ranks(tmp_path, 12).numbers == [2, 4, 8, 12]
    assert plan_ranks(tmp_path, 2).numbers == [2]
    words = plan_ranks(tmp_path).launcher(4)
    assert "4" in words
    assert not any(word.startswith("RONDO_PROFILE") for word in words)
    (tmp_path / "profile.json").write_text("{}")
    assert plan_ranks(tmp_path).launcher(4)[-2:] == [
        "env",
        f"RONDO_PROFILE={tmp_path / 'profile.json'}",
    ]


def test_every_task_has_a_title_of_its_own(tmp_path):
    ranks = plan_ranks(tmp_path)
    parts = [
        speed.part(ranks),
        limit.part(ranks),
        choosing.part(ranks),
        whole_programs.part(tmp_path),
    ]
    titles = [task.title for part in parts for task in part.tasks]
    assert len(set(titles)) == len(titles)
    assert all(task.title.startswith(f"{part.name}: ") for part in parts for task in part.tasks)


def shown(ranks):
    """Results of every kind."""
    cell = choosing.all_cells()[0]
    program, where = whole_programs.all_cells()[0]
    report = {"exchanges": 1234, "figure": "1.10", "interval": [1.05, 1.15]}
    series = speed.Series("alltoallv", "uniform", 2, speed.SHORT, 1)
    return {
        f"speed: {series.title}": {
            "ratios": [[16, [2.5, 2.4, 2.6]], [64, [0.8, 0.7, 0.9]], [256, None]]
        },
        limit.title(2, 20): {"rows": [[16, 0.1, 0.25]]},
        choosing.title(2, cell): {"best": "sloav", "regret": [0.07, 0.05, 0.09]},
        whole_programs.title(program, where): {
            "program": program.name,
            "place": where.name,
            "pairs": [{"library": 3.0, "rondo": 2.0}] * 3,
            "ab": [report],
        },
    }


def test_the_page_shows_all_kinds(tmp_path):
    ranks = plan_ranks(tmp_path)
    made = sections.sections(ranks, shown(ranks))
    text = page(support.recorded_findings(tmp_path), made)
    for words in ("2.50×", "2.40 to 2.60", "of 1 the", "7.0 %", "sloav", "1.500", "1234"):
        assert words in text, words
    assert text.index("Against the MPI library") < text.index("Who is the fastest where")
    slower = next(text_of(one) for one in made if "speed" in one.get("id"))
    assert slower.count('class="number slower"') == 1
    assert slower.count(">disturbed<") == 1


def test_what_was_left_out_is_said_once_for_each_reason():
    reasons = {"speed: a": BUDGET_OVER, "speed: b": BUDGET_OVER, "programs: CP2K": "there is none."}
    assert list(sections.left_out(reasons)) == [
        "Speed: a; b: the budget was over.",
        "Programs: CP2K: there is none.",
    ]


def test_the_file_is_whole_json(store, tmp_path):
    store.about = {"command": "mpirun -n 2"}
    store.leave_out("p: a", "why")
    content = json.loads((tmp_path / "measure.json").read_text())
    assert content["left_out"] == {"p: a": "why"}
    assert content["command"] == "mpirun -n 2"


def measure(folder, *options):
    """The command with stand-ins for Rondo's programs; what is not among them is left out."""
    words = [
        sys.executable,
        SOURCE / "tools/measure",
        "--budget",
        "20s",
        "--output",
        folder / "out",
    ]
    for part in ("speed", "limit", "applications"):
        words += ["--only", part]
    return subprocess.run(
        [str(word) for word in [*words, *options, "--", folder / "mpirun", "-n", "4"]],
        env={**os.environ, "PATH": f"{folder}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_measures_says_what_is_left_out_and_continues(tmp_path):
    support.make_programs(tmp_path)
    done = measure(tmp_path)
    assert done.returncode == 0, done.stderr
    first = json.loads((tmp_path / "out/measure.json").read_text())
    page_text = (tmp_path / "out/measure.html").read_text()
    assert first["results"], "nothing was measured"
    assert all(title.startswith("speed: ") for title in first["results"])
    assert first["left_out"], "stand-ins cannot do all"
    assert {row["algorithm"] for row in next(iter(first["results"].values()))["rows"]} == {
        "mpi",
        "auto",
    }
    assert len(first["report"]["cases"]) > 0
    for words in (
        "Against the MPI library",
        "Who is the fastest where",
        *first["left_out"].values(),
    ):
        assert words in page_text, words
    assert measure(tmp_path).returncode == 0
    again = json.loads((tmp_path / "out/measure.json").read_text())
    assert first["results"].items() <= again["results"].items()
    assert first["report"]["cases"] == again["report"]["cases"]


def test_the_command_refuses_what_it_cannot_do(tmp_path):
    support.make_programs(tmp_path)
    done = measure(tmp_path, "--budget", "5s")
    assert done.returncode == 2
    assert "--budget" in done.stderr
