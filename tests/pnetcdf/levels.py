"""The dataset next to a file that a program writes through PnetCDF's interface, with ESKER_FORMAT=cdf5+idx or cdf5+zarr.

    python tests/pnetcdf/levels.py PROGRAM LIBRARY MPIEXEC RANKS... [--only TEXT]

PROGRAM: that of levels.c; LIBRARY: the directory of Esker's libpnetcdf. Each case writes one file, on each number of ranks.
The dataset has the values of the file, in Esker, OpenVisus and xarray; the file is what it is without a dataset. Exit
status 1 after errors, 77 if a module of Python is missing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

try:
    import netCDF4
    import numpy as np
    import OpenVisus
    import xarray

    import esker
except ModuleNotFoundError as missing:
    print("skipped:", missing)
    sys.exit(77)

RECORDS = frozenset({"temp", "wind", "series"})
ALL = RECORDS | {"topo"}
ONE = frozenset({"temp"})
LEFT_OUT = "run (no axes), label (characters), six (6 axes)"


@dataclass(frozen=True)
class Case:
    """What levels.c does, and the dataset after it. Several lists of words: one run each, without a dataset after "plain"."""

    words: str
    times: tuple[float, ...]
    fields: frozenset[str] = ALL
    says: str = LEFT_OUT
    is_stale: bool = False
    """The dataset does not have values that were changed after it was written."""


def times(n: int, first: int = 10) -> tuple[float, ...]:
    return tuple(float(first + i) for i in range(n))


CASES = {
    "records": Case("create fixed record record record close", times(3)),
    "pending": Case("create fixed pending pending pending close", times(3)),
    "pending, aborted": Case("create fixed pending pending pending abort", times(2)),
    "pending, killed": Case("create fixed pending pending pending kill", times(3)),
    "pending, continued after a kill": Case(
        "create fixed pending pending pending kill; open pending close", times(3)
    ),
    "pending, changed": Case("create fixed pending pending last pending close", times(3)),
    "in one grid": Case("create-one whole whole whole close", times(3, 0), ONE, ""),
    "in one grid, aborted": Case("create-one whole sync whole abort", times(1, 0), ONE, ""),
    "in one grid, killed early": Case("create-one whole kill; open whole whole close", times(2, 0), ONE, ""),
    "alone": Case("create fixed alone alone alone close", times(3)),
    "sync": Case("create fixed record sync record sync close", times(2)),
    "redefined": Case("create fixed record record add record record close", times(4), ALL | {"added"}),
    "redefined before": Case("create fixed add record sync close", times(1), ALL | {"added"}),
    "aborted": Case("create fixed record record record abort", times(2)),
    "aborted after sync": Case("create fixed record record sync record abort", times(2)),
    "killed": Case("create fixed record record record kill", times(2)),
    "killed after sync": Case("create fixed record record sync kill", times(2)),
    "continued": Case("create fixed record record close; open record record close", times(4)),
    "continued after a kill": Case("create fixed record record record kill; open record close", times(3)),
    "continued after definitions": Case("create close; open fixed record record close", times(2)),
    "with a new variable": Case(
        "create fixed record close; open add record record close", times(3), ALL | {"added"}
    ),
    "variable by variable": Case("create fixed temp temp temp rest close", times(3)),
    "first record again": Case("create fixed record record record again record close", times(4)),
    "first record again, killed": Case(
        "create fixed record record record again record kill", times(3), is_stale=True
    ),
    "last record again": Case("create fixed record record sync last record record kill", times(3)),
    "fixed only": Case("create fixed close", (0.0,), frozenset({"topo"})),
    "fixed later": Case("create record record fixed close", times(2)),
    "fixed again": Case("create fixed record record topo close", times(2)),
    "without times": Case("create fixed temp temp close", times(2, 0), ONE | {"topo"}),
    "times that do not grow": Case(
        "create fixed record still record close", times(3, 0), says="'time' do not grow"
    ),
    "continued after a run without": Case(
        "create fixed record close; plain open record close; open record close", times(3)
    ),
    "nothing to continue": Case(
        "plain create fixed record close; open record close", (), frozenset(), "is not continued: "
    ),
    "of another file": Case(
        "create fixed record record record record close; plain create fixed record close; open record close",
        times(4),
        says="its steps are not the records of the file",
        is_stale=True,
    ),
    "replaced": Case("create fixed record record close; create fixed record close", times(1)),
    "not replaced": Case(
        "create fixed record record close; delete create-first fixed record sync-fails close",
        times(2),
        says="exists; choose another path or set the option overwrite",
        is_stale=True,
    ),
    "in the place of another file": Case(
        "blocked create fixed record sync-fails record close",
        (),
        frozenset(),
        "written without it from now on",
    ),
    "another format": Case("refused", (), frozenset(), "possible are cdf5, and with a dataset"),
}


class Tester:
    def __init__(self, program: str, library: str, mpiexec: str) -> None:
        self.command = [mpiexec, "-n"]
        self.program = program
        self.library = library
        self.wrong = 0

    def run(self, file: Path, case: Case, ranks: int, form: str) -> str:
        """What the program prints."""
        environment = os.environ | {
            "LD_LIBRARY_PATH": self.library,
            "PNETCDF_TEST_LIBRARY": "Esker",
            "ESKER_FORMAT": form,
        }
        said = ""
        for words in case.words.split(";"):
            environment["ESKER_FORMAT"] = "cdf5" if words.split()[0] == "plain" else form
            command = [*self.command, str(ranks), self.program, str(file), *words.split()]
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False, timeout=300
            )
            said += done.stderr
            is_killed = "kill" in words.split()
            if (done.returncode == 0) == is_killed:
                raise AssertionError(f"'{words}': exit status {done.returncode}: {done.stdout} {done.stderr}")
        return said

    def try_case(self, name: str, ranks: int, form: str) -> None:
        case = CASES[name]
        with tempfile.TemporaryDirectory(prefix="levels") as folder:
            try:
                self.check(Path(folder), case, ranks, form)
            except Exception as error:  # noqa: BLE001  each is a result
                self.wrong += 1
                print(
                    f"error: {name}, {form}, {ranks} ranks: {type(error).__name__}: {error}"[:1500],
                    flush=True,
                )

    def check(self, folder: Path, case: Case, ranks: int, form: str) -> None:
        file, alone = folder / "run.nc", folder / "alone.nc"
        path = folder / f"run.{form.split('+')[1]}"
        if case.words.startswith("blocked"):
            (folder / "run").touch()
            path.touch()
        said = self.run(file, case, ranks, "netcdf4" if case.words == "refused" else form)
        most = 7 if ";" in case.words or case.words == "refused" else 1
        assert not case.says or 1 <= said.count(case.says) <= most, f"expected '{case.says}', found: {said}"
        if case.words == "refused":
            return
        self.run(alone, case, ranks, "cdf5")
        assert file.read_bytes() == alone.read_bytes(), "the file has other bytes than without a dataset"
        if case.fields:
            compare(path, file, case)
        else:
            assert not path.is_dir() and not path.with_suffix("").is_dir(), "there is a dataset"
        assert not list(folder.glob("*.esker-lock")) or "kill" in case.words.split(";")[-1].split(), (
            "a lock is left"
        )


def compare(path: Path, file: Path, case: Case) -> None:
    dataset = esker.open(path)
    assert tuple(dataset.steps) == case.times, f"expected the times {case.times}, found {dataset.steps}"
    assert set(dataset.fields) == case.fields, (
        f"expected the fields {set(case.fields)}, found {set(dataset.fields)}"
    )
    assert esker.verify(path).good
    with netCDF4.Dataset(file) as source:
        source.set_auto_maskandscale(False)
        for name in dataset.fields:
            for step in range(len(dataset.steps) if name in RECORDS | {"added"} else 1):
                if name in RECORDS | {"added"} and step >= len(source["temp"]):
                    continue  # written, but not in the number of records
                expected = source[name][step] if name in RECORDS | {"added"} else source[name][:]
                found = np.asarray(dataset[name].read(step=step)).reshape(np.shape(expected))
                is_equal = np.array_equal(found, expected)
                assert is_equal or case.is_stale, f"{name}, step {step}: expected {expected}, found {found}"
                assert found.dtype == expected.dtype, name
    assert dataset.attrs["title"] == "test"
    if "temp" in case.fields and case.fields != ONE:
        assert dataset["temp"].attrs["units"] == "K"
        assert list(dataset["temp"].attrs["valid_range"]) == [0.5, 2.5]
    compare_elsewhere(path, dataset)


def compare_elsewhere(path: Path, dataset: esker.Dataset) -> None:
    """OpenVisus and xarray read what Esker reads."""
    if path.suffix == ".zarr":
        with xarray.open_zarr(path, consolidated=False) as group:
            for name in dataset.fields:
                last = dataset[name].read(step=-1)
                theirs = group[name].values
                theirs = theirs[-1] if "time" in group[name].dims else theirs
                np.testing.assert_array_equal(theirs, np.asarray(last).reshape(np.shape(theirs)), name)
        return
    for part in dataset.parts:
        db = OpenVisus.LoadDataset(part.path)
        lo, hi = part.box
        for name in set(part.fields) & set(db.getFields()):
            theirs = db.read(logic_box=(list(lo), list(hi)), time=db.getTimesteps()[-1], field=name)
            ours = np.asarray(dataset[name].read(step=-1))
            np.testing.assert_array_equal(ours, theirs.reshape(ours.shape), name)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("mpiexec")
    parser.add_argument("ranks", type=int, nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--format", default="")
    options = parser.parse_args()
    tester = Tester(options.program, options.library, options.mpiexec)
    runs = 0
    for form in ("cdf5+idx", "cdf5+zarr"):
        for ranks in options.ranks:
            for name in CASES:
                if options.only in name and options.format in form:
                    tester.try_case(name, ranks, form)
                    runs += 1
    print(f"{runs} runs, {tester.wrong} wrong")
    return 1 if tester.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
