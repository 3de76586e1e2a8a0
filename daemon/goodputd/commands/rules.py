"""``goodputd rules``: print the rules for Prometheus, or put them where the user wants them.

A file that this command made is written anew, any other file is left alone. What is in the rules is
not known here.
"""

import sys
from pathlib import Path
from typing import Final

from goodputd.commands.durations import parse_seconds
from goodputd.commands.files import replacing
from goodputd.errors import SettingsError
from goodputd.rules.rendering import FIRST_WORDS, RUNBOOKS, render

STDOUT: Final = "-"
FILE_NAME: Final = "goodputd.rules.yml"
"""In a directory."""


def run(*, speedup: float, scrape_interval: str, runbooks: str | None, out: str) -> None:
    """Write the rules to ``out``: a file, a directory that exists, or ``-`` for stdout.

    Errors: ``SettingsError`` for a number out of range and for a file that something else made,
    ``EnvironmentProblemError`` when the file cannot be written.
    """
    text = render(
        speedup=speedup,
        scrape_interval_wall_seconds=parse_seconds(scrape_interval, option="--scrape-interval"),
        runbooks=RUNBOOKS if runbooks is None else runbooks,
    )
    if out == STDOUT:
        sys.stdout.write(text)
        return
    path = Path(out) / FILE_NAME if Path(out).is_dir() else Path(out)
    with replacing(str(path)) as file:
        if path.exists() and not _is_ours(path):
            message = f"{path}: was not made by goodputd rules; give another --out, or remove it"
            raise SettingsError(message)
        file.write(text.encode())
    print(f"wrote {path}; next: name it under rule_files in prometheus.yml")


def _is_ours(path: Path) -> bool:
    """Whether the command made the file, or nobody put anything in it yet."""
    with path.open("rb") as file:
        return file.read(len(FIRST_WORDS)) in {FIRST_WORDS.encode(), b""}
