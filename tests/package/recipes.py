#!/usr/bin/env python3
"""The recipes of packaging/ have the version of include/esker/version.h, and the dependencies of the build.

Debian: packaging/debian. Conda: packaging/conda/recipe.yaml. Spack's version; lists_agree.py compares its dependencies. No
tool of these is needed.
"""

import re
import sys
import tomllib
from pathlib import Path

from lists_agree import ROOT, cmake_dependencies, expect_equal, load_recipe

CONDA = ROOT / "packaging/conda/recipe.yaml"
DEBIAN = ROOT / "packaging/debian"

# Names of the dependencies of cmake/EskerDependencies.cmake elsewhere.
CONDA_NAMES = {
    "ZLIB": "zlib",
    "liblz4": "lz4-c",
    "libzstd": "zstd",
    "libisal": "isa-l",
    "libxxhash": "xxhash",
    "matplotlib": "matplotlib-base",
}
DEBIAN_NAMES = {
    "ZLIB": "zlib1g-dev",
    "PkgConfig": "pkg-config",
    "blosc": "libblosc-dev",
    "fmt": "libfmt-dev",
    "hdf5": "libhdf5-dev",
    "nlohmann_json": "nlohmann-json3-dev",
    "tomlplusplus": "libtomlplusplus-dev",
    "zfp": "libzfp-dev",
}


def project_version() -> str:
    return re.search(r'ESKER_VERSION "(.*)"', (ROOT / "include/esker/version.h").read_text())[1]


def requirements(section: str) -> dict[str, str]:
    """Name -> least version of the lines "- name >=version" of a list in YAML."""
    lines = re.findall(r"^ +(?:- |then: )([a-z][\w-]*)(?: >=([\d.]+))?(?: nompi_\*)?$", section, re.M)
    return dict(lines)


def check_versions() -> None:
    version = project_version()
    changelog = (DEBIAN / "changelog").read_text()
    expect_equal(
        "versions of debian/changelog and version.h", re.match(r"esker \((.*)-\d+\)", changelog)[1], version
    )
    conda = re.search(r'^  version: "(.*)"$', CONDA.read_text(), re.M)[1]
    expect_equal("versions of the conda recipe and version.h", conda, version)
    spack = load_recipe()[0].calls["version"]
    expect_equal("versions of the Spack recipe", sorted(spack), sorted([version, "main"]))


def check_conda(needed: dict[str, str]) -> None:
    recipe = CONDA.read_text()
    library, package = recipe.split("  - package:\n")[1:]
    build, host = re.search(
        r"      build:\n(.*?)      host:\n(.*?)      run_exports:", library, re.S
    ).groups()
    expected = {
        CONDA_NAMES.get(name, name): least
        for name, least in needed.items()
        if name not in ("Threads", "PkgConfig")
    }
    expect_equal(
        "dependencies of conda's libesker and of CMake",
        sorted(requirements(host).items()),
        sorted(expected.items()),
    )
    if not {"cmake", "ninja", "pkg-config", "fypp"} <= requirements(build).keys():
        sys.exit(f"{CONDA}: libesker needs cmake, ninja, pkg-config and fypp for its build")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lists = project["build-system"]["requires"] + project["project"]["dependencies"]
    lists += project["project"]["optional-dependencies"]["mpi"]
    expected = dict(line.split(">=") for line in lists)
    expected = {CONDA_NAMES.get(name, name): least for name, least in expected.items()} | {
        "python": "",
        "pip": "",
    }
    found = requirements(re.search(r"      host:\n(.*?)    tests:", package, re.S)[1])
    expect_equal(
        "dependencies of conda's esker and of pyproject.toml", sorted(found.items()), sorted(expected.items())
    )
    (command,) = project["project"]["scripts"].items()
    if f"- {command[0]} = {command[1]}\n" not in package:
        sys.exit(f"{CONDA}: the entry point is not that of pyproject.toml, {command}")


def check_debian(needed: dict[str, str]) -> None:
    control = (DEBIAN / "control").read_text()
    listed = re.search(r"^Build-Depends:(.*?)\n(?=\w)", control, re.M | re.S)[1]
    found = {}
    for entry in listed.split(","):
        name, _, least = entry.strip().partition(" (>= ")
        found[name] = least.rstrip(")").split(":")[-1]
    for name, least in needed.items():
        package = DEBIAN_NAMES.get(name, f"{name}-dev")
        if name != "Threads" and found.get(package) != least:
            sys.exit(
                f"{DEBIAN}/control: expected {package} {least} in Build-Depends, found {found.get(package)}"
            )
    setup = (ROOT / "scripts/setup.sh").read_text()
    groups = re.findall(r"packages\+?=\(([^)]*)\)", setup)
    known = {name for group in groups for name in group.split()}
    tool = {"debhelper-compat (= 13)"}
    if unknown := found.keys() - known - tool:
        sys.exit(f"scripts/setup.sh debian does not install what debian/control needs: {sorted(unknown)}")
    # The libraries' packages have the name of the SONAME, which has the first two numbers of the version.
    soname = ".".join(project_version().split(".")[:2])
    packages = set(re.findall(r"^Package: (.*)$", control, re.M))
    expected = {f"libesker{soname}", f"libesker-mpi{soname}", "libesker-dev", "python3-esker", "esker-tools"}
    expect_equal("packages of debian/control", sorted(packages), sorted(expected))
    installed = {path.name.removesuffix(".install") for path in DEBIAN.glob("*.install")}
    expect_equal("packages with a list of files, and of debian/control", sorted(installed), sorted(packages))
    stated = (DEBIAN / "copyright").read_text().split("License: BSD-3-Clause\n")[1]
    terms = (ROOT / "LICENSE").read_text().split("The Esker developers\n")[1]
    expect_equal(
        "LICENSE and debian/copyright", re.sub(r"^ \.$", "", stated, flags=re.M).split(), terms.split()
    )


def main() -> None:
    needed = cmake_dependencies(Path(ROOT / "cmake/EskerDependencies.cmake"), "find_package")
    check_versions()
    check_conda(needed)
    check_debian(needed)


if __name__ == "__main__":
    main()
