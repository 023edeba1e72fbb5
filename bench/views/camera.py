"""Measures what `esker.vtk.follow` reads when a camera moves away from a map and from a volume.

    .venv/bin/python bench/views/camera.py --dir DIRECTORY [--json FILE] [--repeat 5] [--small]

Scenes:
  map      14720 x 14720 float32 (867 MB), seen from above
  volume   256^3 float32 (67 MB), seen along a diagonal of two axes

The picture is 1024 x 768 pixels, of 30 degrees. At each distance, `follow` sets level and box of an
`esker.vtk.Reader`, which then reads; for cold reads, the files are removed from the page cache first. All samples
that are read are checked. The distance is that of the camera from the surface of the data, in units of their
edge. Finally, the reader reads all samples.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (the implementation of windows)
from measure import arguments, array_of, expected, io_bytes
from readers import Esker, drop_from_cache
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkRenderingCore import vtkRenderer, vtkRenderWindow

from esker.bench.jobs import machine
from esker.vtk import Reader, follow

PIXELS = (1024, 768)
DISTANCES = [2.0**exponent for exponent in range(-6, 7)]


def scenes(small: bool) -> dict[str, dict[str, Any]]:
    """Arrays (shape slowest first), and the direction from their middle to the camera, x first."""
    n, edge = (640, 32) if small else (14720, 256)
    return {
        "map": {"shape": [n, n], "towards": (0.0, 0.0, 1.0)},
        "volume": {"shape": [edge] * 3, "towards": (0.0, -0.6, 0.8)},
    }


class Scene:
    """A dataset, its reader, and a camera that looks at its middle."""

    def __init__(self, directory: Path, shape: list[int], towards: tuple[float, float, float]) -> None:
        self.directory, self.shape = directory, shape
        self.size = np.array([*shape[::-1], 1][:3], float)
        self.middle, self.towards = (self.size - 1) / 2, np.array(towards)
        self.reader = Reader()
        self.reader.SetFileName(str(directory / "a.idx"))
        self.renderer, self.window = vtkRenderer(), vtkRenderWindow()
        self.window.SetOffScreenRendering(1)
        self.window.SetSize(*PIXELS)
        self.window.AddRenderer(self.renderer)

    def move(self, distance: float) -> None:
        """Puts the camera at a distance from the surface, in edges, and lets the reader follow."""
        with np.errstate(divide="ignore"):
            to_surface = np.min((self.size - 1) / 2 / np.abs(self.towards))
        camera = self.renderer.GetActiveCamera()
        camera.SetViewAngle(30)
        camera.SetFocalPoint(*self.middle)
        camera.SetPosition(*(self.middle + self.towards * (to_surface + distance * self.size[0])))
        camera.SetViewUp(0, 1, 0)
        follow(self.renderer, self.reader).stop()

    def read(self, is_cold: bool) -> dict[str, Any]:
        """Time, and bytes that the process requested and that came from the device."""
        self.reader.Modified()
        if is_cold:
            drop_from_cache(self.directory)
        before, begin = io_bytes(), time.perf_counter()
        self.reader.Update()
        seconds, after = time.perf_counter() - begin, io_bytes()
        if self.reader.error is not None:
            raise self.reader.error
        return {"seconds": seconds, "asked": after[0] - before[0], "from_device": after[1] - before[1]}

    def check(self) -> dict[str, Any]:
        """Compares all samples; says what was read."""
        image = self.reader.GetOutputDataObject(0)
        found = vtk_to_numpy(image.GetPointData().GetArray("a"))
        steps, lows, counts = (
            np.array(values)[: len(self.shape)]
            for values in (image.GetSpacing(), image.GetBounds()[::2], image.GetDimensions())
        )
        parts = [slice(int(lo), int(lo + n * s), int(s)) for lo, n, s in zip(lows, counts, steps)][::-1]
        planes = found.reshape(counts[::-1])
        for number, at in enumerate(range(parts[0].start, parts[0].stop, parts[0].step)):
            wanted = expected(self.shape, "float32", (slice(at, at + 1), *parts[1:]))
            if not np.array_equal(planes[number], wanted[0]):
                raise SystemExit(f"{self.directory.name}: wrong samples")
        box = [int((n - 1) * s + 1) for n, s in zip(counts, steps)]
        return {
            "level": self.reader.GetReadLevel(),
            "samples_apart": [int(s) for s in steps],
            "bytes_of_answer": found.nbytes,
            "bytes_of_box": int(np.prod(box)) * found.itemsize,
        }


def measure(scene: Scene, repeat: int) -> dict[str, Any]:
    cold = [scene.read(is_cold=True) for _ in range(repeat)]
    warm = [scene.read(is_cold=False) for _ in range(repeat)]
    return {
        **scene.check(),
        "bytes_asked": min(one["asked"] for one in cold),
        "bytes_from_device": min(one["from_device"] for one in cold),
        "cold_seconds": [one["seconds"] for one in cold],
        "warm_seconds": [one["seconds"] for one in warm],
        "median_cold_seconds": statistics.median(one["seconds"] for one in cold),
        "median_warm_seconds": statistics.median(one["seconds"] for one in warm),
    }


def run(name: str, scene: dict[str, Any], directory: Path, repeat: int) -> dict[str, Any]:
    directory.mkdir(parents=True)
    print(f"{name}: writing", file=sys.stderr, flush=True)
    Esker().write(directory, array_of(scene["shape"], "float32"))
    shown = Scene(directory, scene["shape"], scene["towards"])
    rows = []
    for distance in DISTANCES:
        shown.move(distance)
        rows.append({"distance": distance, **measure(shown, repeat)})
        print_row(name, rows[-1])
    shown.reader.SetLevel("full")
    shown.reader.SetBox(None)
    everything = measure(shown, repeat)
    print_row(name, {"distance": "all", **everything})
    return {"scene": name, "shape": scene["shape"], "distances": rows, "everything": everything}


def print_row(name: str, row: dict[str, Any]) -> None:
    apart = "x".join(map(str, row["samples_apart"]))
    read, answer, box = (row[key] / 1e6 for key in ("bytes_asked", "bytes_of_answer", "bytes_of_box"))
    line = f"{name:7} {row['distance']:>9}  level {row['level']:2} ({apart})  {read:9.2f} MB read, "
    line += f"{answer:9.2f} MB of samples, {box:9.2f} MB in the box; "
    line += f"{1e3 * row['median_cold_seconds']:8.1f} ms cold, {1e3 * row['median_warm_seconds']:8.1f} warm"
    print(line, flush=True)


def main() -> None:
    options = arguments(__doc__, "0.9 GB").parse_args()
    top = options.dir / "esker-camera"
    results = []
    try:
        for name, scene in scenes(options.small).items():
            results.append(run(name, scene, top / name, options.repeat))
            shutil.rmtree(top)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    config = {"repeat": options.repeat, "small": options.small, "pixels": list(PIXELS)}
    if options.json:
        found = {"machine": machine(str(options.dir)), "config": config, "results": results}
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    os.environ.pop("DISPLAY", None)
    main()
