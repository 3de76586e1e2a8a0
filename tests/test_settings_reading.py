"""Whatever is handed over as settings, file, text or variable, is answered: fast and never by a traceback."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodputd import settings
from goodputd.errors import SettingsError
from goodputd.settings.keys import document_keys, unflatten, variable
from goodputd.settings.toml_text import value_text

NOBODY = 65534


def told(text: str, environ: Mapping[str, str] | None = None) -> list[str]:
    """The lines that are told of a text, none when it loads; anything but a mistake of the user fails."""
    try:
        loaded = settings.parse(text, source="bad.toml", environ=environ or {})
    except SettingsError as error:
        return list(error.problems)
    return [] if loaded.scenarios else ["no scenario"]


def mistakes_of_file(path: Path) -> list[str]:
    """Every line that is told of a file."""
    with pytest.raises(SettingsError) as caught:
        settings.load(path, environ={})
    return list(caught.value.problems)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nb = = 2", "line 2, column 5: not valid TOML: Invalid value"),
        ("seed = 1\nseed = 2", "line 2, column 9: not valid TOML: Cannot overwrite a value"),
        (
            "seed = 1\n[cluster\n",
            "line 2, column 9: not valid TOML: Expected ']' at the end of a table declaration",
        ),
        ("\x00", "line 1, column 1: not valid TOML: Invalid statement"),
        ("seed = " + "9" * 5000, "not valid TOML: a number has too many digits"),
        ("seed = 0x" + "f" * 5000, "seed: must fit in 64 bits (got a number of 20000 bits)"),
        ("a = " + "[" * 5000, "tables and arrays are nested too deep"),
        (".".join("a" * 5000) + " = 1", "tables and arrays are nested too deep"),
        (".".join("a" * 30) + " = 1", "tables and arrays are nested too deep, at most 16 levels"),
        ("seed = " + "[" * 30 + "]" * 30, "tables and arrays are nested too deep, at most 16 levels"),
    ],
    ids=["value", "twice", "table", "nul", "digits", "hex", "brackets", "dots", "levels", "arrays"],
)
def test_what_is_no_toml_is_told_with_its_place(text: str, line: str) -> None:
    """A syntax error is one line with line and column; monstrous nesting and numbers are, too."""
    assert [f"bad.toml: {line}"] == told(text)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    """A file that is not there is one line, with what would write one."""
    path = tmp_path / "missing.toml"

    assert [f"{path}: no such file; goodputd init writes one"] == mistakes_of_file(path)


def test_a_directory_is_told(tmp_path: Path) -> None:
    """A directory is no file."""
    assert [f"{tmp_path}: is a directory, a TOML file is needed"] == mistakes_of_file(tmp_path)


def test_a_path_through_a_file_is_told(tmp_path: Path) -> None:
    """A path that goes on behind a file cannot be read."""
    path = tmp_path / "file.toml" / "more.toml"
    path.parent.touch()

    assert [f"{path}: cannot be read: not a directory"] == mistakes_of_file(path)


def test_a_file_without_permission_is_told(tmp_path: Path) -> None:
    """A file that may not be read is one line."""
    path = tmp_path / "secret.toml"
    path.touch(mode=0o000)
    with _without_privilege():
        found = mistakes_of_file(path)

    assert [f"{path}: no permission to read it"] == found


@contextmanager
def _without_privilege() -> Iterator[None]:
    """Root may read everything, so it is nobody for a moment."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_file_that_is_not_utf_8_is_told_with_the_line(tmp_path: Path) -> None:
    """The first byte that is no UTF-8 is told with its line."""
    path = tmp_path / "latin.toml"
    path.write_bytes(b"seed = 1\n# caf\xe9\n")

    assert [f"{path}: is not UTF-8 text (byte 0xe9 in line 2)"] == mistakes_of_file(path)


def test_fifty_megabytes_of_garbage_are_answered_at_once(tmp_path: Path) -> None:
    """A file that is far too large is not read to its end."""
    path = tmp_path / "garbage.toml"
    path.write_bytes(os.urandom(1 << 20) * 50)
    started = time.perf_counter()
    found = mistakes_of_file(path)
    seconds = time.perf_counter() - started

    assert [f"{path}: is larger than 1 MiB, a settings file has a few kilobytes"] == found
    assert seconds < 1.0


def test_an_endless_file_is_answered() -> None:
    """A device that never ends is too large as well."""
    assert ["/dev/zero: is larger than 1 MiB, a settings file has a few kilobytes"] == mistakes_of_file(
        Path("/dev/zero")
    )


def test_a_file_full_of_unknown_keys_is_told_in_part() -> None:
    """Who has tens of thousands of mistakes reads a hundred of them and how many there are."""
    found = told("\n".join(f"key_{index} = 1" for index in range(20_000)))

    assert (101, "bad.toml: and 19900 more mistakes") == (len(found), found[-1])


def test_a_script_full_of_mistakes_is_told_in_part() -> None:
    """The same holds for rules across keys."""
    found = told(
        "".join(
            f"[[faults.script]]\nat_seconds = 1\nkind = 'nic'\nnode = 9999{index}\n" for index in range(300)
        )
    )

    assert (201, "bad.toml: and 100 more mistakes") == (len(found), found[-1])


VALUES = st.one_of(
    st.integers(),
    st.integers(min_value=-(10**30), max_value=10**30),
    st.floats(),
    st.booleans(),
    st.text(max_size=8),
    st.lists(st.one_of(st.integers(), st.text(max_size=3), st.sampled_from(["watchdog", "gpu"])), max_size=3),
    st.dictionaries(st.sampled_from(["name", "kind", "component", "node", "x"]), st.integers(), max_size=2),
    st.lists(
        st.dictionaries(st.sampled_from(["name", "kind", "per_node_day"]), st.text(max_size=3)), max_size=2
    ),
)
KEYS_AND_TYPOS = st.one_of(
    st.sampled_from(document_keys()), st.sampled_from([f"{key}s" for key in document_keys()])
)


@given(values=st.dictionaries(KEYS_AND_TYPOS, VALUES, max_size=5))
def test_any_values_are_settings_or_mistakes(values: dict[str, Any]) -> None:
    """Whatever stands in a file, it loads or is told of in lines that begin with the file's name."""
    text = "\n".join(f"{table} = {value_text(value)}" for table, value in unflatten(values).items())

    assert all(line.startswith("bad.toml: ") for line in told(text))


@given(values=st.dictionaries(KEYS_AND_TYPOS, VALUES, max_size=3))
def test_any_values_of_a_scenario_are_settings_or_mistakes(values: dict[str, Any]) -> None:
    """The same holds for the overrides of a scenario."""
    overrides = "".join(f"{key} = {value_text(value)}\n" for key, value in values.items())

    assert all(line.startswith("bad.toml: ") for line in told(f"[[scenario]]\nname = 'a'\n{overrides}"))


@given(text=st.text(max_size=200))
def test_any_text_is_settings_or_mistakes(text: str) -> None:
    """Whatever text a file holds, it loads or is told of."""
    assert all(line.startswith("bad.toml: ") for line in told(text))


@given(name=st.sampled_from(document_keys()), text=st.text(max_size=30))
def test_any_variable_is_a_setting_or_a_mistake(name: str, text: str) -> None:
    """Whatever stands in the environment, it is used or told of as the environment's."""
    assert all(line.startswith("environment: ") for line in told("", {variable(name): text}))
