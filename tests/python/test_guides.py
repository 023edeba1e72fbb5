"""The Python code and the commands of the guides run as shown, on small datasets with the names that they use.

    python tests/python/test_guides.py PAGE        runs the Python of one page in the current directory

Pages with blocks of `sh` are stories: their files are saved, their commands run in order, and the lines of a `text` block are in
the output of the commands before it.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from conftest import OPEN_MPI
from http_files import serve

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide"
NX, NY, NZ = 120, 110, 30

FINEST = {"temp": 19, "thk": 14}
"""Levels that go together, in place of those of larger grids."""

ELSEWHERE = {"benchmark.md"}
"""Pages whose commands run for minutes; tests/python/test_bench.py runs them on small grids."""


def blocks(page: Path, language: str) -> list[str]:
    """Without files that the reader is to save, and without the examples of tests/readme_examples.py."""
    return [code for mark, kind, code in fenced(page) if kind == language and not mark]


def fenced(page: Path) -> list[tuple[str, str, str]]:
    """(text of the HTML comment above or "", language, text) of all fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"(?:^<!-- ([^\n]*) -->\n)?^```(\w+)\n(.*?)^```$", text, re.S | re.M)


def commands(page: Path) -> list[str]:
    """Indented or prompted lines that call esker, without the comments behind them."""
    joined = re.sub(r"\\\n\s*", "", page.read_text(encoding="utf-8"))
    found = re.findall(r"^(?:    +|\$ )(esker .*)$", joined, re.M)
    return [re.sub(r"\s+#.*", "", line).strip() for line in found]


def pages(pattern: str) -> list[Path]:
    return [page for page in sorted(GUIDE.glob("*.md")) if re.search(pattern, page.read_text("utf-8"), re.M)]


def write_run(path: Path, **options: Any) -> None:
    """A run of two steps with the fields that the pages name."""
    coords = {"x": 1e3 * (np.arange(NX) - NX // 2), "y": 1e3 * (np.arange(NY) - NY // 2)}
    dims = {"x": NX, "y": NY, "z": NZ}
    with esker.Writer(path, dims=dims, coords=coords, report="none", **options) as w:
        temp = w.field("temp", "f4", units="K")
        thk = w.field("thk", "f4", grid=w.grid("xy", ("x", "y")))
        for time in (0.0, 1.0):
            with w.step(time) as s:
                s.put(temp, np.random.default_rng(1).random((NZ, NY, NX), "f4"))
                s.put(thk, np.full((NY, NX), time, "f4"))


def names(page: str) -> dict[str, Any]:
    """The names that the blocks of a page assume."""
    field = esker.open("run.idx")["temp"]
    thk, vel = np.ones((NY, NX), "f4"), np.ones((NY, NX, 3), "f4")
    known: dict[str, Any] = {
        "esker": esker,
        "field": field,
        "thk": thk,
        "vel": vel,
        "nx": NX,
        "ny": NY,
        "nz": NZ,
        "x0": 0,
        "y0": 0,
        "z0": 0,
        "x1": 10,
        "y1": 20,
        "times": [0.0, 1.0],
        "local_array": np.ones((NZ, NY, NX)),
        "local_map": np.ones((NY, NX), "f4"),
        "box": ((0, 0, 0), (64, 64, 8)),
        "view": None,
        "compute": lambda box: np.zeros([h - l for l, h in zip(*map(reversed, box))], "f4"),
        "draw": lambda array: None,
        "show": lambda array, view: None,
    }
    if page in {"python.md", "remote.md", "xarray.md"}:
        import xarray

        known["xarray"] = known["xr"] = xarray
    return known


def as_on_this_machine(code: str, url: str) -> str:
    """Web servers and buckets are a server of this machine; levels are those of the small datasets."""
    code = code.replace("https://example.org/runs", url).replace("s3://bucket", "memory://bucket")
    code = re.sub(r'"(temp|thk)": 1\d\b', lambda level: f'"{level[1]}": {FINEST[level[1]]}', code)
    return re.sub(r"\blevel=1\d\b", "level=9", code)


# In a separate process: MPI, which a page initializes, leaves variables in the environment that keep mpiexec from
# starting other programs.
@pytest.mark.parametrize(
    "page", [page for page in pages(r"^```python$") if blocks(page, "python")], ids=lambda page: page.name
)
def test_python_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    for module in ["xarray", "fsspec", "mpi4py", "dask.distributed", "yt", "vtk"]:
        if re.search(rf"\b{module}\b", page.read_text("utf-8")):
            pytest.importorskip(module)
    command = [sys.executable, __file__, str(page)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


def run_python(page: Path, place: Path) -> None:
    """The blocks of the page, one after the other. `place` is the current directory, with run.idx and run.nc then."""
    write_run(place / "run.idx")
    write_run(place / "run.nc", format="netcdf4")
    known = names(page.name)
    with serve(place) as server:
        put_in_memory(place)
        found = blocks(page, "python")
        assert found
        for number, code in enumerate(found):
            if "esker.write(" in code or "Writer(" in code or "to_esker(" in code:
                if hasattr(known.get("ds"), "load"):
                    known["ds"] = known["ds"].load()  # it may be of what goes now
                remove_outputs(place)
            exec(compile(as_on_this_machine(code, server.url), f"{page.name}[{number}]", "exec"), known)
            if not (place / "run.idx").exists() and not (place / "run").exists():
                write_run(place / "run.idx")


def remove_outputs(place: Path) -> None:
    """Removes the files that a block writes."""
    for path in [*place.glob("out*"), *place.glob("run*")]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def put_in_memory(place: Path) -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    for path in place.rglob("run*"):
        for file in [path, *path.rglob("*")] if path.is_dir() else [path]:
            if file.is_file():
                memory.pipe(f"/bucket/{file.relative_to(place)}", file.read_bytes())


GROUPS = {"tune"}
"""Verbs that have verbs."""


@functools.cache
def help_of(*verb: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "esker"), *verb, "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "page",
    [page for page in pages(r"^(    +|\$ )esker ") if page.name not in ELSEWHERE],
    ids=lambda page: page.name,
)
def test_commands_of_a_page_are_known(page: Path) -> None:
    """The command's help lists their verbs and options."""
    for command in commands(page):
        words = shlex.split(command)
        verb = words[1:3] if words[1] in GROUPS else words[1:2]
        shown = help_of(*verb)
        assert shown.returncode == 0, f"{command}: {shown.stderr}"
        for option in [word.split("=")[0] for word in words[2:] if word.startswith("--")]:
            assert re.search(rf"{re.escape(option)}\b", shown.stdout), f"{command}: {option} is no option"


FOLDERS = ("", "docs/**/", "bench/**/", "miniapps/**/")
DOCUMENTS = [page for folder in FOLDERS for page in sorted(ROOT.glob(f"{folder}*.md"))]


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_have_targets(page: Path) -> None:
    """Links to files and headings, and paths of documents that are named in the text."""
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\(((?!\w+:)[^)\s]+)\)", text):
        path, _, heading = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{target}: no such file"
        assert not heading or heading in headings(file), f"{target}: no such heading"
    for path in re.findall(r"`(docs/[\w./-]+\.md)`", text):
        assert (ROOT / path).exists(), f"{path}: no such file"


DECISIONS = ROOT / "docs" / "internals" / "decisions"
SUPERSEDED = re.compile(r"\*\*Superseded(?: in part)?\*\* by ((?:.|\n)*?)\n\n")


def test_every_decision_is_in_the_index_once() -> None:
    """With its number and title, and with the decisions that its page names as superseding it."""
    index = (DECISIONS / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| (\d+) \| \[(.*)\]\(([\w.-]+\.md)\) \| (.*) \|$", index, re.M)
    decisions = sorted(page for page in DECISIONS.glob("*.md") if page.name != "README.md")
    assert [name for _, _, name, _ in listed] == [page.name for page in decisions]
    for number, title, name, decided in listed:
        text = (DECISIONS / name).read_text("utf-8")
        assert text.startswith(f"# {number}. {title}\n"), name
        assert int(name[:4]) == int(number), name
        assert superseding_decisions(text) == superseding_numbers(decided), name


def superseding_decisions(text: str) -> list[int]:
    """The numbers of the pages that the paragraph after the title of a decision says supersede it."""
    found = SUPERSEDED.match(text.partition("\n\n")[2])
    numbers = re.findall(r"\[(\d+)\]\(([\w.-]+\.md)\)", found[1]) if found else []
    for number, name in numbers:
        assert (DECISIONS / name).exists() and int(name[:4]) == int(number), name
    return [int(number) for number, _ in numbers]


def superseding_numbers(decided: str) -> list[int]:
    """The same in a row of the index, which ends "Superseded in part by 7, 9."."""
    found = re.search(r"Superseded(?: in part)? by ([\d, ]+)\.$", decided)
    return [int(number) for number in found[1].split(", ")] if found else []


def test_the_changes_begin_with_a_short_summary() -> None:
    last = (ROOT / "CHANGES.md").read_text("utf-8").split("\n## ")[1]
    _, *summary = last.split("\n### ")[0].strip().splitlines()
    assert 3 <= len(summary) <= 10, summary


def test_the_site_lists_every_miniapp() -> None:
    listed = (ROOT / "docs" / "site" / "pages" / "miniapps" / "index.md").read_text("utf-8").split()
    assert {page.parent.name for page in ROOT.glob("miniapps/*/README.md")} <= set(listed)


def test_excerpts_of_the_example_format_are_its_code() -> None:
    """Up to white space: the code of the page is less indented."""
    source = " ".join(
        (ROOT / "tests" / "examples" / "raw_format" / "raw_format.cc").read_text("utf-8").split()
    )
    excerpts = blocks(ROOT / "docs" / "internals" / "adding-a-format.md", "cpp")
    assert excerpts
    for excerpt in excerpts:
        assert " ".join(excerpt.split()) in source, excerpt


def headings(page: Path) -> set[str]:
    """The names by which links reach the headings of a page."""
    found = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", pages(r"^```sh$"), ids=lambda page: page.name)
def test_a_story_runs_as_shown(page: Path, tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    environment = story_environment(tmp_path)
    if "demo/" in page.read_text("utf-8"):
        write_small_demo(tmp_path / "demo" / "greenland")
    output = ""
    for mark, language, text in fenced(page):
        if mark.startswith("file: "):
            (tmp_path / mark.removeprefix("file: ")).write_text(text, encoding="utf-8")
        elif language == "sh":
            output = "".join(run_line(line, tmp_path, environment) for line in text.splitlines())
        elif language == "text":
            expect_lines(text, output)


def test_the_closing_lines_of_the_demo_run(tmp_path: Path) -> None:
    script = (ROOT / "scripts" / "demo.sh").read_text("utf-8")
    write_small_demo(tmp_path / "demo" / "greenland")
    environment = story_environment(tmp_path)
    for line in re.findall(r"^esker .*zarr.*$", script, re.M):
        run_line(line, tmp_path, environment)
    lines = script.partition("Next steps:\n")[2].partition("\nTXT")[0].splitlines()
    assert any("xr.open_zarr" in line for line in lines) and len(lines) > 4
    for line in lines:
        run_line(line.strip(), tmp_path, environment)
    assert (tmp_path / "demo" / "speed.png").exists() and (tmp_path / "demo" / "section.png").exists()


def story_environment(place: Path) -> dict[str, str]:
    """`mpiexec` is Open MPI's, for which mpi4py is built; `python` and `esker` are those of the tests."""
    mpiexec = shutil.which("mpiexec.openmpi")
    if mpiexec is None:
        pytest.skip("no Open MPI")
    (place / "bin").mkdir()
    (place / "bin" / "mpiexec").symlink_to(mpiexec)
    return {
        **os.environ,
        "PATH": f"{place / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        **OPEN_MPI,
    }


def write_small_demo(path: Path) -> None:
    """The dataset of `make demo`, with fewer layers."""
    path.parent.mkdir()
    nx, ny, nz = 301, 561, 5
    with esker.Writer(path, dims={"x": nx, "y": ny, "z": nz}, report="none") as w:
        xy = w.grid("xy", ("x", "y"))
        w.field("thk", "f4", grid=xy, units="m", long_name="land ice thickness")
        w.field("velsurf_mag", "f4", grid=xy, units="m year-1")
        w.field("temp", "f4", units="K")
        speed = np.random.default_rng(1).random((ny, nx), "f4")
        for n in range(4):
            with w.step(3650.0 * n) as s:
                s.put("thk", 1000 * speed)
                s.put("velsurf_mag", speed)
                s.put("temp", np.full((nz, ny, nx), 250, "f4"))


def run_line(line: str, place: Path, environment: dict[str, str]) -> str:
    """The output of one command. `# is killed` after it says that it fails; `make` and `.` are left out."""
    command, _, comment = line.partition(" #")
    if re.match(r"(make|\.) ", command):
        return ""
    if command.startswith("esker view "):
        return run_until_it_says("Press Ctrl-C to end.", shlex.split(command), place, environment)
    bash = ["bash", "-c", command]
    done = subprocess.run(
        bash, cwd=place, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode != 0) == (comment.strip() == "is killed"), f"{line}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def run_until_it_says(text: str, command: list[str], place: Path, environment: dict[str, str]) -> str:
    """The output of a command up to a line, after which Ctrl-C ends it."""
    environment = {**environment, "BROWSER": "true"}  # a program that opens nothing
    with subprocess.Popen(command, cwd=place, env=environment, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        said = "".join(itertools.takewhile(lambda line: text not in line, running.stdout))
        running.send_signal(signal.SIGINT)
        try:
            assert running.wait(timeout=30) == 0, f"{command}: {said}"
        finally:
            running.kill()
    return said


def expect_lines(text: str, output: str) -> None:
    found = " ".join(output.split())
    for line in text.splitlines():
        assert " ".join(line.split()) in found, f"the page shows {line!r}, the commands print\n{output}"


if __name__ == "__main__":
    run_python(Path(sys.argv[1]), Path.cwd())
