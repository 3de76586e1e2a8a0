"""The promises that hold for the source tree as a whole: who imports whom, how large, how pure.

Reads the sources; knows nothing of what they compute.
"""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import goodputd.cli

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "daemon" / "goodputd"
CORE = ("sim", "detectors", "policies")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()

MODULE_LINES = 400
FUNCTION_LINES = 60
# What makes a result depend on the machine, the process or the user rather than on settings and seed.
# The builtin sum of floats is another one in Python 3.12, and another again compiled; these are of integers.
SUMS_OF_COUNTS = {
    "sum((1 for earlier in strikes if at - earlier <= window_seconds))",
    "sum(self.counts.values())",
    "sum((getattr(kind, rate) is not None for rate in rates))",
    "sum(self._active)",
    "sum((1 for fault in (*state.present, *lingering) if not fault.detected))",
    "sum(weaker.values())",
    "sum(self.interruptions.values())",
    "sum((count for (component, _), count in interruptions.items() if component is not Component.PLANNED))",
    "sum(self._counts)",
}
IMPURE_BUILTINS = {"breakpoint", "eval", "exec", "hash", "id", "input", "open", "print"}


def modules(*packages: str) -> Iterator[tuple[Path, ast.Module]]:
    """Every module below the given packages, or of the program and its dashboards, with its syntax tree."""
    for folder in [PACKAGE / package for package in packages] or [PACKAGE, ROOT / "grafana"]:
        for path in sorted(folder.rglob("*.py")):
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def at(path: Path, node: ast.stmt | ast.expr) -> str:
    """``file:line`` of a node, relative to the repository."""
    return f"{path.relative_to(ROOT)}:{node.lineno}"


def test_modules_are_short() -> None:
    """No module has more than 400 lines."""
    too_long = [
        path.relative_to(ROOT)
        for path, _ in modules()
        if len(path.read_text(encoding="utf-8").splitlines()) > MODULE_LINES
    ]

    assert [] == too_long


def test_functions_are_short() -> None:
    """No function has more than 60 lines, docstring included."""
    too_long = [
        f"{at(path, node)} {node.name}"
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES
    ]

    assert [] == too_long


def test_core_re_exports_nothing() -> None:
    """``sim/__init__`` holds a docstring only, so that the import contracts can tell who knows what."""
    tree = ast.parse((PACKAGE / "sim" / "__init__.py").read_text(encoding="utf-8"))

    assert [ast.Expr] == [type(node) for node in tree.body]


def test_core_draws_from_named_streams_only() -> None:
    """The core takes ``Random`` from ``random`` and nothing else: no draw comes from a global state."""
    global_draws = [
        at(path, node)
        for path, tree in modules(*CORE)
        for node in ast.walk(tree)
        if (isinstance(node, ast.Import) and any(alias.name == "random" for alias in node.names))
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "random"
            and any(alias.name != "Random" for alias in node.names)
        )
    ]

    assert [] == global_draws


def test_core_calls_no_impure_builtin() -> None:
    """The core neither prints nor opens, and asks for no hash or id, which differ between processes."""
    calls = [
        f"{at(path, node)} {node.func.id}()"
        for path, tree in modules(*CORE)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_BUILTINS
    ]

    assert [] == calls


def test_the_core_sums_floats_exactly() -> None:
    """The core calls the builtin ``sum`` for counts alone, which are the same in every Python."""
    sums = {
        ast.unparse(node)
        for _, tree in modules(*CORE)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum"
    }

    assert SUMS_OF_COUNTS == sums


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Checks the import contracts of ``pyproject.toml`` on the package in ``folder``/daemon."""
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as f; f()",
        "--no-cache",
    ]
    return subprocess.run(
        command,
        cwd=folder,
        env={"PYTHONPATH": str(folder / "daemon")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_import_contracts_hold() -> None:
    """Every import contract of ``pyproject.toml`` holds."""
    result = lint_imports(ROOT)

    assert 0 == result.returncode, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("contract", "module", "statement"),
    [
        ("Imports point down", "sim/ledger.py", "import goodputd.detectors"),
        ("Imports point down", "settings/model.py", "import goodputd.assembly"),
        ("The core does no I/O", "sim/job.py", "import time"),
        ("The core does no I/O", "detectors/watchdog.py", "import logging"),
        ("Detectors and policies see observations", "policies/strikes.py", "import goodputd.sim.faults"),
        ("Metrics are read from snapshots", "metrics/collector.py", "import goodputd.sim.job"),
    ],
)
def test_import_contracts_catch(tmp_path: Path, contract: str, module: str, statement: str) -> None:
    """A planted import that breaks a contract is reported under that contract's name."""
    shutil.copytree(PACKAGE, tmp_path / "daemon" / "goodputd")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    planted = tmp_path / "daemon" / "goodputd" / module
    planted.write_text(f"{planted.read_text(encoding='utf-8')}\n{statement}\n", encoding="utf-8")

    result = lint_imports(tmp_path)

    broken = [line for line in result.stdout.splitlines() if " BROKEN" in line]
    assert 1 == result.returncode, result.stdout + result.stderr
    assert any(line.startswith(contract) for line in broken), result.stdout


def test_console_script_is_the_command_line() -> None:
    """The installed command ``goodputd`` is ``goodputd.cli.main``."""
    [script] = entry_points(group="console_scripts", name="goodputd")

    assert goodputd.cli.main is script.load()


def test_constraints_are_exact() -> None:
    """``constraints.txt`` holds comments and ``name==version`` lines: no range, no address, no option."""
    wrong = [line for line in CONSTRAINTS if not re.fullmatch(r"#.*|[\w.-]+==[\w.!+]+", line)]

    assert [] == wrong


def test_constraints_pin_what_the_project_asks_for() -> None:
    """Every library that ``pyproject.toml`` names is pinned, to a version that it admits."""
    pins = dict(line.split("==") for line in CONSTRAINTS if not line.startswith("#"))
    pinned = {canonicalize_name(name): version for name, version in pins.items()}
    project = PROJECT["project"]
    asked = [
        Requirement(line)
        for lines in (project["dependencies"], *project["optional-dependencies"].values())
        for line in lines
    ]
    unmet = [
        str(requirement)
        for requirement in asked
        if requirement.name != project["name"]
        and not requirement.specifier.contains(pinned.get(canonicalize_name(requirement.name), "0"))
    ]

    assert [] == unmet


def test_make_explains_every_target() -> None:
    """``make`` alone lists every target a person can ask for, each with a purpose."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^\.PHONY: (?!need-)(\S+)$", makefile, re.MULTILINE))

    listed = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert targets == set(re.findall(r"^  make (\S+) +\S+ ", listed, re.MULTILINE))
