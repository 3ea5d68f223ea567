"""The papers' figures made anew: their data, against what it is made of, and their plots."""

import json
import math
import re
import struct
import sys
from collections import Counter
from contextlib import contextmanager
from xml.etree import ElementTree

import pytest
from calling import write_program
from document_text import SOURCE
from test_commands import require_refused, rondo, rondo_as_user

from rondo import programs, simulate
from rondo.reproduce import data, figures, published, simulated, values
from rondo.reproduce.figures import figure
from rondo.reproduce.measured import Bench
from rondo.reproduce.points import root

pytest.importorskip("matplotlib")
from figure_words import require_apart  # noqa: E402

from rondo import plot_style as style  # noqa: E402
from rondo.reproduce import plot  # noqa: E402

NAMES = figures.names()
EXPECTED = [f"hpdc-{n}" for n in range(6, 13)] + [f"tra-{n}" for n in (4, *range(8, 14))]
SMALL = [128, 256]
LAUNCHER = """#!/bin/sh
export RANKS=$2
shift 2
exec "$@"
"""
# It writes a row for every algorithm and length, all of them different.
BENCH = """#!{python}
import json, os, sys
collective, *words = sys.argv[1:]
words = dict(zip(words, words[1:]))
names = dict.fromkeys(["mpi", *words["--algorithm"].split(",")])
if {fails}:
    sys.exit("rondo-bench: it broke")
print("a launcher talks")
for bytes in map(int, words["--bytes"].split(",")):
    for number, name in enumerate(names):
        median = (number + 1) * 1000.0 + bytes / 10
        print(json.dumps({{
            "collective": collective, "algorithm": name, "parameters": "", "nodes": 1,
            "ranks": int(os.environ["RANKS"]), "bytes": bytes,
            "distribution": words["--distribution"], "median_us": median, "low_us": median - 1,
            "high_us": median + 1, "speedup": 1.0, "mpi": "Some MPI", "mpi_version": "1.2"}}))
"""


def points_of(panels):
    return [point for panel in panels for line in panel["lines"] for point in line["points"]]


def small(name, **more):
    return data.simulate_or_count(figure(name), ranks=SMALL, **more)


@pytest.fixture
def instant(monkeypatch):
    """Every exchange takes a second, so that all numbers of ranks of the papers can be had."""
    monkeypatch.setattr(simulated, "_seconds", lambda *_: 1.0)


@contextmanager
def quick_bench(folder, fails=False):
    """A launcher, and a benchmark that measures nothing, in that folder."""
    texts = {"mpirun": LAUNCHER, "rondo-bench": BENCH.format(python=sys.executable, fails=fails)}
    for name, text in texts.items():
        write_program(folder / name, text)
    with pytest.MonkeyPatch.context() as patch:
        bench = programs.Command([str(folder / "rondo-bench")], "")
        patch.setattr(programs, "command", lambda *_: bench)
        yield folder / "mpirun"


def test_all_figures_are_there():
    assert NAMES == EXPECTED


@pytest.mark.parametrize("name", NAMES)
def test_every_point_is_what_simulate_says(name):
    """At few ranks: the exchange that stands in the data, by the public function."""
    asked = figure(name)
    panels = small(name)
    assert panels and points_of(panels)
    for point in points_of(panels):
        if asked.y not in ("seconds", "saving"):
            continue
        times = [_seconds(asked, point, point["algorithm"])]
        if asked.y == "saving":
            times.insert(0, _seconds(asked, point, point["over"]))
            assert point["y"] == times[0] - times[1]
        else:
            assert point["y"] == asked.times * times[0] > 0


def _seconds(asked, point, algorithm):
    return simulate.simulate(
        algorithm,
        point["ranks"],
        point["ranks_per_node"],
        point["bytes"],
        simulate.machine(point["machine"]),
        collective=asked.collective,
        distribution=point["distribution"],
        seed=1,
        most_visits=math.inf,
    ).seconds


@pytest.mark.parametrize("name", NAMES)
def test_every_axis_is_as_described(name, instant):
    """All panels, lines and values of x at the papers' ranks; no radix that has no meaning."""
    asked = figure(name)
    panels = data.simulate_or_count(asked)
    product = math.prod(len(asked.axes[axis]) for axis in asked.panels)
    assert len(panels) == product
    assert len({panel["title"] for panel in panels}) == product
    for panel in panels:
        labels = [line["label"] for line in panel["lines"]]
        assert len(set(labels)) == len(labels) >= len(asked.lines)
        for line in panel["lines"]:
            xs = [point["x"] for point in line["points"]]
            if asked.x != "radix":
                assert xs == asked.axes[asked.x]
                continue
            assert xs == sorted(set(xs)) and xs[0] == 2
            for point in line["points"]:
                assert 2 <= point["x"] <= point["ranks"]
                assert f"={point['x']}" in point["algorithm"]


def test_counts_are_those_of_the_propositions():
    """K: the digits and values that occur. D: the digits of all distances that are not 0."""
    ranks = 100
    (panel,) = data.simulate_or_count(figure("tra-4"), ranks=[ranks])
    rounds, blocks = panel["lines"]
    for k, d in zip(rounds["points"], blocks["points"]):
        digits = [
            (place, distance // k["x"] ** place % k["x"])
            for distance in range(ranks)
            for place in range(8)
        ]
        moved = [one for one in digits if one[1] != 0]
        assert (k["y"], d["y"]) == (len(set(moved)), len(moved))


def test_crossovers_are_the_longest_lengths_at_which_an_algorithm_is_faster():
    lengths = figure("hpdc-9").axes["bytes"]
    for panel in small("hpdc-9"):
        for line in panel["lines"]:
            for point in line["points"]:
                assert point["y"] in lengths
                for times, is_faster in ((1, True), (2, False)):
                    there = {**point, "bytes": times * point["y"]}
                    ours = _seconds(figure("hpdc-9"), there, point["algorithm"])
                    assert (ours < _seconds(figure("hpdc-9"), there, point["over"])) == is_faster


@pytest.mark.parametrize(
    ("limit", "found"),
    [(0.5, {"y": None}), (1000, {"y": 64, "at_least": True}), (10, {"y": 8}), (16, {"y": 16})],
)
def test_a_crossover_is_the_longest_length_at_which_the_ratio_is_no_more_than_one(limit, found):
    assert values.crossover([4, 8, 16, 32, 64], lambda size: size / limit) == found


def test_marks_are_the_printed_numbers(instant):
    """Every number of the two papers' figures is a mark, with its value, where it belongs."""
    marks = [
        (name, mark)
        for name in NAMES
        for panel in data.simulate_or_count(figure(name))
        for mark in panel["marks"]
    ]
    printed = [
        one
        for of in ("theta", "schedules")
        for one in [*published.numbers(of), *published.applications(of)]
        if one["source"].startswith(("HPDC 2022", "TRA paper"))
        and "section 2.2" not in one["source"]
    ]
    keys = ("kind", "value", "printed", "source")
    marked = Counter(tuple(mark[key] for key in keys) for _, mark in marks)
    assert len(printed) > 30
    assert set(marked) == {tuple(one[key] for key in keys) for one in printed}
    for _, mark in marks:
        expected = mark["value"] / mark.get("exchanges", 1)
        if mark["kind"] == "gain":
            assert mark["here"] == 1
        else:
            assert expected in (mark["x"], mark["y"])


def test_marks_are_of_the_right_panel(instant):
    panels = data.simulate_or_count(figure("hpdc-6"))
    (there,) = (panel for panel in panels if panel["ranks"] == 4096)
    found = {(mark["kind"], mark["line"], mark["x"]): mark["y"] for mark in there["marks"]}
    assert found == {
        ("time", "padded_bruck", 512): 0.2029,
        ("time", "two_phase_bruck", 512): 0.0916,
        ("ratio", "two_phase_bruck", 256): 0.692,
        ("crossover", "two_phase_bruck", 1024): None,
    }
    (best,) = (
        mark
        for panel in data.simulate_or_count(figure("tra-9"))
        for mark in panel["marks"]
        if mark["value"] == 34
    )
    assert (best["line"], best["x"], best["y"]) == ("between the nodes", 34, None)


def test_a_ratio_is_marked_on_the_simulated_time_that_it_is_of():
    (panel,) = data.simulate_or_count(figure("hpdc-6"), ranks=[512])
    (mark,) = (mark for mark in panel["marks"] if mark["kind"] == "ratio")
    (mpi,) = (line for line in panel["lines"] if line["label"] == "mpi")
    (base,) = (point["y"] for point in mpi["points"] if point["x"] == 256)
    assert mark["y"] == pytest.approx(0.499 * base)


def test_no_mark_where_nothing_was_printed():
    assert [panel["marks"] for panel in small("tra-12")] == [[], [], []]
    assert all(panel["marks"] == [] for panel in small("hpdc-11"))


def test_roots_are_rounded_up_as_the_paper_does():
    assert [root(ranks) for ranks in (1, 2, 4, 5, 2048, 4096, 8192)] == [2, 2, 2, 3, 46, 64, 91]


def test_the_list_names_papers_and_sections():
    done = rondo("reproduce", "--list")
    assert done.returncode == 0
    for name in NAMES:
        one = figure(name)
        (line,) = (text for text in done.stdout.splitlines() if text.startswith(f"{name} "))
        assert one.paper in line and one.section in line and one.title in line
    assert "HPC Asia 2024" in done.stdout and "rondo-bench-gpu" in done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Every figure at few ranks, as the command writes it."""
    top = tmp_path_factory.mktemp("figures")
    folder = top / "new/folder"
    ranks = ["-n", 128, "-n", 256, "--measure", "--measured-ranks", 8, "--measured-ranks", 16]
    with quick_bench(top) as launcher:
        command = ["reproduce", "--all", *ranks, "--output", folder, "--launcher", launcher]
        done = rondo(*command)
    assert done.returncode == 0, done.stderr
    files = [f"{name}.{suffix}" for name in NAMES for suffix in ("json", "svg", "png")]
    assert done.stdout.split() == [str(folder / file) for file in files]
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_the_files_say_what_they_are(made, name):
    document = json.loads((made / f"{name}.json").read_text())
    one = figure(name)
    assert [document[key] for key in ("figure", "paper", "section")] == [
        name,
        one.paper,
        one.section,
    ]
    origin = "counted" if one.y == "count" else "simulated"
    origins = {origin, "measured"} if one.measured else {origin}
    assert {panel["origin"] for panel in document["panels"]} == origins
    image = ElementTree.parse(made / f"{name}.svg")
    text = " ".join(" ".join(image.getroot().itertext()).split())
    for word in (
        origin.capitalize(),
        one.title,
        one.against,
        *(line["label"] for line in document["panels"][0]["lines"]),
    ):
        assert word in text
    assert " ".join(one.remark.split()) in text
    header = (made / f"{name}.png").read_bytes()[:24]
    assert header.startswith(b"\x89PNG") and struct.unpack(">I", header[16:20]) == (1200,)


@pytest.mark.parametrize("name", NAMES)
def test_no_words_overlap(made, name):
    """Neither labels of ticks nor titles. Panels side by side are scaled alike."""
    document = json.loads((made / f"{name}.json").read_text())
    with style.styled():
        drawing = plot.draw(document)
        require_apart(drawing)
    for origin in ("simulated", "counted", "measured"):
        alike = [
            (axes.get_xlim(), panel.get(document["row"]), axes.get_ylim())
            for axes, panel in zip(drawing.axes, document["panels"])
            if panel["origin"] == origin
        ]
        assert len({x for x, _, _ in alike}) <= 1
        assert len({row for _, row, _ in alike}) == len({one[1:] for one in alike})
    for axes in drawing.axes:
        assert len(axes.get_xticklabels()) >= 2 and len(axes.get_yticks()) >= 3


@pytest.mark.parametrize("factor", [1.1, 1.5, 2.9, 3.1, 10, 400, 1e5, 1e9])
def test_axes_have_a_handful_of_round_ticks(factor):
    for place in range(40):
        low = 0.013 * 1.4**place
        found = style.ticks(low, low * factor)
        assert 2 <= len(found) <= 7
        assert found == sorted(found) and low <= found[0] and found[-1] <= low * factor
        assert found == pytest.approx([float(f"{value:.4g}") for value in found])


def test_the_same_seed_makes_the_same_files(tmp_path):
    command = ["reproduce", "hpdc-7", "-n", 64, "-n", 128]
    for folder, seed in (("one", 3), ("other", 3), ("third", 4)):
        done = rondo(*command, "--seed", seed, "--output", tmp_path / folder)
        assert done.returncode == 0, done.stderr
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()
        assert path.read_bytes() != (tmp_path / "third" / path.name).read_bytes()


def test_the_command_refuses(tmp_path):
    there_are = "there are hpdc-6, hpdc-7, "
    require_refused(rondo("reproduce", "hpdc-99"), f"no figure 'hpdc-99'; {there_are}")
    require_refused(rondo("reproduce"), "which figure? There are hpdc-6, ")
    (tmp_path / "file").write_text("")
    for folder, reason in (("file", "File exists"), ("file/below", "Not a directory")):
        done = rondo("reproduce", "tra-4", "-n", 8, "--output", tmp_path / folder)
        require_refused(done, f"cannot write to {tmp_path / folder}: {reason}")
    done = rondo("reproduce", "hpdc-7", "-n", 100, "--output", tmp_path)
    require_refused(done, "hpdc-7: 100 ranks do not fill nodes of 64")


def test_a_figure_that_takes_long_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("rondo.commands.reproduce._LONG_SECONDS", 0)
    done = rondo("reproduce", "tra-10", "-n", 64, "--output", tmp_path)
    assert re.search(r"tra-10: (it takes long|\d+ of [1-9]\d* points are simulated)", done.stderr)


def test_a_folder_that_may_not_be_written(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    done = rondo_as_user("reproduce", "tra-4", "-n", 8, "--output", closed)
    require_refused(done, f"cannot write to {closed}: Permission denied")


@pytest.mark.parametrize("name", [name for name in NAMES if figure(name).measured])
def test_what_is_measured_stands_beside_what_is_simulated(made, name):
    document = json.loads((made / f"{name}.json").read_text())
    assert document["measured_against"] == "Some MPI 1.2"
    here = [panel for panel in document["panels"] if panel["origin"] == "measured"]
    assert here and len(here) < len(document["panels"])
    assert not any(panel["marks"] for panel in here)
    asked = figure(name)
    for point in points_of(here):
        assert point["ranks"] == point["ranks_per_node"] in (8, 16) and "machine" not in point
        if asked.y == "seconds":
            assert point["low"] < point["y"] < point["high"]
            rest = point["y"] / asked.times * 1e6 - point["bytes"] / 10
            assert round(rest, 3) % 1000 == 0
    assert "measured here" in (made / f"{name}.svg").read_text()


def test_a_benchmark_that_fails(tmp_path):
    words = ["-n", 64, "--measure", "--output", tmp_path, "--launcher"]
    with quick_bench(tmp_path, fails=True) as launcher:
        said = rondo("reproduce", "tra-10", *words, launcher)
        require_refused(said, "tra-10: rondo-bench on 4 ranks: rondo-bench: it broke")
        none = rondo("reproduce", "tra-10", *words, "no-such-one")
        require_refused(none, "cannot start no-such-one")


@pytest.mark.ranks
def test_the_real_benchmark(tmp_path):
    try:
        programs.command("rondo-bench")
        programs.find("rondo-mpirun")
    except LookupError as error:
        pytest.skip(str(error))
    options = ["-n", 64, "--measure", "--measured-ranks", 2, "--output", tmp_path]
    done = rondo("reproduce", "tra-13", *options)
    assert done.returncode == 0, done.stderr
    panels = json.loads((tmp_path / "tra-13.json").read_text())["panels"]
    assert [panel["origin"] for panel in panels] == ["simulated"] * 4 + ["measured"] * 2
    assert all(point["y"] > 0 for point in points_of(panels))


def test_disturbed_points_are_told():
    bench = Bench([], [], 1)
    assert not bench.disturbed()
    for size, disturbed in ((16, None), (64, "the cores have moved")):
        for name in ("mpi", "auto"):
            bench.rows[2, "uniform", size, name] = {"disturbed": disturbed}
    assert bench.disturbed() == "1 of 2 points disturbed"


@pytest.mark.parametrize("name", NAMES)
def test_figures_of_the_documents_are_there(name):
    """Or else: make figures."""
    image = ElementTree.parse(SOURCE / f"docs/figures/{name}.svg")
    assert figure(name).title in " ".join(" ".join(image.getroot().itertext()).split())
