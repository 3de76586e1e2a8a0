"""One line on stderr that there are warnings about the settings that are about to be played.

What they are is the business of ``check-config``.
"""

import shlex
import sys

from goodputd import settings
from goodputd.settings import Settings
from goodputd.settings.loading import BUILT_IN


def tell_doubts(loaded: Settings) -> None:
    """Say how many warnings ``check-config`` has, and how it is called; nothing when it has none."""
    number = len(settings.warnings(loaded))
    if number:
        file = "" if loaded.source == BUILT_IN else f" {shlex.quote(loaded.source)}"
        noun = "warning" if number == 1 else "warnings"
        print(f"{number} {noun}: goodputd check-config{file}", file=sys.stderr)
