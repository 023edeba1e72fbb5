"""esker plan: the plan of a step on N ranks, from Python and the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import esker
from esker.cli import esker as command
from esker.planning import planner


def run(*arguments: str) -> str:
    result = CliRunner().invoke(command, ["plan", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_blocks_of_30_in_default_boxes() -> None:
    facts = json.loads(
        run(
            *("--ranks", "4096", "--block", "30,30,30", "--restructure", "default"),
            *("--bits-per-block", "15", "--json"),
        )
    )
    assert (facts["boxes"], facts["volume_ratio"], facts["receivers"]) == (3375, 3375.0, 3375)
    assert facts["ranks"] == 4096 and facts["exact"]
    assert facts["data_bytes"] == 4096 * 30**3 * 8
    assert facts["burst_bytes"] == facts["data_bytes"] // facts["aggregators"]
    assert facts["max_fan_in"] == facts["senders"]["max"] <= 1024
    assert facts["peak_bytes_per_rank"] == facts["buffer_bytes"]["max"] <= 64 << 20
    assert facts["pinned_bytes_per_rank"] == facts["peak_bytes_per_rank"]
    sent = sum(size["to_relays"] + size["to_aggregators"] for size in facts["message_sizes"])
    assert sent == pytest.approx(facts["messages"]["mean"] * 4096)


def test_files_of_fields_with_stored_bits() -> None:
    """Blocks of 8 bits per sample hold 8 times as many samples as blocks of float64."""
    for bits, files in ((8, (4, 8, 16)), (32, (16, 32, 64))):
        for ranks, expected in zip((8192, 16384, 32768), files):
            how = {"bits_per_block": 15, "blocks_per_file": 256, "stored_bits": bits}
            assert esker.plan(ranks, block=(32, 32, 32), **how)["files"] == expected


def test_partitions_cost_the_same_at_every_number_of_ranks() -> None:
    first = None
    for ranks, partitions in ((2048, 1), (4096, 2), (8192, 4), (32768, 16)):
        output = run(
            *("--ranks", str(ranks), "--block", "32,32,32", "--fields", "32"),
            *("--partitions", "size:2048", "--json"),
        )
        facts = json.loads(output)
        assert (facts["partitions"], facts["files"]) == (partitions, 8 * partitions)
        assert facts["crossing"] == {"messages": 0, "bytes": 0}
        assert facts["coarse"]["bytes"] > 0
        first = first or facts["in_partitions"]
        assert facts["in_partitions"] == first
    assert esker.plan(64, block=(8, 8, 8))["partitions"] == 0


def test_text_names_what_is_planned() -> None:
    text = run("--ranks", "64", "--global", "100,100,50", "--restructure", "16,16,16")
    assert "one step on 64 ranks" in text and "restructured: 196 boxes" in text


def test_boxes_of_a_file_are_those_of_the_split(tmp_path: Path) -> None:
    lines = ["# rank lo hi"]
    for rank in range(8):
        lo = [12 * (rank >> axis & 1) for axis in range(3)]
        lines.append(" ".join(map(str, [rank, *lo, *(corner + 12 for corner in lo)])))
    path = tmp_path / "boxes.txt"
    path.write_text("\n".join(lines))
    grid = ("--ranks", "8", "--global", "24,24,24", "--restructure", "default", "--json")
    assert run(*grid, "--boxes", str(path)) == run(*grid)
    alone = ("--ranks", "8", "--restructure", "default", "--json", "--boxes", str(path))
    assert run(*alone) == run(*grid)


def test_a_dataset_has_the_fields(tmp_path: Path) -> None:
    path = tmp_path / "run.idx"
    esker.write(path, {"a": np.zeros((20, 30), "f4"), "b": np.zeros((20, 30), "i2")})
    facts = json.loads(run("--ranks", "4", "--dataset", str(path), "--json"))
    assert facts["data_bytes"] == 20 * 30 * (4 + 2)


def test_formats_and_patterns() -> None:
    grid = ("--ranks", "16", "--global", "64,64,32", "--json")
    cdf = json.loads(run(*grid, "--format", "cdf5"))
    assert (cdf["files"], cdf["stored_bytes"]) == (1, cdf["data_bytes"])
    both = json.loads(run(*grid, "--format", "cdf5+idx"))
    idx = json.loads(run(*grid))
    assert both["files"] == 1 + idx["files"]
    assert both["stored_bytes"] == cdf["stored_bytes"] + idx["stored_bytes"]
    stripes = json.loads(run(*grid, "--format", "cdf5", "--stripe-size", "64K", "--stripe-count", "4"))
    assert stripes["writers"] == 4
    assert stripes["written_bytes"]["max"] == cdf["data_bytes"] // 4
    slabs = json.loads(run(*grid, "--format", "cdf5", "--pattern", "slabs", "--aggregators", "8"))
    assert slabs["written_bytes"]["max"] == cdf["data_bytes"] // 8


def test_stripes_without_a_size_are_named() -> None:
    result = CliRunner().invoke(
        command, ["plan", "--ranks", "4", "--block", "9,9", "--format", "cdf5", "--pattern", "stripes"]
    )
    assert result.exit_code == 2 and "stripe_size" in result.output


def test_three_ways_side_by_side(tmp_path: Path) -> None:
    picture = tmp_path / "messages.png"
    plans = json.loads(
        run("--ranks", "64", "--block", "15,33,71", "--compare", "--json", "--plot", str(picture))
    )
    assert list(plans) == list(planner.PHASES)
    assert plans["one-phase"]["messages"]["max"] == 0
    assert plans["two-phase"]["boxes"] == 0 < plans["three-phase"]["boxes"]
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--ranks", "4"], "expected one of"),
        (["--ranks", "4", "--block", "3,x"], "expected extents"),
        (["--ranks", "4", "--block", "30,30", "--restructure", "24,32"], "'24,32'"),
        (
            ["--ranks", "9", "--block", "30,30", "--aggregators", "2", "--partitions", "3"],
            "set aggregators to at least 3",
        ),
        (["--ranks", "4", "--dataset", "nothing.idx"], "nothing.idx"),
    ],
)
def test_mistakes_are_named(arguments: list[str], text: str) -> None:
    result = CliRunner().invoke(command, ["plan", *arguments])
    assert result.exit_code == 2
    assert text in result.output


def processor_s(pid: int) -> float:
    """The processor time of the process."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(
    ("more", "at_s"),
    [([], 3), pytest.param(["--keep", "0.2"], 7, marks=pytest.mark.slow)],
    ids=["counting messages", "finding blocks"],
)
def test_ctrl_c_ends_a_long_plan_at_once(more: list[str], at_s: float) -> None:
    """Within two seconds of processor time, also on a busy machine. `at_s`: of processor time, while it does that."""
    arguments = ["plan", "--ranks", "1000000", "--block", "30,30,30", "--fields", "16", *more]
    plan = subprocess.Popen(
        [str(Path(sys.executable).parent / "esker"), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored where tests run in the background
    )  # fmt: skip
    try:
        while plan.poll() is None and processor_s(plan.pid) < at_s:  # starting takes less time, the plan more
            time.sleep(0.05)
        assert plan.poll() is None
        begin = processor_s(plan.pid)
        plan.send_signal(signal.SIGINT)
        while plan.poll() is None and processor_s(plan.pid) < begin + 2:
            time.sleep(0.02)
        assert plan.poll() is not None
        _, text = plan.communicate()
    finally:
        plan.kill()
    assert plan.returncode not in (0, -signal.SIGKILL)
    assert "interrupted" in text


def test_bad_lines_of_boxes_are_named(tmp_path: Path) -> None:
    path = tmp_path / "boxes.txt"
    path.write_text("0 0 0 4 4\n1 4 0 8\n")
    with pytest.raises(ValueError, match="boxes.txt:2"):
        planner.read_boxes(path)


def test_boxes_alone_say_how_many_ranks_there_are(tmp_path: Path) -> None:
    path = tmp_path / "boxes.txt"
    path.write_text("0 0 0 4 8\n1 4 0 8 8\n")
    facts = json.loads(run("--boxes", str(path), "--json"))
    assert facts == json.loads(run("--ranks", "2", "--boxes", str(path), "--json"))
    assert facts["ranks"] == 2
