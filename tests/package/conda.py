#!/usr/bin/env python3
"""rattler-build reads the conda recipe, and renders it for all variants: the packages, and what they need.

Nothing is built, because that needs the packages of conda-forge. Needs py-rattler-build (scripts/requirements-rattler.txt).
"""

import sys
from pathlib import Path

from rattler_build import RenderConfig, Stage0Recipe, VariantConfig
from rattler_build.tool_config import PlatformConfig

FOLDER = Path(__file__).resolve().parents[2] / "packaging/conda"


def rendered(platform: str) -> list[dict]:
    recipe = Stage0Recipe.from_file(FOLDER / "recipe.yaml")
    variants = VariantConfig.from_file(FOLDER / "variants.yaml")
    config = RenderConfig(platform=PlatformConfig(target_platform=platform))
    return [{**one.recipe.to_dict(), "variant": one.variant} for one in recipe.render(variants, config)]


def needed(package: dict, when: str) -> set[str]:
    """Names of what a package needs when it is built ("host") or used ("run")."""
    return {entry.split()[0] for entry in package["requirements"].get(when, ()) if isinstance(entry, str)}


def expect(is_so: bool, what: object) -> None:
    if not is_so:
        sys.exit(f"{FOLDER}: {what}")


def main() -> None:
    packages = rendered("linux-64")
    kinds = {(p["package"]["name"], p["variant"]["mpi"]) for p in packages}
    names, builds = ("libesker", "esker"), ("nompi", "openmpi", "mpich")
    expect(kinds == {(name, mpi) for name in names for mpi in builds}, f"found {kinds}")
    for package in packages:
        name, mpi = package["package"]["name"], package["variant"]["mpi"]
        found = needed(package, "host") & {"openmpi", "mpich"}
        expect(found == ({mpi} - {"nompi"}), f"{name} for {mpi} needs {found}")
        if name == "esker":
            expect(("mpi4py" in needed(package, "run")) == (mpi != "nompi"), f"esker for {mpi}: mpi4py")
    builds = {p["build"]["string"] for p in packages}
    expect(
        len(builds) == 3 + 3 * len({p["variant"].get("python") for p in packages} - {None}),
        f"builds {builds}",
    )
    print(f"{len(builds)} packages: {', '.join(sorted(builds))}")


if __name__ == "__main__":
    main()
