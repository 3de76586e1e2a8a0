"""The health check, against a real HTTP server on a free port."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from goodputd.commands.health import check, reachable, ready_url
from goodputd.errors import SettingsError


class Daemon(BaseHTTPRequestHandler):
    """Ready under the daemon's path, not ready under another, silent about both."""

    def do_GET(self) -> None:
        """Answer by path."""
        status, body = (200, b"ready") if self.path == "/-/ready" else (503, b"the first advance is not done")
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def listen() -> Iterator[str]:
    """Address of a server that is up."""
    server = HTTPServer(("127.0.0.1", 0), Daemon)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def nobody() -> str:
    """Address on which nobody listens."""
    server = HTTPServer(("127.0.0.1", 0), Daemon)
    server.server_close()
    return f"127.0.0.1:{server.server_port}"


def test_ready_is_zero(listen: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A daemon that is ready answers 0, without a word on stderr."""
    assert (0, ("ready\n", "")) == (
        check(f"http://{listen}", config=None, timeout_wall_seconds=5.0),
        tuple(capsys.readouterr()),
    )


def test_not_ready_is_one_with_the_reason(listen: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What the daemon says about itself is passed on."""
    url = f"http://{listen}/elsewhere"
    assert (1, f"not ready: {url}: HTTP 503 the first advance is not done\n") == (
        check(url, config=None, timeout_wall_seconds=5.0),
        capsys.readouterr().err,
    )


def test_nobody_there_is_one(nobody: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A refused connection is one line and 1, no traceback."""
    assert 1 == check(f"http://{nobody}", config=None, timeout_wall_seconds=5.0)
    assert "Connection refused" in capsys.readouterr().err


def test_the_address_comes_from_the_environment(listen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --url the check goes to where the daemon listens; the image sets it to every address."""
    monkeypatch.setenv("GOODPUTD_HTTP__LISTEN", f"0.0.0.0:{listen.rpartition(':')[2]}")
    assert 0 == check(None, config=None, timeout_wall_seconds=5.0)


def test_a_proxy_is_not_asked(listen: str, nobody: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy in the environment is for the world outside, not for this machine."""
    monkeypatch.setenv("http_proxy", f"http://{nobody}")
    monkeypatch.delenv("no_proxy", raising=False)
    assert 0 == check(f"http://{listen}", config=None, timeout_wall_seconds=5.0)


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("http://daemon:9642", "http://daemon:9642/-/ready"),
        ("http://daemon:9642/", "http://daemon:9642/-/ready"),
        ("https://daemon/-/healthy", "https://daemon/-/healthy"),
    ],
)
def test_a_url_without_a_path_gets_the_ready_path(given: str, asked: str) -> None:
    """The address alone is enough; a path is taken as it is."""
    assert asked == ready_url(given)


@pytest.mark.parametrize("url", ["daemon:9642", "file:///etc/passwd", "http://", ""])
def test_other_addresses_are_refused(url: str) -> None:
    """Nothing but http and https, with a host."""
    with pytest.raises(SettingsError, match="--url"):
        ready_url(url)


@pytest.mark.parametrize(
    ("listen_on", "reach"),
    [
        ("0.0.0.0:9642", "127.0.0.1:9642"),
        ("127.0.0.1:9642", "127.0.0.1:9642"),
        ("[::]:9642", "[::1]:9642"),
        ("[fe80::1]:9642", "[fe80::1]:9642"),
        ("localhost:9642", "localhost:9642"),
        (":9642", "127.0.0.1:9642"),
    ],
)
def test_every_address_is_reached_at_loopback(listen_on: str, reach: str) -> None:
    """A daemon that listens on all addresses is asked on this machine."""
    assert reach == reachable(listen_on)
