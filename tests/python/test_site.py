"""The pages that are made for the site: of every algorithm, of the headers, and their links."""

import contextlib
import re
import sys
from pathlib import Path

import pytest
from document_text import SOURCE, commands
from test_documents import check

from rondo import registry

sys.path.insert(0, str(SOURCE / "tools/website"))

import algorithms  # noqa: E402
import header  # noqa: E402
import links  # noqa: E402
import measured  # noqa: E402
import outside  # noqa: E402
import pictures  # noqa: E402

RESULTS = "".join(one.text for one in measured.pages())


@pytest.fixture(scope="module")
def references():
    import yaml

    return yaml.safe_load((SOURCE / "CITATION.cff").read_text(encoding="utf-8"))["references"]


@pytest.fixture(scope="module")
def pages(references):
    return {page.path: page.content for page in algorithms.pages(references, measured.pages())}


def test_every_algorithm_has_a_page(pages):
    for row in [*registry.algorithms(), *registry.gpu_algorithms()]:
        page = pages[f"algorithms/{row.name}.md"]
        assert row.idea[1:] in page and row.cost in page and row.source in page
        for parameter in row.parameters:
            assert f"`{parameter.name}`" in page
        is_drawn = f"algorithms/{row.name}.svg" in pages
        assert is_drawn == (row.name != "mpi" and row.collective != "gpu")
        assert (f"({row.name}.svg)" in page) == is_drawn


def test_commands_of_the_pages_exist(pages, tmp_path):
    document = tmp_path / "page.md"
    for path, text in pages.items():
        if path.endswith(".md"):
            document.write_text(text, encoding="utf-8")
            asked = list(commands(document))
            assert asked
            for words in asked:
                with contextlib.suppress(pytest.skip.Exception):  # of programs that are not built
                    check(words)


def test_every_published_algorithm_has_a_doi(pages):
    # Of the paper, CITATION.cff says why.
    without = ("Rondo", "the MPI library", "NCCL", "TRA paper")
    for row in [*registry.algorithms(), *registry.gpu_algorithms()]:
        if not row.source.startswith(without):
            assert "https://doi.org/10." in pages[f"algorithms/{row.name}.md"], row.name


def test_pages_count_rounds_as_the_schedule_has_them(pages):
    assert (
        "| 64 | 1 | K = 6 messages that a rank sends; D = 192 blocks"
        in pages["algorithms/two_phase_bruck.md"]
    )


def test_pages_say_what_was_measured_and_what_not(pages):
    bruck = pages["algorithms/two_phase_bruck.md"]
    row = next(line for line in RESULTS.splitlines() if line.startswith("| two_phase_bruck | "))
    assert row in bruck
    simulated = next(line for line in RESULTS.splitlines() if "| two_phase_bruck / mpi |" in line)
    assert simulated not in bruck and "Simulated, not measured" in bruck
    assert "Not measured" in pages["algorithms/pairwise.md"]


def test_rows_of_the_results_are_found_by_name():
    text = "# T\n\n## One\n\n`a` on one node:\n\n| n | x |\n| --- | --- |\n| 2 | 3 |\n\n"
    text += "## Simulated\n\n| algorithm | x |\n| --- | --- |\n| b:radix=4 | 1 |\n| bc | 2 |\n"
    one, simulated = measured.sections(text, "page")
    assert [table.rows for table in measured.findings([one], "a")[0].tables] == [[["2", "3"]]]
    assert measured.findings([one], "b") == []
    assert measured.findings([simulated], "b")[0].tables[0].rows == [["b:radix=4", "1"]]
    assert simulated.is_simulated and not one.is_simulated


def test_the_cells_of_the_search_are_counted():
    table = "\n| lengths | S |\n| --- | --- |\n| normal | 2 %, a |\n| uniform | 3 % |\n"
    title = "## How much slower is `auto` than the best algorithm, with a profile?"
    text = f"{title}\n{table}\n## Another share\n{table}"
    assert measured.cells_won(measured.sections(text, "learning"), "a") == (1, 2)


@pytest.mark.parametrize("name", ["rondo.h", "rondo_nccl.h"])
def test_the_reference_has_every_function(name):
    text = (SOURCE / "include/rondo" / name).read_text(encoding="utf-8")
    page = header.reference(text, "Reference")
    functions = re.findall(r"^RONDO_API [^;(]*?(\w+)\(", text, re.M)
    assert len(functions) >= 8
    for function in functions:
        found = re.search(rf"^### {function}\n\n```c\n.*?\n```\n\n(.*)", page, re.M | re.S)
        assert found and re.match(r"[\w`]", found[1]), f"nothing describes {function}"


def test_the_reference_describes_what_the_comment_before_it_says():
    text = "/* All of it. */\n/* ---- Part. Text. */\n/* Does f. */\nRONDO_API int f(int a);\n"
    page = header.reference(text + "RONDO_API int g(void);\n", "T")
    assert "## Part\n\nText." in page
    assert "### f\n\n```c\nint f(int a);\n```\n\nDoes f." in page
    assert "### g\n\n```c\nint g(void);\n```\n\nDoes f." in page


def test_the_comment_of_a_type_describes_no_function():
    text = "/* All. */\n/* ---- Part. f and more.\n *\n * Ro_f does f. */\n/* A type. */\n"
    page = header.reference(
        text + "typedef int T;\nRONDO_API int Ro_f(T);\nRONDO_API int g(T);\n", "T"
    )
    assert "int Ro_f(T);\n```\n\n`Ro_f` does f." in page
    assert "int g(T);\n```\n\nSee [Part](#part)." in page


def test_the_reference_begins_with_a_call_and_an_example():
    text = (SOURCE / "include/rondo/rondo.h").read_text(encoding="utf-8")
    example = (SOURCE / "examples/example.c").read_text(encoding="utf-8")
    page = header.reference(text, "Reference", example)
    assert page.startswith("# Reference\n\n```c\nRondo_Alltoallv(send, counts, ")
    assert page.index("int main(") < page.index("### Rondo_Alltoall\n")
    sections = re.findall(r"^## (.*)$", page, re.M)
    assert sections[-4:] == ["Errors on other ranks", "State", "Device buffers", "Lengths"]
    assert not re.search(r"\bsrc/|\w\.[ch]pp\b", page), "the reference names a source file"


def test_links_out_of_the_documents_are_led_to_copies():
    text = "[a](../include/rondo/rondo.h) [b](words.md#nodes) [c](https://a.b) [d](../README.md)"
    assert outside.for_the_site(text, "library.md") == (
        "[a](source/include/rondo/rondo.h) [b](words.md#nodes) [c](https://a.b) [d](index.md)"
    )
    assert outside.copies(text, "library.md") == {"include/rondo/rondo.h"}
    assert outside.for_the_site("[r](../docs/results.md)", "python.md") == "[r](results.md)"


def test_broken_links_of_a_site_are_found(tmp_path: Path):
    (tmp_path / "page").mkdir()
    (tmp_path / "index.html").write_text('<a href="page/#here">x</a><a href="page/#gone">y</a>')
    (tmp_path / "page/index.html").write_text(
        '<h2 id="here">h</h2><img src="no.svg"><a href="..">z</a>'
    )
    assert sorted(links.faults(tmp_path)) == [
        "index.html: page/#gone: there is no such place in that page",
        "page/index.html: no.svg: there is no such file",
    ]


def test_a_screenshot_has_an_image_for_each_size_and_scheme():
    text = (SOURCE / "docs/tuning.md").read_text(encoding="utf-8")
    page = pictures.for_the_site(text, "tuning.md")
    assert "<picture>" in text and "<picture>" not in page
    for name in ("report", "region_map"):
        shown = re.findall(rf"\]\(figures/{name}(\w*)\.png#only-(\w+)\){{ \.on-(\w+) ", page)
        assert sorted(shown) == [
            ("", "light", "desktop"),
            ("_dark", "dark", "desktop"),
            ("_phone", "light", "phone"),
            ("_phone_dark", "dark", "phone"),
        ]


def test_images_wider_than_a_phone_are_marked():
    wide, narrow = "![a](figures/node_aware.svg)", "![b](figures/speedups.svg)"
    page = pictures.for_the_site(f"{wide}\n{narrow}", "algorithms.md")
    assert page == f"{wide}{{ .wide }}\n{narrow}"
    assert pictures.for_the_site("![c](../figures/node_aware.svg)", "results/x.md").endswith("}")
    assert pictures.width('<svg xmlns="x" width="90pt" height="1">') == 120


def test_tables_lead_to_the_pages_of_algorithms():
    table = "| alltoall | `mpi` |  |\n| `mpi` | `mpi_` | x |\n| other `mpi` |"
    link = "[`mpi`](algorithms/mpi.md)"
    assert algorithms.with_links(table, ["mpi", "direct"]) == (
        f"| alltoall | {link} |  |\n| {link} | `mpi_` | x |\n| other `mpi` |"
    )
