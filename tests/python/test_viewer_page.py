"""`esker view` in a browser: pixels equal the colors of Field.read(), links, keys, and nothing from other hosts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from browser import FRAME, Shown, shown
from numpy.typing import NDArray

import esker

pytest.importorskip("bokeh")
from esker.viewer.scenes.colors import palette  # noqa: E402

NX, NY, NZ = 90, 70, 12
HOSTILE = '<img src=x onerror="document.body.dataset.bad=1">$$x^2$$'


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A map with coordinates, NaN and fill values, and a volume, at three steps; names and units are hostile."""
    path = tmp_path_factory.mktemp("page") / "run.idx"
    y, x = np.mgrid[0:NY, 0:NX]
    z = np.arange(NZ)[:, None, None]
    attrs = {"x": {"units": "km"}, "y": {"units": "km"}, "z": {"units": HOSTILE}, "title": HOSTILE}
    coords = {"x": 10.0 * np.arange(NX), "y": 10.0 * np.arange(NY), "z": 100.0 * np.arange(NZ)}
    with esker.Writer(
        path, dims={"x": NX, "y": NY, "z": NZ}, coords=coords, attrs=attrs, report="none"
    ) as writer:
        fill = {"_FillValue": np.float32(-9), "long_name": HOSTILE, "units": HOSTILE}
        thk = writer.field("thk", "f4", grid=writer.grid("xy", ("x", "y")), attrs=fill)
        temp = writer.field("temp", "f8", units="K")
        for n in range(3):
            with writer.step(n) as step:
                array = (1 + n + x + 2 * y).astype("f4")
                array[10:20, 30:50], array[40:50, 5:25] = np.nan, -9
                step.put(thk, array)
                step.put(temp, (x + 100 * y + 10000 * z + n).astype("f8"))
    return path


@pytest.fixture(scope="module")
def ds(path: Path) -> esker.Dataset:
    return esker.open(path)


def colors_of(values: NDArray[Any], low: float, high: float, log: bool = False) -> NDArray[np.uint8]:
    """The colors of viridis for values, as Bokeh maps them."""
    named = [tuple(int(color[i : i + 2], 16) for i in (1, 3, 5)) for color in palette("viridis", False)]
    place = np.log(values / low) / np.log(high / low) if log else (values - low) / (high - low)
    return np.array(named, np.uint8)[np.clip(np.floor(place * 256), 0, 255).astype(int)]


def assert_same_colors(found: NDArray[np.uint8], expected: NDArray[np.uint8]) -> None:
    """All equal, up to one color of the palette where a value is at the border of two."""
    difference = np.abs(found.astype(int) - expected.astype(int)).max(axis=-1)
    assert difference.max() <= 4 and (difference == 0).mean() > 0.99, (
        difference.max(),
        (difference == 0).mean(),
    )


@pytest.mark.parametrize("ratio", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_pixels_are_the_colors_of_the_samples(browser: Any, ds: esker.Dataset, ratio: int) -> None:
    with shown(browser, [ds], "field=thk&step=1", device_scale_factor=ratio) as page:
        assert "level 13 of 13" in page.complete() or "complete" in page.text("status")
        found = page.colors_at(10.0 * np.arange(NX), 10.0 * np.arange(NY), ratio)
        values = np.ma.masked_equal(np.ma.masked_invalid(ds["thk"].read(step=1)), -9)
        expected = colors_of(values.filled(1), values.min(), values.max())
        kept = ~values.mask
        assert_same_colors(found[kept], expected[kept])
        without = found[values.mask]
        assert (np.abs(without.astype(int) - without.astype(int)[:, :1]).max(axis=-1) <= 40).all(), "not gray"
        assert "NaN (crosses)" in page.text("kinds") and "fill value (dots)" in page.text("kinds")
        assert page.errors == []


@pytest.mark.parametrize(
    ("normal", "axis"),
    [("z", 0), pytest.param("y", 1, marks=pytest.mark.slow), pytest.param("x", 2, marks=pytest.mark.slow)],
)
def test_planes_have_the_right_side_up(browser: Any, ds: esker.Dataset, normal: str, axis: int) -> None:
    place = 5
    with shown(browser, [ds], f"field=temp&step=2&normal={normal}&place={place}") as page:
        page.complete()
        plane = ds["temp"].read(step=2).take(place, axis=axis)
        spacing = {"x": 10.0, "y": 10.0, "z": 100.0}
        up, across = (
            spacing[dim] * np.arange(n) for dim, n in zip([d for d in "zyx" if d != normal], plane.shape)
        )
        assert_same_colors(page.colors_at(across, up), colors_of(plane, plane.min(), plane.max()))
        assert f"plane at {normal} = " in page.text("where") and f"(index {place})" in page.text("where")


def test_a_fixed_level_shows_its_samples_at_their_place(browser: Any, ds: esker.Dataset) -> None:
    level = ds["temp"].max_level - 6
    with shown(browser, [ds], f"field=temp&step=0&normal=z&place=5&level={level}") as page:
        assert f"level {level} of {ds['temp'].max_level}" in page.complete()
        found = ds["temp"].select(level=level)
        stride = found.stride
        k = int(page.text("where").partition("(index ")[2].partition(")")[0])
        assert k % stride[2] == 0 and "nearest of this level to" in page.text("where")
        samples = ds["temp"].read(step=0, level=level)[k // stride[2]]
        rows, columns = samples.shape
        colors = page.colors_at(10.0 * stride[0] * np.arange(columns), 10.0 * stride[1] * np.arange(rows))
        assert_same_colors(colors, colors_of(samples, samples.min(), samples.max()))


def test_logarithmic_colors(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=thk&step=0&log=1") as page:
        page.complete()
        values = np.ma.masked_equal(np.ma.masked_invalid(ds["thk"].read(step=0)), -9)
        kept = ~values.mask
        found = page.colors_at(10.0 * np.arange(NX), 10.0 * np.arange(NY))
        assert_same_colors(
            found[kept], colors_of(values.filled(1), values.min(), values.max(), log=True)[kept]
        )


def test_a_link_shows_the_same_picture(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=temp&step=0&normal=y&place=30") as page:
        page.complete()
        page.press("p", "r", "ArrowUp", "ArrowRight", "+")
        page.wait("status", "step 2 of 3")
        page.page.wait_for_url("**window=**")
        page.complete()
        places = 10.0 * np.arange(16, 74), 100.0 * np.arange(2, 9)
        first, (_, window) = page.colors_at(*places), page.pixels()
        query = urlsplit(page.page.url).query
        assert "palette=magma" in query and "place=31" in query and "token" not in query
    with shown(browser, [ds], query) as again:
        again.complete()
        second, (_, same) = again.colors_at(*places), again.pixels()
        assert window == pytest.approx(same) and np.array_equal(first, second)


def test_nothing_comes_from_another_host(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds]) as page:
        page.complete()
        page.press("l", "n", "f", "?")
        page.page.wait_for_timeout(300)
        assert len(page.requests) >= 4
        assert {urlsplit(url).netloc for url in page.requests} == {f"127.0.0.1:{page.server.port}"}
        assert page.errors == []


def test_texts_of_datasets_are_not_html(browser: Any, ds: esker.Dataset, path: Path) -> None:
    with shown(browser, [ds], "field=thk") as page:
        page.complete()
        page.press("f")
        page.wait("title", "temp")
        assert page.page.evaluate("document.body.dataset.bad") is None
        assert page.page.locator("img[src=x]").count() == 0
        assert HOSTILE in page.text("alternative") or "temp" in page.text("alternative")


def test_keys_do_what_the_list_says(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=temp&step=0&normal=z&place=2") as page:
        page.complete()
        for key, name, said in [
            ("ArrowRight", "status", "step 2 of 3"),
            ("ArrowUp", "where", "(index 3)"),
            ("n", "where", "plane at y"),
            ("f", "title", "thk"),
            ("v", "colors", "range of this step"),
            ("v", "colors", "range of all 3 steps"),
            ("v", "colors", "given by hand"),
            ("[", "status", f"level {ds['thk'].max_level - 1} of"),
        ]:
            page.press(key)
            page.wait(name, said)
        page.press("?")
        assert page.page.locator("#help").is_visible() and "logarithmic colors" in page.text("help")
        page.press("Escape")
        page.page.wait_for_function("!document.getElementById('help').open")


@pytest.mark.slow
def test_play_shows_every_step_and_waits_for_pictures(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=thk&step=0") as page:
        page.complete()
        page.press(" ")
        for n in (2, 3, 1):
            page.wait("status", f"step {n} of 3")
        page.press(" ")
        page.page.get_by_role("button", name="Play").wait_for()


@pytest.mark.slow
def test_controls_work_by_mouse(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=thk&step=0") as page:
        page.complete()
        page.page.get_by_label("Field").select_option("temp")
        page.wait("title", "temp")
        page.page.get_by_label("logarithmic").check()
        page.page.wait_for_url("**log=1**")
        page.page.get_by_label("Level").select_option("9")
        page.wait("status", "level 9 of")


def test_the_pointer_reads_the_exact_sample(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=temp&step=1&normal=z&place=4&level=8") as page:
        page.complete()
        x, y, width, height, left, right, bottom, top = page.page.evaluate(FRAME)
        across, up = 371.0, 442.0
        page.page.mouse.move(x + width / 2, y + height / 2)
        page.page.mouse.move(
            x + (across - left) / (right - left) * width, y + (top - up) / (top - bottom) * height
        )
        value = ds["temp"].read(step=1)[4, 44, 37]
        page.wait("cursor", f"{value:.0f} K")
        assert "x = 370 km (index 37), y = 440 km (index 44)" in page.text("cursor")


def test_the_wheel_zooms_to_a_finer_level(browser: Any, tmp_path: Path) -> None:
    y, x = np.mgrid[0:2048, 0:2048]
    esker.write(tmp_path / "a.idx", {"f": (x + y).astype("f4")})
    with shown(browser, [esker.open(tmp_path / "a.idx")]) as page:
        first = page.complete().partition(" ·")[0]
        assert first in ("level 18 of 22", "level 20 of 22")
        x, y, width, height, *_ = page.page.evaluate(FRAME)
        page.page.mouse.move(x + width / 2, y + height / 2)
        for _ in range(6):
            page.page.mouse.wheel(0, -300)
            page.page.wait_for_timeout(60)
        page.wait("status", "level 22 of 22")
        assert "window=" in page.page.url
        page.press("0")
        page.wait("status", first)


def test_a_click_asks_for_series_and_profile(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=temp&step=0&normal=z&place=2") as page:
        page.complete()
        x, y, width, height, *_ = page.page.evaluate(FRAME)
        page.page.mouse.click(x + width / 2, y + height / 2)
        page.wait("answer", "time series and profile at x = ")
        page.press("Escape")
        page.page.wait_for_function("document.getElementById('answer').textContent === ''")


@pytest.mark.slow
def test_the_least_value_of_a_field_is_found_by_mouse(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=temp&step=1&normal=z&place=5") as page:
        page.complete()
        page.page.get_by_role("button", name="Least and greatest value").click()
        page.wait("answer", "least 0 K at x = 0 km (index 0), y = 0 km (index 0)")
        page.page.locator("#greatest").click()
        page.wait("status", "step 3 of 3")
        page.wait("answer", "time series and profile at x = 890 km (index 89)")
        assert "place=11" in page.page.url and "step=2" in page.page.url
        page.page.locator("#least").click()
        page.wait("status", "step 1 of 3")
        page.press("Escape")
        page.page.locator("#extremes").wait_for(state="hidden")
        assert page.errors == []


@pytest.mark.parametrize(
    "form", ["nc", *(pytest.param(one, marks=pytest.mark.slow) for one in ("npy", "csv"))]
)
def test_samples_of_a_box_are_exported(browser: Any, ds: esker.Dataset, tmp_path: Path, form: str) -> None:
    with shown(browser, [ds], "field=thk&step=1&window=95,305,45,205") as page:
        page.complete()
        page.press("b")
        page.wait("answer", "box of ")
        with page.page.expect_download() as download:
            page.page.locator(f"#export-{form}").click()
        download.value.save_as(tmp_path / f"thk.{form}")
    expected = ds["thk"].read(step=1)[5:21, 10:31].astype("f4")
    expected[expected == -9] = np.nan
    if form == "npy":
        found = np.load(tmp_path / "thk.npy")
    elif form == "csv":
        found = np.loadtxt(tmp_path / "thk.csv", delimiter=",", skiprows=1)[:, 2].reshape(expected.shape)
    else:
        field = esker.open(tmp_path / "thk.nc")["thk"]
        found = field.read()
        np.testing.assert_array_equal(field.coords("x"), 10.0 * np.arange(10, 31))
    np.testing.assert_array_equal(found, expected)


def test_the_series_and_the_profile_of_a_sample_are_exported(
    browser: Any, ds: esker.Dataset, tmp_path: Path
) -> None:
    with shown(browser, [ds], "field=temp") as page:
        page.complete()
        page.press("Enter")
        page.wait("answer", "time series and profile at")
        links = page.page.locator("#lines a")
        assert links.all_text_contents() == ["time series .csv", "profile .csv"]
        for number, words in enumerate(("_series_", "_profile_")):
            with page.page.expect_download() as download:
                links.nth(number).click()
            assert words in download.value.suggested_filename
            download.value.save_as(tmp_path / f"{number}.csv")
        rows = np.loadtxt(tmp_path / "0.csv", delimiter=",", skiprows=1)
        assert rows.shape == (len(ds.steps), 2) and rows[:, 0].tolist() == list(ds.steps)
        page.press("Escape")
        page.page.locator("#lines").wait_for(state="hidden")
        assert page.errors == []


def test_links_of_answers_can_be_read_in_dark_mode(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=temp", color_scheme="dark") as page:
        page.complete()
        colors = [
            page.page.evaluate("(id) => getComputedStyle(document.getElementById(id)).color", name)
            for name in ("volume", "export-csv")
        ]
        assert colors == ["rgb(125, 184, 255)"] * 2


@pytest.mark.slow
def test_a_lost_connection_comes_back(
    browser: Any, ds: esker.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    from esker.viewer.serving import server
    from esker.viewer.serving.bundling import Bundle

    sockets: list[Any] = []

    def bundle(connection: Any, socket: Any) -> Bundle:
        sockets.append(socket)
        return Bundle(connection, socket)

    monkeypatch.setattr(server, "Bundle", bundle)
    with shown(browser, [ds], "field=thk&step=1") as page:
        page.complete()
        page.page.evaluate("document.body.dataset.old = 1")
        page.page.evaluate("() => { window.answers = window.fetch; window.fetch = () => Promise.reject() }")
        page.server._loop.add_callback(lambda: [one.close() for one in sockets])
        page.page.wait_for_function("!document.getElementById('lost').hidden", timeout=20000)
        page.page.evaluate("() => { window.fetch = window.answers }")
        page.page.wait_for_function("!document.body.dataset.old", timeout=20000)
        assert "step 2 of 3" in page.complete()


ODD = {
    "one sample": (np.full((1, 1), 7.0), "All values are 7."),
    "all NaN": (np.full((5, 6), np.nan), "There is no finite value."),
    "constant": (np.full((5, 6), 3.0), "All values are 3."),
    "infinite": (np.array([[1.0, np.inf], [2.0, -np.inf]]), "2 samples are infinite"),
    "large": (np.array([[2**53 + 1, 5]]), "Integers beyond 2^53"),
    "thin": (np.zeros((1, 5000)), "All values are 0."),
    "1 axis": (np.zeros(9), "has 1 axis; expected 2 or 3"),
    "4 axes": (np.zeros((2, 3, 4, 5)), "has 4 axes"),
    "5 axes": (np.zeros((2, 1, 2, 1, 2)), "has 5 axes"),
}


@pytest.fixture(scope="module")
def odd_page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """All odd datasets in one server, in the order of ODD."""
    folder = tmp_path_factory.mktemp("odd")
    for number, (array, _) in enumerate(ODD.values()):
        esker.write(folder / f"{number}.idx", {"f": array})
    with shown(browser, [esker.open(folder / f"{n}.idx") for n in range(len(ODD))]) as page:
        yield page


RARE = ("thin", "4 axes", "5 axes")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in RARE)) for name in ODD]
)
def test_odd_data_have_a_sentence(odd_page: Shown, name: str) -> None:
    number = list(ODD).index(name)
    odd_page.page.goto(odd_page.server.url(f"dataset={number}"))
    _, said = ODD[name]
    odd_page.wait("title" if "ax" in name else "notes", said)


def test_logarithms_of_what_is_not_positive(odd_page: Shown) -> None:
    odd_page.page.goto(odd_page.server.url("dataset=5&log=1"))
    odd_page.wait("notes", "No value is above 0, so logarithmic colors show nothing.")
    odd_page.page.goto(odd_page.server.url("dataset=99&step=x"))
    odd_page.wait("notes", "The link names dataset 99; there are 9.")


@pytest.mark.slow
def test_a_lost_file_is_a_sentence(browser: Any, path: Path, tmp_path: Path) -> None:
    shutil.copytree(path.parent, tmp_path / "copy")
    damaged = esker.open(tmp_path / "copy" / path.name)
    for file in (tmp_path / "copy").rglob("*.bin"):
        file.write_bytes(b"")
    with shown(browser, [damaged], "field=thk") as page:
        page.wait("notes", ".bin")
        assert "Traceback" not in page.text("notes")
