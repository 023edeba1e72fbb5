"""Compares three ways to store b bits per sample: the errors of zfp at fixed rates, for float64.

    python bench/precision/run.py [--volume DIRECTORY] [--json FILE] [--plot FILE] [--small]

  cells    cells of 4 x 4 x 4 neighboring samples, as fields with stored_bits have them
  blocks   blocks of an .idx (2^15 samples on a lattice of one level), each coded as an array of three axes
  HZ order 64 samples that follow each other in HZ order, coded as if they were 4 x 4 x 4 neighbors (PIDX)

Data: a flame given by a formula, 512 x 256 x 256 samples, and with --volume the corners with powers of two
of the volumes in that directory. Errors are relative to the range of the values. Esker writes and reads the
cells, with stored_bits=32 and read(bits=b); its values must be those of zfp. Exit status 1 if they differ, or
if cells of the flame are less than 10 times better than HZ order at 2 to 32 bits. Needs zfpy, which Esker
does not use.
"""

from __future__ import annotations

import argparse
import bz2
import io
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import zfpy
from numpy.typing import NDArray

import esker

RATES = (1, 2, 4, 8, 16, 32)
BITS_PER_BLOCK = 15
Array = NDArray[np.float64]


def flame(nx: int, ny: int, nz: int) -> Array:
    """A temperature: a front that large and small eddies wrinkle, behind it burnt gas that cools slowly."""
    x, y, z = np.ogrid[0 : 1 : nx * 1j, 0 : 1 : ny * 1j, 0 : 1 : nz * 1j]
    x, y, z = (np.moveaxis(axis, (0, 1, 2), (2, 1, 0)) for axis in (x, y, z))
    front = 0.4 + sum(
        0.12 / k * np.sin(2 * np.pi * k * y + 1.3 * k) * np.cos(2 * np.pi * k * z + 0.7 * k * k)
        for k in (1, 2, 3, 5, 8)
    )
    burnt = 0.5 * (1 + np.tanh((x - front) / 0.02))
    cooling = 1 - 0.2 * np.exp(-3 * (1 - x)) * (
        1 + 0.3 * np.sin(6 * np.pi * y) * np.sin(4 * np.pi * z + 5 * x)
    )
    return 300 + 1700 * burnt * cooling


def volumes(directory: Path) -> Iterator[tuple[str, Array]]:
    """The corners with powers of two of real volumes, as float64."""
    wmag = np.fromfile(directory / "wmag_91x91x91.f32le", "<f4").reshape(91, 91, 91)
    yield "wmag", wmag[:64, :64, :64].astype("f8")
    convection = np.fromfile(directory / "deep_convection_T_50x100x100.be32", ">f4").reshape(50, 100, 100)
    yield "deep convection", convection[:32, :64, :64].astype("f8")
    density = np.load(io.BytesIO(bz2.open(directory / "lcdm_density_128x128x128_u8.npy.bz2").read()))
    yield "density", density.astype("f8")


def hz_order(shape: tuple[int, ...]) -> NDArray[np.int64]:
    """The samples of an array (extents are powers of two) in HZ order, by their number in the array."""
    left = [n.bit_length() - 1 for n in shape]  # digits of each axis; the last one is x
    digits: list[int] = []  # finest first
    while any(left):
        axis = max(range(len(shape)), key=lambda a: (left[a], a))  # longer axes have the coarsest digits
        left[axis] -= 1
        digits.insert(0, axis)
    z_address = np.zeros(shape, np.int64)
    bit = [0] * len(shape)
    for position, axis in enumerate(digits):
        index = np.arange(shape[axis]).reshape([-1 if a == axis else 1 for a in range(len(shape))])
        z_address |= (index >> bit[axis] & 1) << position
        bit[axis] += 1
    z_address = z_address.ravel() | 1 << len(digits)
    z_address //= 2 * (z_address & -z_address)
    return np.argsort(z_address, kind="stable")


def coded(values: Array, rate: int) -> Array:
    """Values after zfp has coded them at a fixed rate."""
    return zfpy.decompress_numpy(zfpy.compress_numpy(np.ascontiguousarray(values), rate=rate))


def of_cells(values: Array, order: NDArray[np.int64]) -> Callable[[int], Array]:
    """As Esker stores and reads them."""
    del order
    directory = tempfile.TemporaryDirectory()
    path = f"{directory.name}/cells.idx"
    esker.write(path, {"v": values}, stored_bits=32)

    def read(rate: int, _directory: object = directory) -> Array:
        found = esker.open(path)["v"].read(bits=rate)
        if not np.array_equal(found, coded(values, rate)):
            sys.exit(f"Esker's values at {rate} bits are not those of zfp")
        return found

    return read


def of_blocks(values: Array, order: NDArray[np.int64]) -> Callable[[int], Array]:
    """Each block coded as the array of its lattice."""
    flat, out = values.ravel(), np.empty(values.size)
    blocks = [
        np.sort(block) for block in order.reshape(-1, 1 << min(BITS_PER_BLOCK, values.size.bit_length() - 1))
    ]
    lattices = [[len(np.unique(at)) for at in np.unravel_index(block, values.shape)] for block in blocks]

    def read(rate: int) -> Array:
        for block, lattice in zip(blocks, lattices):
            out[block] = coded(flat[block].reshape(lattice), rate).ravel()
        return out.reshape(values.shape)

    return read


def of_hz_order(values: Array, order: NDArray[np.int64]) -> Callable[[int], Array]:
    """64 samples at a time."""
    in_order, out = values.ravel()[order].reshape(-1, 4, 4), np.empty(values.size)
    parts = np.array_split(in_order, max(1, len(in_order) >> 14))  # zfp's header takes 16 bits for an extent

    def read(rate: int) -> Array:
        out[order] = np.concatenate([coded(part, rate).ravel() for part in parts])
        return out.reshape(values.shape)

    return read


WAYS = {"cells": of_cells, "blocks": of_blocks, "HZ order": of_hz_order}


def measure(values: Array) -> dict[str, dict[str, list[float]]]:
    """Relative errors by way: the largest and the root mean square, one for each rate."""
    order, scale = hz_order(values.shape), float(np.ptp(values))
    errors: dict[str, dict[str, list[float]]] = {}
    for name, way in WAYS.items():
        read = way(values, order)
        found = [np.abs(read(rate) - values) for rate in RATES]
        errors[name] = {
            "largest": [float(e.max()) / scale for e in found],
            "rms": [float(np.sqrt(np.mean(e * e))) / scale for e in found],
        }
    return errors


def table(errors: dict[str, dict[str, list[float]]]) -> str:
    """RMS by way and rate, and how much better cells are than HZ order."""
    lines = ["bits      " + "".join(f"{rate:10}" for rate in RATES)]
    lines += [f"{way:10}" + "".join(f"{e:10.1e}" for e in found["rms"]) for way, found in errors.items()]
    gains = [
        hz / cells if cells else 1.0 for hz, cells in zip(errors["HZ order"]["rms"], errors["cells"]["rms"])
    ]
    return "\n".join([*lines, "gain      " + "".join(f"{gain:10.1f}" for gain in gains)])


def draw(results: dict[str, dict[str, dict[str, list[float]]]], path: Path) -> None:
    """One panel per data set: RMS (solid) and largest errors (dashed) over bits."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(3.6 * len(results), 3.4), layout="constrained")
    panels = made.subplots(1, len(results), sharey=True, squeeze=False)[0]
    for panel, (name, errors) in zip(panels, results.items()):
        for number, (way, found) in enumerate(errors.items()):
            panel.plot(RATES, found["rms"], "o-", color=f"C{number}", label=way)
            panel.plot(RATES, found["largest"], "--", color=f"C{number}")
        panel.set(title=name, xlabel="bits per sample", xscale="log", yscale="log")
        panel.set_xticks(RATES, [str(rate) for rate in RATES])
    panels[0].set_ylabel("error / range: RMS, largest (dashed)")
    panels[0].legend()
    made.savefig(path)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--volume", type=Path, help="directory with volumes")
    parser.add_argument("--json", type=Path, help="write all errors to this file")
    parser.add_argument("--plot", type=Path, help="draw them to this file")
    parser.add_argument("--small", action="store_true", help="a flame of 64 x 32 x 32 samples")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    size = (64, 32, 32) if args.small else (512, 256, 256)
    sets = [("flame", flame(*size)), *(volumes(args.volume) if args.volume else ())]
    results = {}
    for name, values in sets:
        results[name] = measure(values)
        print(f"{name}, {' x '.join(map(str, values.shape[::-1]))}\n{table(results[name])}\n", flush=True)
    if args.json:
        args.json.write_text(json.dumps({"rates": RATES, "relative_errors": results}, indent=1) + "\n")
    if args.plot:
        draw(results, args.plot)
    cells, hz = (results["flame"][way]["rms"] for way in ("cells", "HZ order"))
    return 0 if args.small or all(h >= 10 * c for h, c in zip(hz[1:], cells[1:])) else 1


if __name__ == "__main__":
    sys.exit(main())
