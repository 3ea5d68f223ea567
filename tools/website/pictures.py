"""Pictures of the documents, as the site shows them.

A screenshot is a <picture> in the documents: an image for wide windows and one for phones, each in
light and in dark colours. There the reader's system chooses. On the site the reader may choose the
colours, so it has all four images, and its style sheet shows one of them.

An image of vectors that is wider than a phone keeps its size there, and scrolls.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

_DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"
_PICTURE = re.compile(r"<picture>.*?</picture>", re.S)
_SOURCE = re.compile(r'<source media="([^"]*)" srcset="([^"]*)">')
_IMAGE = re.compile(r'<img alt="([^"]*)" src="([^"]*)">')
_VECTORS = re.compile(r"!\[[^\]]*\]\((?P<path>[^)\s]+\.svg)\)")
_WIDTH = re.compile(r'<svg[^>]*\bwidth="(?P<number>[\d.]+)(?P<unit>pt)?"')
_PIXELS_OF_POINT = 4 / 3
_WIDE = 500  # CSS pixels


def for_the_site(markdown: str, page: str) -> str:
    """The text of a page with the pictures of the site."""

    def marked(match: re.Match[str]) -> str:
        path = _DOCUMENTS / posixpath.dirname(page) / match["path"]
        is_wide = path.is_file() and width(path.read_text(encoding="utf-8")) > _WIDE
        return f"{match[0]}{{ .wide }}" if is_wide else match[0]

    return _VECTORS.sub(marked, _PICTURE.sub(_images, markdown))


def width(svg: str) -> float:
    """Of an SVG, in CSS pixels."""
    found = _WIDTH.search(svg)
    assert found, "an SVG without a width"
    return float(found["number"]) * (_PIXELS_OF_POINT if found["unit"] else 1)


def _images(picture: re.Match[str]) -> str:
    found = _IMAGE.search(picture[0])
    assert found, picture[0]
    alternative, usual = found.groups()
    of_media = [("", usual), *_SOURCE.findall(picture[0])]
    return "\n".join(
        f"![{alternative}]({path}#only-{'dark' if 'dark' in media else 'light'})"
        f"{{ .on-{'phone' if 'max-width' in media else 'desktop'} loading=lazy }}"
        for media, path in of_media
    )
