"""Which page of the platform's documentation is about a cause: looked up in an index of its pages that the user names.

The index is an `llms.txt`, or the JSON that a documentation's own search reads: a list of pages with title and
address, such as MkDocs' `search_index.json`. It is fetched whole and searched here: neither a word of a run nor the cause is sent.
What stands in it is another's text: a page is named only if it lies on the index's own host, its title only if that is plain words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urljoin, urlsplit

from whyzero.osmosis_cli.public_get import get
from whyzero.text import clean, redact

VARIABLE = "WHYZERO_DOCS_INDEX"
ACCEPT = "text/markdown, text/plain, application/json"
PAGES_READ, PAGES_NAMED = 20_000, 2
TITLE_WORDS, TITLE_LIMIT, ADDRESS_LIMIT = 8, 60, 200
TEXT_SEARCHED = 2000
"""Characters of a page's own text."""

WORDS: dict[str, tuple[str, ...]] = {
    "config_invalid": ("config", "toml", "workspace structure", "evaluation config"),
    "dataset_invalid": ("dataset", "jsonl", "ground truth"),
    "dependency_failure": ("dependencies", "pyproject", "rollout", "install"),
    "git_out_of_sync": ("git sync", "git", "commit", "repository", "origin"),
    "import_failure": ("entrypoint", "rollout", "pyproject", "dependencies"),
    "not_logged_in": ("auth login", "login", "authenticat", "access token"),
    "platform_unreachable": ("platform url", "network", "status", "auth login", "authenticat"),
    "run_control": ("eval run", "evaluation", "resume"),
    "scheduling": ("billing", "subscription", "capacity", "queue", "status", "evaluation runs", "training runs"),
    "secret_missing": ("secret", "environment variables", "required secrets"),
    "server_start_failure": ("rollout server", "entrypoint", "rollout"),
    "upload_refused": ("eval upload", "upload", "evaluation runs"),
    "version_mismatch": ("upgrade", "changelog", "release", "install", "version"),
}
"""Causes that the platform's documentation is about, and public words by which a page about one is known."""

_LINK = re.compile(r"\s{0,8}[-*+]\s{1,4}\[(?P<title>[^\]]{1,300})\]\((?P<address>[^)\s]{1,500})\)[\s:-]{0,4}(?P<note>.{0,500})")
_PLAIN = re.compile(r"(?:[^\W_]|[ .,:&/()'+-]){1,60}")
_PATH = re.compile(r"/[A-Za-z0-9._~/%+-]*")
_ADDRESSES = ("url", "location", "href", "path", "permalink", "link")
_TEXTS = ("description", "text", "content", "summary", "excerpt")
_LISTS = ("docs", "pages", "items", "results", "documents")


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the documentation."""

    title: str
    address: str
    note: str = ""

    @property
    def shown(self) -> str:
        """Title and address, as far as they are fit to be said."""
        title = " ".join(clean(self.title, TITLE_LIMIT).split())
        plain = _PLAIN.fullmatch(title) and len(title.split()) <= TITLE_WORDS
        return f'"{title}" ({self.address})' if plain else self.address


def index_set(index: str | None = None) -> str:
    """The address of the index: the one given, else that of the variable; empty where none is set."""
    return (index or os.environ.get(VARIABLE, "")).strip()


def about_a_cause(cause: str, index: str | None = None) -> str:
    """Where to read about a cause, in a sentence; empty where no index is set or the documentation is not about such a cause."""
    address = index_set(index)
    if not address or cause not in WORDS:
        return ""
    pages, failure = _fetched(address)
    if failure:
        return f"The documentation index could not be read: {failure}."
    found = [page for page in matching(cause, pages) if redact(page.shown) == page.shown]
    if not found:
        return "The documentation index names no page about this."
    return f"Read on in the documentation: {' and '.join(page.shown for page in found)}."


def matching(cause: str, pages: tuple[Page, ...]) -> tuple[Page, ...]:
    """The pages about a cause, best first: title before address before note, and among equals as listed."""
    scored = [(score, -number, page) for number, page in enumerate(pages) if (score := _score(WORDS[cause], page))]
    best = sorted(scored, key=lambda one: one[:2], reverse=True)[:PAGES_NAMED]
    return tuple(page for score, _, page in best if score * 2 >= best[0][0])


def _score(words: tuple[str, ...], page: Page) -> int:
    """0 where neither title nor address has one of the words."""
    title, path, note = (_spoken(text) for text in (page.title, urlsplit(page.address).path, page.note))
    named = sum(8 * (f" {word}" in title) + 4 * (f" {word}" in path) for word in words)
    return named + sum(f" {word}" in note for word in words) if named else 0


def _spoken(text: str) -> str:
    return " " + re.sub(r"[\W_]+", " ", text.lower())


@cache
def _fetched(address: str) -> tuple[tuple[Page, ...], str]:
    """Asked once in the life of the process, a failure included."""
    got = get(address, ACCEPT)
    if got.body is None:
        return (), got.failure
    pages = tuple(read_index(got.body.decode("utf-8-sig", "replace"), address))
    return pages, "" if pages else "it lists no page of its own host"


def read_index(text: str, address: str) -> Iterator[Page]:
    """The pages that an index lists on its own host, each once."""
    from whyzero.readers.files import parse_json

    document = parse_json(text) if text.lstrip()[:1] in ("{", "[") else None
    listed = _linked(text) if document is None else _entries(document)
    base = _base(address, document)
    seen: set[str] = set()
    for title, link, note in listed:
        place = _own(base, link)
        if place and place not in seen and len(seen) < PAGES_READ:
            seen.add(place)
            yield Page(title, place, note[:TEXT_SEARCHED])


def _linked(text: str) -> Iterator[tuple[str, str, str]]:
    """The links of a Markdown list."""
    for line in text.splitlines():
        if found := _LINK.match(line):
            yield found["title"], found["address"], found["note"]


def _entries(document: Any) -> Iterator[tuple[str, str, str]]:
    """The pages of a search index in JSON."""
    if isinstance(document, dict):
        document = next((document[name] for name in _LISTS if isinstance(document.get(name), list)), [])
    for entry in document if isinstance(document, list) else ():
        if isinstance(entry, dict) and (link := _first(entry, _ADDRESSES)) is not None:
            yield _first(entry, ("title", "name")) or "", link, _first(entry, _TEXTS) or ""


def _first(entry: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((entry[name] for name in names if isinstance(entry.get(name), str)), None)


def _base(address: str, document: Any) -> str:
    """What links are relative to: the index's own folder, or for a search index in `search/` the folder around it. No login."""
    parts = urlsplit(address)
    base = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
    return urljoin(base, "../") if document is not None and parts.path.rpartition("/")[0].endswith("/search") else base


def _own(base: str, link: str) -> str | None:
    """The full address of a page on the host of the index, without query and fragment; None for any other."""
    try:
        index, page = urlsplit(base), urlsplit(urljoin(base, link))
        same = (page.scheme, page.hostname, page.port) == (index.scheme, index.hostname, index.port)
    except ValueError:
        return None
    if not same or page.username is not None or page.query or not _PATH.fullmatch(page.path):
        return None
    place = f"{page.scheme}://{page.netloc}{page.path}"
    return place if len(place) <= ADDRESS_LIMIT else None


__all__ = ["VARIABLE", "about_a_cause", "index_set", "matching", "read_index"]
