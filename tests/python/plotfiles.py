"""Writes plotfiles of AMReX with two levels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

BOXES: list[list[Any]] = [[((2, -1), (5, 2)), ((6, -1), (9, 2))], [((6, 0), (9, 3)), ((12, 2), (13, 5))]]
DOMAIN = (2, -1), (9, 2)


def write_plotfile(
    path: Path,
    dtype: str = ">f4",
    ghosts: int = 1,
    per_file: int = 1,
    boxes: list[list[Any]] = BOXES,
    domain: Any = DOMAIN,
    ratio: int = 2,
    names: tuple[str, str] = ("rho", "u"),
    system: int = 0,
) -> None:
    """By default of ratio 2, on 8 x 4 cells that begin at (2, -1), 1/2 by 1 in size.

    `boxes` and `domain` (of level 0) contain their upper corners; `per_file`: patches in a file.
    """
    path.mkdir()
    lo, hi = domain
    size = [1 + end - begin for begin, end in zip(lo, hi)]
    header = ["HyperCLaw-V1.1", "2", *names, "2", "0.25", "1", "1 -1 "]
    header += [f"{1 + size[0] / 2} {-1 + size[1]} ", f"{ratio} "]
    fine = [ratio * i for i in lo], [ratio * (i + 1) - 1 for i in hi]
    header += [f"({corner(lo)} {corner(hi)} (0,0)) ({corner(fine[0])} {corner(fine[1])} (0,0)) "]
    header += ["3 6 ", "0.5 1 ", f"{0.5 / ratio} {1 / ratio} ", f"{system}", "0"]
    for level, of_level in enumerate(boxes):
        header += [f"{level} {len(of_level)} 0.25", "3", *["0 1"] * (2 * len(of_level)), f"Level_{level}/Cell"]
        folder = path / f"Level_{level}"
        folder.mkdir()
        places = [
            write_patch(folder, n // per_file, level, box, dtype, ghosts) for n, box in enumerate(of_level)
        ]
        cells = ["1", "1", "2", str(ghosts), f"({len(of_level)} 0"]
        cells += [f"({corner(lo)} {corner(hi)} (0,0))" for lo, hi in of_level]
        cells += [")", str(len(of_level)), *(f"FabOnDisk: {name} {offset}" for name, offset in places), ""]
        (folder / "Cell_H").write_text("\n".join(cells))
    (path / "Header").write_text("\n".join(header) + "\n")


def write_patch(folder: Path, file: int, level: int, box: Any, dtype: str, ghosts: int) -> tuple[str, int]:
    (x0, y0), (x1, y1) = box
    x0, y0, x1, y1 = x0 - ghosts, y0 - ghosts, x1 + ghosts, y1 + ghosts
    y, x = np.mgrid[y0 : y1 + 1, x0 : x1 + 1]
    samples = np.stack([1000 * level + 10 * y + x, -(1000 * level + 10 * y + x)]).astype(dtype)
    size = samples.dtype.itemsize
    order = range(1, size + 1) if dtype.startswith(">") else range(size, 0, -1)
    kind = "32 8 23 0 1 9 0 127" if size == 4 else "64 11 52 0 1 12 0 1023"
    line = f"FAB ((8, ({kind})),({size}, ({' '.join(map(str, order))})))"
    line += f"({corner((x0, y0))} {corner((x1, y1))} (0,0)) 2\n"
    path = folder / f"Cell_D_{file:05d}"
    offset = path.stat().st_size if path.exists() else 0
    with path.open("ab") as stream:
        stream.write(line.encode() + samples.tobytes())
    return path.name, offset


def corner(place: Sequence[int]) -> str:
    return f"({place[0]},{place[1]})"
