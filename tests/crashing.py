"""What a worker process is given to do in tests, in a module that it can import."""

import os
import signal
from pathlib import Path

from goodputd.studies.runs import Job, Run, play

MARK = "GOODPUTD_CONFIG"
"""Carries a path to the workers; the one variable that any command lets pass."""


def play_but_die_once(job: Job) -> Run:
    """Die of the first job that comes with seed 2, like a process that the kernel kills for its memory."""
    mark = Path(os.environ[MARK])
    if job.seed == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return play(job)


def always_die(job: Job) -> Run:
    """Die of every job."""
    os.kill(os.getpid(), signal.SIGKILL)
    return play(job)


def fail(job: Job) -> Run:
    """A mistake of ours."""
    message = f"seed {job.seed} is wrong"
    raise ArithmeticError(message)


def never_end(job: Job) -> Run:
    """Play seed 0; with any other, wait for a signal that nobody sends."""
    if job.seed:
        signal.pause()
    return play(job)
