"""What people ask the viewer: series, profiles, statistics; without a browser."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import esker
from esker.viewer.answers import asking, texts
from esker.viewer.reading.samples import Stale
from esker.viewer.reading.sources import Source
from esker.viewer.scenes.axes import plane_of
from esker.viewer.scenes.session import Scene, fitted


@pytest.fixture
def ds(tmp_path: Path) -> esker.Dataset:
    z, y, x = np.mgrid[0:5, 0:20, 0:30]
    attrs = {"time": {"units": "days"}}
    coords = {"z": 100.0 * np.arange(5)}
    with esker.Writer(
        tmp_path / "a.idx", dims={"x": 30, "y": 20, "z": 5}, attrs=attrs, coords=coords, report="none"
    ) as w:
        field = w.field("f", "f8")
        for n in range(3):
            with w.step(10.0 * n) as step:
                step.put(field, x + 100.0 * y + 10000.0 * z + 0.5 * n)
    return esker.open(tmp_path / "a.idx")


def test_a_series_has_the_sample_at_every_step(ds: esker.Dataset) -> None:
    found = asking.series(ds["f"], (3, 4, 2), None, lambda: True)
    assert found is not None and found.label == "time [days]"
    np.testing.assert_array_equal(found.at, [0, 10, 20])
    np.testing.assert_array_equal(found.values, 20403 + 0.5 * np.arange(3))
    with pytest.raises(Stale):
        asking.series(ds["f"], (3, 4, 2), None, lambda: False)


def test_a_profile_goes_along_the_slowest_axis(ds: esker.Dataset) -> None:
    found = asking.profile(ds["f"], Scene(field="f", step=1, normal="y"), (3, 4, 0), lambda: True)
    assert found is not None and found.label == "z"
    np.testing.assert_array_equal(found.at, 100.0 * np.arange(5))
    np.testing.assert_array_equal(found.values, 403.5 + 10000 * np.arange(5))


def test_statistics_are_those_of_the_box(ds: esker.Dataset) -> None:
    scene = fitted(Scene(field="f", step=2, normal="z", place=1), [ds])
    box = (9.6, 19.4, 4.6, 9.4)
    source = Source(ds["f"], scene, plane_of(ds["f"], scene))
    picture = asking.box_picture(source, box, lambda: True)
    found = asking.statistics(picture)
    values = ds["f"].read(step=2)[1, 5:10, 10:20]
    assert found is not None and (found.samples, found.without) == (50, 0)
    assert (found.least, found.greatest, found.counts.sum()) == (values.min(), values.max(), 50)
    assert (found.mean, found.deviation) == pytest.approx((values.mean(), values.std()))


def test_a_netcdf_file_of_a_box_says_when_and_where(ds: esker.Dataset, tmp_path: Path) -> None:
    scene = fitted(Scene(field="f", step=2, normal="z", place=3), [ds])
    source = Source(ds["f"], scene, plane_of(ds["f"], scene))
    picture = asking.box_picture(source, source.plane.window, lambda: True)
    (tmp_path / "box.nc").write_bytes(asking.exported(source, picture, "nc"))
    found = esker.open(tmp_path / "box.nc")
    assert (list(found.steps), found.time_attrs["units"]) == ([20.0], "days")
    assert found.attrs["plane"] == "z = 300"


def test_statistics_say_where_the_extremes_are(tmp_path: Path) -> None:
    values = np.full((6, 10), 5.0, "f4")
    values[2, 7], values[0, 3] = -4.0, np.nan
    esker.write(tmp_path / "u.idx", {"u": values}, time=0)
    field = esker.open(tmp_path / "u.idx")["u"]
    scene = fitted(Scene(field="u"), [field.dataset])
    source = Source(field, scene, plane_of(field, scene))
    found = asking.statistics(asking.box_picture(source, source.plane.window, lambda: True))
    assert found is not None and (found.least_at.samples, found.greatest_at.samples) == (1, 58)
    said = texts.statistics_text(found, source)
    x, y = list(field.grid.dims)[::-1]
    assert f": least -4 at {x} = 7, {y} = 2; greatest 5 at 58 samples, the first at {x} = 0, {y} = 0; mean " in said
