"""Durations as people type them: ``54d``, ``1d12h``, plain seconds.

It knows seconds and whom to complain to, and not what they are for. How durations are said is in
``narration``.
"""

import math
import re
from typing import Final

from goodputd.errors import SettingsError

UNIT_SECONDS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}

_PART: Final = re.compile(r"(\d+(?:\.\d+)?|\.\d+)([smhdw])")
_WHOLE: Final = re.compile(rf"(?:{_PART.pattern})+")


def parse_seconds(text: str, *, option: str) -> float:
    """Seconds of ``54d``, ``1d12h``, ``2.5h`` or a plain number of seconds; positive and finite.

    Errors: ``SettingsError`` that names ``option`` and what is allowed.
    """
    compact = text.strip().lower()
    try:
        seconds = float(compact)
    except ValueError:
        parts = _PART.findall(compact) if _WHOLE.fullmatch(compact) else ()
        seconds = math.fsum(float(number) * UNIT_SECONDS[unit] for number, unit in parts)
    if not 0.0 < seconds < math.inf:
        message = (
            f"{option}: {text!r} is not a duration; allowed is a number above 0 with a unit of "
            "s, m, h, d or w (54d, 1d12h), or plain seconds"
        )
        raise SettingsError(message)
    return seconds
