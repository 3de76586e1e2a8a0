"""From a path to text, from text to a tree, from the environment to a layer.

Whatever a file may be instead of TOML is answered here, in one line and at once. Knows nothing of
which keys exist, but for the names of environment variables.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import tomli

from goodputd.errors import SettingsError
from goodputd.settings.keys import ENVIRONMENT_PREFIX, Flat, Tree, document_keys, variable

LARGEST_FILE_BYTES: Final = 1 << 20
"""Hand-written settings are a few kilobytes; reading more than this would only delay the answer."""

DEEPEST: Final = 16
"""Nested tables and arrays; the deepest key that exists has four levels."""

NOT_SETTINGS: Final = frozenset({"GOODPUTD_CONFIG", "GOODPUTD_TOKEN", "GOODPUTD_TOKEN_FILE"})

_ORCHESTRATOR: Final = re.compile(r"GOODPUTD_(SERVICE_(HOST|PORT)|PORT(_\d+_(TCP|UDP|SCTP))?)(_[A-Z0-9_]+)?")
"""What Kubernetes and container links put into every container beside a service named goodputd."""


def read_text(path: Path) -> str:
    """The text of a settings file. Errors: ``SettingsError``, one line that begins with the path."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except FileNotFoundError:
        raise SettingsError(f"{path}: no such file; goodputd init writes one") from None
    except IsADirectoryError:
        raise SettingsError(f"{path}: is a directory, a TOML file is needed") from None
    except PermissionError:
        raise SettingsError(f"{path}: no permission to read it") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SettingsError(f"{path}: cannot be read: {reason.lower()}") from None
    if len(data) > LARGEST_FILE_BYTES:
        raise SettingsError(f"{path}: is larger than 1 MiB, a settings file has a few kilobytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{data[error.start]:02x} in line {line}"
        raise SettingsError(f"{path}: is not UTF-8 text ({what})") from None


def parse_toml(text: str, source: str) -> Tree:
    """The tables of a TOML text. Errors: ``SettingsError`` with line and column."""
    try:
        tree = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise SettingsError(f"{source}: {place}: not valid TOML: {error.msg}") from None
    except RecursionError:
        raise SettingsError(f"{source}: tables and arrays are nested too deep") from None
    except ValueError:  # Python refuses to convert integers of thousands of digits
        raise SettingsError(f"{source}: not valid TOML: a number has too many digits") from None
    if _is_too_deep(tree):
        raise SettingsError(f"{source}: tables and arrays are nested too deep, at most {DEEPEST} levels")
    return tree


def read_environment(environ: Mapping[str, str]) -> tuple[Flat, list[tuple[str, str]]]:
    """The layer of all GOODPUTD_ variables, and (variable, what is wrong) of the unknown ones."""
    keys = {variable(key): key for key in document_keys()}
    layer: Flat = {}
    mistakes: list[tuple[str, str]] = []
    for name in sorted(environ):
        if name in keys:
            layer[keys[name]] = _value(environ[name])
        elif (
            name.startswith(ENVIRONMENT_PREFIX)
            and name not in NOT_SETTINGS
            and not _ORCHESTRATOR.fullmatch(name)
        ):
            mistakes.append((name, _unknown(name, list(keys))))
    return layer, mistakes


def _value(text: str) -> Any:  # noqa: ANN401 - any TOML value
    """The text as a TOML value; what is none is a plain string."""
    try:
        parsed = tomli.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return parsed["value"] if len(parsed) == 1 and not _is_too_deep(parsed) else text


def _unknown(name: str, names: list[str]) -> str:
    close = get_close_matches(name.upper(), names, n=1, cutoff=0.8)
    if close:
        return f"unknown variable; did you mean {close[0]}?"
    return "unknown variable; a setting is GOODPUTD_<TABLE>__<KEY>, for instance GOODPUTD_CLUSTER__NODES"


def _is_too_deep(tree: Tree) -> bool:
    level: list[Any] = [tree]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True
