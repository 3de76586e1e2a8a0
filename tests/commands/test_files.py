"""Files that a command writes: there whole, or not there."""

import os
import signal
from pathlib import Path

import pytest

from goodputd.commands.files import replacing
from goodputd.errors import EnvironmentProblemError, SettingsError


def test_a_file_is_replaced_at_the_end(tmp_path: Path) -> None:
    """Until then the old one is there, and afterwards nothing but the new one."""
    path = tmp_path / "rules.yml"
    path.write_bytes(b"old")
    with replacing(str(path)) as file:
        file.write(b"new")
        assert b"old" == path.read_bytes()

    assert (b"new", [path]) == (path.read_bytes(), [*tmp_path.iterdir()])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_what_was_there(tmp_path: Path, number: signal.Signals) -> None:
    """The program ends as that signal ends programs, the old file stays, and no scrap is left."""
    path = tmp_path / "rules.yml"
    path.write_bytes(b"old")
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as ended, replacing(str(path)) as file:  # noqa: PT012 - the kill raises
        file.write(b"half")
        os.kill(os.getpid(), number)

    assert (128 + number, b"old", [path]) == (ended.value.code, path.read_bytes(), [*tmp_path.iterdir()])
    assert before == signal.getsignal(number)


def test_a_signal_that_is_ignored_ends_nothing(tmp_path: Path) -> None:
    """As nohup starts a program, to go on when its terminal is gone."""
    path = tmp_path / "rules.yml"
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with replacing(str(path)) as file:
            signal.raise_signal(signal.SIGHUP)
            file.write(b"whole")
        assert signal.SIG_IGN is signal.getsignal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, former)

    assert b"whole" == path.read_bytes()


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    """The message has the reason, the old file stays, and no scrap is left."""
    path = tmp_path / "rules.yml"
    path.write_bytes(b"old")
    with (
        pytest.raises(
            EnvironmentProblemError, match=r"rules\.yml: cannot be written: no space left on device$"
        ),
        replacing(str(path)),
    ):
        raise OSError(28, os.strerror(28))

    assert (b"old", [path]) == (path.read_bytes(), [*tmp_path.iterdir()])


@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero", "/dev/full", "/dev"])
def test_what_is_no_file_is_refused(device: str) -> None:
    """Nobody reads or replaces a device or a directory."""
    with pytest.raises(SettingsError, match="is not a file that can be replaced"), replacing(device):
        pytest.fail("it was opened")


def test_a_link_is_followed(tmp_path: Path) -> None:
    """The file it leads to is replaced, and the link stays."""
    path, link = tmp_path / "rules.yml", tmp_path / "link"
    link.symlink_to(path)
    with replacing(str(link)) as file:
        file.write(b"new")

    assert (b"new", True) == (path.read_bytes(), link.is_symlink())


def test_a_file_may_be_read_by_others(tmp_path: Path) -> None:
    """Its rights are those of any new file, or Prometheus could not read it."""
    usual, path = tmp_path / "usual", tmp_path / "rules.yml"
    usual.touch()
    with replacing(str(path)):
        pass

    assert usual.stat().st_mode == path.stat().st_mode
