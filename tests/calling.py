"""Calling the command line in this process, on a small cluster."""

from pathlib import Path

import pytest

from goodputd.cli import main

SMALL = """
seed = 3
[cluster]
nodes = 128
spares = 2
[faults]
scale = 20.0
[[scenario]]
name = "naive"
checkpoint.interval_seconds = 14400
detection.layers = ["watchdog"]
[[scenario]]
name = "default"
"""
"""Two scenarios of 1,024 GPUs on the same faults, about twenty of them a day."""
STUDY = ("small.toml", "--for", "2d", "--workers", "1")
"""What a command that plays studies is called with here: two days, on one core."""


def clean(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Text is 80 columns wide whatever the developer's terminal, and files stay in a folder of the test."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(folder)


class Call:
    """Run command lines in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *first: str) -> None:
        """Every line begins with the arguments ``first``."""
        self._capsys = capsys
        self._first = first

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of a command line."""
        with pytest.raises(SystemExit) as caught:
            main([*self._first, *arguments])
        out, err = self._capsys.readouterr()
        assert isinstance(caught.value.code, int)
        return caught.value.code, out, err
