"""Executors: the same runs whoever plays them, each once, whatever becomes of a worker."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from goodputd import assembly, settings
from goodputd.errors import EnvironmentProblemError
from goodputd.studies.figures import read
from goodputd.studies.runs import MOST_ATTEMPTS, InProcess, Job, Processes, Run, cores, executor
from tests import crashing

SMALL = """
[cluster]
nodes = 16
[job]
gpus_per_replica = 8
[faults]
total_interruptions = 400
[[scenario]]
name = "naive"
detection.layers = ["watchdog"]
[[scenario]]
name = "default"
"""
DAY = 86400.0


@cache
def jobs(seeds: int = 3) -> tuple[Job, ...]:
    """Two scenarios on a few seeds, two days each."""
    scenarios = settings.parse(SMALL, source="small.toml", environ={}).scenarios
    return tuple(
        Job(point, scenario, seed, 2 * DAY)
        for seed in range(1, seeds + 1)
        for point, scenario in enumerate(scenarios)
    )


def told(runs: list[Run]) -> list[tuple[int, int, object]]:
    """Runs in order of seed and point, to compare."""
    return sorted(((run.seed, run.point, run.figures) for run in runs), key=lambda each: each[:2])


@cache
def expected() -> list[tuple[int, int, object]]:
    """What the core makes of the jobs when nobody is between."""
    runs = []
    for job in jobs():
        simulation = assembly.simulation(job.scenario, job.seed)
        simulation.advance_to(job.horizon_seconds)
        runs.append(Run(job.point, job.seed, read(simulation.snapshot())))
    return told(runs)


@pytest.mark.parametrize(("days", "completed"), [(2.0, True), (0.1, False)])
def test_a_job_with_a_target_is_played_until_it_is_completed(days: float, completed: bool) -> None:
    """What comes after is not played, and a horizon that comes first ends it."""
    text = SMALL.replace("[job]", "[job]\ntarget_steps = 5000")
    [scenario, _] = settings.parse(text, source="small.toml", environ={}).scenarios
    [run] = InProcess().run(iter([Job(0, scenario, 1, days * DAY)]))
    simulation = assembly.simulation(scenario, 1)
    simulation.advance_to(days * DAY)

    assert run.figures == read(simulation.snapshot())
    assert completed == simulation.completed
    assert completed == (run.figures.completion_seconds is not None)


def processes(play: Callable[[Job], Run], reports: list[str] | None = None) -> Processes:
    """Two workers that do this with a job."""
    return Processes(2, pytest.fail if reports is None else reports.append, play)


@pytest.mark.parametrize("workers", [1, 2])
def test_who_plays_leaves_no_trace(workers: int) -> None:
    """One process and several come to the same figures as the core by itself, each run once."""
    assert expected() == told(list(executor(workers, pytest.fail).run(iter(jobs()))))


def test_one_worker_is_this_process() -> None:
    """Who asks for one worker can set a breakpoint."""
    assert isinstance(executor(1, pytest.fail), InProcess)


def test_this_process_takes_jobs_as_they_are_needed() -> None:
    """No job is taken before its turn, so that a study that ends early plays no more than it needs."""
    waiting = iter(jobs())
    next(InProcess().run(waiting))

    assert len(jobs()) - 1 == len(list(waiting))


def test_workers_take_few_jobs_ahead() -> None:
    """Two per worker, however many there are."""
    waiting = iter(jobs(20))
    runs = executor(2, pytest.fail).run(waiting)
    next(runs)
    runs.close()

    assert 36 == len(list(waiting))


def test_runs_of_a_worker_that_died_are_repeated_and_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A killed worker costs time and one line, and no run is missing or there twice."""
    monkeypatch.setenv(crashing.MARK, str(tmp_path / "died"))
    reports: list[str] = []
    runs = list(processes(crashing.play_but_die_once, reports).run(jobs()))

    assert expected() == told(runs)
    assert ["a worker process died; its runs are repeated"] == [line.partition(" (")[0] for line in reports]


def test_a_job_that_kills_every_worker_ends_the_study() -> None:
    """After three attempts it is told in one line which seed and scenario it was."""
    reports: list[str] = []
    with pytest.raises(EnvironmentProblemError, match=r"died 3 times, at last with seed 1 of scenario naive"):
        list(processes(crashing.always_die, reports).run(jobs()[:1]))

    assert MOST_ATTEMPTS - 1 == len(reports)


def test_our_own_mistake_is_not_repeated() -> None:
    """An exception in a run comes out as it is: the traceback is the report."""
    with pytest.raises(ArithmeticError, match="seed 1 is wrong"):
        list(processes(crashing.fail).run(jobs()[:1]))


def test_who_stops_listening_stops_the_workers() -> None:
    """Closing the iterator ends runs in the middle, and no process is left."""
    before = set(multiprocessing.active_children())
    runs = processes(crashing.never_end).run(
        Job(0, job.scenario, seed, DAY) for job, seed in zip(jobs(), (0, 1, 1, 1), strict=False)
    )
    first = next(runs)
    runs.close()

    assert 0 == first.seed
    assert before == set(multiprocessing.active_children())


def test_workers_do_not_outlive_a_parent_that_was_killed() -> None:
    """A study that is killed leaves no process behind: the pipe that they all hold is closed."""
    script = """
import os, signal
from tests.studies.test_runs import Job, crashing, jobs, processes
if __name__ == "__main__":
    hanging = [Job(0, job.scenario, seed, 1.0) for job, seed in zip(jobs(), (0, 1, 1, 1))]
    next(processes(crashing.never_end).run(hanging))
    os.kill(os.getpid(), signal.SIGKILL)
"""
    path = os.pathsep.join(sys.path)
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )  # returns when the last process that writes to the pipes is gone

    assert (-9, "") == (ran.returncode, ran.stdout)


def test_there_is_a_core() -> None:
    """At least the one that runs this test, and no more than the machine has."""
    assert 1 <= cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_waits_until_workers_are_started(number: signal.Signals) -> None:
    """A worker that is started by half prints a traceback; four jobs are handed out, then it counts."""
    taken: list[Job] = []

    def disturbed() -> Iterator[Job]:
        for job in jobs():
            taken.append(job)
            if len(taken) == 1:
                signal.raise_signal(number)
            yield job

    former = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(Processes(2, pytest.fail).run(disturbed()))
        assert signal.default_int_handler is signal.getsignal(number)
    finally:
        signal.signal(number, former)

    assert 4 == len(taken)
