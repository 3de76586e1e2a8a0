"""The cluster executor, on a real Dask cluster of two worker processes on this machine."""

import contextlib
import os
import socket
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from threading import Thread

import pytest
from distributed import Client, LocalCluster

from goodputd.errors import EnvironmentProblemError, SettingsError
from goodputd.studies import cluster
from goodputd.studies.cluster import Cluster
from tests import crashing
from tests.studies.test_runs import expected, jobs, told

pytestmark = [
    pytest.mark.xdist_group("cluster"),  # one worker has the cluster
    # Dask notes what it still did when it was told to stop; none of it is ours.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


ANY_PORT = "127.0.0.1:0"
"""One that is in nobody's way."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The scheduler's."""
    os.environ[crashing.MARK] = str(tmp_path_factory.mktemp("cluster") / "died")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=ANY_PORT) as local:
        yield local.scheduler_address
    del os.environ[crashing.MARK]


def test_who_plays_leaves_no_trace(address: str) -> None:
    """A cluster comes to the same figures as the core by itself, each run once."""
    assert expected() == told(list(Cluster(address).run(iter(jobs()))))


def test_a_cluster_takes_few_jobs_ahead(address: str) -> None:
    """Two per worker, however many there are; who stops listening stops the rest."""
    waiting = iter(jobs(20))
    runs = Cluster(address).run(waiting)
    next(runs)
    runs.close()

    assert 36 == len(list(waiting))


def test_runs_of_a_worker_that_died_are_repeated(address: str) -> None:
    """No run is missing or there twice."""
    runs = list(Cluster(address, crashing.play_but_die_once).run(jobs()))

    assert Path(os.environ[crashing.MARK]).exists()
    assert expected() == told(runs)


def test_a_job_that_kills_every_worker_ends_the_study(address: str) -> None:
    """In one line that names the cluster."""
    with pytest.raises(EnvironmentProblemError, match=f"{address}: several workers died of the same run"):
        list(Cluster(address, crashing.always_die).run(jobs()[:1]))


@pytest.mark.parametrize("installed", ["0.0.0", None])
def test_workers_with_another_goodputd_or_none_are_refused(installed: str | None) -> None:
    """Runs of two versions must not be mixed into one curve."""
    said = r"worker tcp://\S+ has goodputd 0\.0\.0, this is" if installed else "its workers have no goodputd"
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=ANY_PORT) as local,
        Client(local.scheduler_address, set_as_default=False) as client,
    ):
        client.run(_pretend, installed)
        with pytest.raises(EnvironmentProblemError, match=said):
            next(Cluster(local.scheduler_address).run(jobs()))


def _pretend(installed: str | None) -> None:
    """Let a worker say that it has this version of whatever it is asked for, or that it has none."""

    def version(distribution_name: str) -> str:
        if installed is None:
            raise metadata.PackageNotFoundError(distribution_name)
        return installed

    metadata.version = version


def test_a_cluster_without_workers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the study would wait for ever."""
    monkeypatch.setattr(cluster, "_PATIENCE_WALL_SECONDS", 1)
    with (
        LocalCluster(n_workers=0, dashboard_address=ANY_PORT) as local,
        pytest.raises(EnvironmentProblemError, match="has no workers"),
    ):
        next(Cluster(local.scheduler_address).run(jobs()))


def test_an_address_where_nobody_answers_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the address and the reason."""
    monkeypatch.setattr(cluster, "_PATIENCE_WALL_SECONDS", 1)

    with pytest.raises(EnvironmentProblemError, match=r"^--scheduler: tcp://127\.0\.0\.1:1: no answer: "):
        next(Cluster("tcp://127.0.0.1:1").run(jobs()))


def test_what_answers_and_is_no_scheduler_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A web server's greeting, taken for the length of a message, is a large number of bytes."""
    monkeypatch.setattr(cluster, "_PATIENCE_WALL_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        Thread(target=_greet, args=(server,), daemon=True).start()

        with pytest.raises(EnvironmentProblemError, match=f"^--scheduler: {address}: no answer: "):
            next(Cluster(address).run(jobs()))


def _greet(server: socket.socket) -> None:
    """Say to everybody what a web server says to nonsense."""
    with contextlib.suppress(OSError):
        while True:
            client, _ = server.accept()
            with client:
                client.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n" * 10)


NO_ADDRESSES = ["nonsense://x", "", "tcp://[::1", "http://127.0.0.1:1", "127.0.0.1:8786"]


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_what_is_no_address_is_refused_at_once(address: str) -> None:
    """The library would try for twenty seconds and leave a traceback behind."""
    with pytest.raises(SettingsError, match=r"^--scheduler: must be like tcp://host:8786 "):
        next(Cluster(address).run(jobs()))
