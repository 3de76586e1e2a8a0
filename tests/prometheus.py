"""A real Prometheus beside a real daemon, and what either of them answers over HTTP.

Starts the server on a free port with the scrape configuration that the project ships; reads pages
and query results into plain dictionaries. Knows no metric's meaning and no simulation.
"""

import contextlib
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.daemon import PATIENCE_WALL_SECONDS

SHIPPED_CONFIG: Final = Path(__file__).parent.parent / "config" / "prometheus" / "prometheus.yml"
SHIPPED_TARGET: Final = "127.0.0.1:9642"
_LISTENING: Final = re.compile(r'msg="Listening on" address=(\S+)')
_TURN_WALL_SECONDS: Final = 0.05
"""How often a condition is looked at that nobody announces."""
_EVALUATION_SECONDS: Final = 0.001
"""Queries look this much after a sample: instants in a URL are rounded, and it must not be missed."""
_OF_THE_SCRAPE: Final = frozenset({"job", "instance"})

Labels = frozenset[tuple[str, str]]
Series = tuple[str, Labels]
"""Name and labels, without those that the scrape adds."""
Curve = list[tuple[float, float]]
"""(Unix seconds, value) of each sample, in order."""


def until(condition: Callable[[], bool], *, patience_wall_seconds: float = PATIENCE_WALL_SECONDS) -> None:
    """Returns as soon as ``condition`` holds; fails when it does not in time."""
    give_up_at = time.monotonic() + patience_wall_seconds
    turn = threading.Event()
    while not condition():
        assert time.monotonic() < give_up_at, f"did not happen in {patience_wall_seconds:g} s"
        turn.wait(_TURN_WALL_SECONDS)


def series(name: str, labels: dict[str, str]) -> Series:
    """One series; bounds of buckets are compared as numbers, since versions write them differently."""
    kept = {key: value for key, value in labels.items() if key not in _OF_THE_SCRAPE}
    if "le" in kept:
        kept["le"] = repr(float(kept["le"]))
    return name, frozenset(kept.items())


def differences(expected: Mapping[Any, Any], actual: Mapping[Any, Any]) -> dict[Any, tuple[Any, Any]]:
    """(expected, actual) of every key at which two mappings differ; None stands for a missing key."""
    both = {key: (expected.get(key), actual.get(key)) for key in {**expected, **actual}}
    return {
        key: pair for key, pair in both.items() if pair[0] != pair[1] or (key in expected) != (key in actual)
    }


class Page:
    """One page of ``/metrics`` in the plain text format."""

    def __init__(self, daemon_url: str) -> None:
        """Asks the daemon now."""
        self.text: Final = httpx.get(f"{daemon_url}metrics", trust_env=False).raise_for_status().text
        families = list(text_string_to_metric_families(self.text))
        self.samples: Final = {
            series(sample.name, sample.labels): sample.value
            for family in families
            for sample in family.samples
        }

    def value(self, name: str, **labels: str) -> float | None:
        """The sample with exactly these labels, None when there is none."""
        return self.samples.get(series(name, labels))

    def totals(self, name: str, label: str, **having: str) -> dict[str, float]:
        """The samples that have these labels, added up over every label but ``label``."""
        totals: dict[str, float] = {}
        for (sample_name, labels), value in self.samples.items():
            if sample_name == name and having.items() <= labels:
                key = dict(labels)[label]
                totals[key] = totals.get(key, 0.0) + value
        return totals


@dataclass(slots=True)
class Prometheus:
    """A running server."""

    client: httpx.Client

    def get(self, path: str, **parameters: str) -> Any:  # noqa: ANN401 - JSON
        """The data of an answer of the HTTP API; fails when it is an error."""
        answer = self.client.get(f"/api/v1/{path}", params=parameters).json()
        assert answer["status"] == "success", answer
        return answer["data"]

    def vector(self, expression: str, at: float | None = None) -> dict[Series, float]:
        """The value of each series of an instant vector, ``at`` Unix seconds or now."""
        return {series(*_named(each)): float(each["value"][1]) for each in self._query(expression, at)}

    def matrix(self, expression: str, at: float) -> dict[Series, Curve]:
        """The raw samples of each series of a range selector."""
        return {
            series(*_named(each)): [(float(when), float(value)) for when, value in each["values"]]
            for each in self._query(expression, at)
        }

    def _query(self, expression: str, at: float | None) -> Any:  # noqa: ANN401 - JSON
        when = {} if at is None else {"time": f"{at + _EVALUATION_SECONDS:.3f}"}
        return self.get("query", query=expression, **when)["result"]


def _named(result: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """Name, empty after a calculation, and the labels without it."""
    labels = dict(result["metric"])
    return labels.pop("__name__", ""), labels


@contextlib.contextmanager
def scraping(command: Path, target: str, folder: Path) -> Iterator[Prometheus]:
    """A Prometheus that scrapes ``target`` (host:port) as the project's configuration says."""
    shipped = SHIPPED_CONFIG.read_text(encoding="utf-8")
    assert 1 == shipped.count(SHIPPED_TARGET)
    config, log = folder / "prometheus.yml", folder / "prometheus.log"
    config.write_text(shipped.replace(SHIPPED_TARGET, target), encoding="utf-8")
    arguments: list[str | Path] = [
        command,
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'data'}",
        "--web.listen-address=127.0.0.1:0",
    ]
    with log.open("wb") as stderr, subprocess.Popen(arguments, stderr=stderr) as process:
        try:
            with httpx.Client(base_url=f"http://{_address(process, log)}", trust_env=False) as client:
                until(lambda: client.get("/-/ready").is_success)
                yield Prometheus(client)
        finally:
            process.terminate()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Where it listens; it says so itself, so that no port has to be guessed."""

    def said() -> re.Match[str] | None:
        assert process.poll() is None, log.read_text(encoding="utf-8")
        return _LISTENING.search(log.read_text(encoding="utf-8"))

    until(lambda: said() is not None)
    found = said()
    assert found
    return found[1]
