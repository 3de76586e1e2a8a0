"""The daemon: pace and slices with a clock of our own; sockets and signals with real ones."""

import asyncio
import http.client
import signal
import socket
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
from prometheus_client.parser import text_string_to_metric_families as parse_text

from goodputd import settings
from goodputd.errors import EnvironmentProblemError
from goodputd.history.keeping import History
from goodputd.metrics.exposition import Encoding, Exposition, Format
from goodputd.metrics.view import View
from goodputd.pacer import Pacer
from goodputd.service import (
    PUBLISH_WALL_SECONDS,
    SLICE_WALL_SECONDS,
    Clocks,
    Player,
    Termination,
    listen,
    page_url,
)
from goodputd.sim.events import Fact, TrainingResumed
from goodputd.sim.simulation import Simulation
from goodputd.sim.snapshot import Snapshot
from goodputd.sim.specs.faults import FaultKindSpec
from tests import snapshots
from tests.daemon import PATIENCE_WALL_SECONDS, serving, start
from tests.test_pacer import Clock
from tests.world import DAY, history, parts

CONFIG = """
[clock]
speedup = {speedup}
[cluster]
nodes = 32
[[scenario]]
name = "naive"
detection.layers = ["watchdog"]
[[scenario]]
name = "default"
"""


BUSY = (
    FaultKindSpec(name="gpu", component="gpu", per_node_day=0.15, event="XID 79"),
    FaultKindSpec(name="bug", component="software", scope="job", per_job_day=0.5),
)
"""Something breaks every few hours."""


# --- the player, with a clock that only the simulations and the test move


class Costly:
    """A real simulation that takes wall time: so many seconds of the clock per simulated day."""

    def __init__(self, clock: Clock, name: str = "default", wall_seconds_per_day: float = 0.0) -> None:
        """A small job to which something happens every few hours."""
        self._simulation = Simulation(parts(name=name, faults__kinds=BUSY))
        self._clock = clock
        self._cost = wall_seconds_per_day / DAY
        self.name = name

    @property
    def now(self) -> float:
        """Simulated seconds."""
        return self._simulation.now

    def next_event_at(self) -> float | None:
        """As the simulation says."""
        return self._simulation.next_event_at()

    def advance_to(self, at: float) -> list[Fact]:
        """Advance, and let the clock run."""
        self._clock.seconds += (at - self.now) * self._cost
        return self._simulation.advance_to(at)

    def snapshot(self) -> Snapshot:
        """As the simulation says."""
        return self._simulation.snapshot()


@dataclass(slots=True)
class Recorder:
    """A journal that keeps the facts."""

    told: list[Fact] = field(default_factory=list)

    def facts(self, scenario: str, facts: Iterable[Fact]) -> None:
        """Keep them."""
        del scenario
        self.told += facts

    def notice(self, event: str, lines: Sequence[str], **fields: object) -> None:
        """Nobody listens."""

    def tell_suppressed(self) -> None:
        """Nothing is."""


class Stage:
    """A player with its clock, its simulations, and what it publishes."""

    def __init__(
        self, *, speedup: float = 1440.0, scenarios: int = 1, wall_seconds_per_day: float = 0.0
    ) -> None:
        """Nothing has been played; the costs are those of one scenario."""
        self.clock = Clock()
        self.simulations = [
            Costly(self.clock, f"s{number}", wall_seconds_per_day) for number in range(scenarios)
        ]
        self.journal = Recorder()
        scenario = settings.parse("", source="empty.toml", environ={}).scenarios[0]
        self.history = History([replace(scenario, name=each.name) for each in self.simulations])
        self.exposition = Exposition(self.clock)
        self.player = Player(
            cast("list[Simulation]", self.simulations),
            [snapshots.in_force()] * scenarios,
            Pacer(self.clock, speedup),
            exposition=self.exposition,
            journal=self.journal,
            history=self.history,
            clocks=Clocks(self.clock, lambda: 1e9 + self.clock.seconds),
        )

    @property
    def view(self) -> View:
        """What scrapes see."""
        view = self.exposition.published
        assert view is not None
        return view

    def catch_up(self) -> list[tuple[float, View]]:
        """Play to the pace; returns (wall seconds, view) at each turn that others got meanwhile."""
        return asyncio.run(self._catch_up())

    async def _catch_up(self) -> list[tuple[float, View]]:
        turns = []
        playing = asyncio.create_task(self.player.catch_up(asyncio.Event()))
        while not playing.done():
            turns.append((self.clock.seconds, self.view))
            await asyncio.sleep(0)
        await playing
        return turns


def test_the_first_view_is_published_before_anything_is_played() -> None:
    """A scraper that comes at once finds the scenarios at second 0."""
    assert [0.0] == [scenario.snapshot.now for scenario in Stage().view.scenarios]


def test_scenarios_are_played_to_the_pace() -> None:
    """After a wall minute at 1440 every scenario has played a day."""
    stage = Stage(scenarios=3)
    stage.clock.seconds += 60.0
    stage.catch_up()

    assert [DAY] * 3 == [simulation.now for simulation in stage.simulations]


def test_the_player_tells_the_history_of_the_simulation() -> None:
    """The facts that are told in slices are those of one uncut run."""
    stage = Stage(wall_seconds_per_day=0.004)
    for wall_seconds in (0.1, 17.0, 0.0, 301.5):
        stage.clock.seconds += wall_seconds
        stage.catch_up()
    uncut = Simulation(parts(name="s0", faults__kinds=BUSY))
    expected = history(uncut.advance_to(stage.simulations[0].now))

    assert len(expected) > 100
    assert expected == history(stage.journal.told)


def test_the_player_remembers_the_history_of_each_simulation() -> None:
    """Every incident that was closed can be asked for, under its scenario's name."""
    stage = Stage(scenarios=2)
    stage.clock.seconds += 301.5
    stage.catch_up()
    closed = [fact.incident for fact in stage.journal.told if isinstance(fact, TrainingResumed)]
    kept = [
        incident.number
        for chronicle in stage.history.chronicles
        for incident in chronicle.newest_first(stage.simulations[0].now)
        if not incident.is_open
    ]

    assert len(closed) > 20
    assert sorted(closed) == sorted(kept)


def test_catching_up_leaves_turns_for_others() -> None:
    """After a stop of an hour, slices grow and shrink but none keeps the loop for 10 ms."""
    stage = Stage(scenarios=3, wall_seconds_per_day=0.002)
    stage.clock.seconds += 3600.0
    instants = [wall for wall, _ in stage.catch_up()]

    assert max(later - earlier for earlier, later in pairwise(instants)) < 0.01


def test_slices_grow_to_what_fits() -> None:
    """Catching up is not spent on tiny slices: most of the time limit of each is used."""
    stage = Stage(wall_seconds_per_day=0.002)
    stage.clock.seconds += 3600.0
    instants = [wall for wall, _ in stage.catch_up()]

    used = instants[-1] - instants[0]
    assert used / len(set(instants)) > SLICE_WALL_SECONDS / 2


def test_scenarios_stay_in_step_while_catching_up() -> None:
    """Whatever is published in between shows all scenarios at the same instant."""
    stage = Stage(scenarios=3, wall_seconds_per_day=0.02)
    stage.clock.seconds += 3600.0
    views = [view for _, view in stage.catch_up()]

    assert len(set(map(id, views))) > 5
    assert [1] * len(views) == [len({s.snapshot.now for s in view.scenarios}) for view in views]


def test_the_lag_is_exported_until_it_is_gone() -> None:
    """After a stop of 600 s the views show the lag, smaller and smaller, and then none."""
    stage = Stage(wall_seconds_per_day=0.02)
    stage.clock.seconds += 600.0
    lags = [view.daemon.lag_wall_seconds for _, view in stage.catch_up()]
    shown = list(dict.fromkeys(lags))[1:]  # the first view is from before the stop
    stage.catch_up()
    stage.clock.seconds += PUBLISH_WALL_SECONDS
    stage.catch_up()

    assert sorted(shown, reverse=True) == shown
    assert shown[0] > 500.0
    assert stage.view.daemon.lag_wall_seconds < 0.02


def test_a_view_lasts_a_quarter_of_a_second() -> None:
    """Before that scrapes get the view that was rendered already."""
    stage = Stage()
    before = stage.view
    stage.clock.seconds += PUBLISH_WALL_SECONDS - 0.01
    stage.catch_up()
    early = stage.view
    stage.clock.seconds += 0.01
    stage.catch_up()

    assert (True, False) == (early is before, stage.view is before)


def test_a_scrape_advances_nothing() -> None:
    """Pages are rendered from the view, whatever the clock says."""
    stage = Stage()
    stage.clock.seconds += 100.0
    for encoding in Encoding:
        stage.exposition.page(Format.TEXT, encoding)

    assert 0.0 == stage.simulations[0].now


def test_the_last_advance_is_in_real_time() -> None:
    """The instant of the last advance is the Unix time of the wall clock."""
    stage = Stage()
    stage.clock.seconds += 1.0
    stage.catch_up()

    assert 1e9 + stage.clock.seconds == stage.view.daemon.last_advance_timestamp


def test_a_signal_ends_catching_up() -> None:
    """Asked to stop a year behind, the player stops after the slice at hand."""
    stage = Stage(wall_seconds_per_day=1.0)
    stage.clock.seconds += 365.0 * 60.0

    async def stopped() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_soon(stop.set)
        await stage.player.catch_up(stop)

    asyncio.run(stopped())

    assert stage.simulations[0].now < DAY


def test_a_stopped_player_does_nothing() -> None:
    """Asked to stop before it began, the player plays nothing."""
    stage = Stage()
    stage.clock.seconds += 60.0

    async def stopped() -> None:
        stop = asyncio.Event()
        stop.set()
        await stage.player.play(stop)

    asyncio.run(stopped())

    assert 0.0 == stage.simulations[0].now


def test_the_player_sleeps_until_the_next_event() -> None:
    """In real time nothing is due for hours, so it sleeps until the next view."""
    assert PUBLISH_WALL_SECONDS == Stage(speedup=1.0).player.pause_wall_seconds()


def test_an_event_ends_the_sleep() -> None:
    """At a speed at which the next event is 0.1 s away it sleeps 0.1 s."""
    at = Stage().simulations[0].next_event_at()
    assert at is not None

    assert pytest.approx(0.1) == Stage(speedup=at / 0.1).player.pause_wall_seconds()


def test_events_of_one_tick_are_played_together() -> None:
    """At a speed at which events are microseconds apart it still sleeps a hundredth of a second."""
    assert pytest.approx(0.01) == Stage(speedup=1e10).player.pause_wall_seconds()


def test_there_is_no_sleep_behind_the_pace() -> None:
    """While behind there is no time to lose."""
    stage = Stage()
    stage.clock.seconds += 1.0

    assert 0.0 == stage.player.pause_wall_seconds()


# --- sockets


def test_a_port_in_use_is_one_line() -> None:
    """The message says what is in the way and which option helps."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(EnvironmentProblemError) as error:
            listen(address)

    assert f"cannot listen on {address}: address already in use; choose another with --listen" == str(
        error.value
    )


@pytest.mark.parametrize("address", ["192.0.2.1:9642", "no-such-host.invalid:9642", f"{'x' * 70}.invalid:1"])
def test_an_address_that_is_not_ours_is_one_line(address: str) -> None:
    """An address of another machine, a name nobody knows and a name that can not be one are told alike."""
    with pytest.raises(EnvironmentProblemError, match=r"^cannot listen on .*; choose another with --listen$"):
        listen(address)


def test_a_failed_listen_keeps_no_socket() -> None:
    """After a failure the addresses that could be had are free again."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(EnvironmentProblemError):
            listen(f":{port}")
    again = listen(f":{port}")

    assert {port} == {each.getsockname()[1] for each in again}
    for each in again:
        each.close()


def test_connections_queue_before_the_loop_runs() -> None:
    """A client that comes while the simulations are built waits instead of being refused."""
    (ours,) = listen("127.0.0.1:0")
    with ours, socket.create_connection(ours.getsockname()) as client:
        assert ours.getsockname() == client.getpeername()


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("127.0.0.1:0", "127.0.0.1"),
        ("0.0.0.0:0", "localhost"),
        (":0", "localhost"),
        ("[::]:0", "localhost"),
        ("[::1]:0", "[::1]"),
        ("metrics.example:0", "metrics.example"),
    ],
)
def test_the_url_can_be_opened_here(address: str, host: str) -> None:
    """The URL has the port that was bound, and a host that this machine reaches."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        assert f"http://{host}:{bound.getsockname()[1]}/" == page_url(address, bound)


# --- signals


def test_a_signal_before_the_loop_is_remembered() -> None:
    """SIGTERM while the simulations are built stops the daemon as soon as it runs."""

    async def is_set_at_once(termination: Termination) -> bool:
        stop = asyncio.Event()
        termination.bind(stop)
        return stop.is_set()

    with Termination() as termination:
        signal.raise_signal(signal.SIGTERM)
        assert asyncio.run(is_set_at_once(termination))


def test_a_signal_wakes_the_loop() -> None:
    """SIGINT sets the event that the loop waits for."""

    async def waits(termination: Termination) -> bool:
        stop = asyncio.Event()
        termination.bind(stop)
        asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
        return await asyncio.wait_for(stop.wait(), PATIENCE_WALL_SECONDS)

    with Termination() as termination:
        assert asyncio.run(waits(termination))


def test_handlers_are_put_back() -> None:
    """After the daemon, signals do what they did before."""
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    with Termination():
        during = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    after = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]

    assert before == after
    assert before != during


# --- the whole daemon


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Two scenarios of a small cluster at a speed at which there is always something to do."""
    path = tmp_path / "fast.toml"
    path.write_text(CONFIG.format(speedup=1e7), encoding="utf-8")
    return path


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_daemon_in_a_second(config: Path, number: int) -> None:
    """At full speed, with a scraper connected and a request half sent, it exits with 0 in under 1 s."""
    with serving(config) as daemon:
        scraper = http.client.HTTPConnection(*daemon.address, timeout=PATIENCE_WALL_SECONDS)
        scraper.request("GET", "/metrics")
        body = scraper.getresponse().read()
        with socket.create_connection(daemon.address) as slow:
            slow.sendall(b"GET /metrics HTTP/1.1\r\nHost: local")
            began = time.monotonic()
            status, last = daemon.stop(number)
            took = time.monotonic() - began
        scraper.close()

    assert b"goodputd_step" in body
    assert (0, "stopped") == (status, last["event"])
    assert took < 1.0


@pytest.mark.parametrize("kind", ["status", "fragments"])
def test_listeners_do_not_hold_up_the_end(config: Path, kind: str) -> None:
    """With a listener that reads and one that never does, the daemon exits in under 1 s, silently."""
    request = f"GET /api/v1/events?events={kind} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with (
        serving(config) as daemon,
        socket.create_connection(daemon.address) as reads,
        socket.socket() as never,
    ):
        never.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        never.connect(daemon.address)
        never.sendall(request)
        reads.settimeout(PATIENCE_WALL_SECONDS)
        reads.sendall(request)
        received = b""
        while b"\nevent: " not in received:
            received += reads.recv(65536)
        daemon.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        out, err = daemon.process.communicate(timeout=PATIENCE_WALL_SECONDS)
        took = time.monotonic() - began

    assert (0, "") == (daemon.process.returncode, err)
    assert '"event": "stopped"' in out.splitlines()[-1]
    assert took < 1.0


def test_the_daemon_serves_what_it_plays(config: Path) -> None:
    """Two scrapes find both scenarios, at instants that advance and never lag a second."""
    with serving(config) as daemon:
        scraper = http.client.HTTPConnection(*daemon.address, timeout=PATIENCE_WALL_SECONDS)
        instants: list[dict[str | None, float]] = []
        while len(instants) < 2:
            scraper.request("GET", "/metrics")
            samples = [
                (sample.name, sample.labels.get("scenario"), sample.value)
                for family in parse_text(scraper.getresponse().read().decode())
                for sample in family.samples
            ]
            now = {s: v for name, s, v in samples if name == "goodputd_simulated_timestamp_seconds"}
            if now not in instants:
                instants.append(now)
        scraper.close()
        _, last = daemon.stop(signal.SIGTERM)

    assert [{"naive", "default"}] * 2 == [set(now) for now in instants]
    assert instants[0]["default"] < instants[1]["default"]
    assert ["naive", "default"] == [scenario["name"] for scenario in last["scenarios"]]


def test_a_head_request_has_no_body(config: Path) -> None:
    """HEAD announces the length of the page and sends nothing of it."""
    with serving(config) as daemon:
        client = http.client.HTTPConnection(*daemon.address, timeout=PATIENCE_WALL_SECONDS)
        client.request("HEAD", "/metrics")
        response = client.getresponse()
        length, body = response.headers["Content-Length"], response.read()
        client.close()

    assert int(length) > 10_000
    assert b"" == body


def test_people_get_an_opening_and_five_closing_lines(config: Path) -> None:
    """On a console the first line says what plays, and the last five what it came to."""
    process = start("serve", "-c", str(config), "--listen", "127.0.0.1:0", "--log-format", "console")
    assert process.stdout is not None
    first = process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE_WALL_SECONDS)
    closing = out.splitlines()[-5:]

    assert "plays 2 scenarios" in first
    assert closing[0].startswith("stopped after ")
    assert ["naive", "default"] == [line.split()[0] for line in closing[1::2]]
    assert (0, "") == (process.returncode, err)


def test_a_taken_port_is_the_users_mistake(config: Path) -> None:
    """Exit code 2 and one line on stderr, nothing else."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        process = start("serve", "-c", str(config), "--listen", address)
        out, err = process.communicate(timeout=PATIENCE_WALL_SECONDS)

    assert (2, "") == (process.returncode, out)
    assert [
        f"cannot listen on {address}: address already in use; choose another with --listen"
    ] == err.splitlines()


def test_the_log_is_json_in_a_pipe(config: Path) -> None:
    """Without a terminal every line is a JSON object, and at this speed most facts are only counted."""
    with serving(config) as daemon:
        events = [daemon.opening["event"]]
        while events[-1] != "lines_suppressed":
            events.append(daemon.next_event()["event"])
        daemon.stop(signal.SIGTERM)

    assert "serving" == events[0]
    assert {"fault_occurred", "stage_finished", "training_resumed"} < set(events)
