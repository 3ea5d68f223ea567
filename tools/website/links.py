"""Whether every link of a built site leads to a file, and to a place in it."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_ATTRIBUTES = {"a": "href", "link": "href", "img": "src", "script": "src"}
# Its links begin at the root of the server, where the site may not be.
_SKIPPED = {"404.html"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors.update(filter(None, (values.get("id"), values.get("name"))))
        link = values.get(_ATTRIBUTES.get(tag, ""))
        if link:
            self.links.append(link)


@functools.cache
def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _fault(page: Path, link: str) -> str:
    """What is wrong with a link; empty if nothing is, or if it leads elsewhere."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    target = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "there is no such file"
    anchor = unquote(parts.fragment)
    if anchor and target.suffix == ".html" and not anchor.startswith("__"):
        return "" if anchor in _read(target).anchors else "there is no such place in that page"
    return ""


def faults(site: Path) -> Iterator[str]:
    """A sentence for every link that leads nowhere."""
    for page in sorted(site.rglob("*.html")):
        if str(page.relative_to(site)) in _SKIPPED:
            continue
        for link in _read(page).links:
            fault = _fault(page, link)
            if fault:
                yield f"{page.relative_to(site)}: {link}: {fault}"
