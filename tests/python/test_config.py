"""esker info --config: every option, its value, and where that comes from."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_every_option_is_listed(esker_command: Run) -> None:
    header = (ROOT / "include" / "esker" / "options.hpp").read_text()
    struct = header[header.index("struct ESKER_API Options {") : header.index("Status set(")]
    members = re.findall(r"^  [A-Za-z:<>]+ (\w+?)(?:_bytes)?(?: = [^;]+)?;", struct, re.MULTILINE)
    done = esker_command("info", "--config", "--json")
    assert done.returncode == 0 and done.stderr == ""
    options = json.loads(done.stdout)["options"]
    assert len(members) > 8 and {option["name"] for option in options} == set(members)
    assert all(option["help"] and option["source"] == "built-in" for option in options)


def test_sources(esker_command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "esker.toml").write_text("bits_per_block = 9\naggregators = 2\n")
    monkeypatch.setenv("ESKER_AGGREGATORS", "3")
    options = {
        o["name"]: o for o in json.loads(esker_command("info", "--config", "--json").stdout)["options"]
    }
    assert (options["bits_per_block"]["value"], options["bits_per_block"]["source"]) == ("9", "esker.toml")
    assert (options["aggregators"]["value"], options["aggregators"]["source"]) == ("3", "ESKER_AGGREGATORS")
    text = esker_command("info", "--config").stdout
    assert re.search(r"aggregators +3 +ESKER_AGGREGATORS +ranks that write", text)
    assert all(len(line) <= 120 for line in text.splitlines())


@pytest.mark.parametrize(
    "variable, value, words",
    [
        ("ESKER_AGGREGATOR", "1", ["ESKER_AGGREGATOR", "aggregators"]),
        ("ESKER_AGGREGATORS", "some", ["ESKER_AGGREGATORS", "some"]),
        ("ESKER_CONFIG", "nothing.toml", ["nothing.toml"]),
    ],
)
def test_what_is_wrong_is_2(
    esker_command: Run, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: list[str]
) -> None:
    monkeypatch.setenv(variable, value)
    done = esker_command("info", "--config")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1 and all(word in done.stderr for word in words), done.stderr
