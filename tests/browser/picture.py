"""Draws daemon/status-page.png, the picture of the status page in the README.

The shipped settings are played to a fixed instant, so the picture changes when the page or the
model does, and not from run to run. ``python -m tests.browser.picture`` writes it anew.
"""

import base64
import struct
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from goodputd import assembly, settings
from goodputd.history.keeping import History
from goodputd.metrics.exposition import Exposition
from goodputd.metrics.view import DaemonView, ScenarioView, View
from goodputd.service import in_force, listen
from goodputd.web.app import Site
from tests.browser.chromium import ROOT, browser

PICTURE = ROOT / "daemon" / "status-page.png"
SECONDS = 5.0 * 86400.0 + 17.0 * 3600.0
"""The instant that is shown."""
WIDTH, HEIGHT = 1440, 1340
MOST_BYTES = 200_000
PIXELS = """async (png) => {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const data = context.getImageData(0, 0, bitmap.width, bitmap.height).data;
  let text = "";
  for (let at = 0; at < data.length; at += 32768) {
    text += String.fromCharCode(...data.subarray(at, at + 32768));
  }
  return btoa(text);
}"""
"""The pixels of a PNG, RGBA, in base64."""


def played() -> Site:
    """The site of the shipped settings at that instant."""
    loaded = settings.load(ROOT / "config" / "default.toml", environ={})
    history, exposition = History(loaded.scenarios), Exposition(lambda: 0.0)
    start = loaded.clock_start_timestamp
    views = []
    for scenario, simulation in zip(loaded.scenarios, assembly.build(loaded), strict=True):
        history.facts(simulation.name, simulation.advance_to(SECONDS))
        views.append(ScenarioView(simulation.snapshot(), in_force(scenario, start)))
    daemon = DaemonView(
        version="",
        python="",
        core="",
        speedup=loaded.clock.speedup,
        lag_wall_seconds=0.0,
        scrape_wall_seconds=None,
        last_advance_timestamp=0.0,
    )
    exposition.publish(View(tuple(views), daemon))
    return Site(exposition, history, names=())


@contextmanager
def served(site: Site) -> Iterator[str]:
    """The URL of the site, on a free port."""
    (ours,) = listen("127.0.0.1:0")
    server = uvicorn.Server(uvicorn.Config(site.app, lifespan="off", log_config=None))
    thread = threading.Thread(target=server.run, args=([ours],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{ours.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join()


def draw() -> bytes:
    """The picture as PNG."""
    with served(played()) as url, browser() as chromium:
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(url)
        page.locator("#connection", has_text="live").wait_for()
        picture = page.screenshot()
        page.goto("about:blank")  # so that its stream of events ends
        pixels = page.evaluate(PIXELS, base64.b64encode(picture).decode())
        return png(base64.b64decode(pixels))


def png(pixels: bytes) -> bytes:
    """The picture without the filters of the browser's encoder, which make a page a fifth larger."""
    rgb = bytearray(3 * WIDTH * HEIGHT)
    for channel in range(3):
        rgb[channel::3] = pixels[channel::4]
    row = 3 * WIDTH
    unfiltered = b"".join(b"\0" + rgb[at : at + row] for at in range(0, len(rgb), row))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(unfiltered, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def main() -> None:
    """Write the picture; fails when it is too large for a README."""
    picture = draw()
    if len(picture) > MOST_BYTES:
        sys.exit(f"{len(picture):,} bytes are more than {MOST_BYTES:,}")
    PICTURE.write_bytes(picture)


if __name__ == "__main__":
    main()
