"""Views as bytes: what prometheus_client would write, once per view, format and encoding."""

import gzip
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from prometheus_client.exposition import generate_latest as generate_text
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text
from prometheus_client.registry import Collector

from goodputd import assembly, settings
from goodputd.metrics.exposition import (
    Encoding,
    Exposition,
    Format,
    choose_encoding,
    choose_format,
)
from goodputd.metrics.view import ScenarioView, View
from goodputd.sim.snapshot import NodeStrikes
from tests import snapshots
from tests.metrics.test_collector import Whole

SAMPLES_OF_OURS = "goodputd_"
PROMETHEUS_2 = (
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
)
PROMETHEUS_3 = (
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
    "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
)


class Steps:
    """A clock that is a second further each time it is read."""

    def __init__(self) -> None:
        """It stands at 0."""
        self.reads = 0

    def __call__(self) -> float:
        """The next second."""
        self.reads += 1
        return float(self.reads)


def published(*views: View) -> Exposition:
    """An exposition that has published these views and rendered every one in both formats."""
    exposition = Exposition(Steps())
    for view in views:
        exposition.publish(view)
        for fmt in Format:
            exposition.page(fmt, Encoding.IDENTITY)
    return exposition


def body(exposition: Exposition, fmt: Format) -> str:
    """The page as text."""
    return exposition.page(fmt, Encoding.IDENTITY).body.decode()


def reference(view: View, encode: Callable[[Collector], bytes]) -> str:
    """The page as prometheus_client writes it, without the process's own metrics."""
    return encode(Whole(view)).decode()


def ours(page: str) -> list[str]:
    """The lines about metrics of ours."""
    return [line for line in page.splitlines() if SAMPLES_OF_OURS in line]


def samples(families: Iterable[Metric]) -> Iterator[tuple[str, tuple[tuple[str, str], ...], float]]:
    """Name, labels and value of every sample of ours."""
    for family in families:
        for sample in family.samples:
            if sample.name.startswith(SAMPLES_OF_OURS):
                yield sample.name, tuple(sorted(sample.labels.items())), sample.value


@pytest.mark.parametrize(
    ("fmt", "encode"), [(Format.TEXT, generate_text), (Format.OPENMETRICS, generate_openmetrics)]
)
def test_a_page_is_what_prometheus_client_writes(fmt: Format, encode: Callable[[Collector], bytes]) -> None:
    """Line by line, also after values and label sets have changed since the first page."""
    strikes = (NodeStrikes(3, 4), NodeStrikes(17, 2), NodeStrikes(1025, 2))
    views = (
        snapshots.view(),
        snapshots.view(
            snapshots.snapshot("naive"), snapshots.snapshot(node_strikes=strikes, mttr_seconds=None)
        ),
        snapshots.view(snapshots.snapshot(node_strikes=strikes[1:], loss=1.9, now=1e9 / 3)),
    )

    page = body(published(*views), fmt)

    assert ours(reference(views[-1], encode)) == ours(page)


@pytest.mark.parametrize(
    ("fmt", "parse"), [(Format.TEXT, parse_text), (Format.OPENMETRICS, parse_openmetrics)]
)
def test_a_page_can_be_read_back(fmt: Format, parse: Callable[[str], Iterable[Metric]]) -> None:
    """prometheus_client's own parser finds every sample of the view with its labels and value."""
    view = snapshots.view(snapshots.snapshot("naive"), snapshots.snapshot())

    page = body(published(view), fmt)

    assert sorted(samples(Whole(view).collect())) == sorted(samples(parse(page)))


@pytest.mark.parametrize("fmt", Format)
def test_there_are_no_created_series(fmt: Format) -> None:
    """No sample tells when a counter was created; it would double the counters."""
    assert "_created" not in body(published(snapshots.view()), fmt)


@pytest.mark.parametrize("fmt", Format)
def test_the_process_is_measured_too(fmt: Format) -> None:
    """Memory and CPU of the daemon are on the page."""
    page = body(published(snapshots.view()), fmt)

    assert all(
        f"\n{name} " in page for name in ("process_resident_memory_bytes", "process_cpu_seconds_total")
    )


def test_promtool_finds_nothing_to_complain_about(promtool: Path) -> None:
    """`promtool check metrics` accepts names, types and help texts without a word."""
    page = published(snapshots.view()).page(Format.TEXT, Encoding.IDENTITY).body

    checked = subprocess.run([promtool, "check", "metrics"], input=page, capture_output=True, check=False)

    assert (0, b"", b"") == (checked.returncode, checked.stdout, checked.stderr)


@pytest.mark.parametrize("fmt", Format)
def test_gzip_holds_the_same_page(fmt: Format) -> None:
    """The compressed page is the plain one, compressed."""
    exposition = published(snapshots.view())

    assert body(exposition, fmt) == gzip.decompress(exposition.page(fmt, Encoding.GZIP).body).decode()


@pytest.mark.parametrize("fmt", Format)
@pytest.mark.parametrize("encoding", Encoding)
def test_a_view_is_rendered_once(fmt: Format, encoding: Encoding) -> None:
    """The second scrape of a view in a format and encoding gets the bytes of the first."""
    exposition = Exposition(Steps())
    exposition.publish(snapshots.view())

    assert exposition.page(fmt, encoding) is exposition.page(fmt, encoding)


def test_there_is_no_page_without_a_view() -> None:
    """Asking for a page before the first view is an error, not an empty page."""
    with pytest.raises(LookupError):
        Exposition(Steps()).page(Format.TEXT, Encoding.GZIP)


def test_a_new_view_is_rendered_anew() -> None:
    """Pages of the view before are dropped when the next is published."""
    exposition = published(
        snapshots.view(snapshots.snapshot(step=1)), snapshots.view(snapshots.snapshot(step=2))
    )

    assert 'goodputd_step{scenario="default"} 2.0' in body(exposition, Format.TEXT)


def test_rendering_time_is_measured() -> None:
    """The time between the readings of the clock before and after a rendering is kept."""
    exposition = Exposition(Steps())
    before = exposition.last_render_wall_seconds
    exposition.publish(snapshots.view())
    exposition.page(Format.TEXT, Encoding.GZIP)

    assert (None, 1.0) == (before, exposition.last_render_wall_seconds)


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", Format.TEXT),
        ("*/*", Format.TEXT),
        ("text/html,application/xhtml+xml,*/*;q=0.8", Format.TEXT),
        ("text/plain;version=0.0.4", Format.TEXT),
        ("text/plain;version=1.0.0", Format.TEXT),
        ("application/openmetrics-text", Format.OPENMETRICS),
        ("application/openmetrics-text;version=1.0.0", Format.OPENMETRICS),
        (PROMETHEUS_2, Format.OPENMETRICS),
        (PROMETHEUS_3, Format.OPENMETRICS),
        ("application/openmetrics-text;version=0.0.1", Format.TEXT),
        ("application/openmetrics-text;version=abc", Format.TEXT),
    ],
)
def test_the_accept_header_chooses_the_format(accept: str, expected: Format) -> None:
    """OpenMetrics for whoever asks for 1.0.0 of it, text for everybody else."""
    assert expected is choose_format(accept)


@pytest.mark.parametrize(
    ("accept_encoding", "expected"),
    [
        ("", Encoding.IDENTITY),
        ("gzip", Encoding.GZIP),
        ("GZIP", Encoding.GZIP),
        ("deflate, gzip;q=1.0, *;q=0.5", Encoding.GZIP),
        ("gzip;q=0", Encoding.IDENTITY),
        ("gzip; q=0.0, identity", Encoding.IDENTITY),
        ("gzip;q=0.5, identity;q=0.8", Encoding.IDENTITY),
        ("gzip;q=0.8, identity;q=0.5", Encoding.GZIP),
        ("*", Encoding.GZIP),
        ("*;q=0", Encoding.IDENTITY),
        ("*, gzip;q=0", Encoding.IDENTITY),
        ("br, deflate", Encoding.IDENTITY),
        ("gzip;q=yes", Encoding.IDENTITY),
        ("gzip;level=9;q=0.1", Encoding.GZIP),
    ],
)
def test_the_accept_encoding_header_chooses_the_encoding(accept_encoding: str, expected: Encoding) -> None:
    """Gzip when it is wanted at least as much as plain bytes; q=0 forbids it."""
    assert expected is choose_encoding(accept_encoding)


def played(days: float) -> View:
    """The default settings after so many simulated days, with the daemon's figures made up."""
    loaded = settings.load(None)
    simulations = assembly.build(loaded)
    for simulation in simulations:
        simulation.advance_to(days * 86400.0)
    in_force = snapshots.in_force()
    return View(tuple(ScenarioView(s.snapshot(), in_force) for s in simulations), snapshots.daemon())


def test_the_page_of_ten_days_is_the_golden_one(golden: Callable[[str, str], None]) -> None:
    """The default settings give this page after ten simulated days."""
    golden("metrics.txt", reference(played(10.0), generate_text))


def test_three_scenarios_have_less_than_two_thousand_series() -> None:
    """DESIGN's budget holds for three scenarios of the default settings."""
    (scenario,) = played(10.0).scenarios
    page = body(published(View((scenario,) * 3, snapshots.daemon())), Format.TEXT)

    assert sum(1 for line in page.splitlines() if not line.startswith("#")) < 2000
