"""The pages, asked as a client asks."""

import re

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from goodputd.metrics.view import View
from tests import snapshots
from tests.web.asking import Client, site

OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
TEXT = "text/plain; version=0.0.4; charset=utf-8"


def client(view: View | None) -> Client:
    """A client of the site that has published this view."""
    return Client(site(view))


@pytest.fixture
def ready() -> Client:
    """A client of an application that has something to show."""
    return client(snapshots.view(snapshots.snapshot("naive"), snapshots.snapshot()))


@pytest.fixture
def starting() -> Client:
    """A client of an application that has nothing to show yet."""
    return client(None)


def test_metrics_are_text_by_default(ready: Client) -> None:
    """Without a preference the page is in the text format and can be parsed."""
    response = ready.get("/metrics")
    families = {family.name for family in parse_text(response.text)}

    assert (200, TEXT) == (response.status_code, response.headers["content-type"])
    assert "goodputd_effective_training_time_ratio" in families


def test_metrics_are_openmetrics_on_request(ready: Client) -> None:
    """Who asks for OpenMetrics gets it, up to the end mark."""
    response = ready.get("/metrics", accept="application/openmetrics-text; version=1.0.0")
    families = {family.name for family in parse_openmetrics(response.text)}  # type: ignore[no-untyped-call]

    assert OPENMETRICS == response.headers["content-type"]
    assert "goodputd_interruptions" in families


@pytest.mark.parametrize("accept", [TEXT, OPENMETRICS])
def test_metrics_are_compressed_on_request(ready: Client, accept: str) -> None:
    """With gzip the page is the same, sent as a tenth of the bytes."""
    plain = ready.get("/metrics", accept=accept)
    zipped = ready.get("/metrics", accept=accept, accept_encoding="gzip")

    def ours(text: str) -> list[str]:
        return [line for line in text.splitlines() if "goodputd" in line]

    assert "gzip" == zipped.headers["content-encoding"]
    assert int(zipped.headers["content-length"]) < int(plain.headers["content-length"]) / 5
    assert ours(plain.text) == ours(zipped.text)


def test_plain_bytes_name_no_encoding(ready: Client) -> None:
    """A page that is not compressed has no Content-Encoding."""
    assert "content-encoding" not in ready.get("/metrics").headers


def test_caches_are_told_what_the_page_depends_on(ready: Client) -> None:
    """Vary names both headers that were looked at."""
    assert "Accept, Accept-Encoding" == ready.get("/metrics").headers["vary"]


@pytest.mark.parametrize(
    "path", ["/", "/incidents", "/incidents/default/1", "/metrics", "/-/healthy", "/-/ready", "/nothing"]
)
def test_no_page_is_stored(ready: Client, path: str) -> None:
    """Every answer is about this moment."""
    assert "no-store" == ready.get(path).headers["cache-control"]


@pytest.mark.parametrize(
    "path", ["/", "/incidents", "/api/v1/status", "/static/live.js", "/metrics", "/-/healthy", "/-/ready"]
)
def test_head_is_answered_like_get(ready: Client, path: str) -> None:
    """HEAD has the status and type of GET."""
    head, get = ready.request("HEAD", path), ready.get(path)

    assert (200, get.headers["content-type"]) == (head.status_code, head.headers["content-type"])


def test_there_is_nothing_to_scrape_before_the_first_view(starting: Client) -> None:
    """A scrape before the first view fails, so that no half page is stored."""
    response = starting.get("/metrics")

    assert (503, "1") == (response.status_code, response.headers["retry-after"])


@pytest.mark.parametrize(
    ("path", "before", "after"), [("/-/healthy", 200, 200), ("/-/ready", 503, 200), ("/", 200, 200)]
)
def test_health(starting: Client, ready: Client, path: str, before: int, after: int) -> None:
    """Alive is healthy from the start; ready is who has published."""
    assert (before, after) == (starting.get(path).status_code, ready.get(path).status_code)


@pytest.mark.parametrize("path", ["/metrics", "/-/healthy", "/-/ready", "/", "/api"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_other_methods_are_refused(ready: Client, method: str, path: str) -> None:
    """Pages can only be read, and the answer says how."""
    response = ready.request(method, path)

    assert (405, {"GET", "HEAD"}) == (response.status_code, set(response.headers["allow"].split(", ")))


def test_an_unknown_page_names_those_there_are(ready: Client) -> None:
    """A wrong address is answered with the right ones."""
    response = ready.get("/metric")

    assert 404 == response.status_code
    assert all(path in response.text for path in ("/metrics", "/-/healthy", "/-/ready"))


def test_the_index_links_the_pages(ready: Client) -> None:
    """The page links metrics, API and health, relative to where it is served."""
    text = ready.get("/").text

    assert all(f'href="{link}"' in text for link in ("metrics", "api", "-/healthy", "-/ready"))


@pytest.mark.parametrize(
    "shown",
    [
        "naive",
        "default",
        "11 Jan 2026 00:00 UTC",
        "day 10 00:00",
        "98.44 %",
        "5 min 53 s",
        "143,882",
        "running",
        "Speed 1,440 times real time: a real minute is 1 d here.",
        "1,024 of 1,024",
        "checkpoint restore",
    ],
)
def test_the_index_shows_the_scenarios(ready: Client, shown: str) -> None:
    """Date, speed, goodput, MTTR, step, state, nodes and buckets of each scenario are on the page."""
    assert shown in ready.get("/").text


def test_the_index_says_when_there_is_no_data() -> None:
    """A scenario without incidents has no means yet."""
    fresh = snapshots.snapshot(effective_training_time_ratio=None, mttr_seconds=None)

    assert 2 == client(snapshots.view(fresh)).get("/").text.count("no data yet")


@pytest.mark.parametrize(
    ("days", "interval_hours", "ratio", "words"),
    [
        (0.1, 0.2, 0.82, "too early to judge"),
        (2.99, 0.2, 0.95, "too early to judge"),
        (3.0, 0.2, 0.82, '<span class="bad">below</span>'),
        (3.0, 0.2, 0.95, '<span class="good">meets</span>'),
        (4.0, 24.0, 0.82, "too early to judge"),
        (5.0, 24.0, 0.82, '<span class="bad">below</span>'),
    ],
)
def test_goodput_is_judged_when_there_is_enough_of_it(
    days: float, interval_hours: float, ratio: float, words: str
) -> None:
    """Before three simulated days and five checkpoint intervals are over, no target is missed or met."""
    taken = snapshots.snapshot(
        now=86400.0 * days,
        checkpoint_interval_seconds=3600.0 * interval_hours,
        effective_training_time_ratio=ratio,
    )
    text = client(snapshots.view(taken)).get("/").text
    judgements = ("too early to judge", '<span class="bad">below</span>', '<span class="good">meets</span>')

    assert [words] == [each for each in judgements if each in text]


def test_figures_say_since_when(ready: Client) -> None:
    """Goodput and the means of a card are those since start, for each scenario."""
    text = ready.get("/").text

    assert (2, 2) == (text.count("goodput since start"), text.count("Since start"))


def test_the_index_takes_names_literally() -> None:
    """A name is text, never markup."""
    text = client(snapshots.view(snapshots.snapshot("<script>"))).get("/").text

    assert ("<script>" in text, "&lt;script&gt;" in text) == (False, True)


def test_the_index_takes_its_own_files_only(ready: Client) -> None:
    """The page can load style, script and pictures from here, inline nothing, and be framed by nobody."""
    policy = ready.get("/").headers["content-security-policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))

    assert {"default-src", "base-uri", "form-action", "frame-ancestors"} == {
        name for name, value in rules.items() if value == "'none'"
    }
    assert {"script-src", "style-src", "img-src", "connect-src"} == {
        name for name, value in rules.items() if value == "'self'"
    }


@pytest.mark.parametrize("path", ["/", "/incidents", "/incidents/default/1", "/api"])
def test_pages_have_nothing_inline(ready: Client, path: str) -> None:
    """No style attribute, no handler and no script text, which the policy would refuse."""
    text = ready.get(path).text

    assert [] == re.findall(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*src=)", text)


def test_a_date_beyond_the_calendar_is_left_out() -> None:
    """After the year 9999 the page counts days, and has no empty date."""
    late = snapshots.snapshot(now=1e12)
    text = client(snapshots.view(late)).get("/").text

    assert "<strong>Day 11,574,074 01:46</strong> <span>of the simulation</span>" in text
    assert "<strong></strong>" not in text


def test_lag_is_told_when_it_matters() -> None:
    """A daemon that is behind its pace says so on the page; a hundredth of a second is none."""
    late, in_time = snapshots.view(lag_wall_seconds=12.0), snapshots.view()

    assert "Behind its pace by 12 s" in client(late).get("/").text
    assert "Behind its pace" not in client(in_time).get("/").text


@pytest.mark.parametrize("path", ["/", "/metrics", "/-/ready", "/nothing"])
def test_a_strangers_name_is_refused(ready: Client, path: str) -> None:
    """A request under a name that is not ours gets nothing, but says how to allow it."""
    response = ready.get(path, host="evil.example")

    assert 421 == response.status_code
    assert "allowed_hosts" in response.text


def test_a_page_does_not_depend_on_who_asked_before(ready: Client) -> None:
    """A compressed OpenMetrics scrape leaves the plain text of the next one as it was."""
    before = ready.get("/metrics").text.count("goodputd_")
    ready.get("/metrics", accept=OPENMETRICS, accept_encoding="gzip")

    assert before == ready.get("/metrics").text.count("goodputd_")
