"""esker.open, fields, select, read: arguments, errors, and loaded libraries."""

from __future__ import annotations

import difflib
import doctest
import functools
import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import esker

THREE_D = "d3_2fields_3times_raw_rm"  # 24 x 20 x 16, p float32, vel float32[3], 3 steps


@pytest.fixture
def ds(golden_path: Callable[[str], Path]) -> esker.Dataset:
    return esker.open(golden_path(THREE_D))


def test_shapes_and_dims_run_slowest_first(ds: esker.Dataset) -> None:
    assert ds["p"].shape == (16, 20, 24)
    assert ds["vel"].shape == (16, 20, 24, 3)
    assert len(ds["vel"].dims) == 4 and ds["vel"].dims[-1] == "component"
    assert ds["p"].dims == tuple(ds["p"].grid.dims)
    assert list(ds["p"].grid.dims.values()) == [16, 20, 24]
    assert ds["p"].box == ((0, 0, 0), (24, 20, 16))


def test_mapping(ds: esker.Dataset) -> None:
    assert list(ds) == list(ds.fields) == ["p", "vel"]
    assert "p" in ds and "q" not in ds and len(ds) == 2
    assert ds["p"] is ds.fields["p"]
    assert "p" in repr(ds) and "vel" in repr(ds["vel"])


def test_box_lists_x_first(ds: esker.Dataset) -> None:
    whole = ds["p"].read(step=1)
    part = ds["p"].read(step=1, box=((3, 5, 7), (20, 6, 16)))
    assert part.shape == (9, 1, 17)
    np.testing.assert_array_equal(part, whole[7:16, 5:6, 3:20])


def test_levels_are_the_strided_samples(ds: esker.Dataset) -> None:
    field = ds["vel"]
    whole = field.read(step=2)
    box = ((1, 2, 3), (23, 19, 14))
    for level in range(field.max_level + 1):
        selection = field.select(step=2, box=box, level=level)
        z, y, x = (selection.indices(dim) for dim in selection.dims)
        expected = whole[np.ix_(z, y, x)]
        np.testing.assert_array_equal(field.read(step=2, box=box, level=level), expected)
        assert selection.shape == expected.shape
        assert selection.nbytes == expected.nbytes
        assert selection.level == level


def test_steps(ds: esker.Dataset) -> None:
    assert list(ds.steps) == [0, 1, 2]
    assert ds["p"].steps == ds.steps
    assert ds["p"].has(0) and ds["p"].has(-1)
    np.testing.assert_array_equal(ds["p"].read(step=-1), ds["p"].read(step=2))
    np.testing.assert_array_equal(ds["p"].read(), ds["p"].read(step=2))
    assert not np.array_equal(ds["p"].read(step=0), ds["p"].read(step=2))


def test_coords_without_coordinates_are_indices(ds: esker.Dataset) -> None:
    x = list(ds["p"].grid.dims)[-1]
    level = ds["p"].max_level - 3
    stride = ds["p"].select(level=level).stride[0]
    np.testing.assert_array_equal(ds["p"].coords(x, level=level), np.arange(0, 24, stride))
    with pytest.raises(KeyError, match="no dimension 'depth'"):
        ds["p"].coords("depth")


def test_numpy_integers_are_fine_and_floats_are_not(ds: esker.Dataset) -> None:
    box = np.array([[0, 0, 0], [4, 4, 4]])
    assert ds["p"].read(step=np.int64(0), box=box, level=np.int32(ds["p"].max_level)).shape == (4, 4, 4)
    for wrong in ({"level": 3.0}, {"step": 0.0}, {"box": ((0.0, 0, 0), (1, 1, 1))}):
        with pytest.raises(TypeError):
            ds["p"].read(**wrong)


@pytest.mark.parametrize(
    "wrong, exception",
    [
        ({"step": 3}, IndexError),
        ({"step": -4}, IndexError),
        ({"level": -1}, IndexError),
        ({"level": 99}, IndexError),
        ({"box": ((0, 0), (24, 20))}, ValueError),
        ({"box": ((0, 0, 0), (24, 20))}, ValueError),
        ({"box": ((0,) * 6, (1,) * 6)}, ValueError),
        ({"box": ((9, 0, 0), (4, 20, 16))}, ValueError),
    ],
)
def test_arguments_outside_the_dataset(ds: esker.Dataset, wrong: dict, exception: type) -> None:
    for call in (ds["p"].read, ds["p"].select):
        with pytest.raises(exception) as raised:
            call(**wrong)
        assert len(str(raised.value)) > 10


@pytest.mark.parametrize(
    "box",
    [
        ((-5, 0, 0), (24, 20, 16)),
        ((0, 0, 0), (24, 99, 16)),
        ((24, 0, 0), (30, 20, 16)),
        ((99, 0, 0), (99, 20, 16)),
    ],
)
def test_a_box_that_leaves_the_grid_is_an_error(ds: esker.Dataset, box: tuple) -> None:
    for call in (ds["p"].read, ds["p"].select):
        with pytest.raises(IndexError, match=r"'p': the box .* exceeds the grid \[0,24\) x \[0,20\) x \[0,16\)"):
            call(box=box)


def test_brackets_have_the_slicing_rules_of_numpy(ds: esker.Dataset) -> None:
    whole = ds["p"].read()
    np.testing.assert_array_equal(ds["p"][-1, :99, -5:, 20:40], whole[:99, -5:, 20:40])
    with pytest.raises(IndexError, match="out of bounds"):
        ds["p"][-1, 0, 0, 24]


def test_empty_box_is_an_empty_array(ds: esker.Dataset) -> None:
    assert ds["p"].read(box=((9, 0, 0), (9, 20, 16))).shape == (16, 20, 0)
    assert ds["vel"].read(box=((1, 1, 1), (2, 2, 2)), level=0).shape == (0, 0, 0, 3)


def test_missing_names(ds: esker.Dataset, tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="no field 'nope'.*p, vel"):
        ds["nope"]
    with pytest.raises(FileNotFoundError, match="nothing.idx"):
        esker.open(tmp_path / "nothing.idx")


def test_damaged_header_is_an_oserror(tmp_path: Path) -> None:
    path = tmp_path / "bad.idx"
    path.write_text("(version)\n6\n(box)\n0 what\n")
    with pytest.raises(OSError, match="bad.idx") as raised:
        esker.open(path)
    assert not isinstance(raised.value, FileNotFoundError)


def test_threads_read_at_once(ds: esker.Dataset) -> None:
    expected = [ds["vel"].read(step=step) for step in range(3)]
    with ThreadPoolExecutor(8) as pool:
        arrays = list(pool.map(lambda i: ds["vel"].read(step=i % 3), range(48)))
    for i, array in enumerate(arrays):
        np.testing.assert_array_equal(array, expected[i % 3])


def test_reading_loads_no_mpi(golden_path: Callable[[str], Path]) -> None:
    program = (
        "import sys, esker\n"
        "esker.open(sys.argv[1])['p'].read()\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert '_core' in maps\n"
        "sys.exit('libmpi' in maps)\n"
    )
    path = golden_path(THREE_D)
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_importing_esker_xarray_without_xarray_says_what_to_install() -> None:
    program = "import sys; sys.modules['xarray'] = None; import esker.xarray"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    said = "ModuleNotFoundError: esker.xarray: xarray is not installed; install it with: pip install 'esker[xarray]'"
    assert done.stderr.splitlines()[-1] == said


@pytest.mark.parametrize("name", ["plan", "plan_mesh", "write"])
def test_functions_have_their_public_names(name: str) -> None:
    assert getattr(esker, name).__name__ == name


def test_the_docstring_of_the_package_lists_the_public_names() -> None:
    words = re.findall(r"\w+", (esker.__doc__ or "").partition(">>>")[0])
    assert {*esker.__all__} - {"__version__"} <= {*words}


@pytest.mark.parametrize("module", ["_core", "_mpi"])
def test_stub_is_that_of_the_extension(module: str, tmp_path: Path) -> None:
    made = tmp_path / f"{module}.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-m", f"esker.{module}", "-o", made]
    subprocess.run(command, check=True, capture_output=True)
    kept = Path(__file__).parents[2] / "python" / "esker" / f"{module}.pyi"
    difference = list(difflib.unified_diff(kept.read_text().split("\n"), made.read_text().split("\n")))
    assert not difference, f"renew it: {' '.join(map(str, command[1:-1]))} {kept}\n" + "\n".join(difference)


def test_everything_public_is_documented() -> None:
    for name in esker.__all__:
        thing = getattr(esker, name)
        assert name == "__version__" or thing.__doc__, name
        members = vars(thing).items() if isinstance(thing, type) else []
        for member, value in members:
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                assert value.__doc__, f"{name}.{member}"


NEED_OTHER_PACKAGES = ("esker.integrations.yt_", "esker.integrations.vtk", "esker.vtk")


def examples() -> dict[str, doctest.DocTest]:
    """The examples of all docstrings, by the name of the object."""
    found: dict[str, doctest.DocTest] = {}
    for module in pkgutil.walk_packages(esker.__path__, "esker."):
        if not module.name.startswith(("esker._core", "esker._mpi", "esker.cli", *NEED_OTHER_PACKAGES)):
            tests = doctest.DocTestFinder().find(importlib.import_module(module.name))
            found |= {test.name: test for test in tests if test.examples}
    return {"esker": doctest.DocTestFinder(recurse=False).find(esker)[0], **found}


@pytest.mark.parametrize("name", examples())
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    assert doctest.DocTestRunner().run(examples()[name], out=said.append).failed == 0, "".join(said)


def test_what_people_call_has_examples() -> None:
    for call in ("open", "write", "Writer", "Writer.append", "Field.read", "Chunked", "verify"):
        thing = functools.reduce(getattr, call.split("."), esker)
        assert ">>> " in (thing.__doc__ or ""), call
