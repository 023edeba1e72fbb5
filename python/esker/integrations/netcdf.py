"""Programs that use netCDF-C read datasets of Esker: where the plug-in is, and doors to datasets."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from pathlib import Path

import esker
from esker.base.boxes import Box
from esker.dataset.same_part import same_part
from esker.integrations.remote import is_url

_LIBRARIES = Path(__file__).parents[1] / "lib"
_MAGIC = b"CDF\x01Eskr"
_CHAR, _INT, _DOUBLE = 2, 4, 6
_ATTRIBUTES = 12
_DESCRIPTION = "a door to a dataset of Esker; programs read it with: esker run --netcdf -- PROGRAM ..."


def plugin() -> Path:
    """The plug-in, for .ncrc of netCDF-C 4.10 and later. Raises FileNotFoundError if it was not built."""
    return _library("libesker_netcdf.so")


def preloaded(environment: Mapping[str, str], level: int | None = None) -> dict[str, str]:
    """The environment in which programs load the plug-in, and see a dataset that they open itself at a level (None: the
    finest). Raises FileNotFoundError if it was not built."""
    before = environment.get("LD_PRELOAD", "")
    library = os.fspath(_library("libesker_netcdf_preload.so"))
    added = {"LD_PRELOAD": f"{library}:{before}" if before else library}
    if level is not None:
        added["ESKER_NC_LEVEL"] = str(level)
    return {**environment, **added}


def _library(name: str) -> Path:
    path = _LIBRARIES / name
    if not path.is_file():
        raise FileNotFoundError(
            f"{path}: the plug-in for netCDF was not built; install netCDF-C 4.9 or later with its headers "
            "(Debian: libnetcdf-dev), then build Esker's package again"
        )
    return path


def write_door(
    dataset: str | os.PathLike[str],
    door: str | os.PathLike[str],
    level: int | None = None,
    box: Box | None = None,
) -> None:
    """Writes a door: a small file that the plug-in opens as the dataset, at a level (None: the finest) and box (None: all)
    of its largest field. It contains the path from it to the dataset, which is in its directory, or below, so that both can
    be moved together. Raises ValueError if that is not so, or if the dataset does not have the level or the box, and
    FileExistsError if there is a file."""
    if is_url(dataset):
        raise ValueError(f"{dataset}: a door leads to files; expected a path, found a URL")
    door = Path(door)
    inside = os.path.relpath(os.path.abspath(dataset), os.path.abspath(door.parent))
    if Path(inside).parts[0] == os.pardir:
        raise ValueError(
            f"{door}: a door is in the directory of its dataset, or above it; expected it in {Path(dataset).parent}"
        )
    opened = esker.open(dataset)
    same_part([opened[name] for name in opened], box, level)
    attributes = _attribute("esker_door", _CHAR, os.fsencode(inside))
    if level is not None:
        attributes += _attribute("level", _INT, struct.pack(">i", level))
    if box is not None:
        corners = [float(index) for corner in box for index in corner]
        attributes += _attribute("box", _DOUBLE, struct.pack(f">{len(corners)}d", *corners))
    attributes += _attribute("description", _CHAR, _DESCRIPTION.encode())
    count = 2 + (level is not None) + (box is not None)
    absent = struct.pack(">2i", 0, 0)
    with door.open("xb") as file:
        file.write(_MAGIC + absent + struct.pack(">2i", _ATTRIBUTES, count) + attributes + absent)


def _attribute(name: str, kind: int, values: bytes) -> bytes:
    """An attribute in the header of a CDF-1 file."""
    size = {_CHAR: 1, _INT: 4, _DOUBLE: 8}[kind]
    head = _padded(struct.pack(">i", len(name)) + name.encode()) + struct.pack(
        ">2i", kind, len(values) // size
    )
    return head + _padded(values)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 4)
