"""The program as people start it: a process of its own, and the wall time until it answers."""

import os
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from socket import socket
from time import perf_counter
from typing import Final

from tests.bench.scrape import pause

COMMAND: Final = str(Path(sysconfig.get_path("scripts")) / "goodputd")
_POLL_WALL_SECONDS: Final = 0.005
_PATIENCE_WALL_SECONDS: Final = 20.0
_GRACE_WALL_SECONDS: Final = 5.0


@dataclass(slots=True)
class Daemon:
    """A daemon that is ready."""

    port: int
    ready_after_wall_seconds: float


@contextmanager
def serving(config: Path) -> Iterator[Daemon]:
    """``goodputd serve`` on a free port, from ready until it was told to stop.

    Errors: ``RuntimeError`` with its output when it does not get ready or does not exit with 0.
    """
    port = _free_port()
    listen = f"127.0.0.1:{port}"
    command = [COMMAND, "serve", "--config", str(config), "--listen", listen]
    started = perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=_environment()
    )
    try:
        _await_ready(process, port)
        yield Daemon(port, perf_counter() - started)
        process.terminate()
        _, complaint = process.communicate(timeout=_GRACE_WALL_SECONDS)
    finally:
        process.kill()
        process.wait()
    if process.returncode != 0:
        message = f"goodputd exited with {process.returncode}: {complaint}"
        raise RuntimeError(message)


def run_wall_seconds(arguments: Sequence[str]) -> float:
    """Wall seconds of one short command. Errors: ``CalledProcessError``."""
    started = perf_counter()
    subprocess.run([COMMAND, *arguments], check=True, capture_output=True, env=_environment())
    return perf_counter() - started


def _environment() -> dict[str, str]:
    """That of this process without settings of goodputd."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GOODPUTD_")}


def _free_port() -> int:
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await_ready(process: subprocess.Popen[str], port: int) -> None:
    deadline = perf_counter() + _PATIENCE_WALL_SECONDS
    while not _is_ready(port):
        if process.poll() is not None or perf_counter() > deadline:
            process.kill()
            message = f"goodputd did not get ready: {process.communicate()[1]}"
            raise RuntimeError(message)
        pause(_POLL_WALL_SECONDS)


def _is_ready(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=_GRACE_WALL_SECONDS)
    try:
        connection.request("GET", "/-/ready")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
