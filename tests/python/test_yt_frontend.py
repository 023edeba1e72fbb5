"""yt.load() of meshes: covering grids of all levels, what is read when, meshes that yt cannot represent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import esker
from conftest import ROOT
from esker.convert.amrex import Plotfile
from esker.convert.meshes import convert_mesh
from plotfiles import write_plotfile

yt = pytest.importorskip("yt")
pytestmark = pytest.mark.filterwarnings("ignore")

PLOTFILE = ROOT / "data/amrex/advect2d_r42_f32_00012"


@pytest.fixture(autouse=True)
def _quiet() -> None:
    yt.set_log_level("critical")


def write_mesh(
    path: Path,
    shape: tuple[int, ...],
    ratios: Sequence[Any],
    steps: int = 1,
    format: str | None = None,
    **how: Any,
) -> None:
    """Two or more levels: one cell less on each side of the level before. Level 0 is cut in two along x."""
    axes = dict(zip("xyz", shape))
    random = np.random.default_rng(1)
    with esker.Writer(path, dims={}, format=format) as w:
        mesh = w.mesh("amr", axes, ratios, **how)
        rho = w.field("rho", "f4", grid=mesh, attrs={"units": "kg/m**3"})
        velocity = w.field("velocity", "f8", grid=mesh, components=2, attrs={"units": "no unit"})

        def put(step: Any, level: int, lo: NDArray[Any], hi: NDArray[Any]) -> None:
            extent = tuple((hi - lo)[::-1].tolist())
            step.put(rho, random.random(extent, "f4"), offset=lo.tolist(), level=level)
            step.put(velocity, random.random((*extent, 2)), offset=lo.tolist(), level=level)

        for time in range(steps):
            with w.step(float(time)) as s:
                lo, hi = np.zeros(len(shape), int), np.array(shape)
                middle = hi.copy()
                middle[0] = shape[0] // 2
                put(s, 0, lo, middle)
                lo[0] = middle[0]
                put(s, 0, lo, hi)
                lo[0] = 0
                for level, ratio in enumerate(ratios):
                    lo, hi = (lo + 1) * ratio, (hi - 1) * ratio
                    put(s, level + 1, lo, hi)


def covering(dataset: Any, level: int, name: str) -> NDArray[Any]:
    """All cells of a level, slowest axis first, without the axes that the mesh does not have."""
    rank = dataset.dimensionality
    cells = dataset.domain_dimensions * dataset.relative_refinement(0, level)
    cells[rank:] = 1
    samples = dataset.covering_grid(level, dataset.domain_left_edge, cells)["stream", name]
    return np.asarray(samples).reshape(cells[:rank]).T


@pytest.mark.parametrize(
    ("shape", "ratios", "levels"),
    [
        ((6, 4), [2], [0, 1]),
        ((7, 8, 5), [2, 2], [0, 1, 2]),
        ((7, 6), [4, 2], [0, 2, 3]),
        ((6, 5), [4, 4], [0, 1, 2]),
        ((6, 5), [(2, 4), (2, 4)], [0, 1, 2]),
        ((9,), [2, 4], [0, 1, 3]),
    ],
)
def test_covering_grids_have_the_values_of_the_dataset(
    tmp_path: Path, shape: tuple[int, ...], ratios: list[Any], levels: list[int]
) -> None:
    path = tmp_path / "amr.idx"
    write_mesh(path, shape, ratios, origin=(0.1, -1, 3)[: len(shape)], spacing=(0.3, 0.7, 2)[: len(shape)])
    dataset = yt.load(path)
    assert type(dataset).__module__ == "esker.integrations.yt_frontend" and dataset.index.max_level == levels[-1]
    rho, velocity = esker.open(path).fields.values()
    mesh = rho.grid.mesh
    assert mesh is not None
    for level, of_yt in enumerate(levels):
        stride = mesh.ratio(level, mesh.num_levels - 1)
        np.testing.assert_array_equal(covering(dataset, of_yt, "rho"), rho.read(stride=stride))
        np.testing.assert_array_equal(
            covering(dataset, of_yt, "velocity_1"), velocity.read(stride=stride)[..., 1]
        )
    volume = float(dataset.all_data()["index", "cell_volume"].sum())
    assert volume == pytest.approx(np.prod(np.multiply(mesh.extent, mesh.spacing)))
    edges = dataset.domain_left_edge.to_value("code_length")[: len(shape)]
    np.testing.assert_array_equal(edges, mesh.origin)
    assert str(dataset.all_data()["stream", "rho"].units) == "kg/m**3"
    assert str(dataset.all_data()["stream", "velocity_0"].units) == "dimensionless"


@pytest.mark.parametrize(("shape", "ratios"), [((6, 5), [2, 2]), ((6, 5, 7), [2, 4]), ((7,), [4])])
def test_covering_grids_of_whole_levels(tmp_path: Path, shape: tuple[int, ...], ratios: list[int]) -> None:
    path = tmp_path / "amr.vtkhdf.series"
    write_mesh(tmp_path / "amr", shape, ratios, format="vtkhdf")
    rho = esker.open(path)["rho"]
    dataset = yt.load(path)
    of_yt = 0
    whole = np.zeros([1] * len(shape))
    for level, ratio in enumerate([max(shape), *ratios]):
        for axis in range(len(shape)):
            whole = whole.repeat(ratio if level else shape[::-1][axis], axis)
        for patch in (patch for patch in rho.patches() if patch.level == level):
            where = tuple(slice(lo, hi) for lo, hi in zip(patch.lo, patch.hi))[::-1]
            whole[where] = rho.read(box=patch[1:], mesh_level=level)
        np.testing.assert_array_equal(covering(dataset, of_yt, "rho"), whole)
        of_yt += 1 if level == 0 or len(set(ratios)) == 1 else 2
    assert dataset.index.max_level == (len(ratios) if len(set(ratios)) == 1 else 3)


def test_a_plotfile_has_the_cells_and_the_sum_that_its_patches_have(tmp_path: Path) -> None:
    source = Plotfile(PLOTFILE)
    convert_mesh(source, tmp_path / "mesh.idx", lambda _: None)
    dataset = yt.load(tmp_path / "mesh.idx")
    cells = dataset.all_data()
    assert cells["stream", "phi"].size == 4140 and float(dataset.current_time) == source.time
    ratio = np.prod(source.ratios)
    finest = esker.open(tmp_path / "mesh.idx")["phi"].read().astype("f8")
    total = float((cells["stream", "phi"] * cells["index", "cell_volume"]).sum())
    assert total == pytest.approx(finest.sum() * np.prod(source.spacing) / ratio**2, rel=1e-12)
    np.testing.assert_array_equal(covering(dataset, dataset.index.max_level, "phi"), finest)


def test_a_plotfile_loaded_before_does_not_move_the_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yt.data_objects.static_output.Dataset, "domain_offset", np.zeros(3, np.int64))
    write_plotfile(tmp_path / "plt", "<f4", ghosts=0)  # its first index is not 0
    yt.load(tmp_path / "plt")
    write_mesh(tmp_path / "amr.idx", (6, 4), [2])
    finest = esker.open(tmp_path / "amr.idx")["rho"].read()
    np.testing.assert_array_equal(covering(yt.load(tmp_path / "amr.idx"), 1, "rho"), finest)


def test_only_the_grids_in_use_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from esker.integrations import yt_frontend

    write_mesh(tmp_path / "amr.idx", (8, 8), [2], steps=2)
    read: list[tuple[str, int, int]] = []
    actual = yt_frontend.level_samples

    def counted(field: Any, step: int, level: int, box: Any) -> Any:
        read.append((field.name, step, level))
        return actual(field, step, level, box)

    monkeypatch.setattr(yt_frontend, "level_samples", counted)
    dataset = yt.load(tmp_path / "amr.idx", step=0)
    assert dataset.index.num_grids == 3 and float(dataset.current_time) == 0 and read == []
    finest = dataset.index.grids[2]["stream", "rho"]
    assert finest.shape == (12, 12, 1) and set(read) == {("rho", 0, 1)}
    expected = esker.open(tmp_path / "amr.idx")["rho"].read(0)[2:14, 2:14]
    np.testing.assert_array_equal(np.asarray(finest)[..., 0].T, expected)


def test_fields_are_loaded_in_units_and_of_the_mesh_that_are_asked_for(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "two.idx", dims={}) as w:
        fields = [
            w.field(name, "f8", grid=w.mesh(f"{name}_mesh", {f"{name}x": 4, f"{name}y": 2}, [2]))
            for name in ("a", "b")
        ]
        with w.step(0.0) as s:
            for number, field in enumerate(fields):
                s.put(field, np.full((2, 4), number + 1.0), level=0)
    dataset = yt.load(tmp_path / "two", mesh="b_mesh", length_unit="km")
    assert dataset.field_list == [("stream", "b")] and float(dataset.length_unit.to_value("m")) == 1000
    assert np.unique(dataset.all_data()["stream", "b"]) == [2]
    with pytest.raises(ValueError, match="no mesh 'c'; the dataset has a_mesh, b_mesh"):
        yt.load(tmp_path / "two", mesh="c")
    with pytest.raises(IndexError, match="step 1"):
        yt.load(tmp_path / "two", step=1)


@pytest.mark.parametrize(
    ("shape", "ratios", "how", "message"),
    [
        ((6, 5), [2, (2, 4)], {}, "expected ratios that refine all axes in step"),
        ((6, 5), [2], {"nodes": True}, "expected samples in cells of at most 3 axes"),
    ],
)
def test_meshes_that_yt_cannot_represent(
    tmp_path: Path, shape: tuple[int, ...], ratios: list[Any], how: dict[str, Any], message: str
) -> None:
    path = tmp_path / "amr.idx"
    with esker.Writer(path, dims={}) as w:
        mesh = w.mesh("amr", dict(zip("xyz", shape)), ratios, **how)
        rho = w.field("rho", "f8", grid=mesh)
        with w.step(0.0) as s:
            s.put(rho, np.zeros(np.add(shape, how.get("nodes", False))[::-1]), level=0)
    with pytest.raises(ValueError, match=message):
        yt.load(path)


@pytest.mark.parametrize(
    ("ratios", "refine_by", "of_mesh"),
    [
        ([(3, 3), (3, 3)], 3, (0, 1, 2)),
        ([(4, 4), (2, 2)], 2, (0, 2, 3)),
        ([(6,)], [6, 1, 1], (0, 1)),
        ([(4, 16), (2, 4)], [2, 4, 1], (0, 2, 3)),
        ([], 1, (0,)),
        ([(2, 2), (3, 3)], None, ()),
    ],
)
def test_levels_of_yt(ratios: list[Any], refine_by: Any, of_mesh: tuple[int, ...]) -> None:
    from esker.integrations import yt_frontend

    rank = len(ratios[0]) if ratios else 2
    mesh = esker.dataset.mesh.Mesh((4,) * rank, tuple(ratios), False, (0.0,) * rank, (1.0,) * rank)
    if refine_by is None:
        with pytest.raises(ValueError, match="run: expected powers of two or equal ratios"):
            yt_frontend._levels_of(mesh, "run")
    else:
        levels = yt_frontend._levels_of(mesh, "run")
        assert np.array_equal(levels.refine_by, refine_by) and levels.of_mesh == of_mesh


def test_patches_inside_coarser_cells_are_refused(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "amr.idx", dims={}) as w:
        rho = w.field("rho", "f8", grid=w.mesh("amr", {"x": 4, "y": 4}, [2]))
        with w.step(0.0) as s:
            s.put(rho, np.zeros((4, 4)), level=0)
            s.put(rho, np.zeros((2, 2)), offset=(3, 2), level=1)
    with pytest.raises(ValueError, match=r"level 1: the patch \(3, 2\) to \(5, 4\) covers parts of coarser"):
        yt.load(tmp_path / "amr.idx")


def test_files_of_formats_that_yt_reads_are_left_to_it(tmp_path: Path) -> None:
    esker.write(tmp_path / "grid.nc", {"rho": np.zeros((4, 4))})
    with pytest.raises(yt.utilities.exceptions.YTUnidentifiedDataType):
        yt.load(tmp_path / "grid.nc")
