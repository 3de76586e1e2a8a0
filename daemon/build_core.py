"""Builds the core as a C extension, where somebody asks for it: HATCH_BUILD_HOOKS_ENABLE=1 pip install .

A hook of the build, run in its own environment. It compiles a copy, so that no extension is left beside
the sources, where it would shadow later changes. Knows no module of goodputd.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_CORE: Final = "goodputd/sim"
_INTERPRETED: Final = frozenset({"__init__.py", "protocols.py"})
"""Nothing to compile, and what a detector or a policy of somebody else's, interpreted, is declared by."""
_ENDING_LINES: Final = 30


class CompiledCore(BuildHookInterface):  # type: ignore[type-arg,misc]
    """Adds the compiled modules of the core to a wheel, beside their sources."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile. Errors: ``SystemExit`` with what is missing, or what the compiler said last."""
        if version == "editable":
            message = "an editable install runs its sources: it cannot have a compiled core"
            raise SystemExit(message)
        _require_compiler()
        self._work = Path(mkdtemp(prefix="goodputd-core-"))
        shutil.copytree(Path(self.root) / "daemon" / "goodputd", self._work / "goodputd")
        _compile(self._work)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for made in (self._work / "lib").rglob("*" + sysconfig.get_config_var("EXT_SUFFIX")):
            build_data["force_include"][str(made)] = str(made.relative_to(self._work / "lib"))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The wheel is made: the copy goes."""
        del version, build_data, artifact_path
        shutil.rmtree(self._work)


def _require_compiler() -> None:
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC")
    header = Path(sysconfig.get_path("include")) / "Python.h"
    missing = []
    if shutil.which(compiler.split()[0]) is None:
        missing.append(f"the C compiler {compiler.split()[0]} (CC names another)")
    if not header.exists():
        missing.append(f"the headers of this Python ({header})")
    if missing:
        message = f"to compile the core, this is missing: {' and '.join(missing)}"
        raise SystemExit(message)


def _compile(work: Path) -> None:
    """Run this file as a program: setuptools works in the current folder and prints as it likes."""
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, __file__, str(work)],
        cwd=work,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        shutil.rmtree(work)
        message = "the core could not be compiled:\n" + "\n".join(done.stdout.splitlines()[-_ENDING_LINES:])
        raise SystemExit(message)


def main(work: Path) -> None:
    """Compile the copy in ``work``, the current folder, into ``work/lib``."""
    from mypyc.build import mypycify  # noqa: PLC0415 - only here, in the environment of the build
    from setuptools import setup  # noqa: PLC0415

    sources = [str(path) for path in sorted(Path(_CORE).glob("*.py")) if path.name not in _INTERPRETED]
    extensions = mypycify(sources, debug_level="0", target_dir=str(work / "c"), group_name="goodputd_core")
    for extension in extensions:
        # A contracted addition rounds once where the interpreter rounds twice: another history. Nobody
        # reads what a compiler warns of in generated code, and finding it doubles the time.
        flags = [flag for flag in extension.extra_compile_args if flag != "-Werror"]
        extension.extra_compile_args = [*flags, "-ffp-contract=off", "-g0", "-Wno-all"]
    setup(
        name="goodputd-core",
        packages=[],
        ext_modules=extensions,
        script_args=["build_ext", "--build-lib", str(work / "lib"), "--build-temp", str(work / "temp")],
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
