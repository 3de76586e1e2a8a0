"""A scraper: one keep-alive connection that asks as Prometheus does, and times every answer.

Whether an answer was rendered for it or came ready-made is told by its bytes: they change exactly
when a new snapshot was published, because this is the only client. It runs in the process of the
benchmark, never in that of the daemon.
"""

import gzip
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection
from math import ceil
from time import perf_counter
from typing import Final

from goodputd.sim.streams import stream

PROMETHEUS: Final = {
    "Accept": "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4",
    "Accept-Encoding": "gzip",
}
_TIMEOUT_SECONDS: Final = 10.0


@dataclass(slots=True)
class Scrapes:
    """What a while of scraping saw; latencies in wall seconds, in order."""

    rendered: list[float] = field(default_factory=list)
    """Of pages that were new."""
    ready: list[float] = field(default_factory=list)
    """Of pages that had been asked for before."""
    lags: list[float] = field(default_factory=list)
    """goodputd_lag_wall_seconds of every new page."""


class Scraper:
    """A client of one daemon."""

    def __init__(self, port: int) -> None:
        """The daemon listens on 127.0.0.1."""
        self._connection = HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_SECONDS)
        self._last = b""

    def close(self) -> None:
        """Drop the connection."""
        self._connection.close()

    def page(self) -> dict[str, float]:
        """Series -> value, now."""
        return series(gzip.decompress(self._get()[0]).decode())

    def scrape(self, wall_seconds: float, *, every_wall_seconds: float) -> Scrapes:
        """Scrape for so long; pauses are uniform around their mean, so as not to fall into step."""
        seen = Scrapes()
        uniform = stream(1, "bench/scrape").random
        end = perf_counter() + wall_seconds
        while perf_counter() < end:
            body, seconds = self._get()
            if body == self._last:
                seen.ready.append(seconds)
            else:
                self._last = body
                seen.rendered.append(seconds)
                seen.lags.append(series(gzip.decompress(body).decode())["goodputd_lag_wall_seconds"])
            pause((0.5 + uniform()) * every_wall_seconds)
        return seen

    def _get(self) -> tuple[bytes, float]:
        """Body and wall seconds of one request. Errors: ``RuntimeError`` unless the status is 200."""
        started = perf_counter()
        self._connection.request("GET", "/metrics", headers=PROMETHEUS)
        response = self._connection.getresponse()
        body = response.read()
        seconds = perf_counter() - started
        if response.status != 200:
            message = f"/metrics answered {response.status}"
            raise RuntimeError(message)
        return body, seconds


def series(text: str) -> dict[str, float]:
    """Series -> value of a page whose lines end with the value."""
    pairs = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in pairs}


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile; ``share`` is 0.99 for the 99th."""
    return sorted(values)[ceil(share * len(values)) - 1]


def pause(wall_seconds: float) -> None:
    """Let wall time pass."""
    threading.Event().wait(wall_seconds)
