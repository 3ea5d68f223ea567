"""What docs/start.md shows has the form that the programs print, and its code is the examples'."""

import re
import sys

import pytest
from document_text import SOURCE, blocks

sys.path.insert(0, str(SOURCE / "tools"))

import tutorial  # noqa: E402

TEXT = tutorial.DOCUMENT.read_text(encoding="utf-8")


def test_outputs_have_the_form_of_the_programs():
    """Whether the programs still print this is what the test `tutorial` finds out."""
    found = tutorial.steps(TEXT)
    tutorial.check(found, [step.output for step in found], "the tutorial")


def test_another_output_is_found():
    found = tutorial.steps(TEXT)
    with pytest.raises(SystemExit, match="prints no line"):
        tutorial.check(found, ["nothing"] * len(found), "a run")
    outputs = [step.output for step in found]
    outputs[-2] = re.sub(r"sum \d+", "sum 1", outputs[-2])
    with pytest.raises(SystemExit, match="do not agree"):
        tutorial.check(found, outputs, "a run")


def test_the_code_shown_is_that_of_the_examples():
    outputs = [step.output for step in tutorial.steps(TEXT)]
    is_current = tutorial.written(TEXT, outputs) == TEXT
    assert is_current, "examples/walkers.* have changed: run tools/tutorial.py --update"


def test_the_line_that_says_stop_has_the_form_of_the_programs():
    (line,) = (one for one in blocks(tutorial.DOCUMENT, "text") if "stop here" in one)
    assert re.fullmatch(tutorial.STATS[-1], line.strip())
