"""Meshes that yt opens: a dataset of Enzo, compared with what h5py reads, and ratios and kinds of fields."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import numpy as np
import pytest

import esker
from conftest import ROOT
from esker.convert import yt_source
from esker.convert.meshes import convert_mesh, open_mesh
from esker.convert.yt_source import YtMesh

ENZO = ROOT / "data/enzo/moving7_0010"


@pytest.mark.filterwarnings("ignore")
def test_a_dataset_of_enzo(tmp_path: Path) -> None:
    pytest.importorskip("yt")
    source = open_mesh(f"yt:{ENZO}", tmp_path / "mesh.idx")
    assert isinstance(source, YtMesh)
    assert (source.extent, source.ratios, len(source.patches)) == ((16, 16, 16), (2,) * 7, 10)
    assert "Density" in source.fields and not any("particle" in name for name in source.fields)
    convert_mesh(source, tmp_path / "mesh.idx", lambda _: None)
    dataset = esker.open(tmp_path / "mesh.idx")
    assert dataset.storage().bytes / len(dataset) <= 4 << 20
    density = dataset["Density"]
    assert density.shape == (2048, 2048, 2048)
    with h5py.File(f"{ENZO}.cpu0000") as file:
        finest, coarsest = (file[f"Grid000000{n}/Density"][()] for n in ("10", "01"))
    lo, hi = (1534, 1532, 1532), (1542, 1542, 1542)
    np.testing.assert_array_equal(density.read(box=(lo, hi)), finest)
    for z, y, x in [(0, 0, 0), (15, 2, 3), (1, 15, 14)]:
        box = ((128 * x, 128 * y, 128 * z), (128 * x + 2, 128 * y + 1, 128 * z + 1))
        assert np.unique(density.read(box=box)) == [coarsest[z, y, x]]


def grid(level: int, lo: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """A grid as yt has them, with x as the first axis."""

    class Grid(dict[Any, Any]):
        Level = level
        ActiveDimensions = np.array(shape)

        def get_global_startindex(self) -> Any:
            return np.array(lo)

        def clear_data(self) -> None:
            pass

    places = np.indices(shape)
    values = 1000.0 * level + sum(10**a * (place + lo[a]) for a, place in enumerate(places))
    return Grid({("stream", "x velocity"): SimpleNamespace(d=values)})


def dataset(refine_by: Any = 2, grids: Any = ()) -> Any:
    def code(*values: float) -> Any:
        return SimpleNamespace(to_value=lambda _: np.array(values)[()] if len(values) > 1 else values[0])

    cell = SimpleNamespace(sampling_type="cell", nodal_flag=[0, 0, 0])
    about = {
        "x velocity": cell,
        "position": SimpleNamespace(sampling_type="particle", nodal_flag=[0, 0, 0]),
        "face": SimpleNamespace(sampling_type="cell", nodal_flag=[1, 0, 0]),
    }
    return SimpleNamespace(
        index=SimpleNamespace(grids=grids, max_level=1),
        dimensionality=2,
        domain_dimensions=np.array([4, 2, 1]),
        refine_by=refine_by,
        domain_left_edge=code(-1.0, 0.0, 0.0),
        domain_width=code(2.0, 1.0, 1.0),
        current_time=code(0.5),
        field_list=[("stream", name) for name in about],
        _get_field_info=lambda key: about[key[1]],
    )


def test_grids_in_two_dimensions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grids = [grid(1, (2, 0, 0), (4, 2, 1)), grid(0, (0, 0, 0), (4, 2, 1))]
    monkeypatch.setattr(yt_source, "_load", lambda path: dataset(grids=grids))
    source = YtMesh("run")
    assert (source.origin, source.spacing, source.time) == ((-1, 0), (0.5, 0.5), 0.5)
    assert source.fields == ("x velocity",)
    convert_mesh(source, tmp_path / "mesh.idx", lambda _: None)
    expected = np.array([[0, 1, 2, 3], [10, 11, 12, 13]], "f8").repeat(2, 0).repeat(2, 1)
    expected[0:2, 2:6] = 1000 + np.array([[2, 3, 4, 5], [12, 13, 14, 15]])
    np.testing.assert_array_equal(esker.open(tmp_path / "mesh.idx")["x_velocity"].read(), expected)


@pytest.mark.parametrize("refine_by", [[2, 2, 1], 1])
def test_other_ratios_are_refused(monkeypatch: pytest.MonkeyPatch, refine_by: Any) -> None:
    grids = [grid(0, (0, 0, 0), (4, 2, 1))]
    monkeypatch.setattr(yt_source, "_load", lambda path: dataset(refine_by, grids))
    with pytest.raises(ValueError, match="run: refine_by: expected one ratio of at least 2"):
        YtMesh("run")


def test_without_patches_or_yt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yt_source, "_load", lambda path: dataset())
    with pytest.raises(ValueError, match="run: expected a dataset of patches"):
        YtMesh("run")
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "yt", None)
    with pytest.raises(NotImplementedError, match="pip install yt"):
        YtMesh("run")
