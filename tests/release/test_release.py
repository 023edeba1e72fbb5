"""The files that scripts/release.sh has made in build/release-VERSION/, and what it refuses. Run by `scripts/test.sh
release-files`."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION_HEADER = Path("include", "esker", "version.h")


def version() -> str:
    found = re.search(r'ESKER_VERSION "([0-9.]+)"', (ROOT / VERSION_HEADER).read_text())
    assert found
    return found[1]


@pytest.fixture
def made() -> Path:
    return ROOT / "build" / f"release-{version()}"


def names_in(archive: Path) -> set[str]:
    with tarfile.open(archive) as file:
        return set(file.getnames())


def test_all_files_are_there_with_their_checksums(made: Path) -> None:
    lines = (made / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split() for line in lines)}
    assert set(sums) == {path.name for path in made.iterdir()} - {"SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((made / name).read_bytes()).hexdigest() == digest, name
    stem = f"esker-{version()}"
    (wheel,) = (name for name in sums if name.endswith(".whl"))
    expected = {f"{stem}-source.tar.gz", f"{stem}-docs.tar.gz", f"{stem}.tar.gz", "NOTES.md", wheel}
    assert set(sums) == expected and wheel.startswith(f"{stem}-cp311-abi3-manylinux_")


def test_the_archives_have_what_their_users_need(made: Path) -> None:
    stem = f"esker-{version()}"
    source = names_in(made / f"{stem}-source.tar.gz")
    for name in ("CMakeLists.txt", "LICENSE", "fortran/esker.f90", "tests/CMakeLists.txt"):
        assert f"{stem}/{name}" in source
    assert f"{stem}/pyproject.toml" in names_in(made / f"{stem}.tar.gz")
    docs = names_in(made / f"{stem}-docs.tar.gz")
    for page in ("index", "guide/install", "guide/versions", "reference/command_line"):
        assert f"{stem}-docs/{page}.html" in docs


def test_the_notes_begin_with_a_summary(made: Path) -> None:
    lines = (made / "NOTES.md").read_text().splitlines()
    assert lines[0] == f"# Esker {version()}"
    assert lines[1] and not lines[1].startswith("#")  # how long: tests/python/test_guides.py


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The last commit, with the working tree's script and the environment .venv."""
    folder = tmp_path_factory.mktemp("clone") / "esker"
    subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, folder], check=True)
    shutil.copy(ROOT / "scripts" / "release.sh", folder / "scripts")
    (folder / ".venv").symlink_to(ROOT / ".venv")
    (folder / ".git" / "info" / "exclude").write_text(".venv\n")
    commit(folder)
    return folder


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Tests", "-c", "user.email=tests@localhost")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "tests: prepare")


def refusal(folder: Path) -> str:
    done = subprocess.run(["scripts/release.sh"], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and not list((folder / "build").glob("release-*"))
    return done.stderr


def test_what_it_refuses(clone: Path) -> None:
    (clone / "new.txt").write_text("not committed")
    assert "the tree is not clean" in refusal(clone)
    (clone / "new.txt").unlink()

    header, changes = clone / VERSION_HEADER, clone / "CHANGES.md"
    header.write_text(header.read_text().replace(version(), "7.8.9"))
    commit(clone)
    assert "CHANGES.md: expected the heading '## 7.8.9, " in refusal(clone)

    changes.write_text(re.sub(r"^## .*", "## 7.8.9, 2030-01-02", changes.read_text(), count=1, flags=re.M))
    git(clone, "tag", "v7.8.8", "HEAD")
    c_header = clone / "include" / "esker" / "esker.h"
    text = c_header.read_text()
    assert text.count("esker_type_name(esker_type type)") == 1
    c_header.write_text(text.replace("esker_type_name(esker_type type)", "esker_type_name(int64_t type)"))
    commit(clone)
    assert "the C ABI differs from that of v7.8.8" in refusal(clone)

    git(clone, "tag", "v7.8.9", "HEAD")
    assert "the tag v7.8.9 exists" in refusal(clone)
