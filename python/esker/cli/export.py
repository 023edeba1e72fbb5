"""esker export: writes samples to an .npy, raw, netCDF or CSV file."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click
import numpy as np

import esker
from esker._pieces import pieces, thickness
from esker.cli.arguments import box_option, step_option
from esker.cli.errors import as_exit_status
from esker.cli.json_text import json_text
from esker.cli.progress import progress
from esker.cli.tables import size_text
from esker.conversion import convert, size_of
from esker.dataset import Box, Field, Selection
from esker.decoding import decoded
from esker.remote import is_url
from esker.sources import of_dataset
from esker.values import plain

_FORMAT_OF_SUFFIX = {".npy": "npy", ".raw": "raw", ".bin": "raw", ".nc": "netcdf", ".csv": "csv"}


@click.command(
    epilog="""\b
    Examples:
      esker export run.idx thk -o thk.npy
      esker export run.idx temp -o temp.raw --step 0 --level 14
      esker export run.idx vel -o vx.npy --component 0 --box 100:200,50:250,0:61
      esker export run.idx temp -o temp.nc --level 14
      esker export run.idx temp -o column.csv --box 120:121,300:301,0:61
      esker export run.idx thk -o thk.raw --json > thk.json     # shape and type of the raw samples"""
)
@click.argument("path")
@click.argument("field")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="Output file; - is standard output.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["npy", "raw", "netcdf", "csv"]),
    help="npy: for numpy.load(); raw: the samples without a header; netcdf: the oldest netCDF format that can "
    "hold them, "
    "with coordinates; csv: a line of samples as text.  [default: by the suffix, .npy, .raw, .bin, .nc or "
    ".csv]",
)
@step_option
@box_option
@click.option("--level", type=int, help="Resolution level.  [default: the finest]")
@click.option("--component", type=int, help="Export one component of a field with several.  [default: all]")
@click.option("--json", "as_json", is_flag=True, help="Print shape, type and other facts as one JSON object.")
def export(
    path: str,
    field: str,
    output: Path,
    kind: str | None,
    step: int,
    box: Box | None,
    level: int | None,
    component: int | None,
    as_json: bool,
) -> None:
    """Write samples of FIELD of the dataset at PATH to a file, and print their type and shape.

    Samples are written in C order, slowest axis first, in the machine's byte order. They need not fit in
    memory. The file is published by rename once it is complete.
    """
    to_stdout = str(output) == "-"
    output = Path("/dev/stdout") if to_stdout else output
    kind = kind or _FORMAT_OF_SUFFIX.get(output.suffix)
    if kind is None:
        raise click.UsageError(
            f"{output}: unknown suffix {output.suffix!r}; expected one of {', '.join(_FORMAT_OF_SUFFIX)}, "
            "or give --format"
        )
    with as_exit_status():
        dataset = esker.open(path, verify=not is_url(path))
        if output.exists() and any(
            os.path.samefile(part.path, output) for part in dataset.parts if not is_url(path)
        ):
            raise ValueError(
                f"{output}: the output is a file of the dataset being exported; choose another name"
            )
        source = dataset[field]
        if not source.fixed and not dataset.steps:
            raise ValueError(f"{path}: the dataset has no steps, so {field!r} has no samples")
        selection = source.select(step, box, level)
        _check_component(source, component)
        facts = describe(source, selection, step, component, output, kind)
        if kind == "netcdf":
            _write_netcdf(output, source, step, box, level, component)
        else:
            with _replaced(output) as file:
                if kind == "csv":
                    _write_line(file, source, selection, step, box, component)
                else:
                    _write(file, source, selection, step, component, kind)
    click.echo(json_text(facts) if as_json else _text(facts), err=to_stdout)


def describe(
    field: Field, selection: Selection, step: int, component: int | None, output: Path, kind: str
) -> dict[str, Any]:
    """The output of --json. Shape and dims are slowest first; origin and stride x first, in samples of the
    full grid."""
    shape = _shape(field, selection, component)
    dims = field.dims[: len(shape)]
    return {
        "output": str(output),
        "format": kind,
        "field": field.name,
        "time": None if field.fixed else field.dataset.steps[step],
        "dtype": field.dtype.str,
        "shape": list(shape),
        "dims": list(dims),
        "order": "C",
        "bytes": math.prod(shape) * field.dtype.itemsize,
        "level": selection.level,
        "origin": list(selection.origin),
        "stride": list(selection.stride),
        "attributes": plain(field.attrs),
    }


def _text(facts: dict[str, Any]) -> str:
    sizes = ", ".join(f"{dim}: {size}" for dim, size in zip(facts["dims"], facts["shape"]))
    return (
        f"{facts['output']}: {facts['dtype']} ({sizes}), C order, {facts['dims'][-1]} fastest, "
        f"{size_text(facts['bytes'])}"
    )


def _check_component(field: Field, component: int | None) -> None:
    if component is not None and not 0 <= component < field.components:
        raise IndexError(
            f"{field.name}: component {component} does not exist; the field has {field.components}"
        )


def _shape(field: Field, selection: Selection, component: int | None) -> tuple[int, ...]:
    """Shape of the exported array; without the component axis if a component is chosen."""
    return selection.shape if component is None else selection.shape[: len(field.grid.dims)]


def _write(
    file: IO[bytes], field: Field, selection: Selection, step: int, component: int | None, kind: str
) -> None:
    if kind == "npy":
        shape = _shape(field, selection, component)
        header = {
            "descr": np.lib.format.dtype_to_descr(field.dtype),
            "fortran_order": False,
            "shape": tuple(map(int, shape)),
        }
        np.lib.format.write_array_header_1_0(file, header)
    n_dims = len(field.grid.dims)
    counts = selection.shape[:n_dims]
    sample_bytes = field.dtype.itemsize * field.components
    n_done, n_all = 0, math.prod(counts)
    with progress(f"exporting {field.name}") as update:
        for where in pieces(counts, sample_bytes, grain=thickness(selection.shape[0])):
            lo, hi = zip(*((part.start, part.stop) for part in reversed(where)))
            samples = field.read(step, selection.box_of((lo, hi)), selection.level)
            if component is not None and field.components > 1:
                samples = np.ascontiguousarray(samples[..., component])
            file.write(samples.data.cast("B"))
            n_done += math.prod(s.stop - s.start for s in where)
            update(n_done / n_all)


def _write_netcdf(
    output: Path, field: Field, step: int, box: Box | None, level: int | None, component: int | None
) -> None:
    if component is not None:
        raise ValueError("--component is not supported for netCDF: the file holds all components; omit it")
    chosen = of_dataset(field.dataset, [field.name], None if field.fixed else step, box, level)
    with progress(f"exporting {field.name}") as update:
        done = 0

        def add(n_bytes: int) -> None:
            nonlocal done
            done += n_bytes
            update(done / size_of(chosen))

        convert(chosen, output, "netcdf", add, overwrite=True)


def _write_line(
    file: IO[bytes], field: Field, selection: Selection, step: int, box: Box | None, component: int | None
) -> None:
    """Writes one row per sample: its coordinates, x first, and its decoded values; missing values are
    empty."""
    dims = field.grid.dims
    counts = selection.shape[: len(dims)]
    if sum(count > 1 for count in counts) > 1:
        raise ValueError(
            f"{field.name}: expected a line of samples for CSV, found {' x '.join(map(str, counts))}; "
            "select a line with --box"
        )
    names = [field.name] if field.components == 1 else [f"{field.name}_{c}" for c in range(field.components)]
    values = decoded(field, field.read(step, box, selection.level)).reshape(-1, field.components)
    if component is not None:
        names, values = [names[component]], values[:, [component]]
    axes = [field.coords(dim, box, selection.level) for dim in reversed(list(dims))]
    axes = [np.broadcast_to(axis, len(values)) if len(values) else axis[:0] for axis in axes]
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    rows = csv.writer(text)
    rows.writerow([*reversed(list(dims)), *names])
    rows.writerows(zip(*(axis.tolist() for axis in axes), *values.T.tolist()))
    text.detach()


@contextmanager
def _replaced(output: Path) -> Iterator[IO[bytes]]:
    """A temporary file that replaces `output` by rename once it is complete."""
    in_place = output.exists() and not output.is_file()  # /dev/stdout, a pipe
    partial = output if in_place else output.with_name(f".{output.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            yield file
        if not in_place:
            partial.replace(output)
    except OSError as error:
        if error.errno is None:  # from reading the dataset
            raise
        raise click.ClickException(f"{output}: {error.strerror}") from error
    finally:
        if not in_place:
            partial.unlink(missing_ok=True)
