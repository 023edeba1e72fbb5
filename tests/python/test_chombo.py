"""Chombo's HDF5 files: a checkpoint of BISICLES, and plot files and checkpoints that a writer here makes."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

import esker
from conftest import ROOT
from esker.convert.chombo import ChomboFile, is_chombo
from esker.convert.meshes import convert_mesh, open_mesh

Run = Callable[..., Any]
Box = tuple[tuple[int, ...], tuple[int, ...]]
REAL = ROOT / "data/chombo/amundsen_3level_checkpoint.2d.h5"

BOXES: list[list[Box]] = [[((2, -1), (5, 2)), ((6, -1), (9, 2))], [((6, 0), (9, 3)), ((12, 2), (13, 5))]]
"""Inclusive, on 8 x 4 cells that begin at (2, -1), and on the level with ratio 2."""
DOMAINS: list[Box] = [((2, -1), (9, 2)), ((4, -2), (19, 5))]


def intvect(*values: int) -> Any:
    return np.array(values, [(f"intvect{axis}", "i4") for axis in "ijk"[: len(values)]])[()]


def box_table(boxes: Sequence[Box]) -> NDArray[Any]:
    axes = "ijk"[: len(boxes[0][0])]
    columns = [(f"{end}_{axis}", "i4") for end in ("lo", "hi") for axis in axes]
    return np.array([(*lo, *hi) for lo, hi in boxes], columns)


def samples_of(level: int, box: Box, component: int, ghosts: int) -> NDArray[Any]:
    """1000 level + 100 z + 10 y + x + component / 8 in the cells of a box; its ghost cells are NaN."""
    lo, hi = box
    places = np.meshgrid(*(np.arange(a, b + 1) for a, b in zip(reversed(lo), reversed(hi))), indexing="ij")
    values = sum(place * 10.0**axis for axis, place in enumerate(reversed(places)))
    return np.pad(values + 1000 * level + component / 8, ghosts, constant_values=np.nan)


def write_level(
    file: h5py.File,
    level: int,
    domain: Box,
    boxes: Sequence[Box],
    variables: dict[str, tuple[int, int, str]],
    **storage: Any,
) -> None:
    """A level with ratio 2; variables: name to number of components, ghost cells and type."""
    group = file.create_group(f"level_{level}")
    group.attrs["prob_domain"] = box_table([domain])[0]
    group.attrs["dx"] = 0.5 / 2**level
    group.attrs["ref_ratio"] = 2
    group["boxes"] = box_table(boxes)
    for name, (components, ghosts, dtype) in variables.items():
        of_boxes = [
            np.concatenate([samples_of(level, box, c, ghosts).ravel() for c in range(components)])
            for box in boxes
        ]
        group.create_dataset(
            f"{name}:datatype=0",
            data=np.nan_to_num(np.concatenate(of_boxes), nan=-99).astype(dtype),
            **storage,
        )
        group[f"{name}:offsets=0"] = np.cumsum([0, *map(len, of_boxes)])
        facts = group.create_group(f"{name}_attributes")
        facts.attrs["comps"] = components
        facts.attrs["outputGhost"] = facts.attrs["ghost"] = intvect(*[ghosts] * len(domain[0]))


def write_plot_file(path: Path, ghosts: int = 1, dtype: str = "f8", **storage: Any) -> None:
    with h5py.File(path, "w") as file:
        file.create_group("Chombo_global").attrs["SpaceDim"] = 2
        file.attrs.update({"num_components": 2, "num_levels": 2, "time": 0.25})
        file.attrs.update({"component_0": np.bytes_("density"), "component_1": np.bytes_("x velocity")})
        for level, (domain, boxes) in enumerate(zip(DOMAINS, BOXES)):
            write_level(file, level, domain, boxes, {"data": (2, ghosts, dtype)}, **storage)


def write_amrex_plot_file(path: Path, ghosts: int) -> None:
    """As AMReX writes its HDF5 plotfiles: places in Vec_dx and prob_lo, nothing said of single variables."""
    write_plot_file(path, ghosts)
    with h5py.File(path, "a") as file:
        for level, name in enumerate(("level_0", "level_1")):
            group = file[name]
            del group["data_attributes"]
            group.attrs["dx"] = 0.5 / 2**level
            group.attrs["Vec_dx"] = np.array([0.5, 0.25]) / 2**level
            group.attrs["prob_lo"] = [-3.0, 7.5]
            group.attrs["ngrow"] = ghosts


@pytest.mark.parametrize("ghosts", [0, 2])
def test_plot_files_of_amrex(tmp_path: Path, ghosts: int) -> None:
    write_amrex_plot_file(tmp_path / "amrex.h5", ghosts)
    found = ChomboFile(tmp_path / "amrex.h5")
    assert (found.origin, found.spacing) == ((-3.0, 7.5), (0.5, 0.25))
    for patch in found.patches:
        box = BOXES[patch.level][patch.number]
        np.testing.assert_array_equal(found.read(patch)["density"], samples_of(patch.level, box, 0, 0))


def test_spacing_as_a_vector(tmp_path: Path) -> None:
    write_plot_file(tmp_path / "plot.h5")
    with h5py.File(tmp_path / "plot.h5", "a") as file:
        for level, name in enumerate(("level_0", "level_1")):
            file[name].attrs["dx"] = np.array([0.5, 2.0]) / 2**level
    found = ChomboFile(tmp_path / "plot.h5")
    assert (found.origin, found.spacing) == ((1.0, -2.0), (0.5, 2.0))


def write_checkpoint(path: Path) -> None:
    """Three dimensions; variables have different types and numbers of ghost cells."""
    domains: list[Box] = [((0, 0, 0), (3, 3, 1)), ((0, 0, 0), (7, 7, 3))]
    with h5py.File(path, "w") as file:
        file.create_group("Chombo_global").attrs["SpaceDim"] = 3
        file.attrs.update({"num_comps": 4, "finest_level": 1, "max_level": 4, "time": 1.5})
        variables = {"maskData": (1, 0, "i4"), "thicknessData": (1, 3, "f8"), "velocityData": (2, 1, ">f4")}
        write_level(file, 0, domains[0], [domains[0]], variables)
        write_level(file, 1, domains[1], [((2, 4, 0), (5, 5, 3))], variables)


def composite(path: Path, variable: str, component: int) -> NDArray[Any]:
    """The samples of the finest boxes, at the resolution of the finest level, read with h5py only."""
    with h5py.File(path) as file:
        levels = [file[f"level_{n}"] for n in range(sum(name.startswith("level_") for name in file))]
        ratios = [int(level.attrs["ref_ratio"]) for level in levels[:-1]]
        rank = len(levels[0].attrs["prob_domain"]) // 2
        corners = levels[-1].attrs["prob_domain"].tolist()
        whole = np.full([corners[rank + a] - corners[a] + 1 for a in reversed(range(rank))], np.nan)
        for n, level in enumerate(levels):
            scale = int(np.prod(ratios[n:]))
            first = level.attrs["prob_domain"].tolist()[:rank]
            facts = level[f"{variable}_attributes"].attrs
            ghosts = facts["outputGhost"].tolist()
            data, at = level[f"{variable}:datatype=0"][()], 0
            for box in level["boxes"][()].tolist():
                lo, hi = box[:rank], box[rank : 2 * rank]
                shape = [hi[a] - lo[a] + 1 + 2 * ghosts[a] for a in reversed(range(rank))]
                size = int(np.prod(shape))
                begin = at + component * size
                fine = data[begin : begin + size].reshape(shape)
                fine = fine[tuple(slice(g, n - g) for g, n in zip(reversed(ghosts), shape))]
                at += size * int(facts["comps"])
                for axis in range(rank):
                    fine = fine.repeat(scale, axis)
                starts = [(lo[a] - first[a]) * scale for a in reversed(range(rank))]
                whole[tuple(slice(s, s + n) for s, n in zip(starts, fine.shape))] = fine
    return whole


def test_a_checkpoint_of_bisicles_becomes_its_composite(esker_command: Run, tmp_path: Path) -> None:
    done = esker_command("convert", REAL, "mesh.idx", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    facts = json.loads(done.stdout)
    ds = esker.open(tmp_path / "mesh.idx")
    energies = [f"internalEnergy_{c}" for c in range(10)]
    single = ["bInternalEnergy", "basalFriction", "bedHeight", "deltaBedHeight", "iceFrac", "muCoef"]
    single += ["sInternalEnergy", "thickness", "tillWaterDepth"]
    assert sorted(facts["fields"]) == sorted([*single, *energies, "velocity_0", "velocity_1"])
    assert ds.steps == [1.25] and facts["bytes"] == (2688 + 3072 + 4480) * 21 * 8
    compared = [(name, f"{name}Data", 0) for name in single]
    compared += [(name, "internalEnergyData", c) for c, name in enumerate(energies)]
    compared += [(f"velocity_{c}", "velocityData", c) for c in range(2)]
    for name, variable, component in compared:
        np.testing.assert_array_equal(ds[name].read(), composite(REAL, variable, component))
    coarse = next(patch for patch in ChomboFile(REAL).patches if patch.level == 0)
    bed = ChomboFile(REAL).read(coarse)["bedHeight"]
    assert (round(float(bed.min()), 2), round(float(bed.max()), 2)) == (-2105.55, 2258.44)
    assert esker.verify(tmp_path / "mesh.idx").good


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<i4"])
@pytest.mark.parametrize("ghosts", [0, 1, 3])
@pytest.mark.parametrize("storage", [{}, {"chunks": (7,), "compression": "gzip"}])
def test_plot_files(tmp_path: Path, dtype: str, ghosts: int, storage: dict[str, Any]) -> None:
    path = tmp_path / "plt.hdf5"
    write_plot_file(path, ghosts, dtype, **storage)
    source = open_mesh(str(path), tmp_path / "mesh.idx")
    assert isinstance(source, ChomboFile) and is_chombo(path)
    assert (source.extent, source.origin, source.spacing) == ((8, 4), (1, -0.5), (0.5, 0.5))
    assert (source.time, source.ratios, source.fields) == (0.25, (2,), ("density", "x velocity"))
    convert_mesh(source, tmp_path / "mesh.idx", lambda _: None)
    ds = esker.open(tmp_path / "mesh.idx")
    assert ds.steps == [0.25] and ds["density"].dtype == np.dtype(dtype).newbyteorder("=")
    for component, name in enumerate(source.fields):
        np.testing.assert_array_equal(ds[name].read(), composite(path, "data", component))
    assert ds["density"].read()[2, 2] == 1006 and -99 not in ds["density"].read()


def test_a_checkpoint_in_three_dimensions(tmp_path: Path) -> None:
    path = tmp_path / "chk.hdf5"
    write_checkpoint(path)
    convert_mesh(ChomboFile(path), tmp_path / "mesh.idx", lambda _: None)
    ds = esker.open(tmp_path / "mesh.idx")
    assert {name: ds[name].dtype for name in ds.fields} == {
        "mask": np.dtype("i4"),
        "thickness": np.dtype("f8"),
        "velocity_0": np.dtype("f4"),
        "velocity_1": np.dtype("f4"),
    }
    for name, variable, component in [
        ("mask", "maskData", 0),
        ("thickness", "thicknessData", 0),
        ("velocity_0", "velocityData", 0),
        ("velocity_1", "velocityData", 1),
    ]:
        np.testing.assert_array_equal(ds[name].read(), composite(path, variable, component))


def test_other_files_are_converted_as_before(esker_command: Run, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["level_0/data"] = np.arange(6.0)
    (tmp_path / "damaged.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + b"x" * 100)
    assert not any(is_chombo(tmp_path / name) for name in ("other.h5", "damaged.h5", "missing.h5", "."))
    done = esker_command("convert", "other.h5", "other.idx")
    assert done.returncode == 0, done.stderr
    assert len(esker.open(tmp_path / "other.idx").fields) == 1
    esker.write(tmp_path / "run.nc4", {"a": np.zeros((3, 4))})
    done = esker_command("convert", "run.nc4", "run.idx")
    assert done.returncode == 0 and list(esker.open(tmp_path / "run.idx").fields) == ["a"]


def test_a_version_of_a_newer_library_is_named(tmp_path: Path) -> None:
    write_plot_file(tmp_path / "plot.h5")
    content = bytearray((tmp_path / "plot.h5").read_bytes())
    content[8] = 9  # the version of the superblock
    (tmp_path / "plot.h5").write_bytes(content)
    with pytest.raises(OSError, match=rf"newer HDF5 than h5py's, {h5py.version.hdf5_version}: .*h5repack --low"):
        ChomboFile(tmp_path / "plot.h5")


def test_wrong_usage(esker_command: Run, tmp_path: Path) -> None:
    write_plot_file(tmp_path / "plt.hdf5")
    done = esker_command("convert", "plt.hdf5", "mesh.nc")
    assert done.returncode == 2 and "is converted to IDX" in done.stderr
    done = esker_command("convert", "plt.hdf5", "mesh.idx", "--box", "0:2,0:2")
    assert done.returncode == 2 and "--box: not supported" in done.stderr


def test_without_h5py(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_plot_file(tmp_path / "plt.hdf5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["a"] = np.arange(6.0)
    monkeypatch.setitem(sys.modules, "h5py", None)
    assert not is_chombo(tmp_path / "other.h5")
    with pytest.raises(NotImplementedError, match="pip install h5py"):
        is_chombo(tmp_path / "plt.hdf5")


def set_attribute(node: str, name: str, value: Any) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        if value is None:
            del file[node].attrs[name]
        else:
            file[node].attrs[name] = value

    return change


def set_dataset(name: str, value: Any) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        del file[name]
        if value is not None:
            file[name] = value

    return change


OUTSIDE = box_table([((6, 0), (9, 3)), ((12, 2), (20, 5))])
HUGE = box_table([((6, 0), (9, 3)), ((-(2**31), 2), (2**31 - 1, 5))])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            set_attribute("Chombo_global", "SpaceDim", None),
            "Chombo_global: expected the attribute 'SpaceDim'",
        ),
        (set_attribute("Chombo_global", "SpaceDim", 7), "SpaceDim: expected 1 to 3, found 7"),
        (set_attribute("Chombo_global", "SpaceDim", 3), "level_0: prob_domain: expected 6 integers"),
        (set_attribute("/", "num_levels", 3), "expected the group or dataset 'level_2', found none"),
        (set_attribute("/", "num_levels", "two"), "num_levels: expected 1 integers, found two"),
        (set_attribute("/", "time", None), "level_0: expected the attribute 'time', found none"),
        (set_attribute("/", "num_components", 3), "num_components is 3, but data has 2"),
        (set_attribute("/", "component_1", None), "expected the attribute 'component_1', found none"),
        (set_attribute("/", "component_1", np.bytes_("density")), "found 'density' twice"),
        (set_attribute("level_0", "ref_ratio", 1), "level_0: ref_ratio: expected one ratio of at least 2"),
        (set_attribute("level_0", "ref_ratio", intvect(2, 4)), r"for all axes, found \[2, 4\]"),
        (set_attribute("level_0", "ref_ratio", 4), "level_1: expected 4 times the domain"),
        (set_attribute("level_0", "ref_ratio", None), "level_0: expected the attribute 'ref_ratio'"),
        (set_attribute("level_0", "dx", 0.0), "level_0: dx: expected positive numbers"),
        (set_attribute("level_1", "prob_domain", None), "level_1: expected the attribute 'prob_domain'"),
        (
            set_attribute("level_1/data_attributes", "outputGhost", intvect(2, 2)),
            "level_1/data:offsets=0: box 0",
        ),
        (set_attribute("level_1/data_attributes", "comps", 1), "expected 36 samples .* found 72"),
        (set_attribute("level_1/data_attributes", "comps", 10**6), "comps: expected 1 to 4096"),
        (set_dataset("level_1/boxes", OUTSIDE), "level_1/boxes: box 1: expected a box inside the domain"),
        (set_dataset("level_1/boxes", HUGE), "level_1/boxes: box 1: expected a box inside the domain"),
        (set_dataset("level_1/boxes", OUTSIDE[::-1][:1]), "level_1/boxes: box 0: expected a box inside"),
        (set_dataset("level_1/boxes", np.zeros(2)), "level_1/boxes: expected the column lo_i"),
        (set_dataset("level_1/boxes", None), "level_1: expected the group or dataset 'boxes'"),
        (set_dataset("level_1/data:offsets=0", np.arange(7)), "expected 3 integers, found int64 of shape"),
        (set_dataset("level_1/data:offsets=0", np.array([0, 10, 20])), "box 0: expected 72 samples"),
        (
            set_dataset("level_1/data:offsets=0", np.array([9, 81, 129])),
            "expected offsets inside the dataset of 120",
        ),
        (set_dataset("level_1/data:datatype=0", np.zeros(119)), "expected offsets inside the dataset of 119"),
        (set_dataset("level_1/data:datatype=0", np.zeros((2, 60))), "expected one axis of numbers"),
        (set_dataset("level_1/data:datatype=0", np.zeros(120, "f4")), "the same components and types"),
        (set_dataset("level_1/data:datatype=0", None), "level_1: expected datasets such as data"),
        (set_dataset("level_0", np.zeros(3)), "level_0: expected a group, found a dataset"),
    ],
)
def test_damage_is_an_error(
    esker_command: Run, tmp_path: Path, change: Callable[[h5py.File], None], message: str
) -> None:
    path = tmp_path / "plt.hdf5"
    write_plot_file(path)
    with h5py.File(path, "r+") as file:
        change(file)
    with pytest.raises((ValueError, OSError), match=message) as error:
        ChomboFile(path)
    assert str(path) in str(error.value)


def test_damage_stops_the_command(esker_command: Run, tmp_path: Path) -> None:
    path = tmp_path / "plt.hdf5"
    write_plot_file(path)
    with h5py.File(path, "r+") as file:
        set_dataset("level_1/boxes", OUTSIDE)(file)
    done = esker_command("convert", path, "mesh.idx")
    assert done.returncode == 2 and "box 1" in done.stderr and not (tmp_path / "mesh.idx").exists()
    write_plot_file(path)
    path.write_bytes(path.read_bytes()[:-100])
    done = esker_command("convert", path, "mesh.idx")
    assert done.returncode in (1, 2) and not (tmp_path / "mesh.idx").exists()


@pytest.mark.slow
@pytest.mark.parametrize("write", [write_plot_file, write_checkpoint])
def test_random_damage_is_an_error_that_names_the_file(tmp_path: Path, write: Callable[[Path], None]) -> None:
    path = tmp_path / "damaged.hdf5"
    write(path)
    good, random = path.read_bytes(), np.random.default_rng(7)
    n_errors = 0
    for _ in range(300):
        damaged = np.frombuffer(good, np.uint8).copy()
        damaged[random.integers(damaged.size, size=3)] = random.integers(256, size=3)
        path.write_bytes(damaged.tobytes())
        if is_chombo(path):
            try:
                source = ChomboFile(path)
                for patch in source.patches:
                    source.read(patch)
            except (ValueError, OSError) as error:
                assert str(error).startswith(str(path))
                n_errors += 1
    assert n_errors > 10


def test_samples_in_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "plt.hdf5"
    write_plot_file(path)
    with h5py.File(path, "r+") as file:
        samples = file["level_1/data:datatype=0"][()]
        del file["level_1/data:datatype=0"]
        (tmp_path / "raw").write_bytes(samples.tobytes())
        place = [(str(tmp_path / "raw"), 0, h5py.h5f.UNLIMITED)]
        file["level_1"].create_dataset("data:datatype=0", samples.shape, samples.dtype, external=place)
    with pytest.raises(ValueError, match="expected samples in this file"):
        convert_mesh(ChomboFile(path), tmp_path / "mesh.idx", lambda _: None)
    write_plot_file(tmp_path / "other.hdf5")
    with h5py.File(path, "r+") as file:
        del file["level_1"]
        file["level_1"] = h5py.ExternalLink(tmp_path / "other.hdf5", "/level_1")
    with pytest.raises(ValueError, match="expected samples in this file"):
        convert_mesh(ChomboFile(path), tmp_path / "mesh.idx", lambda _: None)


def write_large(path: Path, n: int, levels: int, compression: str | None) -> None:
    """A box of n^3 cells on the coarsest level, and one of 128^3 in its corner on each finer level."""
    with h5py.File(path, "w") as file:
        file.create_group("Chombo_global").attrs["SpaceDim"] = 3
        file.attrs.update({"num_components": 1, "num_levels": levels, "time": 0.0, "component_0": "rho"})
        for level in range(levels):
            size, side = n << level, n if level == 0 else 128
            group = file.create_group(f"level_{level}")
            domain = box_table([((0, 0, 0), (size - 1, size - 1, size - 1))])
            group.attrs.update({"prob_domain": domain[0], "dx": 1.0 / size, "ref_ratio": 2})
            group["boxes"] = box_table([((0, 0, 0), (side - 1, side - 1, side - 1))])
            chunks = None if compression is None else (1 << 16,)
            name = "data:datatype=0"
            data = group.create_dataset(name, (side**3,), "f8", chunks=chunks, compression=compression)
            for begin in range(0, side**3, side**3 // 8):
                data[begin : begin + side**3 // 8] = level
            group["data:offsets=0"] = np.array([0, side**3])
            facts = group.create_group("data_attributes").attrs
            facts.update({"comps": 1, "outputGhost": intvect(0, 0, 0)})


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_larger_than_memory(tmp_path: Path, compression: str | None) -> None:
    """224 MiB of samples in a plot file, whose index space of the finest level has 2^42 cells."""
    path = tmp_path / "plt.hdf5"
    n, levels = 256, 7
    write_large(path, n, levels, compression)
    program = textwrap.dedent(f"""
        import threading, time
        import esker.convert.meshes
        def memory():
            facts = dict(line.split(":") for line in open("/proc/self/status").read().splitlines())
            return int(facts["RssAnon"].split()[0]) // 1024
        most = 0
        def watch():
            global most
            while True:
                most = max(most, memory())
                time.sleep(0.002)
        threading.Thread(target=watch, daemon=True).start()
        source = esker.convert.meshes.open_mesh({str(path)!r}, {str(tmp_path / "mesh.idx")!r})
        esker.convert.meshes.convert_mesh(source, {str(tmp_path / "mesh.idx")!r}, lambda n: None)
        print(most)  # MiB
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 128, done.stdout
    rho = esker.open(tmp_path / "mesh.idx")["rho"]
    size = n << (levels - 1)
    corner = rho.read(box=((126, 0, 0), (130, 1, 1)))
    assert rho.shape == (size,) * 3 and corner.ravel().tolist() == [6, 6, 5, 5]
