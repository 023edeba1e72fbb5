"""zarrita, the Zarr library of browsers, reads groups that esker.Writer wrote.

It comes from npm, in a separate environment: scripts/zarrita.sh creates it and runs this file.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

READ = """
import { writeFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
const library = process.env.ZARRITA + "/node_modules/"
const zarr = await import(pathToFileURL(library + "zarrita/dist/src/index.js"))
const { default: FileSystemStore } = await import(pathToFileURL(library + "@zarrita/storage/dist/src/fs.js"))
const [group, name, out] = process.argv.slice(2)
const store = await zarr.withConsolidatedMetadata(new FileSystemStore(group), { format: "v3" })
const array = await zarr.open(zarr.root(store).resolve(name), { kind: "array" })
const { data, shape } = await zarr.get(array, null)
writeFileSync(out, new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
console.log(JSON.stringify(shape))
"""


def read_by_zarrita(group: Path, name: str, dtype: Any) -> Any:
    """The samples of an array, found by the consolidated metadata of the group."""
    if "ZARRITA" not in os.environ:
        pytest.skip("needs zarrita, in a separate environment: scripts/zarrita.sh")
    program, samples = group.parent / "read.mjs", group.parent / "samples"
    program.write_text(READ)
    command = [f"{os.environ['ZARRITA']}/node", program, group, name, samples]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return np.fromfile(samples, dtype).reshape([int(n) for n in done.stdout.strip()[1:-1].split(",")])


@pytest.mark.parametrize("compression", ["none", "zstd", "zip", "blosc"])
@pytest.mark.parametrize("levels", [0, 2])
def test_zarrita_reads_every_level(tmp_path: Path, compression: str, levels: int) -> None:
    rng = np.random.default_rng(23)
    given = {
        "temp": rng.normal(size=(5, 20, 30)).astype("f4"),
        "mask": rng.integers(0, 200, (20, 30)).astype("u1"),
    }
    esker.write(tmp_path / "run.zarr", given, compression=compression, chunks="7,6,2", levels=levels)
    for name, values in given.items():
        for level in range(levels + 1):
            path = f"{level}/{name}" if levels else name
            coarse = values[(slice(None, None, 2**level),) * values.ndim]
            found = read_by_zarrita(tmp_path / "run.zarr", path, values.dtype)
            np.testing.assert_array_equal(found, coarse[np.newaxis])
