"""Rows of rondo-bench are read, grouped and plotted."""

import json
import math
import re
import struct

import pytest

from rondo.regions import cover
from rondo.results import Group, Measured, Point, rows_of, times_by_group
from rondo.show.palette import APART, contrast, ink

matplotlib = pytest.importorskip("matplotlib")
from figure_words import require_apart  # noqa: E402

from rondo import plot_style as style  # noqa: E402
from rondo import plots  # noqa: E402

GROUP = Group("alltoallv", "power:0.99", 1)
SUFFIXES = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}


def row(algorithm="mpi", ranks=4, size=16, median=10.0, **more):
    common = {"collective": "alltoallv", "distribution": "power:0.99", "nodes": 1, "parameters": ""}
    times = {"median_us": median, "speedup": 10.0 / median}
    times.update(low_us=0.9 * median, high_us=1.1 * median)
    return {**common, "algorithm": algorithm, "ranks": ranks, "bytes": size, **times, **more}


def line(**more):
    return json.dumps({**row(), **more})


def times_of(*rows):
    (times,) = times_by_group(rows).values()
    return times


def test_other_lines_are_passed_over():
    assert rows_of(["a launcher talks", line(), '{"program": "limit"}', ""]) == [row()]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "line 3 is not JSON"),
        ('{"collective": "alltoall"}', "line 3: a row without distribution, nodes, ranks"),
        ('{"collective": ' + "[" * 100_000, "line 3 is JSON that is nested too deeply"),
        (line(median_us=0.5).replace("0.5", "1e400"), "line 3: median_us is inf, must be a number"),
        ('{"collective": ' + "9" * 5000, "line 3: Exceeds the limit"),
        *(
            (line(**{field: value}), f"line 3: {field} is {value!r}, must be ")
            for field, values in {
                "median_us": [0, 0.0, -1.0, "fast", None, True],
                "low_us": [-1.0, []],
                "high_us": [0, {}],
                "speedup": [0.0, 10.0**300],
                "bytes": [-1, 1.5, 10**30, "16"],
                "ranks": [0, False],
                "nodes": [0, None],
                "collective": [3, None, ["alltoall"]],
                "algorithm": [None, "a\nb", "\ud800"],
                "mpi": [4],
            }.items()
            for value in values
        ),
    ],
)
def test_lines_that_are_wrong(text, sentence):
    """The sentence has the line, the field, and what was expected."""
    with pytest.raises(ValueError, match=re.escape(sentence)):
        rows_of(["a launcher talks", line(), text])


def test_medians_over_runs():
    """The interval covers those of all runs."""
    times = times_of(*(row("x", median=median) for median in (1.0, 2.0, 40.0)))
    assert times.by_algorithm == {"x": {Point(4, 16): Measured(2.0, 0.9, 44.0, 5.0)}}


def test_groups_are_apart():
    library = {"mpi": "Some MPI", "mpi_version": "1.2"}
    groups = times_by_group([row(), row(nodes=2), row(collective="alltoall"), row(**library)])
    assert list(groups) == [
        Group("alltoallv", "power:0.99", 1),
        Group("alltoallv", "power:0.99", 2),
        Group("alltoall", "power:0.99", 1),
        Group("alltoallv", "power:0.99", 1, "Some MPI 1.2"),
    ]
    assert [group.against() for group in list(groups)[2:]] == [
        "the MPI library's MPI_Alltoall",
        "Some MPI 1.2's MPI_Alltoallv",
    ]


# At 4 ranks x wins at 16 bytes and mpi at 64; at 8 ranks x was measured at 16 bytes only.
REGIONS = [
    row("mpi", 4, 16, 10.0),
    row("x", 4, 16, 5.0),
    row("mpi", 4, 64, 10.0),
    row("x", 4, 64, 20.0),
    row("x", 8, 16, 8.0),
]


def test_tied():
    times = times_of(*REGIONS)
    assert (times.ranks, times.sizes) == ([4, 8], [16, 64])
    points = [Point(4, 16), Point(4, 64), Point(8, 16), Point(8, 64)]
    assert [times.tied(point) for point in points] == [["x"], ["mpi"], ["x"], []]


def test_what_overlaps_is_tied():
    """Medians with intervals of 10 %: 10 and 12 overlap, 10 and 13 do not."""
    times = times_of(row("c", median=13.0), row("a", median=10.0), row("b", median=12.0))
    assert times.tied(Point(4, 16)) == ["a", "b"]
    assert times.excess("b", Point(4, 16)) == pytest.approx(math.log(1.2))


def test_disturbed_runs_do_not_count_beside_calm_ones():
    times = times_of(row(median=10.0), row(median=90.0, disturbed="other programs ran"))
    assert times.at(Point(4, 16))["mpi"] == Measured(10.0, 9.0, 11.0, 1.0)


def test_a_speedup_is_what_the_intervals_allow():
    times = times_of(*REGIONS)
    assert times.speedup("x", Point(4, 16)) == pytest.approx((2.0, 9.0 / 5.5, 11.0 / 4.5))
    assert times.speedup("x", Point(8, 16)) == (1.25, 1.25, 1.25)  # without mpi there


@pytest.mark.parametrize(
    ("tied", "expected"),
    [
        ([["a"], ["b"]], ["a", "b"]),
        ([["a", "b"], ["b"], ["b", "c"]], ["b", "b", "b"]),
        ([["b", "a"], ["a"], ["c", "b"], ["b"], ["b"]], ["b", "a", "b", "b", "b"]),
        ([["a", "b"], ["a", "b"]], ["a", "a"]),  # the one that is nearer to the fastest
    ],
)
def test_a_cover_has_few_regions(tied, expected):
    cases = dict(enumerate(tied))
    assert cover(cases, lambda name, case: cases[case].index(name)) == dict(enumerate(expected))


def names_in(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def drawn(kind, *rows, group=GROUP):
    return plots.draw(group, times_of(*rows), kind).figure


def test_region_map_shows_the_fastest():
    figure = drawn("regions", *REGIONS)
    names, (axes,) = names_in(figure), figure.axes
    grid = axes.images[0].get_array()
    assert [[names[int(cell)] for cell in grid[0]], names[int(grid[1][0])]] == [["x", "mpi"], "x"]
    assert bool(grid.mask[1][1])
    assert [text.get_text() for text in axes.texts] == ["2.00×", "1.25×"]


def test_what_cannot_be_told_apart_is_one_region():
    """At 16 bytes y is a little faster, at 64 x is: both are x's region, because z is at 256."""
    medians = {16: (5.2, 5.0), 64: (5.0, 5.2), 256: (5.0, 9.0)}
    rows = [
        row(name, 4, size, median)
        for size, pair in medians.items()
        for name, median in zip("xy", pair)
    ]
    figure = drawn("regions", *rows)
    assert names_in(figure) == ["x"]
    assert figure.axes[0].images[0].get_array().tolist() == [[0, 0, 0]]


def test_speedup_map_shows_the_best_against_mpi():
    figure = drawn("speedup", *REGIONS)
    assert [text.get_text() for text in figure.axes[0].texts] == ["2.00", "0.50", "1.25"]


def test_what_cannot_be_told_from_one_has_its_colour():
    figure = drawn("speedup", row("mpi", median=10.0), row("x", median=9.5))
    assert figure.axes[0].images[0].get_array().tolist() == [[0.0]]


@pytest.mark.parametrize(
    ("kind", "panels", "expected"),
    [("size", 2, [5.0, 20.0]), ("ranks", 2, [5.0, 8.0]), ("speedup-size", 2, [2.0, 0.5])],
)
def test_lines_are_the_medians(kind, panels, expected):
    figure = drawn(kind, *REGIONS)
    assert len(figure.axes) == panels
    lines = {one.get_label(): one for one in figure.axes[0].get_lines()}
    assert lines["x"].get_ydata().tolist() == expected
    assert set(names_in(figure)) == ({"x"} if kind == "speedup-size" else {"mpi", "x"})


def test_intervals_are_shaded():
    (panel, _) = drawn("size", *REGIONS).axes
    (of_x,) = (
        shaded.get_paths()[0].vertices
        for shaded, line in zip(panel.collections, panel.get_lines())
        if line.get_label() == "x"
    )
    assert set(of_x[:, 1].round(6)) >= {4.5, 5.5, 18.0, 22.0}


MANY = [
    row(f"algorithm_{number}:radix=4", ranks, 1 << power, 10.0 + number + power)
    for number in range(12)
    for ranks in (2, 4, 8, 16, 32, 64, 128)
    for power in range(0, 21)
] + [row("mpi", ranks, 1 << power, 20.0) for ranks in (2, 64) for power in range(0, 21)]

EMPTY = [row("mpi", size=0), row("costs $x$ and $y", size=0, median=5.0)]


@pytest.mark.parametrize("kind", plots.PLOTS)
@pytest.mark.parametrize("rows", [REGIONS, MANY, EMPTY], ids=["few", "many", "empty blocks"])
def test_no_words_overlap(kind, rows):
    require_apart(drawn(kind, *rows, group=Group("alltoallv", "uniform", 1, "Open MPI 4.1.4")))


@pytest.mark.parametrize("kind", plots.PLOTS)
def test_a_plot_names_the_library_and_is_1200_pixels_wide(kind, tmp_path):
    plot = plots.draw(Group("alltoallv", "uniform", 1, "Some MPI 1.2"), times_of(*REGIONS), kind)
    assert "Some MPI 1.2's MPI_Alltoallv" in plot.save(tmp_path / "plot.svg").read_text()
    for image in (plot.save(tmp_path / "plot.png").read_bytes(), plot._repr_png_()):
        assert struct.unpack(">I", image[16:20]) == (1200,)


def test_a_plot_is_the_same_file_each_time(tmp_path):
    files = [tmp_path / "one.svg", tmp_path / "other.svg"]
    for file in files:
        plots.draw(GROUP, times_of(*REGIONS), "size").save(file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_lengths_have_units():
    words = {1: "1 B", 100: "100 B", 1024: "1 KiB", 1536: "1536 B", 3 << 20: "3 MiB"}
    assert {size: style.size_text(size) for size in words} == words


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([4, 8, 12, 16], [4, 8, 16]),
        ([3, 5, 6], [3, 5, 6]),
        ([1 << power for power in range(10)], [1, 4, 16, 64, 256]),
    ],
)
def test_labels_are_few_powers_of_two(values, shown):
    assert style.powers_of_two(values) == shown


def test_colours_differ_and_mpi_is_grey():
    for count in (1, 7, 8, 20):
        names = ["mpi", *(f"x{number}" for number in range(count))]
        fills = style.fills(names, [*names, "x"])
        assert fills["mpi"] == style.GREY and len(set(fills.values())) == count + 1
    assert all(contrast(ink(fill), fill) >= 4.5 for fill in APART)
    looks = [tuple(sorted(look.items())) for look in style.looks(names).values()]
    assert len(set(looks)) == len(names)


def test_a_name_looks_alike_whatever_else_is_drawn():
    known = ["mpi", "spread_out", "node_aware"]
    all_looks = style.looks(["mpi", "auto", "spread_out", "node_aware", "other"], known)
    for drawn in (["mpi", "node_aware"], ["other", "auto"], ["node_aware", "spread_out"]):
        looks = style.looks(drawn, known)
        assert looks == {name: all_looks[name] for name in drawn}
    thick = {name for name, look in all_looks.items() if look["linewidth"] > 2}
    assert thick == {"mpi", "auto"}


def test_what_was_disturbed_wins_nothing():
    calm = times_of(*REGIONS)
    disturbed = times_of(*({**one, "disturbed": "the cores have moved"} for one in REGIONS))
    assert not calm.disturbed()
    assert re.fullmatch(r"(\d+) of \1 points disturbed", disturbed.disturbed())
    for point in disturbed.points():
        there = disturbed.at(point)
        assert set(disturbed.tied(point)) == set(there)
        for name in there:
            speedup = disturbed.speedup(name, point)
            assert speedup.low <= 1 <= speedup.high
    title = plots._title(GROUP, disturbed, "words").splitlines()[-1]
    assert title.endswith("points disturbed")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files(tmp_path, suffix):
    path = plots.write(GROUP, times_of(*REGIONS), "regions", tmp_path, suffix)
    assert path == tmp_path / f"alltoallv-power-0-99-1-node-regions.{suffix}"
    assert path.read_bytes().startswith(SUFFIXES[suffix])
