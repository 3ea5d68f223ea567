"""rondo.Results: rows of rondo-bench in a notebook."""

import json

import numpy as np
import pytest
from document_text import SOURCE
from test_results import REGIONS, row

import rondo

RESULTS = rondo.Results(REGIONS)


def written(path, rows):
    lines = ["a launcher talks", *(json.dumps(one) for one in rows)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_files_are_read(tmp_path):
    one, other = written(tmp_path / "one", REGIONS[:2]), written(tmp_path / "other", REGIONS[2:])
    assert list(rondo.Results.read(one, str(other))) == REGIONS
    assert len(rondo.Results.read(one) + rondo.Results.read(other)) == len(REGIONS)


@pytest.mark.parametrize(
    ("text", "sentence"), [("nothing", "has no rows of rondo-bench"), ("{", "not JSON")]
)
def test_files_that_are_wrong(tmp_path, text, sentence):
    (tmp_path / "file").write_text(text)
    with pytest.raises(ValueError, match=rf"{tmp_path / 'file'}.*{sentence}"):
        rondo.Results.read(tmp_path / "file")
    with pytest.raises(FileNotFoundError):
        rondo.Results.read(tmp_path / "no such file")


def test_rows_are_filtered():
    assert list(RESULTS.where(algorithm="mpi", bytes=16)) == [REGIONS[0]]
    assert list(RESULTS.where(bytes=[64, 100])) == REGIONS[2:4]
    assert list(RESULTS.where(ranks=lambda ranks: ranks > 4)) == REGIONS[4:]
    assert list(RESULTS.where(algorithm="m")) == []
    with pytest.raises(KeyError, match="no row has 'rank'; they have collective, "):
        RESULTS.where(rank=4)


def test_values_and_fields():
    assert RESULTS.values("median_us").tolist() == [10.0, 5.0, 10.0, 20.0, 8.0]
    assert (RESULTS.distinct("ranks"), RESULTS.distinct("algorithm")) == ([4, 8], ["mpi", "x"])


def test_a_pivot_has_medians_and_gaps():
    more = RESULTS + rondo.Results([row("x", 4, 16, 7.0)])
    table = more.pivot("ranks", "bytes", "median_us")
    assert (table.row_labels, table.column_labels) == ([4, 8], [16, 64])
    np.testing.assert_array_equal(table.values, [[7.0, 15.0], [8.0, np.nan]])
    assert table.rows() == [{"ranks": 4, 16: 7.0, 64: 15.0}, {"ranks": 8, 16: 8.0}]
    with pytest.raises(KeyError, match="no row has 'median'"):
        RESULTS.pivot(values="median")


def test_a_notebook_shows_a_table():
    shown = rondo.Results([row("a<b>")] * 50)._repr_html_()
    assert shown.count("<tr>") == 41 and shown.endswith("<p>and 10 more rows</p>")
    assert "<th>algorithm</th>" in shown and "a&lt;b&gt;" in shown and "<b>" not in shown
    assert rondo.Results([])._repr_html_().startswith("<table>")


def test_repr():
    sizes = rondo.Results(row("mpi", size=1 << power) for power in range(9))
    assert repr(sizes).startswith("Results(9 rows; collective=alltoallv; ")
    assert "; bytes=1, 2, 4, 8, ..., 256; algorithm=mpi)" in repr(sizes)
    assert repr(rondo.Results([])) == "Results(0 rows)"


def test_plots(tmp_path):
    pytest.importorskip("matplotlib")
    plot = RESULTS.plot()
    assert plot._repr_png_().startswith(b"\x89PNG") and repr(plot).startswith("Plot(8.0 x ")
    assert "MPI_Alltoallv" in plot.save(tmp_path / "speedup.svg").read_text()
    assert len(RESULTS.where(ranks=4).plot("size").figure.axes) == 1
    with pytest.raises(ValueError, match="no plot 'sizes'; choose from size, "):
        RESULTS.plot("sizes")
    two = RESULTS + rondo.Results([row(nodes=2)])
    with pytest.raises(ValueError, match="here are 2: alltoallv, power:0.99, 1 node, the MPI"):
        two.plot()
    with pytest.raises(ValueError, match="here are 0: none"):
        rondo.Results([]).plot()


def test_the_document_shows_it():
    text = (SOURCE / "python/README.md").read_text(encoding="utf-8")
    for word in ("rondo.Results.read", ".where(", ".pivot(", ".plot("):
        assert word in text
