"""What the documents claim is so: links, figures, messages, and what `auto` considers."""

import html
import re
import sys

import pytest
from document_text import DOCUMENTS, SOURCE

import rondo
from rondo import registry

sys.path[:0] = [str(SOURCE / "tools"), str(SOURCE / "tools/website")]

import measured  # noqa: E402
import messages as said  # noqa: E402
import outside  # noqa: E402
import slower  # noqa: E402
import speedups  # noqa: E402

README = (SOURCE / "README.md").read_text(encoding="utf-8")
FIRST_PAGE = (SOURCE / "docs/results.md").read_text(encoding="utf-8")
# The table at the beginning of a page of results, which repeats figures of the page.
SUMMARY = re.compile(r"^\| (?:question \| answer|exchange \| gain) \|\n(?:\|.*\n)+", re.M)
# What was measured: the simulations have so many figures that any claim would be among them.
RESULTS = "".join(
    SUMMARY.sub("", page.read_text(encoding="utf-8"))
    for page in sorted((SOURCE / "docs/results").glob("*.md"))
    if page.stem != "simulation"
)
MOST_LINES_OF_README = 130
LEAST_FRAGMENT = 6  # characters of a message that are looked for


def words_of(path):
    """A source's text, its string literals joined where the compiler joins them."""
    text = path.read_text(encoding="utf-8", errors="replace").replace("`", "")
    return re.sub(r'"\s*\+?\s*f?"', "", text)


def anchors_of(document):
    """The anchors of its headings, where GitHub and Python-Markdown agree on them."""
    headings = re.findall(r"^#+ (.*)", document.read_text(encoding="utf-8"), re.M)
    plain = [re.sub(r"[^\w\s-]", "", one).strip().lower() for one in headings]
    return {one.replace(" ", "-") for one in plain if not re.search(r"\s\s|\s-|--", one)}


def test_the_readme_is_one_screen():
    assert len(README.splitlines()) <= MOST_LINES_OF_README


def test_the_two_commands_are_where_scripts_look_for_them():
    assert "## Two commands\n\n    make demo\n    make test\n" in README


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda one: str(one.relative_to(SOURCE)))
def test_links_lead_somewhere(document):
    for link in outside.links(document.read_text(encoding="utf-8")):
        target = (document.parent / link["target"]).resolve()
        assert target.is_file(), f"there is no {link['target']}"
        if link["anchor"]:
            assert link["anchor"][1:] in anchors_of(target), link[0]


def test_figures_of_the_readme_are_those_of_the_results():
    claims = re.findall(r"\*\*([\d.]+) times\*\*", README)
    assert len(claims) == 3
    for claim in [*claims, *re.findall(r"and ([\d.]+) times on", README)]:
        assert re.search(rf"(?<![\d.]){re.escape(claim)}0*(?!\d)", RESULTS), claim


@pytest.mark.parametrize("page", ["comparison", "results"])
def test_figures_of_a_summary_are_those_of_the_results(page):
    text = (SOURCE / f"docs/{page}.md").read_text(encoding="utf-8")
    for claim in re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", text):
        assert re.search(rf"(?<![\d.]){re.escape(claim)}(?!\d)", RESULTS), claim


def groups(comment, cell):
    """What the tool that finds slower cells reads of a page with one cell."""
    text = f"## A question\n\n{comment}\n\n| ranks | 64 B |\n| --- | --- |\n| 2 | {cell} |\n"
    return slower.groups_of(text, "results/page", must_say=True)


@pytest.mark.parametrize(
    ("kind", "cell", "is_slower"),
    [
        ("speedup of calls", "0.95", True),
        ("speedup of calls", "1.00", False),
        ("speedup of calls", "**0.97**", True),
        ("speedup of calls", "0.90 (mpi)", True),
        ("speedup of calls", "0.95 (0.91-1.00)", True),
        ("speedup of calls", "0.96 (0.94-1.04)", False),
        ("speedup of calls", "0.81, 0.82", True),
        ("speedup of calls", "0.97, 1.02", False),
        ("speedup of calls", "1.63 (0.82-2.77)", False),
        ("speedup of calls; brackets: cases", "1.63 (0.82-2.77)", True),
        ("time of calls", "1.23 (1.11 to 1.28)", True),
        ("time of calls", "1.15 (0.90-1.37)", False),
        ("time of calls", "0.95", False),
        ("delay of calls", "0.02", True),
        ("delay of calls", "-1.51", False),
        ("loss of `auto`", "4.6 %, node_aware", True),
        ("loss of `auto`", "18.7 %", False),
    ],
)
def test_a_cell_counts_where_rondo_is_slower_beyond_doubt(kind, cell, is_slower):
    (group,) = groups(f"<!-- ratio: {kind} -->", cell)
    assert len(group.slower) == is_slower and group.total == 1


def test_columns_of_times_are_compared_with_each_other():
    text = "## Q\n<!-- ratio: times of calls -->\n| S | Rondo: call | MPI: call |\n| --- |\n"
    (group,) = slower.groups_of(f"{text}| 64 | 0.5 | 0.39-0.41 |\n| 1k | 0.6 | 0.7 |\n", "p", True)
    assert [cell.case for cell in group.slower] == ["S 64, call"] and group.total == 2


@pytest.mark.parametrize(
    ("comment", "cell", "sentence"),
    [
        ("", "1.2", "'A question': a table without"),
        ("<!-- ratio: pace of calls -->", "1.2", "is not understood"),
        ("<!-- ratio: speedup of calls; columns: 1 KiB -->", "1.2", "speaks of no cell"),
        ("<!-- ratio: speedup of calls -->", "fast", "'fast' begins with no number"),
        ("<!-- ratio: loss of calls -->", "1.2", "'1.2' is no loss"),
    ],
)
def test_a_table_of_results_says_what_it_compares(comment, cell, sentence):
    with pytest.raises(slower.Wrong, match=re.escape(sentence)):
        groups(comment, cell)
    assert groups("<!-- no ratio: lengths -->", cell) == []


def test_causes_and_slower_cells_match():
    found = groups("<!-- ratio: speedup of calls -->", "0.9")
    head = f"{slower.HEADING}\n- **Calls.** Why\n  ([results](results/"
    slower.check_bullets(f"{head}page.md#a-question)).\n", found)
    for bullets, sentence in [
        ("other.md#x)).\n", "no bullet of"),
        ("page.md#a-question)).\n- B\n", "- B"),
    ]:
        with pytest.raises(slower.Wrong, match=sentence):
            slower.check_bullets(head + bullets, found)


def test_the_plot_shows_the_results():
    drawn = re.findall(r">([\d.]+)×</text>", speedups.FIGURE.read_text(encoding="utf-8"))
    rows = speedups.bars(measured.pages())
    assert len(rows) >= 6
    for row in rows:
        assert row.figure.value in drawn, "the plot is out of date: run `make figures`"
    words = re.findall(r"<text[^>]*>([^<]*)</text>", speedups.FIGURE.read_text(encoding="utf-8"))
    assert speedups.machine(FIRST_PAGE) in html.unescape(" ".join(words))
    assert speedups.TITLE in map(html.unescape, words)


def messages():
    return [
        [one.strip() for one in re.split("[…()]", row) if len(one.strip()) >= LEAST_FRAGMENT]
        for row in said.rows()
    ]


def test_every_message_is_one_of_the_sources():
    places = [SOURCE / name for name in "src python bench apps support".split()]
    files = [
        path
        for place in places
        for path in place.rglob("*")
        if path.suffix in (".cpp", ".hpp", ".cu", ".py")
    ]
    texts = [words_of(path) for path in files]
    assert len(messages()) >= 200
    assert all(messages())
    gone = [
        " … ".join(fragments)
        for fragments in messages()
        if not any(all(one in text for one in fragments) for text in texts)
    ]
    assert not gone, f"no source says: {gone}"


@pytest.mark.parametrize("room", said.LIBRARY)
def test_every_message_of_the_library_and_the_drop_in_is_explained(room):
    assert list(said.messages(room)), f"{room} says nothing"
    unexplained = [f"{path}: {part}" for path, part in said.missing(room)]
    assert not unexplained, "docs/errors.md lacks " + "; ".join(unexplained)


def test_a_message_that_is_not_explained_is_found():
    source = 'throw Error(text("the moon is ", phase, " and must be "\n "full"));'
    assert list(said.of_cpp(source)) == ["the moon is", "and must be full"]
    assert all(map(said.is_sentence, said.of_cpp(source)))


def found_in(name, pattern):
    """What stands in the brackets of a pattern, where it is first found in a file of the tree."""
    return re.search(pattern, (SOURCE / name).read_text(encoding="utf-8"), re.M)[1]


def test_there_is_one_version():
    """Everything else reads rondo.h; these files cannot."""
    define = r"^#define RONDO_VERSION_"
    version = ".".join(
        found_in("include/rondo/rondo.h", rf"{define}{part} (\d+)$")
        for part in ("MAJOR", "MINOR", "PATCH")
    )
    assert rondo.__version__ == version
    assert found_in("CITATION.cff", r"^version: (.*)$") == version
    assert found_in("packaging/conda/recipe.yaml", r'^  version: "(.*)"$') == version
    assert found_in("packaging/spack/package.py", r'^    version\("(.*)"\)$') == version
    assert found_in("packaging/spack/package.py", r"rondo@([\d.]+)") == version
    assert found_in("CHANGELOG.md", r"^## \[([\d.]+)\] - \d{4}-\d\d-\d\d$") == version
    released = found_in("CHANGELOG.md", rf"^## \[{re.escape(version)}\] - (.*)$")
    assert found_in("CITATION.cff", r'^date-released: "(.*)"$') == released


def test_what_auto_considers_is_what_the_registry_says():
    text = (SOURCE / "docs/tuning.md").read_text(encoding="utf-8")
    for collective, first in (("alltoall", "MPI_Alltoall"), ("alltoallv", "MPI_Alltoallv")):
        (names,) = re.findall(rf"^\| `{first}`(?:, `\w+`)? \| (.*) \|$", text, re.M)
        considered = {
            row.name
            for row in registry.algorithms()
            if row.collective == collective and row.chooser == "automatic"
        }
        assert set(re.findall(r"`(\w+)`", names)) == considered
