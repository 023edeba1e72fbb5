"""esker.view() in notebooks."""

from __future__ import annotations

import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest

import esker


@pytest.fixture
def ds(tmp_path: Path) -> esker.Dataset:
    esker.write(tmp_path / "a.idx", {"thk": np.ones((4, 5))})
    return esker.open(tmp_path / "a.idx")


def test_a_notebook_has_the_page_in_a_frame(ds: esker.Dataset) -> None:
    pytest.importorskip("bokeh")
    page = esker.view(ds, field="thk", palette="magma")
    html = page._repr_html_()
    assert "<iframe" in html and "palette=magma" in html and "token=" in html
    with urllib.request.urlopen(page.url, timeout=10) as answer:
        assert answer.status == 200
    page.close()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(page.url, timeout=2)


def test_a_page_that_was_never_opened_closes(ds: esker.Dataset) -> None:
    pytest.importorskip("bokeh")
    esker.view(ds).close()


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ({"fields": "thk"}, "unknown option 'fields'"),
        ({"field": "no"}, "names the field 'no'"),
        ({"level": 99}, "level 99"),
    ],
)
def test_what_is_not_there_is_an_error(ds: esker.Dataset, shown: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        esker.view(ds, **shown)


def test_without_bokeh_it_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['bokeh'] = None; import esker, numpy\n"
        "esker.write(sys.argv[1], {'f': numpy.ones((2, 2))}); esker.view(esker.open(sys.argv[1]))"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "a.idx"], capture_output=True, text=True)
    assert "pip install 'esker[view]'" in done.stderr.splitlines()[-1]


def test_importing_esker_does_not_import_bokeh() -> None:
    program = "import sys, esker, esker.cli; sys.exit('bokeh' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
