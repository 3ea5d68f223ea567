"""The pages that are made for the site: of every algorithm, the references, and their links."""

import contextlib
import re
import sys
from pathlib import Path

import pytest
import typer
from calling import run
from document_text import SOURCE, commands
from test_documents import check

from rondo import programs, registry
from rondo.commands import app

sys.path.insert(0, str(SOURCE / "tools/website"))

import algorithms  # noqa: E402
import cpp  # noqa: E402
import fortran  # noqa: E402
import header  # noqa: E402
import links  # noqa: E402
import measured  # noqa: E402
import outside  # noqa: E402
import pictures  # noqa: E402
import references as references_of_the_site  # noqa: E402

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


# What the tools say of a function, which is no text of its own.
MADE = re.compile(r"`(\w+_c)` is the same with .*|C's `\w+` says what .*|C's \[`\w+`\].*")


def entry_of(page, name):
    """What a page says of something in words of its own, and the rest but its declaration."""
    found = re.search(rf"^##+ {re.escape(name)}\n(.*?)(?=^#+ |\Z)", page, re.M | re.S)
    assert found, f"the reference lacks {name}"
    text = re.sub(r"^```.*?^```$", "", found[1], flags=re.M | re.S)
    rest = re.compile(rf"^(?:\|.*|{MADE.pattern})$", re.M)
    return " ".join(rest.sub("", text).split()), "\n".join(one[0] for one in rest.finditer(text))


@pytest.fixture(scope="module")
def reference():
    return references_of_the_site.pages()


@pytest.mark.parametrize(
    "name, least, pages",
    [
        ("rondo.h", 68, "reference/c"),
        ("rondo_nccl.h", 8, "reference/nccl"),
        ("transport.h", 8, "reference/transport"),
    ],
)
def test_the_reference_describes_every_function_and_parameter(reference, name, least, pages):
    text = (SOURCE / "include/rondo" / name).read_text(encoding="utf-8")
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    functions = re.findall(r"^RONDO_API [^;(]*?(\w+)\(([^)]*)\);", code, re.M)
    assert len(functions) >= least
    page = "\n".join(text for path, text in reference.items() if path.startswith(pages))
    texts = {}
    for function, declared in functions:
        base = function.removesuffix("_c")
        said, rest = entry_of(page, base)
        assert base == function or f"`{function}` is the same with" in rest
        assert re.match(r"[\w`\[].*\.$", said), f"nothing describes {function}"
        texts[base] = said
        for parameter in re.findall(r"(\w+)(?:\[\])?(?:,|$)", declared.replace("void", "")):
            assert re.search(rf"^\| `{parameter}` \| [\w`]", rest, re.M), f"{function}: {parameter}"
    assert len(set(texts.values())) == len(texts), "two functions have the same text"


def test_the_reference_describes_all_of_cpp(reference):
    page = reference["reference/cpp.md"]
    folder = SOURCE / "include/rondo"
    listed = {f"cpp/{path.name}" for path in folder.glob("cpp/*.hpp")} - {"cpp/arguments.hpp"}
    assert listed | {path.name for path in folder.glob("*.hpp")} == set(cpp.HEADERS)
    for path, title in cpp.HEADERS.items():
        for section in cpp.sections((folder / path).read_text(encoding="utf-8"), title):
            for one in section.declarations:
                assert one.comment, f"{path}: nothing describes {one.code}"
                assert f"```cpp\n{one.code}\n```\n\n" in page
    programs_in_cpp = [*SOURCE.glob("tests/mpi_cpp/*.cpp"), *SOURCE.glob("examples/*.cpp")]
    used = {
        name
        for program in programs_in_cpp
        for name in re.findall(r"\brondo::(?!detail)(\w+)", program.read_text(encoding="utf-8"))
    }
    assert len(used) >= 20
    for name in used:
        assert entry_of(page, name)[0], f"nothing describes rondo::{name}"


def test_the_reference_describes_all_of_fortran(reference):
    module = "\n".join(fortran.lines())
    lists = re.findall(r"^ *public :: ((?:.*&\n)*.*)$", module, re.M)
    names = re.findall(r"operator\(\S+\)|\w+", ",".join(lists))
    assert len(names) >= 43
    for name in names:
        said, _ = entry_of(reference["reference/fortran.md"], name)
        assert re.match(r"\w.*\.$", said), f"nothing describes {name}"


def all_commands(name, command):
    if hasattr(command, "commands"):
        for word, inner in command.commands.items():
            yield from all_commands(f"{name} {word}", inner)
    else:
        yield name, command


def test_the_reference_describes_every_command_of_rondo_and_its_options(reference):
    page = reference["reference/rondo.md"]
    for name, command in all_commands("rondo", typer.main.get_command(app)):
        said, _ = entry_of(page, name)
        assert re.match(r"[A-Z]", said), f"nothing describes {name}"
        options = {max(one.opts, key=len) for one in command.params} - {"--help"}
        for option in filter(lambda one: one.startswith("--"), options):
            assert re.search(rf"`{option}\b[^`]*` : \S", said), f"{name}: {option}"


def test_the_reference_describes_every_program_and_its_options(reference):
    page = reference["reference/programs.md"]
    built = (SOURCE / "cmake/RondoPages.cmake").read_text(encoding="utf-8")
    for name in set(re.findall(r"\brondo-[a-z-]+", built)):
        text = (SOURCE / f"packaging/help/{name}.txt").read_text(encoding="utf-8")
        said, _ = entry_of(page, name)
        options = re.findall(r"(?<=^  )(?:-\w, |    )(--[\w-]+)", text, re.M)
        assert len(options) >= 5
        for option in options:
            assert re.search(rf"`{option}\b[^`]*` : \S", said), f"{name}: {option}"
        with contextlib.suppress(programs.ProgramNotFound):
            told = run(str(programs.find(name)), "--help").stdout
            assert told == text, f"packaging/help/{name}.txt is out of date: run `make manual`"


def test_a_comment_describes_what_follows_it():
    text = "/* All of it. */\n/* ---- Part. Text. */\n/* Does f. */\nRONDO_API int f(int a);\n"
    text += "RONDO_API int g(void);\n/* A type. */\ntypedef int T;\nRONDO_API int h(T);\n"
    found = header.Header(text)
    assert [(one.name, one.comment) for one in found.groups[1].entries] == [
        ("f", "Does f."),
        ("g", ""),
        ("T", "A type."),
        ("h", ""),
    ]
    ((_, page),) = header.group_pages(found, "reference/x")
    assert "# Part\n\nText." in page
    assert "## f\n\n```c\nint f(int a);\n```\n\nDoes f." in page


def test_parameters_are_described_once():
    text = """/* All. */
/* ---- Calls. Text.
 *
 * Parameters:
 *   a, b  numbers
 *   c     the rest,
 *         and more */
/* Does f.
 *
 * Parameters:
 *   b  another number */
RONDO_API int Rondo_F(int a, const int b[], int* c);
RONDO_API int Rondo_F_c(MPI_Count a, const int b[], int* c);
/* ---- Starts. Text. */
/* -- Some.
 *
 * Parameters:
 *   request  a request */
RONDO_API int Rondo_If(int a, int* request);
"""
    found = header.Header(text)
    f, start = (found.groups[1].entries[0], found.groups[2].parts[0].entries[0])
    assert found.meanings(f, *found.around(f)) == [
        ("a", "numbers"),
        ("b", "another number"),
        ("c", "the rest,\n        and more"),
    ]
    assert found.meanings(start, *found.around(start)) == [
        ("a", "numbers"),
        ("request", "a request"),
    ]
    page = dict(header.group_pages(found, "reference/x"))["reference/x/calls.md"]
    assert "`Rondo_F_c` is the same with `MPI_Count a`." in page
    assert "| `c` | the rest, and more |" in page and "Parameters" not in page


def test_the_reference_begins_with_a_call_and_an_example(reference):
    page = reference["reference/c.md"]
    assert page.startswith("# C reference\n\n```c\nRondo_Alltoallv(send, counts, ")
    assert page.index("int main(") < page.index("| [`Rondo_Alltoall`](c/exchanges.md#")
    titles = re.findall(r"^## (.*)$", page, re.M)
    assert titles[-4:] == ["Errors on other ranks", "State", "Device buffers", "Lengths"]
    shown = "".join(text for path, text in reference.items() if path.startswith("reference/c"))
    assert not re.search(r"\bsrc/", shown), "the reference names a source file"


def test_functions_of_c_are_linked():
    described = {"Rondo_F": "reference/c/calls.md#rondo_f"}
    text = "`Rondo_F` [`Rondo_F`](x) `Rondo_G`\n```c\n`Rondo_F`\n```\n"
    document = header.linked("see docs/faq.md", "reference/c.md", described)
    assert document == "see [docs/faq.md](../faq.md)"
    link = "[`Rondo_F`](c/calls.md#rondo_f)"
    assert header.linked(text, "reference/cpp.md", described) == text.replace("`Rondo_F`", link, 1)
    assert header.linked(text, "reference/c/calls.md", described) == text


def test_links_out_of_the_documents_are_led_to_copies():
    text = "[a](../LICENSE) [b](words.md#nodes) [c](https://a.b) [d](../README.md)"
    assert outside.for_the_site(text, "library.md") == (
        "[a](source/LICENSE) [b](words.md#nodes) [c](https://a.b) [d](index.md)"
    )
    assert outside.copies(text, "library.md") == {"LICENSE"}
    assert outside.for_the_site("[r](../docs/results.md)", "python.md") == "[r](results.md)"


def test_links_to_headers_lead_to_the_reference(reference):
    assert set(outside.REFERENCES.values()) <= set(reference)
    assert all((SOURCE / path).exists() for path in outside.REFERENCES)
    text = "[a](../include/rondo/rondo.h)"
    assert outside.for_the_site(text, "library.md") == "[a](reference/c.md)"
    assert outside.copies(text, "library.md") == set()


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
