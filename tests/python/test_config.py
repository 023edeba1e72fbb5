"""esker options and esker info --config: every option, its value, and where that comes from."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import esker
from conftest import ROOT

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_every_option_is_listed(esker_command: Run) -> None:
    header = (ROOT / "include" / "esker" / "types" / "options.hpp").read_text()
    struct = header[header.index("struct ESKER_API Options {") : header.index("Status set(")]
    members = re.findall(r"^ +[A-Za-z:<>]+ (\w+?)(?:_bytes)?(?: = [^;]+)?;", struct, re.MULTILINE)
    done = esker_command("info", "--config", "--json")
    assert done.returncode == 0 and done.stderr == ""
    options = json.loads(done.stdout)["options"]
    assert len(members) > 8 and {option["name"] for option in options} == set(members)
    assert all(option["help"] and option["source"] == "built-in" for option in options)
    assert json.loads(esker_command("options", "--json").stdout)["options"] == options
    said = {option["name"]: option["help"] for option in options}
    assert "takes none, step or close" in said["fsync"]
    for option in options:  # the meaning of a value that is not a choice
        if option["value"] in ("0", "auto", ""):
            meaning = {"0": r"0 \(", "auto": r"auto \(", "": "nothing"}[option["value"]]
            assert re.search("takes .*" + meaning, option["help"]), option


def test_sources(esker_command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "esker.toml").write_text("bits_per_block = 9\naggregators = 2\n")
    monkeypatch.setenv("ESKER_AGGREGATORS", "3")
    options = {
        o["name"]: o for o in json.loads(esker_command("info", "--config", "--json").stdout)["options"]
    }
    assert (options["bits_per_block"]["value"], options["bits_per_block"]["source"]) == ("9", "esker.toml")
    assert (options["aggregators"]["value"], options["aggregators"]["source"]) == ("3", "ESKER_AGGREGATORS")
    text = esker_command("info", "--config").stdout
    assert re.search(r"aggregators +3 +ESKER_AGGREGATORS +number of ranks that write", text)
    assert all(len(line) <= 120 for line in text.splitlines())


def test_groups(esker_command: Run) -> None:
    """Those that a user sets first, and one group alone."""
    text = esker_command("options").stdout
    titles = ["dataset: what is stored", "speed: ", "safety: ", "experts: "]
    assert [text.index(title) for title in titles] == sorted(text.index(title) for title in titles)
    assert text.index(" format ") < text.index("speed: ") < text.index(" aggregators ") < text.index("safety: ")
    safety = esker_command("options", "safety").stdout
    assert " fsync " in safety and " format " not in safety


@pytest.mark.parametrize(
    "variable, value, words",
    [
        ("ESKER_AGGREGATOR", "1", ["ESKER_AGGREGATOR", "aggregators"]),
        ("ESKER_AGGREGATORS", "some", ["ESKER_AGGREGATORS", "some"]),
        ("ESKER_CONFIG", "nothing.toml", ["nothing.toml"]),
    ],
)
def test_invalid_options_have_status_2(
    esker_command: Run, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: list[str]
) -> None:
    monkeypatch.setenv(variable, value)
    done = esker_command("info", "--config")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1 and all(word in done.stderr for word in words), done.stderr


def test_the_format_is_chosen_alike_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    thk = {"thk": np.ones((4, 6), "f4")}

    def kind(path: str) -> bytes:
        return (tmp_path / path).read_bytes()[:4]

    esker.write("suffix.nc", thk)
    with esker.Writer("writer.nc", dims={"x": 6, "y": 4}, report="none") as w, w.step(0) as s:
        s.put(w.field("thk", "f4"), thk["thk"])
    assert kind("suffix.nc")[:3] == kind("writer.nc")[:3] == b"CDF"
    assert not (tmp_path / "suffix.nc.idx").exists() and (tmp_path / "writer.nc").is_file()
    esker.write("suffix.nc", {"thk": 2 * thk["thk"]}, overwrite=True)
    assert float(esker.open("suffix.nc")["thk"].read()[0, 0]) == 2

    (tmp_path / "esker.toml").write_text("format = 'cdf2'\n")
    esker.write("by_file", thk)
    assert kind("by_file.nc") == b"CDF\x02"
    monkeypatch.setenv("ESKER_FORMAT", "cdf5")
    esker.write("by_variable.nc", thk)
    assert kind("by_variable.nc") == b"CDF\x05"
    esker.write("by_program", thk, format="idx")
    assert (tmp_path / "by_program.idx").is_file()
    with pytest.raises(ValueError, match="heat.idx: the suffix .idx .* cdf5 .*ESKER_FORMAT"):
        esker.write("heat.idx", thk)
    with pytest.raises(ValueError, match="run.nc: the suffix .nc .* idx"):
        esker.Writer("run.nc", dims={"x": 6}, format="idx")
    assert sorted(path.name for path in tmp_path.glob("*heat*")) == []


def test_a_file_that_is_found_may_not_name_files(esker_command: Run, tmp_path: Path) -> None:
    (tmp_path / "esker.toml").write_text('report = "/tmp/elsewhere.json"\n')
    done = esker_command("info", "--config")
    assert done.returncode == 2 and "esker.toml:1: option 'report'" in done.stderr, done.stderr


def test_a_program_cannot_overwrite_itself_with_a_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heat").write_text("a program")
    for overwrite in (False, True):
        with pytest.raises(FileExistsError, match="heat is a file .*; the dataset heat.idx needs a directory"):
            esker.write("heat.idx", {"a": np.zeros(3)}, overwrite=overwrite)
    assert (tmp_path / "heat").read_text() == "a program"
