"""The pages in a real Chromium, shown by a real daemon."""

import base64
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.chromium import SCREENSHOTS, watched_daemon
from tests.browser.picture import PIXELS
from tests.daemon import Daemon

pytestmark = pytest.mark.xdist_group("browser")

PATIENCE_MILLISECONDS = 20_000
WIDTHS = (390, 1440)
LINES = """() => [...document.querySelectorAll(".scroll thead th, .scroll td.text")]
.filter((cell) => cell.checkVisibility()).map((cell) => {
  const text = document.createRange();
  text.selectNodeContents(cell);
  return [cell.tagName, new Set([...text.getClientRects()].map((line) => Math.round(line.top))).size];
})"""
"""Into how many lines each heading and each sentence in a table is broken."""
PAPER = b"\xff\xff\xff\xff"
Scheme = Literal["light", "dark"]


@dataclass(slots=True)
class Seen:
    """What a browser did besides showing the page."""

    console: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Window:
    """A page, and what was seen of it."""

    page: Page
    seen: Seen


@pytest.fixture
def window(chromium: Browser) -> Iterator[Callable[..., Window]]:
    """Opens windows; keyword arguments are those of a browser context."""
    contexts: list[BrowserContext] = []

    def opened(**options: object) -> Window:
        context = chromium.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        page, seen = context.new_page(), Seen()
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.on("console", lambda message: seen.console.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: seen.console.append(str(error)))
        page.on("request", lambda request: seen.hosts.add(request.url.split("/")[2]))
        return Window(page, seen)

    yield opened
    for context in contexts:
        context.close()


def settled(page: Page, url: str) -> None:
    """Show the status page once it draws an incident."""
    page.goto(url)
    expect(page.locator("svg.stages").first).to_be_visible(timeout=PATIENCE_MILLISECONDS)


def serious(page: Page) -> list[str]:
    """What axe finds serious or critical on the page as it stands."""
    violations = Axe().run(page).response["violations"]
    return [
        f"{violation['id']}: {violation['help']} {[node['target'] for node in violation['nodes']][:3]}"
        for violation in violations
        if violation["impact"] in {"serious", "critical"}
    ]


def edges(decoder: Page, png: bytes) -> tuple[bool, bool]:
    """Whether a shadow lies on the left edge of a picture, and on the right; ``decoder`` reads it."""
    pixels = base64.b64decode(decoder.evaluate(PIXELS, base64.b64encode(png).decode()))
    width, height = struct.unpack(">II", png[16:24])
    columns = (
        [pixels[4 * (row * width + column) :][:4] for row in range(height)] for column in (1, width - 2)
    )
    left, right = (column.count(PAPER) < height / 2 for column in columns)
    return left, right


def test_ten_seconds_after_the_start_there_is_something_to_see(window: Callable[..., Window]) -> None:
    """Goodput of both scenarios, date, speed, and an incident drawn to scale."""
    with watched_daemon() as fresh:
        deadline = time.monotonic() + 10.0
        drawn = False
        while not drawn and time.monotonic() < deadline:
            drawn = 'class="stages"' in httpx.get(fresh.url).text
        page = window().page
        settled(page, fresh.url)
        figures = page.locator(".number").all_inner_texts()
        clock = page.locator("#clock").inner_text()

    assert drawn
    assert 2 == len(figures)
    assert all(figure.endswith(" %") for figure in figures)
    assert "Jan 2026" in clock
    assert "Speed 1,440 times real time" in clock


def test_numbers_change_by_themselves(window: Callable[..., Window], daemon: Daemon) -> None:
    """Without a reload the simulated date and the step move on."""
    page = window().page
    settled(page, daemon.url)
    page.evaluate("window.unchanged = true")
    clock = page.locator("#clock strong")
    step = page.locator(".card .facts div", has_text="step, now").first
    clock_before, step_before = clock.inner_text(), step.inner_text()
    expect(clock).not_to_have_text(clock_before, timeout=PATIENCE_MILLISECONDS)
    expect(step).not_to_have_text(step_before, timeout=PATIENCE_MILLISECONDS)

    assert "live" == page.locator("#connection").inner_text()
    assert page.evaluate("window.unchanged")


def test_a_new_incident_appears_by_itself(window: Callable[..., Window], daemon: Daemon) -> None:
    """Sooner or later the newest incident is another one."""
    page = window().page
    settled(page, daemon.url)
    newest = page.locator(".incidents a").first
    before = newest.inner_text()

    expect(newest).not_to_have_text(before, timeout=3 * PATIENCE_MILLISECONDS)


def test_updates_can_be_paused(window: Callable[..., Window], daemon: Daemon) -> None:
    """Paused, the page says so and stands still; then it goes on."""
    page = window().page
    settled(page, daemon.url)
    button = page.get_by_role("button", name="Pause updates")
    button.click()
    expect(page.locator("#connection")).to_have_text("paused")
    frozen = page.locator("#clock strong").inner_text()
    # Another page of the same daemon shows that time went on meanwhile.
    other = window().page
    settled(other, daemon.url)
    expect(other.locator("#clock strong")).not_to_have_text(frozen)
    still = page.locator("#clock strong").inner_text()
    button.click()

    assert frozen == still
    expect(page.locator("#clock strong")).not_to_have_text(frozen, timeout=PATIENCE_MILLISECONDS)


def test_an_incident_opens_and_back_works(window: Callable[..., Window], daemon: Daemon) -> None:
    """A click opens the post-mortem that the link named, and back leads to a live page."""
    page = window().page
    settled(page, daemon.url)
    page.get_by_role("button", name="Pause updates").click()
    link = page.locator(".incidents a").first
    name = link.inner_text()
    link.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    expect(page.get_by_role("heading", name="Was the decision right?")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Is the cluster earning its keep?")

    expect(page.locator("#connection")).to_have_text("live", timeout=PATIENCE_MILLISECONDS)


def test_the_keyboard_opens_an_incident(window: Callable[..., Window], daemon: Daemon) -> None:
    """Tab reaches the skip link first and an incident later; Enter opens it."""
    page = window().page
    settled(page, daemon.url)
    page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.textContent")
    for _ in range(30):
        page.keyboard.press("Tab")
        if str(page.evaluate("document.activeElement.textContent")).startswith("Incident "):
            break
    page.keyboard.press("Enter")

    assert "Skip to the content" == first
    expect(page.get_by_role("heading", level=1)).to_contain_text("Incident ")


def test_focus_survives_an_update(window: Callable[..., Window], daemon: Daemon) -> None:
    """A link that has the focus keeps it while the numbers around it change."""
    page = window().page
    settled(page, daemon.url)
    oldest = page.locator(".incidents").first.locator("a").first
    oldest.focus()
    href = oldest.get_attribute("href")
    clock = page.locator("#clock strong")
    for _ in range(3):
        expect(clock).not_to_have_text(clock.inner_text(), timeout=PATIENCE_MILLISECONDS)

    assert href == page.evaluate("document.activeElement.getAttribute('href')")


def test_nothing_is_said_to_the_console(window: Callable[..., Window], daemon: Daemon) -> None:
    """Neither errors nor refused styles or scripts, on any page, and no other host is asked."""
    opened = window()
    settled(opened.page, daemon.url)
    href = opened.page.locator(".incidents a").first.get_attribute("href")
    for path in ("incidents", href, "incidents?scenario=default", "api", ""):
        opened.page.goto(f"{daemon.url}{path}")
    expect(opened.page.locator("#connection")).to_have_text("live", timeout=PATIENCE_MILLISECONDS)
    host, port = daemon.address

    assert [] == opened.seen.console
    assert {f"{host}:{port}"} == opened.seen.hosts


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(window: Callable[..., Window], daemon: Daemon, scheme: Scheme) -> None:
    """Contrast, names and roles of every kind of page, in both schemes."""
    page = window(color_scheme=scheme).page
    settled(page, daemon.url)
    href = page.locator(".incidents a").first.get_attribute("href")
    found = serious(page)
    for path in ("incidents", href, "api"):
        page.goto(f"{daemon.url}{path}")
        found += serious(page)

    assert [] == found


def test_the_page_is_complete_without_script(window: Callable[..., Window], daemon: Daemon) -> None:
    """With JavaScript off there are goodput, drawings and tables, and the page reloads itself."""
    with_script = window().page
    settled(with_script, daemon.url)
    page = window(java_script_enabled=False).page
    page.goto(daemon.url)

    assert 2 == page.locator(".number").count()
    assert page.locator("svg.stages").count() > 0
    assert page.locator("table").count() == with_script.locator("table").count()
    assert page.locator("#live").is_hidden()
    assert "5" == page.locator("noscript meta[http-equiv=refresh]").get_attribute("content")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_the_screen(
    window: Callable[..., Window], daemon: Daemon, width: int, scheme: Scheme
) -> None:
    """Nothing is wider than a phone or a desk; the pictures are kept."""
    page = window(viewport={"width": width, "height": 900}, color_scheme=scheme).page
    settled(page, daemon.url)
    href = page.locator(".incidents a").first.get_attribute("href")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    widths = []
    for name, path in (("status", ""), ("incidents", "incidents"), ("post-mortem", href), ("api", "api")):
        page.goto(f"{daemon.url}{path}")
        expect(page.locator("h1")).to_be_visible()
        widths.append(page.evaluate("document.documentElement.scrollWidth"))
        page.screenshot(path=SCREENSHOTS / f"{name}-{width}-{scheme}.png", full_page=True)

    assert [width] * 4 == widths


def test_no_column_is_squeezed_on_a_phone(window: Callable[..., Window], daemon: Daemon) -> None:
    """A table that is wider than the screen scrolls: headings keep to a line, sentences to three."""
    page = window(viewport={"width": 390, "height": 900}).page
    settled(page, daemon.url)
    href = page.locator(".incidents a").first.get_attribute("href")
    cells: list[list[float | str]] = []
    for path in ("", "incidents", href):
        page.goto(f"{daemon.url}{path}")
        expect(page.locator("table").first).to_be_visible()
        cells += page.evaluate(LINES)
    headings = [lines for kind, lines in cells if kind == "TH"]
    sentences = [lines for kind, lines in cells if kind == "TD"]

    assert len(headings) > 20
    assert {1} == set(headings)
    assert {0, 1, 2, 3} >= set(sentences)  # an empty cell has no line


def test_a_table_shows_where_it_goes_on(window: Callable[..., Window], daemon: Daemon) -> None:
    """On a phone a shadow lies at the edge beyond which there is more, and at no other."""
    page = window(viewport={"width": 390, "height": 900}, color_scheme="light").page
    decoder = window().page
    page.goto(f"{daemon.url}incidents")
    table = page.get_by_role("region", name="Incidents", exact=True)
    at_the_start = edges(decoder, table.screenshot())
    table.evaluate("region => { region.scrollLeft = region.scrollWidth; }")
    at_the_end = edges(decoder, table.screenshot())

    assert [(False, True), (True, False)] == [at_the_start, at_the_end]
