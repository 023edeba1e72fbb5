"""`esker movie`: the pictures of all steps in an MP4 or a GIF file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import esker
from esker.cli import esker as command
from esker.plot import encoders, movies, planes

pytest.importorskip("matplotlib")
pytest.importorskip("PIL")
STEPS = 5
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A map that is one number at each step, with 9 in a corner; a volume that is not written at step 1; a fixed map."""
    path = tmp_path_factory.mktemp("movie") / "run.idx"
    with esker.Writer(path, dims={"x": 30, "y": 20, "z": 6}, report="none") as writer:
        xy = writer.grid("xy", ("x", "y"))
        mask = writer.field("mask", "i2", grid=xy, fixed=True)
        thk = writer.field("thk", "f4", grid=xy, units="m")
        temp = writer.field("temp", "f4", every=2, components=2)
        for number in range(STEPS):
            with writer.step(10.0 * number) as step:
                values = np.full((20, 30), number, "f4")
                values[0, 0] = 9
                step.put(thk, values)
                if number % 2 == 0:
                    step.put(temp, np.full((6, 20, 30, 2), number, "f4"))
                if number == 0:
                    step.put(mask, np.ones((20, 30), "i2"))
    return path


@pytest.fixture
def ffmpeg(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> str:
    """The program; the one of imageio-ffmpeg comes first in PATH."""
    program = pytest.importorskip("imageio_ffmpeg").get_ffmpeg_exe()
    folder = tmp_path_factory.mktemp("bin")
    (folder / "ffmpeg").symlink_to(program)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return str(folder / "ffmpeg")


@pytest.fixture
def no_ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


def middle(picture: np.ndarray) -> np.ndarray:
    """The color near the middle of the axes, which are left of the color bar."""
    rows, columns, _ = picture.shape
    return picture[rows // 2, int(columns * 0.4)].astype(int)


def color(value: float, low: float, high: float, cmap: str = "viridis") -> np.ndarray:
    import matplotlib

    return np.round(255 * np.array(matplotlib.colormaps[cmap]((value - low) / (high - low))[:3])).astype(int)


def frames_of_gif(file: Path) -> list[np.ndarray]:
    from PIL import Image, ImageSequence

    with Image.open(file) as image:
        return [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(image)]


def frames_of_mp4(file: Path, program: str, shape: tuple[int, ...]) -> list[np.ndarray]:
    command = [program, "-v", "error", "-i", str(file), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    found = np.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, np.uint8)
    return list(found.reshape(-1, *shape))


def test_pictures_have_the_colors_of_all_steps(path: Path) -> None:
    movie = movies.Movie(esker.open(path)["thk"], range(STEPS))
    colors = movies.range_of(movie)
    assert (colors.low, colors.high, colors.source) == (0, 9, "range of 5 steps")
    made = list(movies.pictures(movie, colors))
    assert len(made) == STEPS and len({picture.shape for picture in made}) == 1
    for value, picture in enumerate(made):
        np.testing.assert_allclose(middle(picture), color(value, 0, 9), atol=2)


def test_the_range_of_large_planes_is_that_of_a_coarse_level(tmp_path: Path) -> None:
    values = np.zeros((600, 700), "f4")
    values[1, 1] = 1000  # on no coarse level
    values[512, 512] = 5
    esker.write(tmp_path / "a.idx", {"f": values})
    movie = movies.Movie(esker.open(tmp_path / "a.idx")["f"], [0])
    colors = movies.range_of(movie)
    assert (colors.low, colors.high) == (0, 5)
    assert colors.source == f"range of 1 step at level 17 of {movie.field.max_level}"


def test_texts_are_not_formulas(tmp_path: Path) -> None:
    """Those of matplotlib would end in an error of its parser."""
    text = "$\\no such formula$"
    units = {"x": {"units": text}, "y": {"units": text}}
    coords = {"x": np.arange(4.0), "y": np.arange(4.0)}
    with esker.Writer(tmp_path / "a.idx", dims={"x": 4, "y": 4}, coords=coords, attrs=units) as writer:
        field = writer.field("f", "f4", long_name=text, units=text)
        with writer.step(0.0) as step:
            step.put(field, np.ones((4, 4), "f4"))
    movie = movies.Movie(esker.open(tmp_path / "a.idx")["f"], [0])
    assert len(list(movies.pictures(movie, movies.range_of(movie)))) == 1


def test_logarithms(path: Path, tmp_path: Path) -> None:
    movie = movies.Movie(esker.open(path)["thk"], [0, 1, 2], log=True)
    colors = movies.range_of(movie)
    assert (colors.low, colors.high) == (1, 9)
    first, *_ = movies.pictures(movie, colors)
    assert (middle(first) == 255).all(), "0 has no logarithm"
    esker.write(tmp_path / "a.idx", {"f": np.zeros((4, 4))})
    with pytest.raises(ValueError, match="no finite value above 0"):
        movies.range_of(movies.Movie(esker.open(tmp_path / "a.idx")["f"], [0], log=True))


def test_gif(esker_command: Run, path: Path, tmp_path: Path) -> None:
    done = esker_command("movie", path, "a.gif", "--fps", "4")
    assert done.returncode == 0 and done.stdout == "a.gif\n" and done.stderr == "", done.stderr
    found = frames_of_gif(tmp_path / "a.gif")
    movie = movies.Movie(esker.open(path)["thk"], range(STEPS))
    expected = list(movies.pictures(movie, movies.range_of(movie)))
    assert len(found) == STEPS
    for value, (picture, made) in enumerate(zip(found, expected)):
        np.testing.assert_allclose(middle(picture), color(value, 0, 9), atol=6)
        assert np.abs(picture.astype(int) - made).mean() < 2 and (picture[0, 0] == 255).all()
    from PIL import Image

    with Image.open(tmp_path / "a.gif") as image:
        assert image.info["duration"] == 250 and image.info["loop"] == 0
    assert {file.name for file in tmp_path.iterdir()} == {"a.gif"}


def test_mp4(esker_command: Run, path: Path, tmp_path: Path, ffmpeg: str) -> None:
    done = esker_command("movie", path, "-5.MP4", "--range", "-1:4", "--cmap", "magma", "--json")
    assert done.returncode == 2, "names like options need --"
    options = ["--range", "-1:4", "--cmap", "magma", "--steps", "1:", "--json"]
    done = esker_command("movie", *options, "--", path, "-5.MP4")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts == {
        "output": "-5.MP4", "field": "thk", "pictures": 4, "low": -1, "high": 4, "range": "given",
    }  # fmt: skip
    movie = movies.Movie(esker.open(path)["thk"], range(1, STEPS), cmap="magma")
    made = next(movies.pictures(movie, movies.ColorRange(-1, 4, "given")))
    rows, columns = (size + size % 2 for size in made.shape[:2])
    found = frames_of_mp4(tmp_path / "-5.MP4", ffmpeg, (rows, columns, 3))
    assert len(found) == 4
    for value, picture in enumerate(found, start=1):
        np.testing.assert_allclose(middle(picture), color(value, -1, 4, "magma"), atol=8)


def test_without_ffmpeg_it_is_a_gif(esker_command: Run, path: Path, tmp_path: Path, no_ffmpeg: None) -> None:
    done = esker_command("movie", path, "a.mp4", "--steps", "0:2")
    assert done.returncode == 0 and done.stdout == "a.gif\n"
    assert done.stderr == "esker: ffmpeg is not in PATH, so the movie becomes a.gif\n"
    assert len(frames_of_gif(tmp_path / "a.gif")) == 2 and not (tmp_path / "a.mp4").exists()
    assert esker_command("movie", path, "a.mp4").returncode == 2, "a.gif exists"


def test_steps_component_section_and_level(esker_command: Run, path: Path, tmp_path: Path) -> None:
    options = ["--field", "temp", "--component", "1", "--section", "y=8", "--level", "7", "--json"]
    done = esker_command("movie", path, "a.gif", *options)
    facts = json.loads(done.stdout)
    assert facts["pictures"] == 3 and facts["field"] == "temp" and (facts["low"], facts["high"]) == (0, 4)
    assert facts["range"].startswith("range of 3 steps at level 7 of ")
    np.testing.assert_allclose(middle(frames_of_gif(tmp_path / "a.gif")[1]), color(2, 0, 4), atol=6)
    assert movies.written_steps(esker.open(path)["temp"], slice(None, None, -2)) == [4, 2, 0]


def test_wrong_arguments_leave_nothing(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.gif").write_text("old")
    cases = {
        ("a.avi",): "unknown suffix '.avi'; expected .mp4 or .gif",
        ("a",): "unknown suffix ''",
        ("old.gif",): "old.gif exists; choose another name or give --overwrite",
        ("none/a.gif",): "none: no such directory",
        ("a.gif", "--field", "nothing"): "nothing",
        ("a.gif", "--field", "mask"): "the field is fixed, so it has one picture",
        ("a.gif", "--field", "temp", "--steps", "1:2"): "not written at any of the selected steps",
        ("a.gif", "--steps", "3"): "expected positions such as 0:100",
        ("a.gif", "--steps", "0:4:0"): "expected positions",
        ("a.gif", "--range", "3:3"): "expected two values",
        ("a.gif", "--range", "nan:3"): "expected two values",
        ("a.gif", "--fps", "0"): "--fps",
        ("a.gif", "--level", "99"): "level",
        ("a.gif", "--section", "z=1"): "a section needs a field with 3 dimensions",
        ("a.gif", "--cmap", "nothing"): "unknown color map",
    }
    for arguments, said in cases.items():
        done = CliRunner().invoke(command, ["movie", str(path), *arguments])
        assert done.exit_code == 2 and said in done.stderr, (arguments, done.stderr)
    assert {file.name for file in tmp_path.iterdir()} == {"old.gif"}
    assert (tmp_path / "old.gif").read_text() == "old"
    done = CliRunner().invoke(command, ["movie", str(path), "old.gif", "--overwrite", "--steps", ":1"])
    assert done.exit_code == 0 and (tmp_path / "old.gif").read_bytes().startswith(b"GIF89a")


def test_a_failing_ffmpeg_is_an_error(
    esker_command: Run, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "ffmpeg"
    program.write_text("#!/bin/sh\necho no such encoder >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    done = esker_command("movie", path, "a.mp4")
    assert done.returncode == 1 and "ffmpeg ended with status 3: no such encoder" in done.stderr
    assert {file.name for file in tmp_path.iterdir()} == {"bin"}


@pytest.mark.parametrize("name", ["a.gif", "a.mp4"])
def test_ctrl_c_removes_what_is_not_complete(
    tmp_path: Path, request: pytest.FixtureRequest, name: str
) -> None:
    if name == "a.mp4":
        request.getfixturevalue("ffmpeg")
    with esker.Writer(tmp_path / "long.idx", dims={"x": 64, "y": 64}, report="none") as writer:
        field = writer.field("f", "f4")
        for number in range(400):
            with writer.step(float(number)) as step:
                step.put(field, np.full((64, 64), number, "f4"))
    before = {file.name for file in tmp_path.iterdir()}
    program = Path(sys.executable).parent / "esker"
    process = subprocess.Popen(
        [program, "movie", "long.idx", name, "--range", "0:400"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 60
    while not any(file.stat().st_size for file in tmp_path.glob(f".{name}.*.partial/{name}")):
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said
    assert {file.name for file in tmp_path.iterdir()} == before


def test_no_more_than_three_pictures_are_in_memory(tmp_path: Path) -> None:
    """The first one, which has the colors, the one that is drawn, and the one that is written."""
    made: list[weakref.ref[np.ndarray]] = []

    def pictures() -> Iterator[np.ndarray]:
        for number in range(6):
            picture = np.full((32, 32, 3), number, np.uint8)
            made.append(weakref.ref(picture))
            assert sum(one() is not None for one in made) <= 3
            yield picture

    encoders.write_movie(tmp_path / "a.gif", pictures(), 10)
    assert len(frames_of_gif(tmp_path / "a.gif")) == 6


@pytest.mark.parametrize(
    ("values", "log", "ends"),
    [
        ([1e-9, 1.0], True, (1e-4, 1)), ([273.0, 273.0], True, (273 / 10**0.5, 273 * 10**0.5)),
        ([1e-12, 1e-12], False, (5e-13, 1.5e-12)),
    ],
)  # fmt: skip
def test_the_range_that_is_said_is_that_of_the_colors(
    tmp_path: Path, values: list[float], log: bool, ends: tuple[float, float]
) -> None:
    esker.write(tmp_path / "a.idx", {"a": np.resize(values, (4, 6))})
    movie = movies.Movie(esker.open(tmp_path / "a.idx")["a"], [0], log=log)
    colors = movies.range_of(movie)
    assert (colors.low, colors.high) == pytest.approx(ends)
    assert next(movies.pictures(movie, colors)).ndim == 3
    with pytest.raises(ValueError, match="above 0 for logarithmic colors, found -5:-1"):
        movies.given_range(-5, -1, log=True)


@pytest.mark.parametrize(("field", "section"), [("thk", None), ("temp", None), ("temp", ("y", 8))])
def test_the_level_of_a_picture_is_known_without_reading(
    path: Path, field: str, section: tuple[str, int] | None
) -> None:
    movie = movies.Movie(esker.open(path)[field], [0], section=section)
    assert planes.picture_level(movie.field, 0, section) == movie.plane(0, None).level
