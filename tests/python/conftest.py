"""What the tests in this folder share."""

import sys
from pathlib import Path

import pytest

from rondo.commands import say

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))


@pytest.fixture(autouse=True)
def wide_console(monkeypatch):
    monkeypatch.setattr(say.console, "width", 200)


@pytest.fixture(autouse=True)
def no_profile(monkeypatch, tmp_path_factory):
    """The user who runs the tests may have a profile."""
    monkeypatch.delenv("RONDO_PROFILE", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
