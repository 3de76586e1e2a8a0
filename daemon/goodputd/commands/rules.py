"""``goodputd rules``: print the rules for Prometheus, or put them where the user wants them.

A file that this command made is written anew, any other file is left alone. What is in the rules is
not known here.
"""

import sys
from pathlib import Path
from typing import Final

from goodputd.commands.durations import parse_seconds
from goodputd.errors import EnvironmentProblemError, SettingsError
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
    try:
        if path.exists() and not path.read_text(encoding="utf-8", errors="replace").startswith(FIRST_WORDS):
            message = f"{path}: was not made by goodputd rules; give another --out, or remove it"
            raise SettingsError(message)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EnvironmentProblemError(f"{path}: cannot be written: {error.strerror}") from error
    print(f"wrote {path}; next: name it under rule_files in prometheus.yml")
