"""The page of volumes in headless Chromium: what is drawn where, what is said, and that nothing else is loaded."""

from __future__ import annotations

import importlib.util
import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from browser import Shown, shown
from numpy.typing import NDArray

import esker

pytest.importorskip("bokeh")
if importlib.util.find_spec("panel") is None:  # importing it would change the pages of Bokeh in this process
    pytest.importorskip("panel")
from esker.viewer.scenes.colors import palette  # noqa: E402
from esker.viewer.solids import volume_page, vtkjs  # noqa: E402
from esker.viewer.solids.volume_samples import read_codes  # noqa: E402

N = 24
HOSTILE = '<img src=x onerror="document.body.dataset.bad=1">'
CORNER = {"x": slice(18, 23), "y": slice(2, 6), "z": slice(17, 23)}
"""Of the bright samples of `spot`: high x, low y, high z."""


@pytest.fixture(scope="module")
def ds(tmp_path_factory: pytest.TempPathFactory) -> esker.Dataset:
    """`spot`: dark but for a corner, y decreasing. `ball`: distance from the middle, NaN where x is high. Hostile texts."""
    path = tmp_path_factory.mktemp("page") / "run.idx"
    coords = {"x": 1.0 * np.arange(N), "y": -1.0 * np.arange(N), "z": 1.0 * np.arange(N)}
    attrs = {"x": {"units": HOSTILE}, "title": HOSTILE}
    spot = np.zeros((N, N, N), "f4")
    spot[CORNER["z"], N - CORNER["y"].stop : N - CORNER["y"].start, CORNER["x"]] = 8
    z, y, x = np.mgrid[0:N, 0:N, 0:N] - (N - 1) / 2
    ball = np.hypot(np.hypot(x, y), z).astype("f4")
    ball[:, :, N // 2 :] = np.nan
    with esker.Writer(
        path, dims=dict.fromkeys("xyz", N), coords=coords, attrs=attrs, report="none"
    ) as writer:
        fields = [writer.field(name, "f4", attrs={"units": HOSTILE}) for name in ("spot", "ball")]
        flat = writer.field("map", "f4", grid=writer.grid("xy", ("x", "y")))
        for n in range(3):
            with writer.step(n) as step:
                step.put(fields[0], spot + n)
                step.put(fields[1], ball)
                step.put(flat, spot[0])
    return esker.open(path)


@pytest.fixture(scope="module")
def page(browser: Any, ds: esker.Dataset) -> Iterator[Shown]:
    """A browser that has loaded vtk.js; go() shows other links."""
    with shown(browser, [ds], "field=spot&step=0", route="volume") as found:
        found.complete()
        yield found
        assert found.errors == []


def go(page: Shown, query: str) -> None:
    """Opens a link, and waits for the whole picture."""
    page.go(query, "volume")
    page.complete()


def colors(page: Shown) -> tuple[NDArray[np.int64], tuple[float, float]]:
    """The pixels of the picture, and where it begins."""
    from PIL import Image

    box = page.page.locator("#view").bounding_box()
    image = Image.open(io.BytesIO(page.page.screenshot())).convert("RGB")
    x, y = box["x"], box["y"]
    part = image.crop((round(x), round(y), round(x + box["width"]), round(y + box["height"])))
    return np.asarray(part).astype(int), (x, y)


def color_at(page: Shown, place: tuple[float, float, float]) -> NDArray[np.int64]:
    """The color where a place of the box is drawn: from 0 to 1 along each axis."""
    scaled = f"{[*place]}.map((share, k) => share * volumePage.state.scene.frame.sizes[k])"
    x, y = page.page.evaluate(f"volumePage.state.window.onScreen({scaled})")
    return colors(page)[0][round(y), round(x)]


def near(found: NDArray[np.int64], color: str, most: int = 6) -> bool:
    wanted = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return bool(np.abs(found - wanted).max() <= most)


VIRIDIS = palette("viridis", False)


def test_a_bright_corner_appears_at_its_corner(page: Shown, ds: esker.Dataset) -> None:
    go(page, "field=spot&step=0")
    middle = {dim: (part.start + part.stop - 1) / 2 / (N - 1) for dim, part in CORNER.items()}
    for key, across, up in (("y", "x", "z"), ("z", "x", "y"), ("x", "y", "z")):
        page.press(key)
        page.page.wait_for_timeout(100)
        image, _ = colors(page)
        rows, columns = np.nonzero(np.abs(image - [253, 231, 37]).max(axis=-1) <= 6)
        height, width = image.shape[:2]
        assert len(rows) > 100
        assert (columns.mean() > width / 2) == (middle[across] > 0.5), (key, across)
        assert (rows.mean() < height / 2) == (middle[up] > 0.5), (key, up)
        place = tuple(0.5 if dim not in (across, up) else middle[dim] for dim in "xyz")
        assert near(color_at(page, place), VIRIDIS[-1])
        mirrored = tuple(1 - one for one in place)
        assert near(color_at(page, mirrored), VIRIDIS[0])


def test_samples_without_a_value_are_transparent(page: Shown, ds: esker.Dataset) -> None:
    go(page, "field=ball&step=0&mode=surface&value=6")
    page.press("y")
    page.page.wait_for_timeout(100)
    image, _ = colors(page)
    white = (image >= 250).all(axis=-1)
    half, middle = image.shape[1] // 2, image.shape[0] // 2
    inner = slice(middle - 20, middle + 20)
    assert not white[inner, half - 60 : half - 10].any(), "the surface"
    assert white[inner, half + 15 : half + 60].all(), (
        "no surface where samples have no value, nor next to them"
    )
    assert page.text("kinds").startswith("transparent: NaN 50 %")
    for mode in ("maximum", "minimum", "composite"):
        page.page.locator("#c-mode").select_option(mode)
        page.page.wait_for_timeout(200)
        assert near(color_at(page, (0.75, 0.5, 0.5)), "#ffffff"), mode
        assert not near(color_at(page, (0.2, 0.5, 0.5)), "#ffffff"), mode


@pytest.mark.slow
def test_the_surface_follows_its_value(page: Shown, ds: esker.Dataset) -> None:
    go(page, "field=ball&step=0&mode=surface&value=4")
    page.press("y")
    sizes = []
    for _ in range(3):
        page.page.wait_for_timeout(150)
        sizes.append(int((colors(page)[0] < 250).all(axis=-1).sum()))
        page.press("ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp")
    assert sizes[0] < sizes[1] < sizes[2]
    assert "value=" in page.page.url
    page.go("field=ball&mode=surface&range=hand&low=50&high=90", "volume")
    page.wait("notes", "This volume has no values on both sides of 70")


@pytest.mark.slow
def test_a_link_shows_the_same_picture(page: Shown) -> None:
    go(page, "field=spot&step=0")
    page.press("p", "a", "ArrowRight", "m", "m")
    page.wait("status", "step 2 of 3")
    page.complete()
    page.page.wait_for_timeout(500)
    first, query = colors(page)[0], urlsplit(page.page.url).query
    assert {"camera", "mode", "palette"} <= {part.partition("=")[0] for part in query.split("&")}
    assert "token" not in query and "texture" not in query
    go(page, query)
    page.page.wait_for_timeout(200)
    differing = np.abs(colors(page)[0] - first).max(axis=-1) > 24
    assert differing.mean() < 1e-3, "but for edges: the camera of a link is rounded"


@pytest.mark.slow
def test_keys_count_while_the_server_is_slow(page: Shown) -> None:
    go(page, "field=spot&step=0")
    page.page.evaluate("""() => {
      const fast = fetch
      window.fetch = async (...rest) => { await new Promise((done) => setTimeout(done, 1000)); return fast(...rest) }
    }""")
    page.press("ArrowRight", "a")
    page.page.wait_for_timeout(500)  # until the camera has come to rest
    page.press("ArrowRight", "m", "m")
    page.wait("status", "step 3 of 3")
    assert "mode=composite" in page.page.url and "camera=" in page.page.url


@pytest.mark.slow
def test_pages_link_to_each_other_and_keep_field_and_step(browser: Any, ds: esker.Dataset) -> None:
    with shown(browser, [ds], "field=ball&step=1&palette=magma") as page:
        page.complete()
        page.page.locator("#volume").click()
        page.wait("status", "complete")
        assert "/volume?" in page.page.url and page.text("title").startswith("ball")
        page.press("m")
        page.page.locator("#planes").click()
        page.wait("status", " per pixel")
        assert (
            "field=ball" in page.page.url and "palette=magma" in page.page.url and "step=1" in page.page.url
        )
        page.go("field=map")
        page.wait("title", "map")
        assert not page.page.locator("#volume").is_visible()


def test_nothing_comes_from_another_host_and_texts_are_not_html(page: Shown) -> None:
    go(page, f"field=spot&mode={HOSTILE}")
    page.press("m", "f", "l", "?")
    page.page.wait_for_timeout(300)
    hosts = {urlsplit(url).netloc for url in page.requests if not url.startswith("data:")}
    assert hosts == {f"127.0.0.1:{page.server.port}"}
    assert page.page.locator("img").count() == 0 and HOSTILE in page.text("labels")
    assert page.page.evaluate("document.body.dataset.bad") is None
    assert page.page.locator("#help").is_visible() and "isosurface" in page.text("help")


@pytest.mark.slow
def test_levels_components_and_boxes_by_hand(page: Shown, ds: esker.Dataset) -> None:
    most = ds["spot"].max_level
    go(page, "field=spot&step=0")
    page.press("[")
    page.wait("status", f"level {most - 1} of {most}")
    page.press("\\")
    page.wait("status", f"level {most} of {most}")
    page.page.get_by_label("last x").fill("11")
    page.page.get_by_label("last x").press("Enter")
    page.wait("status", "12 × 24 × 24 samples")
    assert "box of the indices x 0 to 11" in page.text("where")
    assert "greatest value 0 at" in page.text("alternative")
    page.wait("notes", "All values are 0.")


@pytest.mark.slow
def test_odd_datasets_have_sentences(browser: Any, tmp_path: Path) -> None:
    arrays = [np.full((3, 4, 5), np.nan), np.zeros((4, 5)), np.full((1, 4, 5), np.inf), np.ones((1, 1, 1))]
    for number, array in enumerate(arrays):
        esker.write(tmp_path / f"{number}.idx", {"f": array})
    datasets = [esker.open(tmp_path / f"{number}.idx") for number in range(len(arrays))]
    with shown(browser, datasets, route="volume") as page:
        page.wait("notes", "There is no finite value.")
        for number, name, said in (
            (1, "why", "f has 2 axes; a volume needs 3"),
            (2, "notes", "There is no finite value."),
            (3, "notes", "All values are 1."),
        ):
            page.go(f"dataset={number}", "volume")
            page.wait(name, said)
        assert page.errors == []


@pytest.mark.slow
def test_without_webgl_or_vtkjs_there_is_a_sentence(
    browser: Any, ds: esker.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shown(browser, [ds], "field=spot", route="volume") as page:
        page.complete()
        page.page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
        page.page.reload()
        page.wait("why", "This browser has no WebGL 2")
        monkeypatch.setattr(vtkjs, "library", lambda: None)
        page.page.reload()
        page.wait("why", "pip install 'esker[view3d]'")
        assert page.page.locator("script[src^='vtk.js']").count() == 0


@pytest.mark.slow
def test_play_shows_every_step(page: Shown, ds: esker.Dataset) -> None:
    go(page, "field=spot&step=0")
    page.press(" ")
    for n in (2, 3, 1):
        page.wait("status", f"step {n} of 3")
    page.press(" ")
    page.page.get_by_role("button", name="Play").wait_for()


@pytest.mark.slow
def test_a_coarse_picture_comes_first(browser: Any, tmp_path: Path) -> None:
    z, y, x = np.mgrid[0:80, 0:80, 0:80]
    esker.write(tmp_path / "a.idx", {"f": (x + y + z).astype("f4")})
    field = esker.open(tmp_path / "a.idx")["f"]
    with shown(browser, [field.dataset], "field=f", route="volume") as page:
        page.page.add_init_script(
            "addEventListener('load', () => { window.said = []; new MutationObserver(() => said.push("
            "document.getElementById('status').textContent)).observe(document.getElementById('status'), {childList: true}) })"
        )
        page.complete()
        page.go("field=f", "volume")
        assert f"level {field.max_level} of {field.max_level}" in page.complete()
        said = page.page.evaluate("window.said")
        assert any(f"refining to level {field.max_level}" in one and "level 1" in one for one in said), said
        assert [url.rpartition("=")[2] for url in page.requests if "volume-samples" in url][-2:] == ["0", "1"]


@pytest.mark.slow
def test_lost_files_are_a_sentence(browser: Any, ds: esker.Dataset, tmp_path: Path) -> None:
    folder = Path(ds.path).parent
    shutil.copytree(folder, tmp_path / "copy")
    damaged = esker.open(tmp_path / "copy" / Path(ds.path).name)
    for file in (tmp_path / "copy").rglob("*.bin"):
        file.write_bytes(b"")
    with shown(browser, [damaged], "field=spot", route="volume") as page:
        page.wait("notes", ".bin")
        assert "Traceback" not in page.text("notes")


def write_steps(path: Path, steps: int) -> None:
    """A volume and a map, at steps whose values differ."""
    with esker.Writer(path, dims={"x": 12, "y": 10, "z": 8}, report="none") as writer:
        field = writer.field("f", "f4")
        for n in range(steps):
            with writer.step(n) as step:
                step.put(field, np.arange(960, dtype="f4").reshape(8, 10, 12) + n)


@pytest.mark.slow
def test_a_page_goes_on_after_a_failed_read(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The picture of another step does not stay, nothing is said of it, and what can be read again is read again."""
    write_steps(tmp_path / "run.idx", 3)
    lost = {1}

    def read(field: esker.Field, request: Any, *rest: Any) -> Any:
        if request.step in lost:
            raise OSError("the disk is gone")
        return read_codes(field, request, *rest)

    monkeypatch.setattr(volume_page, "read_codes", read)
    with shown(browser, [esker.open(tmp_path / "run.idx")], "field=f&step=0", route="volume") as page:
        page.complete()
        page.press("ArrowRight")
        page.wait("notes", "The volume could not be read: the disk is gone")
        for name in ("status", "colors", "alternative", "bar-low", "bar-high"):
            assert page.text(name) == "", name
        assert near(color_at(page, (0.5, 0.5, 0.5)), "#ffffff")
        page.press("r")
        page.page.locator("#c-range").select_option("hand")
        page.press("ArrowDown")
        page.wait("notes", "the disk is gone")
        page.page.locator("#c-step").press("ArrowRight")
        page.wait("status", "step 3 of 3")
        page.complete()
        assert page.text("notes") == "" and not page.page.locator("#again").is_visible()
        page.page.locator("#c-step").press("ArrowLeft")
        page.wait("notes", "the disk is gone")
        lost.clear()
        page.page.locator("#again").click()
        page.wait("status", "step 2 of 3")
        page.complete()
        lost |= {0, 2}
        page.server.reader.forget()
        page.page.locator("#play").click()
        page.wait("notes", "the disk is gone")
        assert page.text("play") == "Play" and page.errors == []


@pytest.mark.slow
def test_a_page_goes_on_when_the_server_answers_again(page: Shown) -> None:
    go(page, "field=spot&step=0")
    page.page.route("**/volume-s*", lambda route: route.abort())
    page.page.route("**/changes", lambda route: route.abort())
    page.press("ArrowRight")
    page.wait("notes", "The server did not answer.")
    page.page.locator("#lost").wait_for()
    page.page.unroute("**/volume-s*")
    page.page.unroute("**/changes")
    page.wait("status", "step 2 of 3")
    page.complete()
    assert not page.page.locator("#lost").is_visible() and page.text("notes") == ""
    page.errors.clear()  # of Chromium, about the requests


@pytest.mark.slow
def test_new_steps_of_a_running_model_come(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from esker.viewer.serving import server

    monkeypatch.setattr(server, "EVERY_S", 0.2)
    path = tmp_path / "run.idx"
    write_steps(path, 2)
    with shown(browser, [esker.open(path)], "field=f&step=0", route="volume") as page:
        page.wait("status", "step 1 of 2")
        page.press("h")
        page.wait("status", "step 2 of 2")
        page.complete()
        assert page.page.locator("#c-follow").is_checked() and "follow=1" in page.page.url
        with esker.Writer.append(path, report="none") as writer, writer.step(2.0) as step:
            step.put("f", np.full((8, 10, 12), 7, "f4"))
        page.wait("status", "step 3 of 3")
        page.wait("notes", "All values are 7.")
        path.write_bytes(b"(version)\n6\n")
        page.wait("notes", "run.idx changed and cannot be opened")
        assert "complete" in page.text("status") and page.errors == []


def test_the_color_bar_is_flat_on_narrow_screens(browser: Any, ds: esker.Dataset) -> None:
    with shown(
        browser, [ds], "field=spot&step=0", route="volume", viewport={"width": 320, "height": 640}
    ) as page:
        page.complete()
        bar, charts = (page.page.locator(one).bounding_box() for one in ("#bar", "#charts"))
        assert bar["height"] < 20 < 100 < bar["width"] and charts["height"] < 140 and charts["width"] <= 320
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 320
        page.page.set_viewport_size({"width": 1024, "height": 768})
        bar = page.page.locator("#bar").bounding_box()
        assert bar["width"] < 20 < 100 < bar["height"]
