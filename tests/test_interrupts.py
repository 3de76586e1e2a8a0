"""Ctrl-C while the program starts, which takes a tenth of a second: imports, and the making of commands."""

import signal
import subprocess
import sys

import pytest

from goodputd.cli import main

START = """
import os, runpy, signal, sys

class Meanwhile:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            {happens}

signal.signal(signal.SIGINT, {handler})
sys.meta_path.insert(0, Meanwhile())
sys.argv = ["goodputd", "simulate", "--for", "1h", "--json"]
runpy.run_module("goodputd", run_name="__main__", alter_sys=True)
"""
CTRL_C = "os.kill(os.getpid(), signal.SIGINT)"


def started(module: str, happens: str, handler: str = "signal.default_int_handler") -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a program to which something happens as it looks for a module."""
    text = START.format(module=module, happens=happens, handler=handler)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "module",
    ["typer", "typer.core", "goodputd.cli_frame", "goodputd.cli_runs", "goodputd.settings", "pydantic"],
)
def test_a_program_that_is_interrupted_as_it_starts_exits_with_130(module: str) -> None:
    """From the first import on that is ours to the imports of a command: one word and no traceback."""
    assert (130, "", "interrupted\n") == started(module, CTRL_C)


def test_who_ignores_ctrl_c_is_not_ended_by_it() -> None:
    """As shells start what runs in the background."""
    code, out, err = started("typer", CTRL_C, "signal.SIG_IGN")

    assert (0, True, "") == (code, out.startswith("{"), err)


def test_a_bug_at_the_start_has_its_traceback() -> None:
    """Nothing but an interruption is quiet."""
    code, _, err = started("typer", 'raise ValueError("a bug")')

    assert (1, True, "ValueError: a bug") == (code, "Traceback" in err, err.splitlines()[-1])


@pytest.mark.parametrize("arguments", [["--version"], ["--nonsense"], ["catalog"]])
def test_afterwards_ctrl_c_is_what_it_was(arguments: list[str]) -> None:
    """Who calls the command line in his own process gets his ``KeyboardInterrupt`` back."""
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(SystemExit):
        main(arguments)

    assert signal.default_int_handler is before is signal.getsignal(signal.SIGINT)
