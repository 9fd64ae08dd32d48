"""What pyproject.toml cannot say: the C extension, and what stands beside the package until it is built."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
SCHEMAS = ("*.ksy", "*.lark")
# One build serves every Python from here on, except those without the lock, which have no stable interface yet.
STABLE = {} if sysconfig.get_config_var("Py_GIL_DISABLED") else {"bdist_wheel": {"py_limited_api": "cp311"}}


# Without the extension the wheel is for any machine: `tools.wheels` puts a solver into it for each.
EXTENSION = [] if os.environ.get("BRIDGESPEC_EXTENSION") == "0" else ["native/build_ffi.py:ffibuilder"]


class BuildIfPossible(build_ext):
    """Builds the solver where there is a compiler; without one it warns (shown by ``pip -v``), and the package has no solver."""

    def run(self) -> None:
        for extension in self.extensions:
            extension.optional = True
        super().run()
        missing = [path for path in self.get_outputs() if not Path(path).is_file()]
        if missing:
            self.warn(
                "no working C compiler: the double-dummy solver is not installed, everything else is. Install a compiler "
                "(Debian and Ubuntu: apt install gcc; macOS: xcode-select --install) and then the package again."
            )


class BuildWithSpecs(build_py):
    """Puts ``specs/``, the guides of ``docs/``, the measured conformance and the solver for the web into the built package.

    An editable install finds them where they are.
    """

    def run(self) -> None:
        super().run()
        if getattr(self, "editable_mode", False):
            return
        target = Path(self.build_lib) / "bridgespec" / "specs"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for pattern in SCHEMAS:
            for schema in sorted((ROOT / "specs").glob(pattern)):
                shutil.copy2(schema, target)
        self.compile_schemas(target)
        data = Path(self.build_lib) / "bridgespec" / "docs" / "data"
        data.mkdir(parents=True, exist_ok=True)
        measured = ROOT / "docs" / "conformance.json"
        if measured.is_file():
            shutil.copy2(measured, data)
        shutil.rmtree(data / "guides", ignore_errors=True)
        shutil.copytree(ROOT / "docs", data / "guides", ignore=shutil.ignore_patterns("*.schema.json"))
        solver = Path(self.build_lib) / "bridgespec" / "webpage" / "static" / "bridgespec-dd"
        shutil.rmtree(solver, ignore_errors=True)
        solver.mkdir(parents=True)
        for module in sorted((ROOT / "web" / "bridgespec-dd").glob("*.js")):
            shutil.copy2(module, solver)

    def compile_schemas(self, folder: Path) -> None:
        """Keep schemas and bidding systems compiled, so that no program has to read their languages before it can start."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "BRIDGESPEC_PATH": ""}
        environment["BRIDGESPEC_CACHE"] = str(folder.absolute() / "compiled")
        program = "from bridgespec.spec.catalog import Catalog; list(Catalog().all())\n"
        program += "from bridgespec.bidding.language import SHIPPED, SystemReader\n"
        program += "for system in sorted(SHIPPED.glob('*.bid')): SystemReader().read(system)"
        # They name the files that they were made from, which are looked for beside them; where that was must not tell builds apart.
        program += "\nimport sys; from pathlib import Path; from bridgespec.spec.store import detach\n"
        program += "detach(Path(sys.argv[1], 'compiled'), Path(sys.argv[1]))"
        # Within the folder that is built, so that the schemas are found where they will be installed.
        subprocess.run([sys.executable, "-c", program, str(folder.absolute())], env=environment, cwd=self.build_lib, check=True)


setup(
    cffi_modules=EXTENSION,
    cmdclass={"build_ext": BuildIfPossible, "build_py": BuildWithSpecs},
    options=STABLE if EXTENSION else {},
)
