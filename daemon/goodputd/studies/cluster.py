"""Runs on a Dask cluster: the executor for studies that are too long for one machine.

The cluster plays what a worker process would play, from the same settings and seed, so it comes to the
same figures. Its scheduler repeats the runs of workers that die. The library is an extra.
"""

import re
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from importlib import metadata
from itertools import islice
from typing import TYPE_CHECKING, Final

from goodputd.errors import EnvironmentProblemError, SettingsError
from goodputd.studies.estimates import missing
from goodputd.studies.runs import AHEAD, Job, Run, play

if TYPE_CHECKING:
    from distributed import Client, Future

_PACKAGE: Final = "goodputd"
_PATIENCE_WALL_SECONDS: Final = 10
_ADDRESS: Final = re.compile(r"(tcp|tls|ws|wss)://([^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")


@dataclass(slots=True)
class Cluster:
    """The workers of the scheduler at an address, ``tcp://host:8786``."""

    address: str
    play: Callable[[Job], Run] = play
    """What a worker does with a job; must be importable there."""

    def run(self, jobs: Iterable[Job]) -> Generator[Run, None, None]:
        """Each job's run, as they finish.

        Errors: ``SettingsError`` for what is no address; ``EnvironmentProblemError`` when nobody answers,
        when there are no workers, when theirs is another goodputd, or when a run has killed several.
        """
        if not _ADDRESS.fullmatch(self.address):  # the library would try for a while
            message = f"must be like tcp://host:8786 (got {self.address!r})"
            raise SettingsError(f"--scheduler: {message}")
        try:
            from distributed import Client, KilledWorker, as_completed  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise EnvironmentProblemError(missing("cluster")) from error
        try:
            client = Client(self.address, timeout=_PATIENCE_WALL_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError, MemoryError) as error:
            # what answers may be anything: of an HTTP server it takes the greeting for a length in bytes
            message = f"--scheduler: {self.address}: no answer: {str(error) or type(error).__name__}"
            raise EnvironmentProblemError(message) from error
        with client:
            threads = self._threads(client)
            waiting = iter(jobs)
            playing = as_completed(loop=client.loop)
            playing.update(self._submitted(client, islice(waiting, AHEAD * threads)))
            try:
                for future in playing:
                    yield future.result()
                    playing.update(self._submitted(client, islice(waiting, 1)))
            except KilledWorker as error:
                message = f"--scheduler: {self.address}: several workers died of the same run; out of memory?"
                raise EnvironmentProblemError(message) from error
            finally:
                client.cancel(list(playing.futures))

    def _submitted(self, client: "Client", jobs: Iterable[Job]) -> "list[Future[Run]]":
        return [client.submit(self.play, job, pure=False) for job in jobs]

    def _threads(self, client: "Client") -> int:
        """How many runs the cluster can play at once. Errors: as ``run``."""
        try:
            client.wait_for_workers(1, timeout=_PATIENCE_WALL_SECONDS)
        except TimeoutError as error:
            raise EnvironmentProblemError(f"--scheduler: {self.address}: has no workers") from error
        try:
            versions: dict[str, str] = client.run(metadata.version, _PACKAGE)
        except metadata.PackageNotFoundError as error:
            message = f"its workers have no {_PACKAGE}; install it there"
            raise EnvironmentProblemError(f"--scheduler: {self.address}: {message}") from error
        own = metadata.version(_PACKAGE)
        for worker, version in versions.items():
            if version != own:
                message = f"worker {worker} has {_PACKAGE} {version}, this is {own}"
                raise EnvironmentProblemError(f"--scheduler: {self.address}: {message}")
        threads: int = sum(client.nthreads().values())
        return threads
