"""The page of `rondo show --format html`, in a browser without a window."""

import time

import pytest
from browser import PHONE

from rondo.show import picture_of, subject_of
from rondo.show.page import page

LEAST_TOUCH = 44  # CSS pixels, WCAG 2.2, target size (enhanced)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The URLs of a flat picture and of one between nodes."""
    folder = tmp_path_factory.mktemp("pages")
    subjects = {"flat": ("two_phase_bruck", 8, 1), "nodes": ("node_aware", 8, 2)}
    for name, subject in subjects.items():
        text = page(picture_of(subject_of(*subject)))
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in subjects}


@pytest.fixture
def flat(tab, pages):
    tab.open(pages["flat"])
    yield tab
    assert tab.failures() == []


def title(tab):
    return tab.value("document.querySelector('#step').textContent")


def columns(tab):
    """The blocks of each column of the first table, from the top."""
    return tab.value(
        "(() => { const rows = [...document.querySelectorAll('tbody tr')].map((row) =>"
        " [...row.querySelectorAll('td:not(.gap)')].map((cell) => cell.textContent));"
        " return rows[0].map((_, column) => rows.map((row) => row[column])) })()"
    )


def wait_until(tab, condition):
    end = time.monotonic() + 60
    while not tab.value(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.05)


def test_keys_step_through_the_rounds(flat):
    assert title(flat) == "Start"
    for key, after in [
        ("ArrowRight", "Round 1"),
        ("ArrowRight", "Round 2"),
        ("ArrowLeft", "Round 1"),
        ("End", "Round 3"),
        ("ArrowRight", "Round 3"),
        ("Home", "Start"),
        ("ArrowLeft", "Start"),
    ]:
        flat.press(key)
        assert title(flat) == after
    assert flat.value("location.hash") == "#0"


def test_blocks_are_where_the_schedule_leads_them(flat):
    picture = picture_of(subject_of("two_phase_bruck", 8))
    for number, frame in enumerate(picture.frames):
        shown = columns(flat)
        for block, cell in frame.cells.items():
            assert shown[cell.column][cell.row] == f"{block.source}→{block.destination}"
        marked = "[...document.querySelectorAll('td .moved')].map((block) => block.textContent)"
        moved = {f"{block.source}→{block.destination}" for block in frame.moved}
        assert set(flat.value(marked)) == moved, number
        flat.press("ArrowRight")


def test_the_space_bar_plays_to_the_end_and_pauses(flat):
    flat.press("Space")
    assert flat.value("document.body.className") == "playing"
    assert ("button", "Pause") in flat.names()
    flat.press("Space")
    assert flat.value("document.body.className") == ""
    stopped = title(flat)
    flat.press("Space")
    wait_until(flat, "document.querySelector('#step').textContent === 'Round 3'")
    wait_until(flat, "document.body.className === ''")
    assert stopped == "Round 1"
    flat.press("Space")
    assert title(flat) == "Start"


def test_blocks_fly_unless_motion_is_to_be_reduced(tab, pages):
    flying = "document.getAnimations().filter((one) => !one.transitionProperty).length"
    for preference, number in [("no-preference", 32), ("reduce", 0)]:
        tab.open(pages["flat"], prefers_reduced_motion=preference)
        tab.press("ArrowRight")
        assert tab.value(flying) == number


def test_dark_and_light(tab, pages):
    paper = "getComputedStyle(document.body).backgroundColor"
    shades = []
    for scheme in ("light", "dark"):
        tab.open(pages["flat"], prefers_color_scheme=scheme)
        shades.append(tab.value(paper))
    assert shades == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]


def test_everything_has_a_name(flat):
    names = flat.names()
    for name in ("First", "Back", "Play", "Forward", "Last"):
        assert ("button", name) in names
    assert ("slider", "Round") in names
    assert ("navigation", "Rounds") in names
    assert ("heading", "two_phase_bruck") in names
    assert ("columnheader", "P0") in names
    assert ("image", "block from 0 to 7") in names
    controls = [one for one in names if one[0] in ("button", "slider", "combobox", "table")]
    assert len(controls) == 5 + 1 + 2 + 1
    assert all(name for role, name in controls if role != "table")


def test_the_round_is_said_aloud(flat):
    live = "document.querySelector('#step').closest('[aria-live]').getAttribute('aria-live')"
    assert flat.value(live) == "polite"
    flat.press("ArrowRight")
    assert flat.value("document.querySelector('#time').getAttribute('aria-valuetext')") == "Round 1"


def test_a_block_is_followed(flat):
    choose = (
        "for (const [id, rank] of [['source', 0], ['destination', 5]]) {"
        " const select = document.getElementById(id); select.value = rank;"
        " select.dispatchEvent(new Event('change')) }"
    )
    flat.value(choose)
    # Downward, the distance from 0 to 5 is 3 = 1 + 2.
    assert flat.value("document.querySelector('#path').textContent") == "P0 → P7 → P5"
    followed = "document.querySelector('td .followed').textContent"
    assert flat.value(followed) == "0→5"
    flat.press("Escape")
    assert flat.value("document.querySelector('td .followed')") is None


@pytest.mark.parametrize("name", ["flat", "nodes"])
def test_a_phone_can_use_it(tab, pages, name):
    tab.open(pages[name], **PHONE)
    for part in ("document.documentElement", "document.querySelector('#stage')"):
        assert tab.value(f"{part}.scrollWidth - {part}.clientWidth") <= 0
    sizes = tab.value(
        "[...document.querySelectorAll('button, select, input')].map((one) =>"
        " { const box = one.getBoundingClientRect(); return Math.min(box.width, box.height) })"
    )
    assert min(sizes) >= LEAST_TOUCH
    narrow = (
        "[...document.querySelectorAll('td .block')].filter((one) =>"
        " one.scrollWidth > one.clientWidth).length"
    )
    assert tab.value(narrow) == 0
    tab.tap("#forward")
    assert title(tab) == "Round 1"
    tab.tap("#last")
    assert tab.value("document.querySelector('#forward').getAttribute('aria-disabled')") == "true"
    assert tab.failures() == []


def test_nodes_show_their_leaders(tab, pages):
    tab.open(pages["nodes"] + "#1")
    leaders = "[...document.querySelectorAll('thead .leader')].map((one) => one.textContent)"
    assert tab.value(leaders) == ["P0", "P4"]
    notes = "[...document.querySelectorAll('thead .leaves')].map((one) => one.textContent)"
    assert tab.value(notes) == ["→ P4", "→ P0"]
    captions = "[...document.querySelectorAll('caption')].map((one) => one.textContent)"
    assert tab.value(captions) == ["slots", "landing area", "receive buffers"] * 2


def test_what_is_drawn_is_seen(tab, pages, tmp_path):
    """A picture of the page has the colours of the blocks, and more in the dark as in the light."""
    tab.open(pages["flat"])
    tab.screenshot(tmp_path / "page.png")
    image = pytest.importorskip("matplotlib.image").imread(tmp_path / "page.png")
    assert image.shape[:2] == (800, 1280)
    seen = {
        tuple(round(255 * value) for value in pixel[:3]) for row in image[::4] for pixel in row[::4]
    }
    assert {(0, 114, 178), (230, 159, 0), (0, 158, 115), (213, 94, 0)} <= seen


@pytest.mark.parametrize("height", [720, 800])
def test_both_nodes_are_seen_at_once(tab, pages, height):
    """On a desktop nobody scrolls from one node to the other, in any round."""
    tab.open(pages["nodes"], height=height)
    below = (
        "Math.max(...[...document.querySelectorAll('#stage td')].map((one) =>"
        " one.getBoundingClientRect().bottom))"
        " - document.querySelector('nav').getBoundingClientRect().top"
    )
    stage = "document.querySelector('#stage')"
    for _ in range(3):
        assert tab.value(below) <= 0
        assert tab.value(f"{stage}.scrollWidth - {stage}.clientWidth") <= 0
        tab.press("ArrowRight")
