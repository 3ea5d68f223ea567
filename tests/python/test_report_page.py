"""The page of `rondo report`, from recorded measurements: its text, and in a browser."""

import dataclasses
import re
from html.parser import HTMLParser

import pytest
import report_support as support
from browser import PHONE

from rondo.report.page import page
from rondo.report.words import time_text

LEAST_CONTRAST = 4.5  # WCAG 2.2, of text
VOID = {"meta", "br", "link", "img", "input"}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return support.recorded_findings(tmp_path_factory.mktemp("recorded"))


@pytest.fixture(scope="module")
def text(found):
    return page(found)


@pytest.fixture(scope="module")
def url(text, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


class Structure(HTMLParser):
    """The elements, each closed where it was opened."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.words = [], [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def structure(text):
    parsed = Structure()
    parsed.feed(text)
    parsed.close()
    assert parsed.open == []
    return parsed


def test_nothing_is_fetched(text, structure):
    assert not re.search(r"https?:|//[a-z]|url\(|@import|<script|<link", text)
    for tag, attributes in structure.seen:
        assert not {"src", "href", "srcset", "data", "action"} & attributes.keys(), tag


def test_everything_that_was_measured_is_there(found, structure):
    words = " ".join("".join(structure.words).split())
    titles = {attributes.get("title") for _, attributes in structure.seen}
    for verdict in found.all:
        assert f"{verdict.case.collective}, P = {verdict.case.ranks}" in words
        for name, row in verdict.rows.items():
            assert {"mpi": "the MPI library"}.get(name, name) in words
            assert time_text(row["median_us"]) in words
            assert f"95 %: {time_text(row['low_us'])} to {time_text(row['high_us'])}" in titles
    for told in ("node<1>", "A & B", "Tuning, 4 ranks: the budget was over"):
        assert told in words


def test_the_summary_counts_what_the_tables_show(found, structure):
    words = " ".join("".join(structure.words).split())
    faster, slower = (words.count(word) for word in ("▲ faster", "▼ slower"))
    cases = len(found.all)
    alike = cases - faster - slower
    assert (
        f"own call in {faster} of {cases} cases, slower in {slower}; in {alike} there is no"
        in words
    )


def test_where_all_was_disturbed_nobody_blames_the_samples(found):
    noisy = {
        race: [
            dataclasses.replace(
                one, rows={name: {**row, "disturbed": "x"} for name, row in one.rows.items()}
            )
            for one in verdicts
        ]
        for race, verdicts in found.verdicts.items()
    }
    words = page(dataclasses.replace(found, verdicts=noisy))
    assert "All measurements were disturbed, so nothing tells what" in words
    assert "too few samples to tell" not in words


def test_bands_are_those_of_the_profile(structure):
    words = " ".join("".join(structure.words).split())
    assert "two_phase_bruck" in words and "up to 100" in words and "above 100" in words
    assert "[b]the library's own[/i]" in words  # the reason, as it stands in the profile


def test_predictions_are_beside_measurements(found, structure):
    assert [one.method for one in found.comparisons] == ["model", "simulation"]
    pairs = sum(1 for one in found.all for name in one.rows if name not in ("mpi", "auto"))
    points = [one for tag, one in structure.seen if one.get("class") == "point"]
    assert len(points) == 2 * pairs
    for one in found.comparisons:
        assert len(one.pairs) == pairs and one.left_out == 0
        right, told = one.ordered
        assert 0 <= right <= told and told > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
def test_it_fits_and_can_be_read(tab, url, scheme, size):
    tab.open(url, prefers_color_scheme=scheme, **size)
    root = "document.documentElement"
    assert tab.value(f"{root}.scrollWidth - {root}.clientWidth") <= 0
    narrow = (
        "[...document.querySelectorAll('.map td')].filter((one) =>"
        " one.scrollWidth > one.clientWidth).length"
    )
    assert tab.value(narrow) == 0
    assert tab.value(_CONTRASTS) == []
    assert tab.failures() == []


# Text of which the contrast with what is behind it is too little, over all elements with text.
_CONTRASTS = """(() => {
  const shade = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (one) => {
    for (; one; one = one.parentElement) {
      const found = shade(getComputedStyle(one).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const weak = [];
  for (const one of document.querySelectorAll("body :not(title)")) {
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const style = getComputedStyle(one);
    const ink = one instanceof SVGElement ? style.fill : style.color;
    const both = [light(shade(ink)), light(behind(one))].sort((a, b) => b - a);
    if ((both[0] + 0.05) / (both[1] + 0.05) < LEAST) weak.push(one.textContent);
  }
  return weak;
})()""".replace("LEAST", str(LEAST_CONTRAST))


def test_the_map_can_be_read_without_colour(tab, url, found):
    tab.open(url)
    letters = "[...document.querySelectorAll('.map td b')].map((one) => one.textContent)"
    assert len(tab.value(letters)) == len(found.taken)
    legend = (
        "[...document.querySelectorAll('#regions .legend li')].map((one) =>"
        " [one.querySelector('.badge').textContent, one.querySelector('span b').textContent])"
    )
    names = {found.marks[name].letter: name for name in found.taken.values()}
    shown = dict(tab.value(legend))
    assert shown == {letter: names[letter].replace("mpi", "the MPI library") for letter in names}
    assert set(tab.value(letters)) == set(shown)


def test_assistive_technology_is_told(tab, url):
    tab.open(url)
    names = tab.names()
    assert ("heading", "Rondo report") in names and ("heading", "Who is the fastest where") in names
    assert ("image", "alltoallv, P = 8: time against S") in names
    assert all(name for role, name in names if role in ("image", "region"))


def test_it_is_printed_as_it_is_shown(tab, url):
    tab.open(url)
    tab.send("Emulation.setEmulatedMedia", media="print", features=[])
    hidden = "[...document.querySelectorAll('section')].filter((one) => !one.offsetHeight).length"
    assert tab.value(hidden) == 0
    colour = "getComputedStyle(document.querySelector('.map td')).printColorAdjust"
    assert tab.value(colour) == "exact"
    printed = tab.send("Page.printToPDF", printBackground=True)["data"]
    assert len(printed) > 10_000
