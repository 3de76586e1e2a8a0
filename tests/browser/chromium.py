"""The system's Chromium, and a daemon for it to look at.

Knows how both are started and ended, and nothing of what a page should show.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.daemon import Daemon, reading_the_log, serving

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / ".cache" / "screenshots"
"""Kept as artefacts of a test run; git ignores them."""

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--no-sandbox",  # a container has no user namespaces to build one from
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def executable() -> str | None:
    """The path of the system's Chromium; None when there is none."""
    return next((path for name in _NAMES if (path := shutil.which(name)) is not None), None)


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable(), args=list(_FLAGS))
        try:
            yield launched
        finally:
            launched.close()


@contextmanager
def watched_daemon(*arguments: str) -> Iterator[Daemon]:
    """A daemon with the shipped settings, whose log is read, since a full pipe would hold it up."""
    with serving(ROOT / "config" / "default.toml", *arguments) as daemon, reading_the_log(daemon):
        yield daemon
