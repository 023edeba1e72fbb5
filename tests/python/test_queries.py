"""Field.read and Field.refine beyond a box at a level: strides, missing blocks, progress, statistics, threads."""

from __future__ import annotations

import itertools
import os
import pickle
import random
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

SHAPE = (37, 50, 61)


@pytest.fixture(scope="module")
def samples() -> np.ndarray[Any, Any]:
    return np.random.default_rng(7).random(SHAPE)


@pytest.fixture(scope="module", params=["idx", "cdf5", "netcdf4"])
def field(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, samples: Any
) -> esker.Field:
    path = tmp_path_factory.mktemp("queries") / ("run.idx" if request.param == "idx" else "run.nc")
    options = {"bits_per_block": 9} if request.param == "idx" else {}
    esker.write(path, {"temp": samples}, format=request.param, **options)
    return esker.open(path, threads=3)["temp"]


def random_boxes(count: int) -> list[esker.base.boxes.Box]:
    draw = random.Random(5)
    boxes = []
    for _ in range(count):
        corners = [sorted(draw.sample(range(size + 1), 2)) for size in reversed(SHAPE)]
        boxes.append((tuple(lo for lo, _ in corners), tuple(hi for _, hi in corners)))
    return boxes


def test_any_stride(field: esker.Field, samples: Any) -> None:
    draw = random.Random(6)
    for box in [None, *random_boxes(30)]:
        stride = tuple(draw.randint(1, 9) for _ in range(3))
        lo, hi = box if box else ((0, 0, 0), SHAPE[::-1])
        index = tuple(slice(-(-l // s) * s, h, s) for l, h, s in zip(lo, hi, stride))[::-1]
        assert np.array_equal(field.read(box=box, stride=stride), samples[index])
        selection = field.select(box=box, stride=stride)
        assert selection.stride == stride
        assert selection.shape == samples[index].shape


@pytest.mark.parametrize("stride", [61, 2**31, 2**62, 2**63 - 1])
def test_a_stride_beyond_the_grid_leaves_one_sample(field: esker.Field, samples: Any, stride: int) -> None:
    assert np.array_equal(field.read(stride=(stride,) * 3), samples[:1, :1, :1])


def test_the_coarsest_level_that_has_the_stride_is_read(field: esker.Field) -> None:
    assert field.select(stride=(1, 1, 1)).level == field.max_level
    coarse = field.select(level=field.max_level - 6)
    assert field.select(stride=coarse.stride).level == coarse.level
    few, all_of_it = esker.ReadStatistics(), esker.ReadStatistics()
    field.read(stride=(8, 8, 8), statistics=few)
    field.read(statistics=all_of_it)
    assert 0 < few.bytes <= all_of_it.bytes
    assert all_of_it.bytes >= 8 * np.prod(SHAPE)


@pytest.mark.parametrize("stride", [(0, 1, 1), (1, 1), (1, -1, 1)])
def test_strides_that_are_none(field: esker.Field, stride: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="stride"):
        field.read(stride=stride)


def test_a_level_and_strides(field: esker.Field) -> None:
    with pytest.raises(ValueError, match="a level and strides"):
        field.read(level=3, stride=(1, 1, 1))


@pytest.mark.parametrize("every", [None, 1, 2, 5])
def test_refining_reads_what_is_added(field: esker.Field, every: int | None) -> None:
    for box, start in itertools.product([None, *random_boxes(4)], [0, 5]):
        levels = []
        for level, array in field.refine(box=box, start=start, every=every):
            assert np.array_equal(array, field.read(box=box, level=level)), (box, level)
            levels.append(level)
        assert levels[-1] == field.max_level
        assert levels[0] < start + (every or 3)


def test_refining_costs_hardly_more_than_reading(tmp_path: Path, samples: Any) -> None:
    esker.write(tmp_path / "run.idx", {"temp": samples}, bits_per_block=9)
    field = esker.open(tmp_path / "run.idx")["temp"]
    once, stage = esker.ReadStatistics(), esker.ReadStatistics()
    field.read(statistics=once)
    refined = 0
    for _ in field.refine(statistics=stage):
        refined += stage.bytes
    # The first block contains all coarse levels, and small gaps are read, too.
    assert refined <= 1.1 * once.bytes


def test_old_name_of_the_slices_of_a_selection(field: esker.Field) -> None:
    fine, coarse = field.select(), field.select(level=3)
    with pytest.warns(DeprecationWarning, match="slices_of"):
        assert fine.places_of(coarse) == fine.slices_of(coarse)


def test_refining_a_range_that_is_none(field: esker.Field) -> None:
    with pytest.raises(IndexError, match="start"):
        next(field.refine(level=3, start=4))
    with pytest.raises(ValueError, match="every"):
        next(field.refine(every=0))


def test_progress_comes_to_an_end(field: esker.Field) -> None:
    seen: list[float] = []
    field.read(progress=seen.append)
    assert seen[-1] == 1
    assert seen == sorted(seen)


def test_what_progress_raises_ends_the_read(field: esker.Field) -> None:
    def enough(fraction: float) -> None:
        raise ZeroDivisionError(f"at {fraction}")

    with pytest.raises(ZeroDivisionError, match="at 1"):
        field.read(progress=enough)


@pytest.mark.slow
def test_ctrl_c_ends_a_read(tmp_path: Path) -> None:
    """A read of very many tiny blocks takes a second or two; a signal ends it long before."""
    program = textwrap.dedent(f"""
        import os, signal, threading, time
        import numpy as np
        import esker
        path = {str(tmp_path / "many.idx")!r}
        esker.write(path, {{"v": np.zeros((128, 256, 256), "f4")}}, bits_per_block=3)
        field = esker.open(path, threads=1)["v"]
        begin = time.perf_counter()
        field.read()
        whole = time.perf_counter() - begin
        begin = time.perf_counter()
        threading.Timer(whole / 10, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            field.read()
        except KeyboardInterrupt:
            print("interrupted", time.perf_counter() - begin < 0.7 * whole)
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "interrupted True", done.stderr


@pytest.fixture
def damaged(tmp_path: Path, samples: Any) -> esker.Dataset:
    """A dataset with a missing block file."""
    esker.write(tmp_path / "run.idx", {"temp": samples}, bits_per_block=9, blocks_per_file=16)
    lost = sorted(tmp_path.rglob("*.bin"))[2]
    lost.unlink()
    return esker.open(tmp_path / "run.idx")


def test_a_missing_block_file_is_an_error(damaged: esker.Dataset) -> None:
    with pytest.raises(OSError, match="is missing"):
        damaged["temp"].read()
    assert damaged["temp"].read(level=9).shape  # of another file


def test_missing_blocks_are_filled_and_masked(damaged: esker.Dataset, samples: Any) -> None:
    cost = esker.ReadStatistics()
    read = damaged["temp"].read(missing="fill", masked=True, statistics=cost)
    assert isinstance(read, np.ma.MaskedArray)
    lost = np.ma.getmaskarray(read)
    assert cost.missing_blocks == 16
    assert 0 < lost.sum() < lost.size / 2
    assert np.array_equal(read.data, np.where(lost, 0, samples))
    assert np.array_equal(damaged["temp"].read(missing="fill"), read.data)
    *_, (_, refined) = damaged["temp"].refine(missing="fill", masked=True)
    assert np.array_equal(np.ma.getmaskarray(refined), lost)
    assert np.array_equal(refined.data, read.data)


def test_missing_blocks_take_the_nearest_coarser_sample(damaged: esker.Dataset, samples: Any) -> None:
    field = damaged["temp"]
    nearest = field.read(missing="nearest", masked=True)
    lost = np.ma.getmaskarray(nearest)
    assert np.array_equal(nearest.data[~lost], samples[~lost])
    assert np.isin(nearest.data[lost], samples[~lost]).all()
    *_, (_, refined) = field.refine(missing="nearest")
    assert np.array_equal(refined, nearest.data)
    with pytest.raises(ValueError, match="missing"):
        field.read(missing="guess")
    strided = field.read(missing="nearest", stride=(3, 3, 3))
    assert np.array_equal(strided, nearest.data[::3, ::3, ::3])


def test_vectors_are_masked_as_a_whole(tmp_path: Path) -> None:
    velocity = np.random.default_rng(1).random((20, 30, 3)).astype("f4")
    esker.write(tmp_path / "v.idx", {"v": velocity}, components={"v": 3}, bits_per_block=5, blocks_per_file=4)
    sorted(tmp_path.rglob("*.bin"))[1].unlink()
    read = esker.open(tmp_path / "v.idx")["v"].read(missing="fill", masked=True)
    lost = np.ma.getmaskarray(read)
    assert lost.any()
    assert np.array_equal(lost.all(axis=-1), lost.any(axis=-1))
    assert np.array_equal(read.data[~lost], velocity[~lost])


def test_decoded_blocks_are_kept() -> None:
    golden = Path(__file__).parents[1] / "golden" / "openvisus"
    for path in sorted(golden.rglob("*.idx")):
        if "zip" not in path.read_text():
            continue
        dataset = esker.open(path)
        field = next(iter(dataset.fields.values()))
        cost = esker.ReadStatistics()
        first = field.read(step=0, statistics=cost)
        assert cost.blocks > 0
        assert np.array_equal(field.read(step=0, statistics=cost), first)
        assert (cost.blocks, cost.bytes) == (0, 0)
        assert cost.cached_blocks > 0
        cold = esker.open(path, cache_bytes=0)[field.name]
        assert np.array_equal(cold.read(step=0), cold.read(step=0, statistics=cost))
        assert cost.cached_blocks == 0
        return
    pytest.fail("no dataset that is compressed")


def test_threads_of_the_caller_share_a_field(field: esker.Field, samples: Any) -> None:
    wrong: list[int] = []

    def read(seed: int) -> None:
        draw = random.Random(seed)
        for _ in range(30):
            lo = [draw.randrange(size) for size in reversed(SHAPE)]
            box = (tuple(lo), SHAPE[::-1])
            if not np.array_equal(field.read(box=box), samples[lo[2] :, lo[1] :, lo[0] :]):
                wrong.append(seed)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_forked_process_reads(field: esker.Field, samples: Any) -> None:
    field.read()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(0 if np.array_equal(field.read(), samples) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_options_of_open_are_pickled(tmp_path: Path, samples: Any) -> None:
    esker.write(tmp_path / "run.idx", {"temp": samples})
    dataset = pickle.loads(
        pickle.dumps(esker.open(tmp_path / "run.idx", verify=True, threads=2, cache_bytes=0))
    )
    assert dataset._how == {"verify": True, "threads": 2, "cache_bytes": 0}
    assert np.array_equal(dataset["temp"].read(), samples)


def test_the_step_of_a_fixed_field_does_not_matter(tmp_path: Path) -> None:
    with esker.Writer(tmp_path / "run.idx", dims={"x": 4, "y": 3}, report="none") as w:
        topg, thk = w.field("topg", "f4", fixed=True), w.field("thk", "f4")
        with w.step(0.0) as s:
            s.put(topg, np.full((3, 4), 7, "f4"))
            s.put(thk, np.zeros((3, 4), "f4"))
    ds = esker.open(tmp_path / "run.idx")
    for step in (-9, 0, 99):
        assert (ds["topg"].read(step=step) == 7).all()
        assert ds["topg"].select(step=step).shape == (3, 4)
    with pytest.raises(IndexError, match="step 99"):
        ds["thk"].read(step=99)
