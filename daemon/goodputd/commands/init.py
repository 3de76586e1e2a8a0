"""``goodputd init``: put a settings file where the user wants it, never over one that is there.

It writes text that it is given and knows nothing of what is in it.
"""

import sys
from pathlib import Path
from typing import Final

from goodputd.commands.files import replacing
from goodputd.errors import SettingsError

STDOUT: Final = "-"


def write(text: str, out: str, *, force: bool) -> None:
    """Write ``text`` to ``out``, whole or not at all, and say what to do next; ``-`` is stdout.

    Errors: ``SettingsError`` when the file exists and ``force`` is not given, or is no file that can be
    replaced; ``EnvironmentProblemError`` when it cannot be written.
    """
    if out == STDOUT:
        sys.stdout.write(text)
        return
    if Path(out).is_file() and not force:
        raise SettingsError(f"{out}: exists already; give another --out, or --force to overwrite it")
    with replacing(out) as file:
        file.write(text.encode())
    print(f"wrote {out}; next: goodputd serve -c {out}")
