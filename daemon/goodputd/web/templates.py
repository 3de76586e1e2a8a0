"""The templates, compiled when they are first used and off the event loop, since that takes a while."""

import asyncio
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from goodputd import __version__
from goodputd.web.words import FILTERS


class Templates:
    """Every template of the package; what is filled in is escaped."""

    def __init__(self) -> None:
        """Nothing is compiled yet."""
        self._environment = Environment(
            loader=PackageLoader("goodputd.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters.update(FILTERS)
        self._environment.globals["version"] = __version__
        self._compiled: dict[str, Template] = {}

    async def render(self, name: str, context: dict[str, Any]) -> str:
        """The text of one template."""
        template = self._compiled.get(name)
        if template is None:
            template = await asyncio.to_thread(self._compile, name)
            self._compiled[name] = template
        return template.render(context)

    def _compile(self, name: str) -> Template:
        """The template, and those that it extends."""
        for parent in ("layout.html", name):
            template = self._environment.get_template(parent)
        return template
