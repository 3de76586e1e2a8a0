"""The README is true: what it shows was printed by a command, what it names exists."""

import re
from collections.abc import Callable, Iterator

from goodputd.settings.keys import is_table, leaves, ordered_fields, table_class
from goodputd.settings.model import Document
from goodputd.sim.taxonomy import Action, Layer, StageName
from tests.readme import README, ROOT, with_section
from tests.timeline import draw, incident


def test_the_picture_is_drawn_from_the_history_of_the_shipped_timeline(
    golden: Callable[[str, str], None],
) -> None:
    """daemon/timeline.svg is what config/recovery-timeline.toml plays."""
    golden("../../daemon/timeline.svg", draw(incident()))


def table_rows() -> Iterator[str]:
    """One row per TOML table: its name, what it is about, how many keys."""
    yield "| table | what it sets | keys |"
    yield "| --- | --- | --- |"
    for found in ordered_fields(Document):
        table = table_class(found.type)
        if table is not None:
            about = (table.__doc__ or "").splitlines()[0].rstrip(".")
            name = f"[{found.name}]" if is_table(found.type) else f"[[{found.name}]]"
            yield f"| `{name}` | {about} | {sum(1 for _ in leaves(table))} |"


def test_the_table_of_toml_tables_is_the_settings(golden: Callable[[str, str], None]) -> None:
    """Every table, with the first line of its docstring."""
    content = "\n".join([*table_rows(), ""])

    golden("../../README.md", with_section(README.read_text(encoding="utf-8"), "tables", content))


def test_every_link_of_the_readme_leads_somewhere() -> None:
    """Relative links and the picture name files of the project."""
    targets = re.findall(r"\]\(([^)#:]+)\)", README.read_text(encoding="utf-8"))

    assert len(targets) > 2
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_every_make_target_the_readme_names_exists() -> None:
    """`make x` in the README is a target of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"make ([a-z-]+)", README.read_text(encoding="utf-8"))) - {"golden"}

    assert named >= {"run", "test", "demo", "check", "bench"}
    assert [name for name in sorted(named) if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


def test_the_readme_uses_the_words_of_the_program() -> None:
    """Layers, actions and stages are named as the program names them."""
    words = README.read_text(encoding="utf-8").lower()

    for layer in (Layer.HARDWARE, Layer.HEARTBEAT, Layer.GRADIENT, Layer.WATCHDOG):
        assert f"`{layer}`" in words
    for stage in StageName:
        assert stage.replace("_", " ") in words or stage is StageName.DETECT
    assert all(f"{action}s" in words for action in (Action.RESTART, Action.EVICT))
