"""What MkDocs builds besides the files in docs/.

It makes a page for every algorithm and the references, and takes in the documents and sources
elsewhere in the repository to which pages lead.
"""

from __future__ import annotations

from typing import Any

import algorithms
import measured
import outside
import pictures
import references
import yaml
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

# The pages whose tables lead to the pages of algorithms.
_TABLES = {"algorithms.md": algorithms.names, "gpu.md": algorithms.gpu_names}


def _text(path: str) -> str:
    return (outside.SOURCE / path).read_text(encoding="utf-8")


def _pages(nav: Any) -> set[str]:
    """The pages that a part of the navigation names."""
    if isinstance(nav, str):
        return {nav}
    parts = nav.values() if isinstance(nav, dict) else nav
    return set[str]().union(*map(_pages, parts))


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """A place in the navigation for every algorithm, and for documents that have none: results."""

    def entries(names: list[str]) -> list[dict[str, str]]:
        return [{name: f"{algorithms.FOLDER}/{name}.md"} for name in names]

    written = {path.name for path in (outside.SOURCE / "docs").glob("*.md")}
    sections = {name: part for one in config.nav for name, part in one.items()}
    sections["Results"] += sorted(written - _pages(config.nav))
    sections["Algorithms"] += entries(algorithms.names())
    sections["Algorithms"].append({"Over NCCL": entries(algorithms.gpu_names())})
    sections["Reference"].insert(0, {"C": references.navigation()})
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    def add(path: str, **source: Any) -> None:
        files.append(File.generated(config, path, **source))

    papers = yaml.safe_load(_text("CITATION.cff"))["references"]
    for path, content in algorithms.pages(papers, measured.pages()):
        add(path, content=content)
    for path, content in references.pages().items():
        add(path, content=content)
    for source, path in outside.PAGES.items():
        add(path, content=_text(source))
    written = [one for one in files if one.is_documentation_page()]
    copied = set[str]().union(*(outside.copies(one.content_string, one.src_uri) for one in written))
    for source in sorted(copied):
        add(outside.site_path(source), abs_src_path=str(outside.SOURCE / source))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    markdown = outside.for_the_site(markdown, page.file.src_uri)
    markdown = pictures.for_the_site(markdown, page.file.src_uri)
    names = _TABLES.get(page.file.src_uri)
    return markdown if names is None else algorithms.with_links(markdown, names())
