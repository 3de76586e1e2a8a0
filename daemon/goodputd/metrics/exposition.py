"""Views as bytes: each published view is rendered at most once per format and encoding.

prometheus_client writes the text. What it writes before the values, comments, names and label sets,
hardly ever changes from one view to the next, so that is kept and only the values are written anew:
the page is byte for byte what ``generate_latest`` would make of it (a test holds this) at a seventh
of the cost. This module knows HTTP headers as strings and nothing of a server or a simulation.
"""

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, choose_encoder
from prometheus_client.exposition import generate_latest as generate_text
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from goodputd.metrics.catalog import CATALOG
from goodputd.metrics.collector import FamilyCollector
from goodputd.metrics.layout import Layout, flattened
from goodputd.metrics.view import View


class Format(StrEnum):
    """The two formats that are served; the value is the content type."""

    TEXT = CONTENT_TYPE_PLAIN_0_0_4
    OPENMETRICS = CONTENT_TYPE_LATEST


class Encoding(StrEnum):
    """How the bytes are encoded; the value is the content coding."""

    IDENTITY = "identity"
    GZIP = "gzip"


_ENCODERS: Final[dict[Format, Callable[[Collector], bytes]]] = {
    Format.TEXT: generate_text,
    Format.OPENMETRICS: generate_openmetrics,
}
_number: Callable[[float], str] = floatToGoString
"""How prometheus_client writes a value; it ships the function without types."""
_GZIP_LEVEL: Final = 1
"""A tenth larger than level 9 at a sixth of its time."""


@dataclass(frozen=True, slots=True)
class Page:
    """One rendered page."""

    body: bytes
    format: Format
    encoding: Encoding


class Exposition:
    """The published view and the pages made from it."""

    def __init__(self, wall_clock: Callable[[], float]) -> None:
        """``wall_clock`` measures how long a page takes; nothing is published yet."""
        self._clock = wall_clock
        self._renderers = {fmt: _Renderer(fmt) for fmt in Format}
        self._pages: dict[tuple[Format, Encoding], Page] = {}
        self.published: View | None = None
        """The view that scrapes see, None before the first."""
        self.last_render_wall_seconds: float | None = None
        """How long the last page took; None before the first."""

    def publish(self, view: View) -> None:
        """From now on scrapes see ``view``; pages of the one before are dropped."""
        self.published = view
        self._pages.clear()

    def page(self, fmt: Format, encoding: Encoding) -> Page:
        """The page of the published view, rendered now unless it was asked for before.

        Errors: ``LookupError`` when nothing has been published.
        """
        page = self._pages.get((fmt, encoding))
        if page is None:
            page = self._pages[fmt, encoding] = self._render(fmt, encoding)
        return page

    def _render(self, fmt: Format, encoding: Encoding) -> Page:
        if encoding is Encoding.GZIP:
            plain = self.page(fmt, Encoding.IDENTITY)
            return Page(gzip.compress(plain.body, _GZIP_LEVEL, mtime=0), fmt, encoding)
        if self.published is None:
            message = "no view has been published"
            raise LookupError(message)
        started = self._clock()
        body = self._renderers[fmt].render(self.published)
        self.last_render_wall_seconds = self._clock() - started
        return Page(body, fmt, encoding)


class _Renderer:
    """Writes views in one format; keeps the layout of each family from one view to the next."""

    def __init__(self, fmt: Format) -> None:
        self._encode = _ENCODERS[fmt]
        self._layouts: dict[str, Layout] = {}
        self._process = ProcessCollector(registry=None)

    def render(self, view: View) -> bytes:
        """The page: the catalog, then the figures of the process, which are read now."""
        pieces: list[str] = []
        for spec in CATALOG:
            readings = list(spec.read(view))
            shape, values = flattened(readings)
            layout = self._layouts.get(spec.name)
            if layout is None or layout.shape != shape:
                layout = self._layouts[spec.name] = Layout(
                    shape, self._encode(FamilyCollector(spec, readings))
                )
            pieces.append(layout.comments)
            pieces += [
                f"{prefix}{_number(value)}\n" for prefix, value in zip(layout.prefixes, values, strict=True)
            ]
        return "".join(pieces).encode() + self._encode(self._process)


def choose_format(accept: str) -> Format:
    """The format for an Accept header, as prometheus_client reads it; text when in doubt."""
    try:
        _, content_type = choose_encoder(accept)
    except TypeError:  # it compares a version that is not a number, "version=abc"
        return Format.TEXT
    return Format.OPENMETRICS if content_type.startswith("application/openmetrics-text") else Format.TEXT


def choose_encoding(accept_encoding: str) -> Encoding:
    """Gzip when an Accept-Encoding header prefers it to plain bytes or does not mind.

    Without the header or with one that cannot be read: identity.
    """
    qualities = dict(_codings(accept_encoding))
    gzip_quality = qualities.get("gzip", qualities.get("*", 0.0))
    identity_quality = qualities.get("identity", 0.0)
    return Encoding.GZIP if gzip_quality > 0.0 and gzip_quality >= identity_quality else Encoding.IDENTITY


def _codings(accept_encoding: str) -> Iterator[tuple[str, float]]:
    """(coding, quality) of each entry of the header; an unreadable quality is 0."""
    for entry in accept_encoding.split(","):
        coding, _, parameters = entry.partition(";")
        quality = 1.0
        for parameter in parameters.split(";"):
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "q":
                try:
                    quality = float(value)
                except ValueError:
                    quality = 0.0
        yield coding.strip().lower(), quality
