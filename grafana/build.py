"""Writes the dashboards: ``python -m grafana.build`` in the root of the repository.

Running it twice changes nothing. The files are committed, so that nobody needs the SDK to use them.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

from grafana import daemon, fleet, goodput, incidents, tuning

FOLDER: Final = Path(__file__).parent / "dashboards"
DASHBOARDS: Final[Mapping[str, Callable[[], Dashboard]]] = {
    "goodput": goodput.dashboard,
    "incidents": incidents.dashboard,
    "fleet": fleet.dashboard,
    "tuning": tuning.dashboard,
    "daemon": daemon.dashboard,
}
"""By the name of the file, in the order in which they are read."""


def text(dashboard: Dashboard) -> str:
    """A dashboard as it is committed."""
    return json.dumps(dashboard, cls=JSONEncoder, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Writes every dashboard."""
    FOLDER.mkdir(exist_ok=True)
    for name, build in DASHBOARDS.items():
        (FOLDER / f"{name}.json").write_text(text(build()), encoding="utf-8")


if __name__ == "__main__":
    main()
