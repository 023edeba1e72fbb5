"""What the viewer reads: level and box of a plane, samples as they are drawn, reads that end, what is kept."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.viewer.answers.asking import Line
from esker.viewer.answers.pointing import sample_at
from esker.viewer.planes.hatching import MAX_RECTANGLES, rectangles
from esker.viewer.reading import reads
from esker.viewer.reading.reader import Reader
from esker.viewer.reading.samples import Kind, Picture, Stale, exact_value, read_picture, read_range
from esker.viewer.scenes.axes import Plane, plane_of
from esker.viewer.scenes.session import Scene, fitted


def opened(path: Path, arrays: dict[str, Any], **options: Any) -> esker.Dataset:
    esker.write(path, arrays, **options)
    return esker.open(path)


@pytest.fixture(scope="module")
def ds(tmp_path_factory: pytest.TempPathFactory) -> esker.Dataset:
    path = tmp_path_factory.mktemp("reads") / "run.idx"
    y, x = np.mgrid[0:600, 0:1500]
    z, v, u = np.mgrid[0:61, 0:200, 0:300]
    arrays = {"map": (x + 10000 * y).astype("f4"), "volume": (u + 1000 * v + 10**6 * z).astype("f8")}
    return opened(path, arrays, dims={"map": ("x", "y"), "volume": ("u", "v", "w")})


def plan(
    ds: esker.Dataset, pixels: tuple[int, int] = (800, 600), **scene: Any
) -> tuple[reads.Plan, Plane, Scene]:
    whole = fitted(Scene(**scene), [ds])
    plane = plane_of(ds[whole.field], whole)
    return reads.plan_of(ds[whole.field], whole, plane, pixels), plane, whole


def picture(ds: esker.Dataset, request: reads.Request, plane: Plane) -> Picture:
    return read_picture(ds[request.field], request, plane, lambda: True)


def samples_of(ds: esker.Dataset, request: reads.Request) -> int:
    return math.prod(ds[request.field].select(request.step, request.box, request.level).shape)


def test_the_overview_is_coarse_and_the_level_is_that_of_the_screen(ds: esker.Dataset) -> None:
    found, _, _ = plan(ds, field="map")
    overview, detail = found.overview, found.detail
    assert detail is not None and found.final == detail
    assert samples_of(ds, overview) <= reads.OVERVIEW_SAMPLES < 4 * samples_of(ds, overview)
    stride = ds["map"].select(level=detail.level).stride
    assert max(stride) <= 2 and samples_of(ds, overview) + samples_of(ds, detail) <= 1.4 * samples_of(
        ds, detail
    )


def test_an_overview_comes_first_if_it_is_small_against_the_picture(
    ds: esker.Dataset, tmp_path: Path
) -> None:
    for window in None, (100.0, 300.0, 50.0, 200.0), (100.0, 120.0, 100.0, 110.0):
        found, _, _ = plan(ds, field="map", window=window)
        assert found.detail is not None and found.stages[-1] == found.detail
        assert sum(samples_of(ds, one) for one in found.stages) <= 1.4 * samples_of(ds, found.detail)
        assert found.is_whole == (window is None)
    small = opened(tmp_path / "a.idx", {"f": np.zeros((300, 400), "f4")})
    found, _, _ = plan(small, field="f")
    assert found.stages == (found.detail,) and found.is_whole


def test_small_screens_need_no_detail(ds: esker.Dataset) -> None:
    found, _, _ = plan(ds, (100, 80), field="map")
    assert found.detail is None and found.final == found.overview


def test_a_window_is_read_with_its_neighbors(ds: esker.Dataset) -> None:
    found, _, _ = plan(ds, field="map", window=(100.2, 140.7, 300.0, 333.0))
    assert found.final.level == ds["map"].max_level
    assert found.final.box == ((100, 300), (142, 334))


@pytest.mark.parametrize("normal", ["u", "v", "w"])
def test_planes_are_read_at_the_nearest_index_of_the_level(ds: esker.Dataset, normal: str) -> None:
    found, plane, scene = plan(ds, field="volume", normal=normal, place=37, level=12)
    made = picture(ds, found.final, plane)
    axis = "uvw".index(normal)
    stride = ds["volume"].select(level=found.final.level).stride[axis]
    assert made.place is not None and made.place % stride == 0 and abs(made.place - 37) <= stride / 2 + stride
    y, x = (plane.vertical, plane.horizontal)
    rows, columns = made.values.shape
    left, right, bottom, top = made.window
    weight = {"u": 1.0, "v": 1e3, "w": 1e6}
    across = left + (np.arange(columns) + 0.5) * (right - left) / columns
    up = bottom + (np.arange(rows) + 0.5) * (top - bottom) / rows
    expected = across * weight[x.dim] + (up * weight[y.dim])[:, None] + made.place * weight[normal]
    np.testing.assert_allclose(made.values, expected)
    assert scene.place == 37


def test_thin_axes_do_not_make_reads_large(tmp_path: Path) -> None:
    ds = opened(tmp_path / "a.idx", {"f": np.zeros((3, 60000), "f4")})
    found, _, _ = plan(ds, (700, 500), field="f")
    assert samples_of(ds, found.final) <= reads.SAMPLES_PER_PIXEL * 700 * 500
    one = opened(tmp_path / "b.idx", {"f": np.full((1, 1), 7.0)})
    found, plane, _ = plan(one, field="f")
    assert picture(one, found.final, plane).values.tolist() == [[7.0]]


def test_an_answer_has_a_limit(ds: esker.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "MAX_SAMPLES", 100_000)
    found, _, _ = plan(ds, field="map", level=ds["map"].max_level)
    assert samples_of(ds, found.final) <= 100_000
    assert "the most that are sent; shown is level" in found.note


def test_decreasing_coordinates_are_drawn_from_their_least(tmp_path: Path) -> None:
    array = np.arange(12.0).reshape(3, 4)
    coords = {"x": 10.0 - np.arange(4), "y": np.arange(3.0)}
    ds = opened(tmp_path / "a.idx", {"f": array}, coords=coords)
    found, plane, _ = plan(ds, field="f")
    made = picture(ds, found.final, plane)
    assert made.window == (6.5, 10.5, -0.5, 2.5)
    np.testing.assert_array_equal(made.values, array[:, ::-1])


def test_coordinates_that_drift_are_not_even(tmp_path: Path) -> None:
    """Each distance differs by less than 0.1 %, and the sum by three samples."""
    x = np.cumsum(1 + 0.0009 * np.sin(np.linspace(0, 2 * np.pi, 10_000)))
    ds = opened(tmp_path / "a.idx", {"f": np.zeros((2, 10_000))}, coords={"x": x})
    _, plane, _ = plan(ds, field="f")
    assert plane.horizontal.coordinate(5000) == pytest.approx(x[5000], abs=1e-9)


def test_fill_values_nan_and_infinities_are_told_apart(tmp_path: Path) -> None:
    array = np.array([[1, np.nan, -9], [np.inf, 2, 3]], "f4")
    ds = opened(tmp_path / "a.idx", {"f": array}, attrs={"f": {"_FillValue": np.float32(-9)}})
    found, plane, _ = plan(ds, field="f")
    made = picture(ds, found.final, plane)
    assert made.kinds.tolist() == [[Kind.VALUE, Kind.NAN, Kind.FILL], [Kind.VALUE] * 3]
    np.testing.assert_array_equal(made.values, [[1, np.nan, np.nan], [np.inf, 2, 3]])
    assert made.notes == ("1 samples are infinite and have the colors of the ends of the range.",)
    log = Picture(**{**vars(made), "values": made.values - 1}).for_log()
    assert log.kinds[0, 0] == Kind.NO_LOGARITHM and np.isnan(log.values[0, 0])
    field = ds["f"]
    values = [exact_value(field, 0, (x, y), None) for y in range(2) for x in range(3)]
    assert values == ["1", "NaN", "fill value -9", "inf", "2", "3"]


def test_large_integers_are_exact_under_the_cursor(tmp_path: Path) -> None:
    array = np.array([[2**53 + 1, 5]])
    ds = opened(tmp_path / "a.idx", {"f": array})
    found, plane, _ = plan(ds, field="f")
    assert "Integers beyond 2^53" in picture(ds, found.final, plane).notes[0]
    assert exact_value(ds["f"], 0, (0, 0), None) == "9007199254740993"


def test_vectors_show_their_length_or_a_component(tmp_path: Path) -> None:
    array = np.array([[[3, 4], [np.nan, 0]]], "f4")
    ds = opened(tmp_path / "a.idx", {"v": array}, components={"v": 2})
    for component, expected, kinds in ((None, 5, [0, Kind.NAN]), (1, 4, [0, 0])):
        found, plane, _ = plan(ds, field="v", component=component)
        made = picture(ds, found.final, plane)
        assert made.values[0, 0] == expected and made.kinds.tolist() == [kinds]
    assert exact_value(ds["v"], 0, (0, 0), None) == "5 of (3, 4)"


def test_what_a_sparse_step_does_not_store_is_marked(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "a.idx", dims={"x": 64, "y": 64}, bits_per_block=4, report="none") as writer:
        field = writer.field("f", "f8")
        with writer.step(0.0) as step:
            step.put(field, np.arange(4096.0).reshape(64, 64))
            step.keep(field, level=-4)
            step.keep(field, boxes=[((0, 0), (16, 16))])
    ds = esker.open(tmp_path / "a.idx")
    found, plane, _ = plan(ds, field="f", level=ds["f"].max_level)
    made = picture(ds, found.final, plane)
    assert made.kinds[0, 0] == Kind.VALUE and made.kinds[-1, -1] == Kind.COARSER
    assert np.isfinite(made.values).all()


@pytest.mark.parametrize("harm", ["lost", "cut short"])
def test_what_is_left_of_a_damaged_dataset_is_shown(tmp_path: Path, harm: str) -> None:
    ds = opened(tmp_path / "a.idx", {"f": np.ones((256, 256))}, bits_per_block=10, blocks_per_file=16)
    last = max(tmp_path.rglob("*.bin"))
    if harm == "lost":
        last.unlink()
    else:
        last.write_bytes(last.read_bytes()[:5000])
    found, plane, _ = plan(ds, field="f", level=ds["f"].max_level)
    if harm == "lost":
        made = picture(ds, found.final, plane)
        assert (made.kinds == Kind.MISSING).any() and (made.values == 1).any() and last.name in made.error
    else:
        with pytest.raises(OSError, match=last.name):
            picture(ds, found.final, plane)


def test_a_read_that_nobody_waits_for_ends(ds: esker.Dataset) -> None:
    found, plane, _ = plan(ds, field="map")
    with pytest.raises(Stale):
        read_picture(ds["map"], found.final, plane, lambda: False)
    answers = iter([True])
    with pytest.raises(Stale):
        read_picture(ds["map"], found.final, plane, lambda: next(answers, False))


def run(
    reader: Reader, key: Any, read: Callable[..., Any], is_wanted: Callable[[], bool] = lambda: True
) -> list[Any]:
    answers: list[Any] = []
    ended = threading.Event()

    def done(*answer: Any) -> None:
        answers.append(answer)
        ended.set()

    reader.submit(key, read, is_wanted, done)
    ended.wait(0.3 if not is_wanted() else 10)
    return answers


def test_answers_are_kept_up_to_a_number_of_bytes(ds: esker.Dataset) -> None:
    found, plane, _ = plan(ds, field="map")
    made = picture(ds, found.overview, plane)
    reader = Reader(1, kept_bytes=int(2.5 * (made.values.nbytes + made.kinds.nbytes)))
    for key in "abc":
        assert run(reader, key, lambda _: made) == [(made, "")]
    assert [reader.kept(key) is made for key in "abc"] == [False, True, True]
    reader.forget()
    assert reader.kept("c") is None
    reader.close()


def test_the_bytes_of_all_kinds_of_answers_are_counted() -> None:
    """Lines of charts come in tuples, images of other viewers as bytes."""
    line = Line("time [s]", np.zeros(1000), np.zeros(1000))
    for answer in (b"x" * 16_000, (line, None), ({"left": np.zeros(2000)},)):
        reader = Reader(1, kept_bytes=40_000)
        for key in "abc":
            run(reader, key, lambda _, answer=answer: answer)
        assert [reader.kept(key) is answer for key in "abc"] == [False, True, True]
        reader.close()


@pytest.fixture
def busy() -> Iterator[tuple[Reader, threading.Event]]:
    """A reader whose thread waits for an event."""
    reader, go_on = Reader(1), threading.Event()
    reader.submit("busy", lambda _: go_on.wait(10), lambda: True, lambda *_: None)
    yield reader, go_on
    go_on.set()
    reader.close()


def test_what_was_asked_before_a_change_is_not_kept(busy: tuple[Reader, threading.Event]) -> None:
    reader, go_on = busy
    answers: list[Any] = []
    reader.submit("step", lambda _: "old", lambda: True, lambda *answer: answers.append(answer))
    reader.forget()
    go_on.set()
    assert run(reader, "other", lambda _: 1) == [(1, "")]
    assert answers == [("old", "")] and reader.kept("step") is None
    assert run(reader, "step", lambda _: "new") == [("new", "")] and reader.kept("step") == "new"


def test_a_page_that_shows_the_old_files_keeps_nothing_and_gets_nothing_new() -> None:
    """It asks under the same keys until it takes the dataset that was opened again."""
    reader = Reader(1)
    page = reader.of_page(lambda: True)
    assert run(page, "step", lambda _: "old") == [("old", "")] and page.kept("step") == "old"
    reader.forget()
    assert page.kept("step") is None
    assert run(page, "step", lambda _: "old") == [("old", "")] and reader.kept("step") is None
    assert run(reader, "step", lambda _: "new") == [("new", "")] and page.kept("step") is None
    page.renew()
    assert page.kept("step") == "new"
    reader.close()


def test_reads_of_a_page_that_is_closed_do_not_begin(busy: tuple[Reader, threading.Event]) -> None:
    reader, go_on = busy
    is_open, begun = threading.Event(), []
    is_open.set()
    page = reader.of_page(is_open.is_set)
    page.submit("step", begun.append, lambda: True, lambda *_: None)
    is_open.clear()
    go_on.set()
    assert run(reader, "other", lambda _: 1) == [(1, "")] and begun == []


def test_errors_become_sentences_and_stale_answers_are_dropped() -> None:
    def fail(_: object) -> None:
        raise OSError("run.idx: 403 Forbidden")

    reader = Reader(1)
    assert run(reader, "a", fail) == [(None, "run.idx: 403 Forbidden")]
    assert run(reader, "b", lambda _: 1, lambda: False) == []
    assert run(reader, "d", lambda _: None.nothing) == [
        (None, "'NoneType' object has no attribute 'nothing'")
    ]  # type: ignore[attr-defined]
    reader.close()
    assert run(reader, "c", lambda _: 1, lambda: False) == []


def test_the_range_of_a_step_leaves_out_what_has_no_value(tmp_path: Path) -> None:
    array = np.array([[1, np.nan, -9], [np.inf, 2, 3]], "f4")
    ds = opened(tmp_path / "a.idx", {"f": array}, attrs={"f": {"_FillValue": np.float32(-9)}})
    request = reads.range_request(ds["f"], Scene(field="f"), 0)
    assert request.level == ds["f"].max_level
    assert read_range(ds["f"], request, lambda: True) == (1, 3)


def test_rectangles_cover_a_mask() -> None:
    mask = np.array([[1, 1, 0, 1], [1, 1, 0, 0], [0, 0, 0, 0]], bool)
    found = rectangles(mask, (0, 8, 0, 3))
    assert sorted(zip(*(found[name].tolist() for name in ("left", "right", "bottom", "top")))) == [
        (0, 4, 0, 2),
        (6, 8, 0, 1),
    ]
    scattered = rectangles(np.random.default_rng(1).random((1024, 1024)) < 0.02, (0, 1, 0, 1))
    assert ((scattered["right"] - scattered["left"]) * (scattered["top"] - scattered["bottom"])).sum() < 0.05
    noise = rectangles(np.indices((300, 301)).sum(0) % 2 == 0, (0, 301, 0, 300))
    assert len(noise["left"]) <= MAX_RECTANGLES
    assert (noise["left"].min(), noise["top"].max()) == (0, 300)
    assert len(rectangles(np.zeros((3, 3), bool), (0, 1, 0, 1))["left"]) == 0


def test_components_count_as_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All components are read, also for one of them."""
    esker.write(tmp_path / "run.idx", {"v": np.zeros((128, 128, 16), "f4")}, components={"v": 16})
    field = esker.open(tmp_path / "run.idx")["v"]
    monkeypatch.setattr("esker.viewer.reading.reads.MAX_SAMPLES", 1 << 16)
    found, _, _ = plan(field.dataset, pixels=(4000, 4000), field="v", component=3)
    assert math.prod(field.select(level=found.final.level).shape) <= 1 << 16
    fixed, _, _ = plan(field.dataset, field="v", level=field.max_level)
    assert math.prod(field.select(level=fixed.final.level).shape) <= 1 << 16


def test_a_window_without_width_is_read(ds: esker.Dataset) -> None:
    found, _, _ = plan(ds, field="volume", normal="w", place=1, window=(0.0, 5e-324, 0.0, 1.0))
    assert found.final is not None


def test_the_pointer_finds_its_sample(ds: esker.Dataset) -> None:
    _, plane, scene = plan(ds, field="volume", normal="v", place=11)
    assert sample_at([17.4, 2.6], scene, plane) == (17, 11, 3)
    assert sample_at([-0.6, 2.0], scene, plane) is None and sample_at([], scene, plane) is None
