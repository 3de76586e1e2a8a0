"""Views as bytes: each published view is rendered at most once per format and encoding.

prometheus_client writes the text. What it writes before the values, names and label sets, hardly
ever changes from one view to the next, so it is kept and only the values are written anew: the
page is byte for byte the one of ``generate_latest`` (a test holds this) at a third of the cost.
This module knows HTTP headers as strings and nothing of a server or a simulation.
"""

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, choose_encoder
from prometheus_client.exposition import generate_latest as generate_text
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector, CollectorRegistry
from prometheus_client.utils import floatToGoString

from goodputd.metrics.collector import ViewCollector
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
_END: Final = {Format.TEXT: "", Format.OPENMETRICS: "# EOF\n"}
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
        self._collector = ViewCollector()
        self._registry = CollectorRegistry()
        self._registry.register(self._collector)
        ProcessCollector(registry=self._registry)
        self._renderers = {fmt: _Renderer(fmt) for fmt in Format}
        self._pages: dict[tuple[Format, Encoding], Page] = {}
        self.last_render_wall_seconds: float | None = None
        """How long the last page took; None before the first."""

    @property
    def published(self) -> View | None:
        """The view that scrapes see, None before the first."""
        return self._collector.view

    def publish(self, view: View) -> None:
        """From now on scrapes see ``view``; pages of the one before are dropped."""
        self._collector.view = view
        self._pages.clear()

    def page(self, fmt: Format, encoding: Encoding) -> Page:
        """The page of the published view, rendered now unless it was asked for before."""
        page = self._pages.get((fmt, encoding))
        if page is None:
            page = self._pages[fmt, encoding] = self._render(fmt, encoding)
        return page

    def _render(self, fmt: Format, encoding: Encoding) -> Page:
        if encoding is Encoding.GZIP:
            plain = self.page(fmt, Encoding.IDENTITY)
            return Page(gzip.compress(plain.body, _GZIP_LEVEL, mtime=0), fmt, encoding)
        started = self._clock()
        body = self._renderers[fmt].render(self._registry)
        self.last_render_wall_seconds = self._clock() - started
        return Page(body, fmt, encoding)


class _Renderer:
    """Writes a registry as ``generate_latest`` would, keeping what comes before the values.

    Families must have neither timestamps nor exemplars, so that a value ends its line.
    """

    def __init__(self, fmt: Format) -> None:
        self._encode = _ENCODERS[fmt]
        self._end = _END[fmt]
        self._layouts: dict[str, _Layout] = {}

    def render(self, registry: Collector) -> bytes:
        pieces: list[str] = []
        for metric in registry.collect():
            layout = self._layouts.get(metric.name)
            if layout is None or not layout.fits(metric):
                layout = self._layouts[metric.name] = _Layout(metric, self._encode)
            pieces.append(layout.head)
            for prefix, sample in zip(layout.prefixes, metric.samples, strict=True):
                pieces.append(f"{prefix}{_number(sample.value)}\n")
        pieces.append(self._end)
        return "".join(pieces).encode()


class _Layout:
    """One family without its values: the comment lines, and every sample line up to its value."""

    __slots__ = ("_samples", "head", "prefixes")

    def __init__(self, metric: Metric, encode: Callable[[Collector], bytes]) -> None:
        self._samples = [(sample.name, sample.labels) for sample in metric.samples]
        lines = encode(_Single(metric)).decode().splitlines(keepends=True)
        comments = [line for line in lines if line.startswith("#") and line != _END[Format.OPENMETRICS]]
        self.head = "".join(comments)
        self.prefixes = [line[: line.rindex(" ") + 1] for line in lines if not line.startswith("#")]

    def fits(self, metric: Metric) -> bool:
        """Whether the family has the same samples as the one this was made from."""
        return self._samples == [(sample.name, sample.labels) for sample in metric.samples]


class _Single(Collector):
    """A collector of one family."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric

    def collect(self) -> Iterator[Metric]:
        return iter((self._metric,))


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
