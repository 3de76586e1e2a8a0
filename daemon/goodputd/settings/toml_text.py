"""TOML text: single values and comments, as a person would write them.

TOML 1.0, so that every editor reads what we write. Knows nothing of settings.
"""

import json
import re
import textwrap
from collections.abc import Mapping
from typing import Final

_WIDTH: Final = 100
_MANY_DIGITS: Final = 1e7
_FEW: Final = 1e-4


def value_text(value: object) -> str:
    """A TOML value: scalar, array, or inline table. Errors: ``TypeError`` for anything else."""
    match value:
        case bool() | int():
            text = str(value).lower()
        case float():
            text = _float_text(value)
        case str():
            text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list() | tuple() if any(isinstance(each, Mapping) for each in value):  # one table a line
            text = "[\n" + "".join(f"  {value_text(each)},\n" for each in value) + "]"
        case list() | tuple():
            text = f"[{', '.join(map(value_text, value))}]"
        case Mapping():
            text = f"{{ {', '.join(f'{key} = {value_text(each)}' for key, each in value.items())} }}"
        case _:
            message = f"{type(value).__name__} has no TOML form"
            raise TypeError(message)
    return text


def comment(text: str) -> str:
    """The text as comment lines, wrapped, with a newline at the end; empty for no text."""
    lines = textwrap.wrap(text.replace("``", "`"), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "".join(f"# {line}\n" for line in lines)


def commented_out(text: str) -> str:
    """The same lines, each behind "# "."""
    return "".join(f"# {line}".rstrip() + "\n" for line in text.splitlines())


def _float_text(value: float) -> str:
    if value != 0.0 and not _FEW <= abs(value) < _MANY_DIGITS:
        short = re.sub(r"e([+-])0*(\d)", lambda match: f"e{match[1].strip('+')}{match[2]}", f"{value:.6g}")
        if "e" in short and float(short) == value:
            return short
    return repr(value)
