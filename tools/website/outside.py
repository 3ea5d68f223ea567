"""Links of the documents to files outside docs/.

In the repository a link such as `../include/rondo/rondo.h` leads to that file. On the site it leads
to a copy of it, or to the page that is made of it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
# Files that are pages of the site, and the pages.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "python/README.md": "python.md",
}
# Files from which a page of the reference is made.
REFERENCES = {
    "include/rondo/rondo.h": "reference/c.md",
    "include/rondo/rondo_nccl.h": "reference/nccl.md",
    "include/rondo/rondo_nccl_mpi.h": "reference/nccl.md",
    "include/rondo/transport.h": "reference/transport.md",
    "include/rondo/rondo.hpp": "reference/cpp.md",
    "include/rondo/mailbox.hpp": "reference/cpp.md",
    "include/rondo/cpp/calls.hpp": "reference/cpp.md",
    "include/rondo/cpp/starts.hpp": "reference/cpp.md",
    "include/rondo/cpp/plans.hpp": "reference/cpp.md",
    "fortran/rondo.F90.in": "reference/fortran.md",
    "packaging/rondo.1": "reference/rondo.md",
}
COPIES = "source"
_LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?(?=\))")
_ELSEWHERE = re.compile(r"[a-z][a-z+.-]*:|/")


def repository_path(page: str) -> str:
    """The file from which a page is made."""
    made_of = {there: here for here, there in PAGES.items()}
    return made_of.get(page, f"docs/{page}")


def site_path(path: str) -> str:
    """Where a file of the repository stands on the site."""
    if path in PAGES or path in REFERENCES:
        return PAGES.get(path) or REFERENCES[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else f"{COPIES}/{path}"


def _target(page: str, link: str) -> str:
    """The file of the repository to which a link of that page leads."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(repository_path(page)), link))


def links(text: str) -> Iterator[re.Match[str]]:
    """The links of a document to files beside it."""
    return (one for one in _LINK.finditer(text) if not _ELSEWHERE.match(one["target"]))


def copies(text: str, page: str) -> set[str]:
    """The files of which the page needs a copy on the site."""
    targets = {_target(page, one["target"]) for one in links(text)}
    return {one for one in targets if site_path(one).startswith(f"{COPIES}/")}


def for_the_site(text: str, page: str) -> str:
    """The page with its links as they are on the site."""

    def led(match: re.Match[str]) -> str:
        if _ELSEWHERE.match(match["target"]):
            return match[0]
        there = site_path(_target(page, match["target"]))
        link = posixpath.relpath(there, posixpath.dirname(page) or ".")
        return match["before"] + link + (match["anchor"] or "")

    return _LINK.sub(led, text)
