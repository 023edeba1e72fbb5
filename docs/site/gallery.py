"""How sphinx-gallery runs the scripts of docs/gallery, and takes the alternative text of their pictures.

The scripts are in build/docs/source/scripts, with a link to the repository's data; there they write their datasets. A script
has a comment `# sphinx_gallery_alt = "..."` with the text that replaces its picture for people who do not see it.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import matplotlib_scraper

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "build/docs/source/scripts"
SECTIONS = ("models", "formats", "readers")
PROGRAMS = [str(ROOT / "build/release/miniapps" / name) for name in ("gcrm", "pism", "pop", "s3d", "uintah")]


def gallery_conf(root: Path) -> dict[str, Any]:
    return {
        "examples_dirs": [str(root / "build/docs/source/scripts")],
        "gallery_dirs": ["gallery"],
        "filename_pattern": r"/scripts/.*\.py$",
        "reset_modules": ("matplotlib", "gallery.begin"),
        "image_scrapers": ("gallery.scraper",),
        "download_all_examples": False,
        "show_signature": False,
        "show_memory": False,
        "min_reported_time": 10**6,
        "write_computation_times": False,
        "remove_config_comments": True,
        "capture_repr": (),
        "subsection_order": [f"scripts/{name}" for name in SECTIONS],
        "within_subsection_order": "FileNameSortKey",
        "thumbnail_size": (400, 280),
        "plot_gallery": True,
    }


def begin(conf: dict[str, Any], script: str) -> None:
    """Called before each script: removes what others wrote, and puts the miniapps in PATH."""
    for path in SCRIPTS.glob("*/*"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.suffix not in (".py", ".rst") and path.name != "data":
            path.unlink()
    places = [place for place in os.environ["PATH"].split(os.pathsep) if place not in PROGRAMS]
    os.environ["PATH"] = os.pathsep.join([*PROGRAMS, *places])


def scraper(block: tuple[Any, ...], variables: dict[str, Any], conf: dict[str, Any], **options: Any) -> str:
    """The pictures of matplotlib, with the script's alternative text."""
    rst = matplotlib_scraper(block, variables, conf, **options)
    alt = variables["file_conf"].get("alt")
    if rst.strip() and not alt:
        raise ValueError(f"{variables['src_file']}: expected a comment `# sphinx_gallery_alt = ...`, found none")
    return re.sub(r":alt: .*", lambda _: f":alt: {alt}", rst)
