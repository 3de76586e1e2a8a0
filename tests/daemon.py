"""The real daemon in a process of its own, for tests of what only a process shows.

It serves on a free port and logs JSON to a pipe, whose first line says where it serves.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PATIENCE_WALL_SECONDS = 30.0
"""How long a test waits for a process before it fails."""


@dataclass(slots=True)
class Daemon:
    """A running daemon."""

    process: subprocess.Popen[str]
    opening: dict[str, Any]
    """The event ``serving``."""

    @property
    def url(self) -> str:
        """The address of the page, with a slash at the end."""
        return str(self.opening["url"])

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        parts = urlsplit(self.url)
        assert parts.hostname
        assert parts.port
        return parts.hostname, parts.port

    def next_event(self) -> dict[str, Any]:
        """The next line of the log."""
        assert self.process.stdout
        event: dict[str, Any] = json.loads(self.process.stdout.readline())
        return event

    def stop(self, number: int) -> tuple[int, dict[str, Any]]:
        """Send a signal and wait: the exit code, and the last event that was logged."""
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=PATIENCE_WALL_SECONDS)
        return self.process.returncode, json.loads(out.splitlines()[-1])


def start(*arguments: str) -> subprocess.Popen[str]:
    """``goodputd`` with these arguments, its output in pipes; coverage of the environment is clean."""
    return subprocess.Popen(
        [sys.executable, "-m", "goodputd", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith("GOODPUTD_")},
    )


@contextmanager
def serving(config: Path | None = None, *arguments: str) -> Iterator[Daemon]:
    """A daemon that serves these settings; it is killed if the test has not stopped it."""
    chosen = [] if config is None else ["--config", str(config)]
    process = start("serve", *chosen, "--listen", "127.0.0.1:0", "--log-format", "json", *arguments)
    try:
        assert process.stdout
        first = process.stdout.readline()
        assert first, process.communicate()[1]
        yield Daemon(process, json.loads(first))
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


@contextmanager
def reading_the_log(daemon: Daemon) -> Iterator[None]:
    """Somebody reads what the daemon logs, as in real life; a full pipe would stop it. It ends with that."""
    assert daemon.process.stdout
    reader = threading.Thread(target=daemon.process.stdout.read)
    reader.start()
    try:
        yield
    finally:
        daemon.process.terminate()
        reader.join()
        daemon.process.communicate()
