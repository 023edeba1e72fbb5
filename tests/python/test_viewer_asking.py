"""What people ask the viewer: series, profiles, statistics; without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.viewer.answers import asking, extremes, tables, texts
from esker.viewer.reading.reader import Reader
from esker.viewer.reading.samples import Stale
from esker.viewer.reading.sources import Source
from esker.viewer.scenes.axes import plane_of
from esker.viewer.scenes.session import Scene, fitted

pytest.importorskip("bokeh")
from esker.viewer.planes import searching  # noqa: E402


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


def test_series_and_profile_are_files(ds: esker.Dataset) -> None:
    scene = fitted(Scene(field="f", step=2, normal="z", place=1), [ds])
    source = Source(ds["f"], scene, plane_of(ds["f"], scene))
    lines = [read(source, (3, 4, 1), lambda: True) for read in (asking.series_of, asking.profile_of)]
    over_time, upwards = texts.files_of_sample(source, (3, 4, 1), *lines)
    assert over_time == [
        "time series",
        "a_f_z1_series_3_4_1.csv",
        '"time [days]","f"\n0.0,10403\n10.0,10403.5\n20.0,10404\n',
    ]
    assert upwards[:2] == ["profile", "a_f_z1_step3_profile_3_4_1.csv"]
    rows = np.loadtxt(upwards[2].splitlines(), delimiter=",", skiprows=1)
    np.testing.assert_array_equal(rows, np.column_stack([100.0 * np.arange(5), lines[1].values]))
    assert texts.files_of_sample(source, (3, 4, 1), None, None) == []


def test_a_line_is_read_back_exactly_and_is_no_formula() -> None:
    values = np.array([0.1, np.nan, 1 / 3])
    for dtype in ("f4", "f8"):
        text = tables.table('=cmd|"x"', values[::-1], "@f", values.astype(dtype))
        assert text.startswith('"cmd|""x""","f"\n')
        rows = np.loadtxt(text.splitlines(), delimiter=",", skiprows=1)
        np.testing.assert_array_equal(rows[:, 0], values[::-1])
        np.testing.assert_array_equal(rows[:, 1].astype(dtype), values.astype(dtype))


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


@pytest.fixture
def ice(tmp_path: Path) -> esker.Dataset:
    """Temperatures with one coldest sample at the second step, the same greatest value twice, and samples without a value."""
    with esker.Writer(tmp_path / "ice.idx", dims={"x": 30, "y": 20, "z": 8}, report="none") as w:
        temp = w.field("temp", "f4", attrs={"units": "K", "_FillValue": np.float32(-999)})
        vector = w.field("velocity", "f4", components=2)
        mask = w.field("mask", "i2", grid=w.grid("xy", ("x", "y")), fixed=True)
        for n in range(3):
            values = 250 + np.arange(4800, dtype="f4").reshape(8, 20, 30) / 100
            values[0, 0, :3] = -999, np.nan, np.inf
            values[5, 7, 11] = 233.1 if n == 1 else 240
            values[6, 3, 2] = 400
            with w.step(10.0 * n) as step:
                step.put(temp, values)
                step.put(vector, np.full((8, 20, 30, 2), n, "f4"))
                if n == 0:
                    step.put(mask, np.arange(600, dtype="i2").reshape(20, 30) - 5)
    return esker.open(tmp_path / "ice.idx")


def source_of(ds: esker.Dataset, **scene: Any) -> Source:
    fit = fitted(Scene(**scene), [ds])
    return Source(ds[fit.field], fit, plane_of(ds[fit.field], fit))


def searched(source: Source) -> extremes.Extremes:
    found = extremes.Extremes()
    for request in extremes.requests_of(source):
        found = found.joined(extremes.read(source, request, lambda: True))
    return found


@pytest.mark.parametrize("most", [1 << 10, 1 << 23])
def test_extremes_are_those_of_all_steps_and_pieces(
    ice: esker.Dataset, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(extremes, "PIECE_BYTES", most)
    source = source_of(ice, field="temp", step=2, normal="y", place=3)
    covered = np.zeros((3, 8, 20, 30), int)
    for request in extremes.requests_of(source):
        x, y, z = (slice(*ends) for ends in zip(*request.box))
        covered[request.step, z, y, x] += 1
    assert (covered == 1).all()
    found = searched(source)
    assert found.least == extremes.Extreme(pytest.approx(233.1), 1, (11, 7, 5))
    assert found.greatest == extremes.Extreme(400.0, 0, (2, 3, 6)), "the first of those that are equal"
    said = extremes.text(source, found)
    assert said.startswith("least 233.1 K at ") and "step 2 of 3, t = 10; greatest 400 K at " in said
    for part in ("x = 11", "y = 7", "z = 5"):
        assert part in said
    with pytest.raises(Stale):
        extremes.read(source, extremes.requests_of(source)[0], lambda: False)


def test_extremes_of_vectors_fixed_fields_and_nothing(ice: esker.Dataset) -> None:
    long = searched(source_of(ice, field="velocity"))
    assert long.least is not None and (long.least.value, long.least.step) == (0.0, 0)
    assert long.greatest is not None and long.greatest.value == pytest.approx(2 * 2**0.5)
    mask = source_of(ice, field="mask")
    found = searched(mask)
    assert found.least == extremes.Extreme(-5.0, 0, (0, 0)) and "step" not in extremes.text(mask, found)
    nothing = extremes.text(mask, extremes.Extremes(error="the disk is gone"))
    assert nothing == "mask has no finite value; some samples could not be read: the disk is gone"


class Held(Reader):
    """Keeps what is asked."""

    def __init__(self) -> None:
        super().__init__(1)
        self.calls: list[Any] = []

    def submit(self, *call: Any) -> None:
        self.calls.append(call)


def test_a_search_tells_its_progress_and_ends(
    ice: esker.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "TOLD_S", 0.0)
    reader, said = Held(), []
    search = searching.Search(reader, lambda action: action(), said.append)

    def answer(reason: str = "") -> None:
        _, read, is_wanted, done = reader.calls.pop()
        assert is_wanted()
        done(None, reason) if reason else done(read(is_wanted), "")

    search.start(source_of(ice, field="temp"))
    assert {*said} == {"reading all of temp: 0 %, 0 B; Escape ends this"}
    answer()
    assert said[-1].startswith("reading all of temp: 33 %, ") and "; so far 240 to 400;" in said[-1]
    assert not search.is_complete
    answer("the disk is gone")
    answer()
    assert search.is_complete and said[-1].endswith("; some samples could not be read: the disk is gone")
    assert said[-1].startswith("least 240 K at ") and reader.calls == []
    search.start(source_of(ice, field="temp"))
    _, _, is_wanted, done = reader.calls.pop()
    search.stop()
    count = len(said)
    done(extremes.Extremes(), "")
    assert not is_wanted() and len(said) == count and reader.calls == [] and not search.is_complete
    reader.close()
