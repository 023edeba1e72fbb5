"""The plug-in in ParaView, if it is installed: values, times, properties, a picture, on one rank and several."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from conftest import OPEN_MPI
from esker.integrations.vtk import paraview

SCRIPT = Path(__file__).with_name("paraview_reading.py")
BLOCKS = Path(__file__).with_name("paraview_blocks.py")
SIZE = 41
CELLS = {"run": 40 * 40 * 4 + 40 * 40, "run.zarr": 4 * 5 * 6 + 5 * 6, "amr.idx": 8 * 6 - 4 * 3 + 8 * 6}
"""That are not hidden, by dataset."""


def test_the_command_says_where_the_plugin_is(esker_command: Callable[..., Any]) -> None:
    path = esker_command("paraview", "--path").stdout.strip()
    assert Path(path).name == "paraview_plugin.py" and Path(path).is_file()
    told = esker_command("paraview").stdout
    assert told.startswith(path) and "Manage Plugins" in told and "--target FOLDER" in told


def test_a_missing_paraview_is_named() -> None:
    with pytest.raises(
        FileNotFoundError, match="no-pvpython: no such program; put ParaView's folder bin in PATH"
    ):
        paraview.check("no-pvpython")


def test_what_a_paraview_says_is_told(tmp_path: Path) -> None:
    program = tmp_path / "pvpython"
    program.write_text("#!/bin/sh\necho No module named numpy >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(OSError, match=r"pvpython does not load .*paraview_plugin\.py: No module named numpy"):
        paraview.check(str(program))


def programs(*names: str) -> None:
    for name in names:
        if shutil.which(name) is None:
            pytest.skip(f"ParaView is not installed, or without a display: no program {name}")


def write_run(path: Path) -> None:
    """A volume, and a map whose y descends: 1 in the north-east, 0 elsewhere, missing in the south-west; other values
    before."""
    coords = {"x": np.arange(float(SIZE)), "y": np.arange(float(SIZE))[::-1]}
    values = np.zeros((SIZE, SIZE), "f4")
    values[:20, 21:], values[-12:, :12] = 1, -9
    with esker.Writer(path, dims={"x": SIZE, "y": SIZE, "z": 5}, coords=coords, report="none") as w:
        temp = w.field("temp", "f4")
        on_map = w.grid("map", ("x", "y"))
        f = w.field("f", "f4", grid=on_map, _FillValue=np.float32(-9))
        noise = w.field("noise", "f8", grid=on_map)
        random = np.random.default_rng(1)
        for step in range(2):
            with w.step(0.25 * step) as s:
                s.put(temp, random.random((5, SIZE, SIZE), "f4"))
                s.put(f, values if step else np.ones_like(values))
                s.put(noise, np.where(values == -9, np.nan, random.random((SIZE, SIZE))))


@pytest.fixture
def display() -> Iterator[str]:
    """The number of an X server without a screen, which ParaView of Debian needs to draw."""
    programs("Xvfb")
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    yield f":{server.stdout.readline().strip()}"
    server.terminate()
    server.wait()
    server.stdout.close()


@pytest.mark.slow
def test_the_plugin_loads() -> None:
    programs("pvpython")
    assert "loaded by ParaView" in paraview.check()


def run_script(script: Path, folder: Path, display: str, ranks: int, *arguments: str) -> None:
    """Runs a script on some ranks, all of which run it. Messages about errors fail the test."""
    of_ranks = ["pvpython"] if ranks == 1 else ["mpiexec.openmpi", "-n", str(ranks), "pvbatch", "--sym"]
    command = [*of_ranks, "--force-offscreen-rendering", str(script), str(paraview.PLUGIN), *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= OPEN_MPI | {"DISPLAY": display}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0 and "ERR|" not in done.stdout + done.stderr, done.stdout + done.stderr
    assert "leaked" not in done.stderr, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 3])
def test_values_times_and_a_picture(tmp_path: Path, display: str, ranks: int) -> None:
    programs("pvpython", "pvbatch", *(["mpiexec.openmpi"] if ranks > 1 else []))
    write_run(tmp_path / "run")
    run_script(SCRIPT, tmp_path, display, ranks, "run/esker.json", "map", ".")
    facts = json.loads((tmp_path / "facts.json").read_text())
    assert facts["times"] == [0, 0.25] and facts["type"] == "vtkImageData"
    assert set(facts["fields"]) >= {"f", "noise"}
    field = esker.open(tmp_path / "run")["f"]
    check_values(tmp_path, ranks)
    check_picture(tmp_path / "picture.png")
    if ranks == 1:  # otherwise ParaView tells the number of points of each rank
        check_levels(facts, field)


def check_values(folder: Path, ranks: int) -> None:
    source = esker.open(folder / "run")
    values, noise = source["f"].read(1)[::-1], source["noise"].read(1)[::-1]
    found = {name: np.full((SIZE, SIZE), 99.0) for name in ("f", "noise")}
    for rank in range(ranks):
        with np.load(folder / f"rank_{rank}.npz") as part:
            x0, x1, y0, y1 = part["extent"][:4]
            assert part["bounds"][:4].tolist() == [x0, x1, y0, y1]
            assert ranks == 1 or part["f"].size < SIZE * SIZE
            for name, whole in found.items():
                whole[y0 : y1 + 1, x0 : x1 + 1] = part[name].reshape(y1 - y0 + 1, x1 - x0 + 1)
    np.testing.assert_array_equal(found["f"], np.where(values == -9, np.nan, values))
    np.testing.assert_array_equal(found["noise"], noise)


def check_picture(path: Path) -> None:
    """East is right and north is up: red in the north-east, blue elsewhere, the background in the south-west corner."""
    from matplotlib import image

    pixels = image.imread(path)[..., :3]
    at = {"north-east": (40, 160), "north-west": (40, 40), "south-east": (160, 160), "south-west": (180, 20)}
    red, _, blue = (np.array([pixels[place][n] for place in at.values()]) for n in range(3))
    assert red[0] > blue[0] + 0.3 and (blue[1:3] > red[1:3] + 0.3).all()
    assert abs(blue[3] - red[3]) < 0.2


def check_levels(facts: Any, field: esker.Field) -> None:
    sizes = [int(np.prod(field.select(level=level).shape)) for level in range(field.max_level + 1)]
    assert facts["automatic"] == max(size for size in sizes if size <= 500)
    assert facts["fixed"] == int(np.prod(field.select(box=((0, 0), (20, 41)), level=6).shape))
    level, of_property, box, bounds = facts["followed"]
    assert level == of_property == field.max_level
    assert 0 < box[3] - box[0] < SIZE and bounds[0] <= 5 and bounds[1] >= 15


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 3])
def test_files_and_directories_with_grids_and_meshes(tmp_path: Path, display: str, ranks: int) -> None:
    """Each cell is read by one rank, also if it is in one of several grids or in a patch."""
    programs("pvpython", "pvbatch", *(["mpiexec.openmpi"] if ranks > 1 else []))
    write_run(tmp_path / "run")
    esker.write(tmp_path / "run.zarr", {"f": np.ones((5, 6, 7)), "g": np.ones((6, 7))})
    with esker.Writer(tmp_path / "amr.idx", dims={}, report="none") as w:
        rho = w.field("rho", "f4", grid=w.mesh("amr", {"x": 8, "y": 6}, [2]))
        with w.step(0.0) as s:
            for level, x, width in ((0, 0, 3), (0, 3, 5), (1, 4, 8)):
                s.put(rho, np.random.default_rng(1).random((6, width), "f4"), offset=(x, 0), level=level)
    names = ["run", "run/esker.json", "run.zarr", "run.zarr/zarr.json", "amr.idx"]
    run_script(BLOCKS, tmp_path, display, ranks, ".", *names)
    of_ranks = [json.loads((tmp_path / f"rank_{rank}.json").read_text()) for rank in range(ranks)]
    for found in zip(*of_ranks):
        (name, reader, kind), *others = {tuple(line[:3]) for line in found}
        assert not others and reader == "EskerReader"
        assert kind == ("vtkOverlappingAMR" if name == "amr.idx" else "vtkPartitionedDataSetCollection")
        cells, datasets = np.sum([line[3:] for line in found], axis=0)
        assert cells == CELLS[name.partition("/")[0]]
        assert datasets == (3 if name == "amr.idx" else 2 * ranks)
    assert (tmp_path / f"picture_{len(names)}.png").stat().st_size > 200
