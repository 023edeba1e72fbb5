#!/usr/bin/env python3
"""Lists that are needed in several files agree.

Dependencies and their least versions: cmake/EskerDependencies.cmake, the CMake package's configuration, the Spack recipe.
Debian packages: scripts/setup.sh, docs/guide/install.md. Spack is not needed: its modules are replaced by recorders.
"""

import re
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECIPE = ROOT / "packaging/spack/spack_repo/esker/packages/esker/package.py"

# Spack's names of packages with other names in CMake and pkg-config.
SPACK_NAMES = {
    "ZLIB": "zlib-api",
    "PkgConfig": "pkgconfig",
    "liblz4": "lz4",
    "libzstd": "zstd",
    "libisal": "isa-l",
    "blosc": "c-blosc",
    "libxxhash": "xxhash",
    "nlohmann_json": "nlohmann-json",
}


class Recorder:
    """Replaces Spack's directives, and records their arguments."""

    def __init__(self) -> None:
        self.calls: dict[str, list[str]] = {}

    def directive(self, name: str):
        return lambda *args, **options: self.calls.setdefault(name, []).append(args[0])


class FakeSpec:
    """A package with all variants."""

    def satisfies(self, wanted: str) -> bool:
        return wanted.startswith("+")


class FakeCMakePackage:
    """Replaces spack_repo.builtin.build_systems.cmake.CMakePackage."""

    spec = FakeSpec()

    def define(self, name: str, value: bool | str) -> str:
        return f"{name}={value}"

    def define_from_variant(self, name: str, variant: str) -> str:
        return f"{name}=<{variant}>"


def load_recipe() -> tuple[Recorder, list[str]]:
    """The recipe's directives and the CMake options that it sets."""
    recorder = Recorder()
    package = types.ModuleType("spack.package")
    names = ["license", "version", "variant", "depends_on", "conflicts"]
    for name in names:
        setattr(package, name, recorder.directive(name))
    cmake = types.ModuleType("cmake")
    cmake.CMakePackage = FakeCMakePackage
    sys.modules |= {
        "spack": types.ModuleType("spack"),
        "spack.package": package,
        "spack_repo.builtin.build_systems.cmake": cmake,
    }
    for parent in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        sys.modules[parent] = types.ModuleType(parent)
    namespace = {"__file__": str(RECIPE), "__name__": "recipe"}
    exec(compile(RECIPE.read_text(), RECIPE, "exec"), namespace)
    recipe = namespace["Esker"]
    if not (Path(recipe.git.removeprefix("file://")) / "CMakeLists.txt").exists():
        sys.exit(f"the recipe takes the sources from {recipe.git}, where they are not")
    return recorder, recipe().cmake_args()


def cmake_dependencies(path: Path, command: str) -> dict[str, str]:
    """Name -> least version ("" for any) of find_package (or find_dependency) and pkg_check_modules in a file."""
    text = path.read_text().replace("@ESKER_HDF5_NAME@", "hdf5")
    found = dict(re.findall(rf"^ *{command}\((\w+) ?([\d.]*)", text, re.M))
    found |= dict(re.findall(r"pkg_check_modules\(.* (lib\w+|blosc|hdf5)(?:>=)?([\d.]*)\)", text))
    return found


def expect_equal(what: str, left: object, right: object) -> None:
    if left != right:
        sys.exit(f"{what}:\n  {left}\n  {right}")


def check_spack(needed: dict[str, str]) -> None:
    recorder, options = load_recipe()
    listed = dict((spec.rstrip(":").split("@") + [""])[:2] for spec in recorder.calls["depends_on"])
    top = (ROOT / "CMakeLists.txt").read_text()
    cmake = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", top)[1]
    build = {SPACK_NAMES.get(name, name): version for name, version in needed.items() if name != "Threads"}
    build |= {"c": "", "cxx": "", "cmake": cmake, "mpi": "", "py-fypp": ""}
    expect_equal(
        "dependencies of the recipe and of CMake differ", sorted(listed.items()), sorted(build.items())
    )
    for option in options:
        name, value = option.split("=")
        if f"option({name} " not in top and f"set({name} " not in top:
            sys.exit(f"the recipe sets {name}, which is no option of CMakeLists.txt")
        if value.startswith("<") and value.strip("<>") not in recorder.calls["variant"]:
            sys.exit(f"the recipe has no variant {value}")


def check_config(needed: dict[str, str]) -> None:
    config = cmake_dependencies(ROOT / "cmake/eskerConfig.cmake.in", "find_dependency")
    config.pop("MPI")
    linked = {name: v for name, v in needed.items() if name not in ("nlohmann_json", "tomlplusplus")}
    expect_equal("dependencies of eskerConfig.cmake.in and of CMake differ", config, linked)


def check_debian() -> None:
    listed = re.search(r"^packages=\((.*?)\)", (ROOT / "scripts/setup.sh").read_text(), re.M | re.S)[
        1
    ].split()
    guide = re.findall(r"apt-get install ((?:.*\\\n)*.*)", (ROOT / "docs/guide/install.md").read_text())
    named = {name for line in guide for name in line.replace("\\\n", " ").split()}
    if not named or not named <= set(listed):
        sys.exit(
            f"docs/guide/install.md names Debian packages that scripts/setup.sh does not: {named - set(listed)}"
        )


def main() -> None:
    needed = cmake_dependencies(ROOT / "cmake/EskerDependencies.cmake", "find_package")
    check_spack(needed)
    check_config(needed)
    check_debian()


if __name__ == "__main__":
    main()
