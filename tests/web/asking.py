"""The site, asked as a client asks, without a server: handmade views or scenarios that were played."""

import asyncio
from dataclasses import replace

import httpx

from goodputd import settings
from goodputd.history.keeping import History
from goodputd.metrics.exposition import Exposition
from goodputd.metrics.view import ScenarioView, View
from goodputd.service import in_force
from goodputd.web.app import Site
from tests import snapshots
from tests.history.past import Past

TWO = ('name = "naive"\ndetection.layers = ["watchdog"]', 'name = "default"')


class Client:
    """Asks the application directly, without a server; accepts plain bytes unless told otherwise."""

    def __init__(self, site: Site) -> None:
        """A client of this site."""
        self._app = site.app

    def request(self, method: str, path: str, **headers: str) -> httpx.Response:
        """The answer; ``accept_encoding="gzip"`` is the header Accept-Encoding."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return asyncio.run(self.ask(method, path, **given))

    def get(self, path: str, **headers: str) -> httpx.Response:
        """The answer to GET."""
        return self.request("GET", path, **headers)

    async def ask(self, method: str, path: str, **headers: str) -> httpx.Response:
        """The answer, for who is in an event loop already."""
        transport = httpx.ASGITransport(app=self._app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:9642") as client:
            return await client.request(method, path, headers={"accept-encoding": "identity", **headers})


def site(view: View | None) -> Site:
    """A site that shows this view, in whose scenarios nothing has gone wrong yet."""
    exposition = Exposition(lambda: 0.0)
    scenario = settings.parse("", source="empty.toml", environ={}).scenarios[0]
    names = [each.snapshot.scenario for each in view.scenarios] if view is not None else ["default"]
    if view is not None:
        exposition.publish(view)
    history = History([replace(scenario, name=name) for name in names])
    return Site(exposition, history, names=("localhost",))


def site_of(past: Past) -> Site:
    """A site that shows scenarios that were played, as they stand."""
    exposition = Exposition(lambda: 0.0)
    shown = (
        ScenarioView(simulation.snapshot(), in_force(scenario, snapshots.CLOCK_START))
        for scenario, simulation in zip(past.settings.scenarios, past.simulations, strict=True)
    )
    exposition.publish(View(tuple(shown), snapshots.daemon()))
    return Site(exposition, past.history, names=("localhost",))
