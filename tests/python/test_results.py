"""Rows of rondo-bench are read, grouped and plotted."""

import json

import pytest

from rondo.results import Group, Measured, Point, rows_of, times_by_group

matplotlib = pytest.importorskip("matplotlib")
from rondo import plots  # noqa: E402

SUFFIXES = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}


def row(algorithm="mpi", ranks=4, size=16, median=10.0, **more):
    common = {"collective": "alltoallv", "distribution": "power:0.99", "nodes": 1, "parameters": ""}
    times = {"median_us": median, "speedup": 10.0 / median}
    return {**common, "algorithm": algorithm, "ranks": ranks, "bytes": size, **times, **more}


def line(*arguments, **more):
    return json.dumps(row(*arguments, **more))


def times_of(*rows):
    (times,) = times_by_group(rows).values()
    return times


def test_other_lines_are_passed_over():
    assert rows_of(["a launcher talks", line(), '{"program": "limit"}', ""]) == [row()]


def test_lines_that_are_wrong():
    with pytest.raises(ValueError, match="not JSON"):
        rows_of(["{"])
    with pytest.raises(ValueError, match="without distribution, nodes, ranks"):
        rows_of(['{"collective": "alltoall"}'])


def test_medians_over_runs():
    times = times_of(*(row("x", median=median) for median in (1.0, 2.0, 40.0)))
    assert times.by_algorithm == {"x": {Point(4, 16): Measured(2.0, 5.0)}}


def test_groups_are_apart():
    groups = times_by_group([row(), row(nodes=2), row(collective="alltoall")])
    assert list(groups) == [
        Group("alltoallv", "power:0.99", 1),
        Group("alltoallv", "power:0.99", 2),
        Group("alltoall", "power:0.99", 1),
    ]


# At 4 ranks x wins at 16 bytes and mpi at 64; at 8 ranks x was measured at 16 bytes only.
REGIONS = [
    row("mpi", 4, 16, 10.0),
    row("x", 4, 16, 5.0),
    row("mpi", 4, 64, 10.0),
    row("x", 4, 64, 20.0),
    row("x", 8, 16, 8.0),
]


def test_fastest():
    times = times_of(*REGIONS)
    assert (times.ranks, times.sizes) == ([4, 8], [16, 64])
    winners = {point: times.fastest(point) for point in [Point(4, 16), Point(4, 64), Point(8, 16)]}
    assert list(winners.values()) == ["x", "mpi", "x"]
    assert times.fastest(Point(8, 64)) is None


def test_region_map_shows_the_fastest():
    (axes,) = plots.region_map(times_of(*REGIONS)).axes
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    grid = axes.images[0].get_array()
    assert [[names[int(cell)] for cell in grid[0]], names[int(grid[1][0])]] == [["x", "mpi"], "x"]
    assert bool(grid.mask[1][1])


def test_speedup_map_shows_the_best_against_mpi():
    axes = plots.speedup_map(times_of(*REGIONS)).axes[0]
    assert [text.get_text() for text in axes.texts] == ["2.00", "0.50", "1.25"]


@pytest.mark.parametrize(("draw", "panels"), [("size", 2), ("ranks", 2)])
def test_lines_are_the_medians(draw, panels):
    figure = plots.PLOTS[draw](times_of(*REGIONS))
    assert len(figure.axes) == panels
    lines = {one.get_label(): one for one in figure.axes[0].get_lines()}
    expected = {"size": [5.0, 20.0], "ranks": [5.0, 8.0]}[draw]
    assert lines["x"].get_ydata().tolist() == expected


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files(tmp_path, suffix):
    group = Group("alltoallv", "power:0.99", 1)
    path = plots.write(group, times_of(*REGIONS), "regions", tmp_path, suffix)
    assert path == tmp_path / f"alltoallv-power-0-99-1-node-regions.{suffix}"
    assert path.read_bytes().startswith(SUFFIXES[suffix])
