"""The daemon: one event loop that plays the simulations, serves HTTP, and stops when it is told.

The only module with signals, sockets and a loop. Simulations are advanced to where the pacer says
they should be, in slices short enough that a scrape never waits long; a scrape reads the view that
was published last and advances nothing. How the model works is none of its business.
"""

import asyncio
import contextlib
import gc
import platform
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Final, Self, TextIO

import uvicorn

from goodputd import __version__, assembly, core_build
from goodputd.errors import EnvironmentProblemError
from goodputd.greeting import closing_lines, opening_lines
from goodputd.history.keeping import History
from goodputd.journal import Journal, open_journal
from goodputd.metrics.exposition import Exposition
from goodputd.metrics.view import DaemonView, InForce, ScenarioView, View
from goodputd.pacer import Pacer
from goodputd.settings import Scenario, Settings, split_listen
from goodputd.sim.simulation import Simulation
from goodputd.sim.snapshot import Snapshot
from goodputd.web.app import Site
from goodputd.web.connection import Connection, OutOfFiles
from goodputd.web.hosts import allowed_names

PUBLISH_WALL_SECONDS: Final = 0.25
"""A view is at most this old."""
SLICE_WALL_SECONDS: Final = 0.0005
"""How long the simulations may keep the event loop before it looks after everybody else."""
_TURNS_OF_A_REQUEST: Final = 6
"""Turns of the event loop from a readable socket to a written response, each of which would wait a slice."""
TICK_WALL_SECONDS: Final = 0.01
"""At high speed events are played together once per tick, since each wake-up costs as much as several."""
LONGEST_SLICE_SECONDS: Final = 10 * 86400.0
"""Simulated; so that a dense stretch after a quiet one is not met with a slice made for the quiet one."""
_FIRST_SLICE_SECONDS: Final = 3600.0
_SHORTEST_SLICE_SECONDS: Final = 1.0
_GRACE_WALL_SECONDS: Final = 0.3
"""How long responses in flight may take to finish after a signal, and to break off after that."""
_KEEP_ALIVE_WALL_SECONDS: Final = 75
"""Longer than the usual scrape intervals, so that a scraper keeps its connection."""
_BACKLOG: Final = 128


def run(settings: Settings, out: TextIO | None = None) -> int:
    """Serve until SIGTERM or SIGINT; returns 0. ``out``, stdout unless given, gets the log.

    Errors: ``EnvironmentProblemError`` when the address can not be listened on.
    """
    stream = sys.stdout if out is None else out
    with Termination() as termination, contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(each) for each in listen(settings.http.listen)]
        journal = open_journal(
            stream,
            style=settings.log.format,
            level=settings.log.level,
            scenarios=[scenario.name for scenario in settings.scenarios],
            clock=time.monotonic,
            clock_start_timestamp=settings.clock_start_timestamp,
        )
        serve(settings, assembly.build(settings), journal, sockets, termination)
    return 0


def serve(
    settings: Settings,
    simulations: Sequence[Simulation],
    journal: Journal,
    sockets: Sequence[socket.socket],
    termination: "Termination",
) -> None:
    """Play ``simulations`` and answer on ``sockets``, which listen, until ``termination`` asks to stop."""
    url = page_url(settings.http.listen, sockets[0])
    journal.notice(
        "serving",
        opening_lines(settings, url, __version__),
        version=__version__,
        url=url,
        config=settings.source,
        scenarios=[scenario.name for scenario in settings.scenarios],
        speedup=settings.clock.speedup,
        seed=settings.seed,
    )
    started = time.monotonic()
    exposition = Exposition(time.perf_counter)
    history = History(settings.scenarios)
    player = Player(
        simulations,
        [in_force(scenario, settings.clock_start_timestamp) for scenario in settings.scenarios],
        Pacer(time.monotonic, settings.clock.speedup),
        exposition=exposition,
        journal=journal,
        history=history,
        clocks=Clocks(time.monotonic, time.time),  # noqa: TID251 - this is where it enters
    )
    # What exists by now stays: the garbage collector need not look at it again during a scrape.
    gc.freeze()
    names = allowed_names(split_listen(settings.http.listen)[0], settings.http.allowed_hosts)
    site = Site(exposition, history, names=names)
    out_of_files = OutOfFiles(partial(_tell_out_of_files, journal), time.monotonic)
    asyncio.run(_play_and_serve(player, site, sockets, termination, out_of_files))
    snapshots = [simulation.snapshot() for simulation in simulations]
    wall_seconds = time.monotonic() - started
    journal.notice(
        "stopped",
        closing_lines(snapshots, wall_seconds),
        wall_seconds=round(wall_seconds, 3),
        scenarios=[_figures(snapshot) for snapshot in snapshots],
    )


@dataclass(frozen=True, slots=True)
class Clocks:
    """The wall clocks; both in seconds."""

    monotonic: Callable[[], float]
    unix: Callable[[], float]


class Player:
    """Keeps the simulations at the pace and publishes what they look like."""

    def __init__(
        self,
        simulations: Sequence[Simulation],
        in_force: Sequence[InForce],
        pacer: Pacer,
        *,
        exposition: Exposition,
        journal: Journal,
        history: History,
        clocks: Clocks,
    ) -> None:
        """Publishes the first view at once; ``in_force`` has the settings of each simulation."""
        self._simulations = simulations
        self._in_force = in_force
        self._pacer = pacer
        self._exposition = exposition
        self._journal = journal
        self._history = history
        self._clocks = clocks
        self._now = max((simulation.now for simulation in simulations), default=0.0)
        self._slice_seconds = _FIRST_SLICE_SECONDS
        self._advanced_timestamp = clocks.unix()
        self._core = core_build()  # looks at files, which a publication should not
        self._publish()

    async def play(self, stop: asyncio.Event) -> None:
        """Advance, publish and wait, until ``stop`` is set."""
        while not stop.is_set():
            await self.catch_up(stop)
            self._journal.tell_suppressed()
            await _wait(stop, self.pause_wall_seconds())

    async def catch_up(self, stop: asyncio.Event) -> None:
        """Advance to where the pacer is, in slices; between two of them everybody else gets a turn."""
        goal = max(self._now, self._pacer.simulated_now())
        while not stop.is_set():
            self._advance_slice(goal)
            if self._clocks.monotonic() - self._published_at >= PUBLISH_WALL_SECONDS:
                self._publish()
            if self._now >= goal:
                return
            for _ in range(_TURNS_OF_A_REQUEST):
                await asyncio.sleep(0)

    def pause_wall_seconds(self) -> float:
        """How long nothing has to be done: until the next event or view; 0 while behind the pace."""
        if self._pacer.lag_wall_seconds(self._now) > TICK_WALL_SECONDS:
            return 0.0
        next_at = min(
            (at for simulation in self._simulations if (at := simulation.next_event_at()) is not None),
            default=None,
        )
        until_event = PUBLISH_WALL_SECONDS if next_at is None else self._pacer.wall_seconds_until(next_at)
        until_view = self._published_at + PUBLISH_WALL_SECONDS - self._clocks.monotonic()
        return max(0.0, min(max(until_event, TICK_WALL_SECONDS), until_view))

    def _advance_slice(self, goal: float) -> None:
        """Advance all simulations by one slice, and fit the next slice to what this one cost."""
        until = min(goal, self._now + self._slice_seconds)
        started = self._clocks.monotonic()
        for simulation in self._simulations:
            if facts := simulation.advance_to(until):
                self._journal.facts(simulation.name, facts)
                self._history.facts(simulation.name, facts)
        took = self._clocks.monotonic() - started
        self._now = until
        self._advanced_timestamp = self._clocks.unix()
        if took > SLICE_WALL_SECONDS or until < goal:
            fitting = self._slice_seconds * min(2.0, SLICE_WALL_SECONDS / max(took, 1e-6))
            self._slice_seconds = min(max(fitting, _SHORTEST_SLICE_SECONDS), LONGEST_SLICE_SECONDS)

    def _publish(self) -> None:
        snapshots = [simulation.snapshot() for simulation in self._simulations]
        daemon = DaemonView(
            version=__version__,
            python=platform.python_version(),
            core=self._core,
            speedup=self._pacer.speedup,
            lag_wall_seconds=self._pacer.lag_wall_seconds(self._now),
            scrape_wall_seconds=self._exposition.last_render_wall_seconds,
            last_advance_timestamp=self._advanced_timestamp,
        )
        scenarios = tuple(map(ScenarioView, snapshots, self._in_force))
        self._exposition.publish(View(scenarios, daemon))
        self._published_at = self._clocks.monotonic()


class Termination:
    """SIGTERM and SIGINT from now on: a request to stop instead of a death."""

    def __init__(self) -> None:
        """Nothing is installed yet."""
        self._requested = False
        self._wake: Callable[[], object] | None = None
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        """Install the handlers; a signal that comes before the loop runs is remembered."""
        for number in (signal.SIGTERM, signal.SIGINT):
            self._before[number] = signal.signal(number, self._received)
        return self

    def __exit__(self, *_: object) -> None:
        """Put the handlers back that were there."""
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def bind(self, stop: asyncio.Event) -> None:
        """Set ``stop``, an event of the running loop, when a signal comes or has come."""
        self._wake = partial(asyncio.get_running_loop().call_soon_threadsafe, stop.set)
        if self._requested:
            stop.set()

    def _received(self, _: int, __: FrameType | None) -> None:
        self._requested = True
        if self._wake is not None:
            self._wake()


class _Server(uvicorn.Server):
    """uvicorn without signal handlers of its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def cut_off(self) -> None:
        """Break the connections that are still open: their clients do not read what they asked for."""
        for connection in list(self.server_state.connections):
            if isinstance(connection.transport, asyncio.Transport):
                connection.transport.abort()


def _server(site: Site) -> _Server:
    return _Server(
        uvicorn.Config(
            site.app,
            http=Connection,
            backlog=_BACKLOG,
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            log_level="error",  # malformed requests are their senders' business
            access_log=False,
            server_header=False,
            timeout_keep_alive=_KEEP_ALIVE_WALL_SECONDS,
        )
    )


async def _play_and_serve(
    player: Player,
    site: Site,
    sockets: Sequence[socket.socket],
    termination: Termination,
    out_of_files: OutOfFiles,
) -> None:
    """Both at once; when a signal comes or one of them fails, both end."""
    asyncio.get_running_loop().set_exception_handler(out_of_files)
    stop = asyncio.Event()
    termination.bind(stop)
    server = _server(site)
    playing = asyncio.create_task(player.play(stop))
    serving = asyncio.create_task(server.serve(list(sockets)))
    await asyncio.wait({playing, serving}, return_when=asyncio.FIRST_COMPLETED)
    stop.set()
    site.close()
    server.should_exit = True
    await asyncio.wait({playing, serving}, timeout=_GRACE_WALL_SECONDS)
    server.cut_off()
    await asyncio.wait({playing, serving}, timeout=_GRACE_WALL_SECONDS)
    for task in (playing, serving):
        if task.done():
            task.result()
        else:
            task.cancel()


def _tell_out_of_files(journal: Journal) -> None:
    line = "no file is left for another connection; close some, or raise the limit (ulimit -n)"
    journal.notice("out_of_files", [line])


async def _wait(stop: asyncio.Event, wall_seconds: float) -> None:
    """Until ``stop`` is set, at most so long; others get a turn even when that is 0."""
    if wall_seconds <= 0.0:
        await asyncio.sleep(0)
        return
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), wall_seconds)


def listen(address: str) -> list[socket.socket]:
    """Sockets that listen on every address that ``host:port`` stands for; connections queue from now on.

    Errors: ``EnvironmentProblemError``, one line that says what is in the way and what to do.
    """
    host, port = split_listen(address)
    sockets: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, where in dict.fromkeys(found):
            bound_port = sockets[0].getsockname()[1] if sockets else port
            each = socket.socket(family, kind, protocol)
            sockets.append(each)
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                each.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            each.bind((where[0], bound_port, *where[2:]))
            each.listen(_BACKLOG)
    except (OSError, UnicodeError) as error:
        for each in sockets:
            each.close()
        reason = getattr(error, "strerror", None) or str(error)
        message = f"cannot listen on {address}: {reason.lower()}; choose another with --listen"
        raise EnvironmentProblemError(message) from error
    return sockets


def page_url(address: str, bound: socket.socket) -> str:
    """The URL under which this machine reaches the page; localhost when every address is listened on."""
    host, _ = split_listen(address)
    shown = "localhost" if host in {"", "0.0.0.0", "::"} else host  # noqa: S104 - compared, not bound
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{bound.getsockname()[1]}/"


def in_force(scenario: Scenario, clock_start_timestamp: float) -> InForce:
    """The settings of a scenario that are exported."""
    return InForce(
        policy=scenario.policy.name,
        catalog=scenario.faults.catalog,
        source="simulated",
        settings_digest=scenario.digest,
        target_goodput_ratio=scenario.targets.goodput,
        target_mttr_seconds=scenario.targets.mttr_seconds,
        alerting=scenario.alerting,
        clock_start_timestamp=clock_start_timestamp,
    )


def _figures(snapshot: Snapshot) -> dict[str, object]:
    return {
        "name": snapshot.scenario,
        "simulated_seconds": snapshot.now,
        "effective_training_time_ratio": snapshot.effective_training_time_ratio,
        "interruptions": snapshot.total_interruptions,
        "mttr_seconds": snapshot.mttr_seconds,
        "lost_steps": snapshot.lost_steps,
    }
