"""One browser and one daemon for all tests that look at pages."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import browser, executable, watched_daemon
from tests.daemon import Daemon


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The system's Chromium.

    It goes with the module: while it is there an event loop runs in this thread, and no other test
    could start its own.
    """
    if executable() is None:
        pytest.fail("missing: chromium; `make test` installs it as root", pytrace=False)
    with browser() as launched:
        yield launched


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """A daemon with the shipped settings at the shipped speed."""
    with watched_daemon() as running:
        yield running
