"""Several views of one page and their differences: as values, in links, and sample by sample; without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import esker
from esker.viewer.answers import asking, texts
from esker.viewer.answers.pointing import value_text
from esker.viewer.reading.samples import Kind, Picture
from esker.viewer.reading.sources import Source, source_of, subtracted, why_no_difference
from esker.viewer.scenes import colors
from esker.viewer.scenes.session import Scene
from esker.viewer.scenes.views import MAX_VIEWS, Views, fitted_views, query_of_views, views_of

SHAPE = (6, 40, 60)


def samples(seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=SHAPE).astype("f4")


def written(path: Path, steps: list[NDArray[Any]], units: str = "K", **options: Any) -> esker.Dataset:
    nz, ny, nx = SHAPE
    coords = {"x": 5.0 * np.arange(nx)}
    with esker.Writer(
        path, dims={"x": nx, "y": ny, "z": nz}, coords=coords, report="none", **options
    ) as writer:
        temp = writer.field("temp", "f4", attrs={"units": units})
        size = writer.field("size", "f8", grid=writer.grid("xy", ("x", "y")))
        for n, array in enumerate(steps):
            with writer.step(n) as step:
                step.put(temp, array)
                step.put(size, array[0].astype("f8"))
    return esker.open(path)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[esker.Dataset]:
    """Two runs with the same grid in different formats, so with different levels."""
    folder = tmp_path_factory.mktemp("views")
    second = samples(3)
    second[2, 5, 7] = np.nan
    return [
        written(folder / "a.idx", [samples(1), samples(2)]),
        written(folder / "b.nc", [second, samples(4)]),
    ]


def pair(runs: list[esker.Dataset], **other: Any) -> Views:
    """A view of each run and their difference, which is selected."""
    first = Scene(field="temp", step=1, normal="z", place=2)
    views = Views((first, first.but(**{"dataset": 1, "step": 0, **other})))
    return fitted_views(views.with_difference(), runs)


def difference(runs: list[esker.Dataset], views: Views) -> Source:
    source, why = source_of(views, views.selected, runs)
    assert source is not None, why
    return source


def test_views_are_added_removed_and_selected() -> None:
    views = Views((Scene(field="a"),)).add(Scene(field="b")).add(Scene(field="c"))
    assert (views.selected, len(views.scenes), views.scene.field) == (2, 3, "c")
    assert views.select(1).scene.field == "b" and views.select(7) is views
    full = views.add(Scene())
    assert full.is_full and full.add(Scene()) is full and len(full.scenes) == MAX_VIEWS
    assert [one.field for one in views.remove(0).scenes] == ["b", "c"]
    one = Views((Scene(),))
    assert one.remove(0) is one and one.with_difference() is one


def test_a_difference_follows_its_views_and_goes_with_them() -> None:
    views = Views((Scene(field="a"), Scene(field="b"), Scene(field="c")), 1).with_difference()
    assert views.scene.difference == (1, 2) and (views.scene.palette, views.scene.zero) == ("RdBu_r", True)
    assert views.remove(0).scenes[-1].difference == (0, 1)
    assert [one.field for one in views.remove(2).scenes] == ["a", "b"]
    first, second = views.put(1, Scene(field="d", step=3)).parts(3)
    assert (first.field, first.step, first.palette) == ("d", 3, "RdBu_r") and second == Scene(field="c")


def test_links_keep_all_views_and_those_of_one_view_are_as_before(runs: list[esker.Dataset]) -> None:
    views = pair(runs, window=(0.0, 1.0, 2.0, 3.0))
    query = query_of_views(views)
    assert query["field"] == "temp" and query["3.difference"] == "1,2" and query["view"] == "3"
    assert views_of(query, runs, colors.PALETTES) == (views, [])
    one, notes = views_of({"field": "size", "step": "0"}, runs, colors.PALETTES)
    assert one == Views((Scene(field="size"),)) and notes == []
    assert query_of_views(one) == {"field": "size", "step": "0"}


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"view": "2"}, "The link selects view '2'; there are 1."),
        ({"view": "x"}, "The link selects view 'x'"),
        ({"2.field": "nope"}, "View 2: The link names the field 'nope'"),
        ({"2.difference": "1,3"}, "a difference in view 2 of views that do not exist"),
        ({"2.difference": "1,2"}, "a difference in view 2 of views that do not exist"),
        ({"2.difference": "x"}, "View 2: The link has difference='x'; expected two numbers of views."),
    ],
)
def test_a_link_that_is_wrong_has_a_sentence(
    runs: list[esker.Dataset], query: dict[str, str], said: str
) -> None:
    views, notes = views_of(query, runs, colors.PALETTES)
    assert said in " ".join(notes) and all(scene.field for scene in views.scenes)


@pytest.mark.parametrize("level", [None, 9])
def test_a_difference_is_that_of_the_samples(runs: list[esker.Dataset], level: int | None) -> None:
    views = pair(runs)
    views = views.put(2, views.scene.but(level=level))
    source = difference(runs, views)
    request = source.plan((700, 500)).final
    made = source.read(request, lambda: True)
    first = runs[0]["temp"]
    stride = first.select(level=request.level).stride
    assert (level is None) == (max(stride) == 1) and made.request == request
    cut = (made.place, slice(None, None, stride[1]), slice(None, None, stride[0]))
    one, other = first.read(step=1)[cut], runs[1]["temp"].read(step=0)[cut]
    np.testing.assert_allclose(made.values, one.astype("f8") - other, rtol=1e-6)
    assert made.values.dtype == np.float32
    if level is None:
        assert made.kinds[5, 7] == Kind.NAN and (made.kinds == Kind.NAN).sum() == 1


def test_questions_about_a_difference(runs: list[esker.Dataset]) -> None:
    source = difference(runs, pair(runs))
    one, other = (ds["temp"].read(step=n).astype("f8") for ds, n in zip(runs, (1, 0)))
    said = value_text(source, [5.0 * 11, 9.0])
    assert float(said.split()[0]) == pytest.approx(one[2, 9, 11] - other[2, 9, 11], rel=1e-6)
    assert " K (" in said and " minus " in said
    profile = asking.profile_of(source, (11, 9, 2), lambda: True)
    np.testing.assert_allclose(profile.values, one[:, 9, 11] - other[:, 9, 11])
    series = asking.series_of(source, (11, 9, 2), lambda: True)
    assert series is not None and series.values[0] == pytest.approx(samples(1)[2, 9, 11] - other[2, 9, 11])
    picture = asking.box_picture(source, (0.0, 50.0, 0.0, 9.0), lambda: True)
    assert asking.exported(source, picture, "csv").splitlines()[0].endswith(b'"temp_minus_temp"')
    assert texts.title_of(source, 2) == "difference of temp, t = 1, z = 2 and temp, t = 0, z = 2"
    assert texts.label_of(source) == "difference [K]"


def test_no_series_of_steps_of_one_field(runs: list[esker.Dataset]) -> None:
    source = difference(runs, pair(runs, dataset=0))
    assert asking.series_of(source, (1, 1, 2), lambda: True) is None


def test_missing_samples_of_both_are_marked() -> None:
    values = np.array([[1.0, np.nan, 3.0, 4.0]])
    request: Any = None
    first = Picture(
        request,
        values,
        np.array([[0, Kind.FILL, 0, Kind.COARSER]], np.uint8),
        (0, 4, 0, 1),
        None,
        3,
        "a.bin is lost",
    )
    second = Picture(
        request,
        np.array([[1.0, 1, np.nan, 1]]),
        np.array([[0, 0, Kind.MISSING, 0]], np.uint8),
        (0, 4, 0, 1),
        None,
        4,
    )
    made = subtracted(first, second)
    assert made.kinds.tolist() == [[Kind.VALUE, Kind.FILL, Kind.MISSING, Kind.COARSER]]
    np.testing.assert_array_equal(made.values, [[0, np.nan, np.nan, 3]])
    assert (made.nbytes, made.error) == (7, "a.bin is lost")


def test_grids_that_differ_have_a_sentence(runs: list[esker.Dataset], tmp_path: Path) -> None:
    other = written(tmp_path / "a.idx", [samples(5)], units="degC")
    esker.write(tmp_path / "small.idx", {"temp": samples(1)[:, ::2]}, dims={"temp": ("x", "y", "z")})
    datasets = [*runs, other, esker.open(tmp_path / "small.idx")]
    begin = "No difference of temp and "
    for changes, said in [
        ({"dataset": 2}, f"{begin}temp: the units are K and degC."),
        ({"dataset": 3}, f"{begin}temp: the grids have 60 x 40 x 6 and 60 x 20 x 6 samples."),
        ({"normal": "y"}, f"{begin}temp: the planes are across z and across y."),
        ({"field": "size"}, f"{begin}size: the axes are z, y, x and y, x."),
    ]:
        assert source_of(pair(datasets, **changes), 2, datasets) == (None, said)


def test_coordinates_that_differ_have_a_sentence(tmp_path: Path) -> None:
    sources = []
    for n, first in enumerate((0.0, 1.0)):
        path = tmp_path / f"{n}.idx"
        esker.write(path, {"f": np.zeros((4, 5))}, coords={"x": first + np.arange(5), "y": np.arange(4.0)})
        source, _ = source_of(Views((Scene(field="f"),)), 0, [esker.open(path)])
        assert source is not None
        sources.append(source)
    assert (
        why_no_difference(sources[0], sources[1])
        == "No difference of f and f: the coordinates along x differ."
    )
    assert why_no_difference(sources[0], sources[0]) == ""
