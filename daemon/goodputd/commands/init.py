"""``goodputd init``: put a settings file where the user wants it, never over one that is there.

It writes text that it is given and knows nothing of what is in it.
"""

import sys
from pathlib import Path
from typing import Final

from goodputd.errors import EnvironmentProblemError, SettingsError

STDOUT: Final = "-"


def write(text: str, out: str, *, force: bool) -> None:
    """Write ``text`` to ``out`` and say what to do next; ``-`` is stdout.

    Errors: ``SettingsError`` when the file exists and ``force`` is not given,
    ``EnvironmentProblemError`` when it cannot be written.
    """
    if out == STDOUT:
        sys.stdout.write(text)
        return
    try:
        with Path(out).open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise SettingsError(
            f"{out}: exists already; give another --out, or --force to overwrite it"
        ) from error
    except OSError as error:
        raise EnvironmentProblemError(f"{out}: cannot be written: {error.strerror}") from error
    print(f"wrote {out}; next: goodputd serve -c {out}")
