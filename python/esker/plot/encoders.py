"""Pictures as an MP4 file, by the program ffmpeg, or as a GIF file, by Pillow. Both need memory for one picture only."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from esker.plot.movies import Picture

if TYPE_CHECKING:
    from PIL.Image import Image as GifImage

FORMATS = (".mp4", ".gif")
MAX_GIF_FPS = 50
"""GIF counts in hundredths of a second, and viewers slow down shorter pictures."""
_COLORS = 256
_NEARLY_WHITE = 250


def ffmpeg() -> str | None:
    """The program, or None without it."""
    return shutil.which("ffmpeg")


def write_movie(path: Path, pictures: Iterable[Picture], fps: int) -> None:
    """Writes pictures of one size; the suffix chooses the format. Raises OSError, RuntimeError, FileNotFoundError without
    ffmpeg."""
    iterator = iter(pictures)
    first = next(iterator)
    with (_mp4 if path.suffix.lower() == ".mp4" else _gif)(path, first, fps) as add:
        for picture in chain([first], iterator):
            add(picture)


@contextmanager
def _mp4(path: Path, first: Picture, fps: int) -> Iterator[Callable[[Picture], None]]:
    program = ffmpeg()
    if program is None:
        raise FileNotFoundError("ffmpeg is not in PATH")
    height, width, _ = first.shape
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(fps), "-i", "-"]
    even = "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white"  # as most players need it
    coded = ["-an", "-vf", even, "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]
    command = [program, "-v", "error", "-nostdin", "-y", *raw, *coded, f"file:{path}"]
    with tempfile.TemporaryFile() as said:
        # In a separate session, so that Ctrl-C reaches this process alone, which then ends ffmpeg.
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True
        )
        assert process.stdin is not None
        pipe = process.stdin
        try:
            try:
                yield lambda picture: _send(pipe, picture)
                pipe.close()
            except BrokenPipeError:
                pass  # it ended; its status and message say why
            status = process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        if status:
            said.seek(0)
            lines = said.read().decode("utf-8", "replace").strip().splitlines() or ["no message"]
            raise RuntimeError(f"ffmpeg ended with status {status}: {lines[-1]}")


def _send(pipe: IO[bytes], picture: Picture) -> None:
    pipe.write(picture.tobytes())


@contextmanager
def _gif(path: Path, first: Picture, fps: int) -> Iterator[Callable[[Picture], None]]:
    """All pictures have the colors of the first one, whose color bar has all that the others need."""
    from PIL import GifImagePlugin, Image

    palette = Image.fromarray(first).quantize(_COLORS, dither=Image.Dither.NONE)
    _whiten(palette)
    duration = round(100 / min(fps, MAX_GIF_FPS)) * 10

    def add(picture: Picture) -> None:
        image = Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)
        for part in GifImagePlugin.getdata(image, duration=duration):
            file.write(part)

    with path.open("wb") as file:
        for part in GifImagePlugin.getheader(palette.copy(), info={"loop": 0})[0]:
            file.write(part)
        yield add
        file.write(b";")


def _whiten(image: GifImage) -> None:
    """Makes the nearly white colors of a palette white: Pillow rounds colors, and may take the wrong one of several."""
    colors = np.array(image.getpalette(), np.uint8).reshape(-1, 3)
    colors[(colors >= _NEARLY_WHITE).all(axis=1)] = 255
    image.putpalette(colors.tobytes())
