"""A real Prometheus over blocks that promtool made of a backfill; it scrapes nothing.

Knows commands and folders, and nothing of a metric.
"""

import contextlib
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx

from goodputd.commands.backfill import RETENTION
from tests.prometheus import Prometheus, until

_LISTENING: Final = re.compile(r'msg="Listening on" address=(\S+)')


def imported(promtool: Path, report: str, folder: Path) -> Path:
    """Run the import that a backfill in this folder told its user to run; returns the storage."""
    (line,) = (each for each in report.splitlines() if "create-blocks-from openmetrics" in each)
    name, *arguments = shlex.split(line)
    assert promtool.name == name
    made = subprocess.run([promtool, *arguments], cwd=folder, check=False, capture_output=True, text=True)
    assert (0, "") == (made.returncode, made.stderr)
    return folder / arguments[-1]


@contextlib.contextmanager
def showing(prometheus: Path, data: Path) -> Iterator[Prometheus]:
    """A server over these blocks, with the retention that the backfill tells its users."""
    config, log = data.with_suffix(".yml"), data.with_suffix(".log")
    config.touch()
    command: list[str | Path] = [
        prometheus,
        f"--config.file={config}",
        f"--storage.tsdb.path={data}",
        f"--storage.tsdb.retention.time={RETENTION}",
        "--web.listen-address=127.0.0.1:0",
    ]
    with log.open("wb") as stderr, subprocess.Popen(command, stderr=stderr) as process:
        try:
            until(lambda: _LISTENING.search(log.read_text(encoding="utf-8")) is not None)
            address = _LISTENING.search(log.read_text(encoding="utf-8"))
            assert address
            with httpx.Client(base_url=f"http://{address[1]}", trust_env=False) as client:
                until(lambda: client.get("/-/ready").is_success)
                yield Prometheus(client)
        finally:
            process.terminate()
