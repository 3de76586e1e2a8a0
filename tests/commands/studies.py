"""A small cluster for the commands that play studies, and a way to call them in this process."""

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
"""1,024 GPUs, about twenty faults a day."""


def prepare(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> None:
    """Text is 80 columns wide whatever the developer's terminal, and files stay in a folder of the test."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(folder)
    Path("small.toml").write_text(text)


class Call:
    """Run ``goodputd COMMAND small.toml`` in this process."""

    def __init__(self, command: str, capsys: pytest.CaptureFixture[str]) -> None:
        """Nothing was called yet."""
        self._command = command
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr; two days on one core."""
        with pytest.raises(SystemExit) as caught:
            main([self._command, "small.toml", "--for", "2d", "--workers", "1", *arguments])
        out, err = self._capsys.readouterr()
        assert isinstance(caught.value.code, int)
        return caught.value.code, out, err
