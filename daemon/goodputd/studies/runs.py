"""Runs by the hundred: the jobs of a study played on one core, on all of them, or elsewhere.

An executor takes jobs and yields what they came to as they finish. It plays each job from settings
and seed alone, so who played it, when and how often leaves no trace. It knows no file, no terminal
and not what a study wants to know.
"""

import gc
import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, Protocol

from goodputd import assembly
from goodputd.errors import EnvironmentProblemError
from goodputd.settings import Scenario
from goodputd.sim.simulation import Simulation
from goodputd.studies.figures import Figures, read

MOST_ATTEMPTS: Final = 3
"""How often a run is played whose worker died; a run that kills every worker ends the study."""
AHEAD: Final = 2
"""Runs handed out per worker: one to play and one to take up, so that little is lost at an early end."""

_INTERRUPTIONS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Report = Callable[[str], None]
"""Is told in one line what went wrong and was put right."""


@dataclass(slots=True)
class Job:
    """One run to play."""

    point: int
    """Which scenario of the study; comes back with the run."""
    scenario: Scenario
    seed: int
    horizon_seconds: float


@dataclass(slots=True)
class Run:
    """One run that was played."""

    point: int
    seed: int
    figures: Figures


class Executor(Protocol):
    """Plays jobs, wherever that is."""

    def run(self, jobs: Iterable[Job]) -> Generator[Run, None, None]:
        """Each job's run once, as they finish; jobs are taken as they are needed.

        Closing it, or an exception in it, drops what is still being played.
        """
        ...


def play(job: Job) -> Run:
    """Play one job to its horizon."""
    # The core makes no reference cycles while it plays; looking for them costs 8 % and finds nothing.
    collecting = gc.isenabled()
    gc.disable()
    try:
        simulation = assembly.simulation(job.scenario, job.seed)
        _advance(simulation, job.horizon_seconds)
        return Run(job.point, job.seed, read(simulation.snapshot()))
    finally:
        if collecting:
            gc.enable()


def _advance(simulation: Simulation, horizon_seconds: float) -> None:
    """Play to the horizon, or until the job is completed: nothing that comes after counts."""
    if simulation.target_step is None:
        simulation.advance_to(horizon_seconds)
        return
    while not simulation.completed and simulation.now < horizon_seconds:
        next_at = simulation.next_event_at()
        simulation.advance_to(horizon_seconds if next_at is None else min(next_at, horizon_seconds))


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def executor(workers: int, report: Report) -> Executor:
    """Processes, or this one when one worker is enough."""
    return InProcess() if workers == 1 else Processes(workers, report)


class InProcess:
    """One run after the other, right here: for one core, and for whoever follows a run in a debugger."""

    def run(self, jobs: Iterable[Job]) -> Generator[Run, None, None]:
        """Each job's run, in order."""
        yield from map(play, jobs)


@dataclass(slots=True)
class Processes:
    """Worker processes on this machine, each with an interpreter of its own."""

    workers: int
    report: Report
    play: Callable[[Job], Run] = play
    """What a worker does with a job; must be importable there."""

    def run(self, jobs: Iterable[Job]) -> Generator[Run, None, None]:
        """Each job's run, as they finish; those of a worker that died are played again.

        Errors: ``EnvironmentProblemError`` when workers died of the same job time and again.
        """
        waiting = iter(jobs)
        attempts: Counter[tuple[int, int]] = Counter()
        while lost := (yield from self._play_until_broken(waiting)):
            attempts.update((job.point, job.seed) for job in lost)
            (_, seed), most = attempts.most_common(1)[0]
            if most == MOST_ATTEMPTS:
                message = (
                    f"a worker process died {most} times, at last with seed {seed} of scenario "
                    f"{next(job.scenario.name for job in lost if job.seed == seed)}; out of memory?"
                )
                raise EnvironmentProblemError(message)
            self.report(f"a worker process died; its runs are repeated ({len(lost)} in all)")
            waiting = chain(lost, waiting)

    def _play_until_broken(self, jobs: Iterator[Job]) -> Generator[Run, None, list[Job]]:
        """The runs of one pool; returns the jobs that were lost with it, none when all were played."""
        others = set(multiprocessing.active_children())
        # Not forked: a fork of a process that has threads, such as one with a progress bar, may hang.
        pool = ProcessPoolExecutor(self.workers, multiprocessing.get_context("spawn"), _begin)
        playing: dict[Future[Run], Job] = {}
        try:
            while True:
                with _undisturbed():
                    for job in islice(jobs, self.workers * AHEAD - len(playing)):
                        playing[_submitted(pool, self.play, job)] = job
                if not playing:
                    return []
                done, _ = wait(playing, return_when=FIRST_COMPLETED)
                if broken := any(map(_is_lost, done)):
                    done, _ = wait(playing)
                for future in [future for future in done if not _is_lost(future)]:
                    del playing[future]
                    yield future.result()
                if broken:
                    return list(playing.values())
        finally:
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
            pool.shutdown(cancel_futures=True)


def _submitted(pool: ProcessPoolExecutor, play: Callable[[Job], Run], job: Job) -> Future[Run]:
    """The future of a job; that of a pool which is broken by now fails like one that breaks later."""
    try:
        return pool.submit(play, job)
    except BrokenProcessPool as error:
        future: Future[Run] = Future()
        future.set_exception(error)
        return future


def _is_lost(future: Future[Run]) -> bool:
    return isinstance(future.exception(), BrokenProcessPool)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """What is started in here does not hear Ctrl-C, and is started whole; this process answers it after.

    The same goes for other signals that it answers, but those are heard: SIGTERM ends a worker. The mask
    is for those who inherit it. It is not enough here, where another thread may take the signal.
    """
    heard: list[int] = []
    former = {}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    if threading.current_thread() is threading.main_thread():
        answered = [number for number in _INTERRUPTIONS if callable(signal.getsignal(number))]
        former = {
            number: signal.signal(number, lambda number, _: heard.append(number)) for number in answered
        }
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for first in heard[:1]:
            signal.raise_signal(first)


def _begin() -> None:
    """Make this process a worker: gone when its parent is, and quick."""
    threading.Thread(target=_outlive_nobody, daemon=True).start()
    gc.freeze()  # what is loaded by now stays, and need not be looked at after each run


def _outlive_nobody() -> None:
    """A parent that was killed cannot stop its workers, and they would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
