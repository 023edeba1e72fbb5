"""esker export: writes samples to an .npy, raw, netCDF or CSV file."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import click
import numpy as np

import esker
from esker import _core
from esker.base.boxes import Box
from esker.base.counts import size_text
from esker.base.pieces import boxes
from esker.base.values import plain
from esker.cli.arguments import box_option, collected_in, step_option
from esker.cli.errors import as_exit_status
from esker.cli.json_text import json_text
from esker.cli.progress import converting, progress
from esker.convert.arrays import RAW_SUFFIXES
from esker.convert.conversion import convert, format_of, size_of
from esker.convert.datasets import source_of_dataset
from esker.dataset.decoding import decoded
from esker.dataset.field import Field
from esker.dataset.selection import Selection
from esker.integrations.remote import is_url

_FORMATS = {".npy": "npy", ".csv": "csv", **dict.fromkeys(RAW_SUFFIXES, "raw")}
"""Formats by suffix, in addition to the netCDF formats of format_of()."""
_NETCDF = ("netcdf", "netcdf4")


@dataclass(frozen=True)
class ExportOptions:
    """Arguments of `esker export`."""

    path: str
    field: str
    output: Path
    kind: str | None
    step: int
    box: Box | None
    level: int | None
    component: int | None
    as_json: bool


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
    "hold them, with coordinates; csv: a line of samples as text.  [default: by the suffix, .npy, .raw, .bin, "
    ".csv, .nc (netcdf), .nc4, .h5 or .hdf5 (netcdf4)]",
)
@step_option
@box_option
@click.option("--level", type=int, help="Resolution level.  [default: the finest]")
@click.option("--component", type=int, help="Export one component of a field with several.  [default: all]")
@click.option("--json", "as_json", is_flag=True, help="Print shape, type and other facts as one JSON object.")
@collected_in(ExportOptions)
def export_command(options: ExportOptions) -> None:
    """Write samples of FIELD of the dataset at PATH to a file, and print their type and shape.

    Samples are written in C order, slowest axis first, in the machine's byte order. They need not fit in
    memory. The file is published by rename once it is complete.
    """
    to_stdout = str(options.output) == "-"
    output = Path("/dev/stdout") if to_stdout else options.output
    kind = options.kind or _format_of(output)
    with as_exit_status():
        field = _open(options, output)
        selection = field.select(options.step, options.box, options.level)
        facts = describe(field, selection, options.step, options.component, output, kind)
        if kind in _NETCDF:
            _write_netcdf(output, field, options, kind)
        else:
            with _replaced(output) as file:
                if kind == "csv":
                    _write_line(file, field, selection, options)
                else:
                    _write(file, field, selection, options, kind)
    click.echo(json_text(facts) if options.as_json else _text(facts), err=to_stdout)


def _format_of(output: Path) -> str:
    kind = _FORMATS.get(output.suffix) or format_of(output)
    if kind in _FORMATS.values() or kind in _NETCDF:
        return kind
    netcdf = [suffix for suffix in _core.dataset_suffixes() if format_of(f"x{suffix}") in _NETCDF]
    raise click.UsageError(
        f"{output}: unknown suffix {output.suffix!r}; expected one of {', '.join([*_FORMATS, *netcdf])}, "
        "or give --format"
    )


def _open(options: ExportOptions, output: Path) -> Field:
    """Opens the field and checks the arguments that concern it."""
    dataset = esker.open(options.path, verify=not is_url(options.path))
    is_local = not is_url(options.path)
    if output.exists() and is_local and any(os.path.samefile(part.path, output) for part in dataset.parts):
        raise ValueError(f"{output}: the output is a file of the dataset being exported; choose another name")
    field = dataset[options.field]
    if not field.fixed and not dataset.steps:
        raise ValueError(f"{options.path}: the dataset has no steps, so {field.name!r} has no samples")
    _check_component(field, options.component)
    return field


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


def _write(file: IO[bytes], field: Field, selection: Selection, options: ExportOptions, kind: str) -> None:
    component = options.component
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
        for lo, hi in boxes(((0,) * n_dims, counts[::-1]), sample_bytes):
            samples = field.read(options.step, selection.box_of((lo, hi)), selection.level)
            if component is not None and field.components > 1:
                samples = np.ascontiguousarray(samples[..., component])
            file.write(samples.data.cast("B"))
            n_done += math.prod(end - start for start, end in zip(lo, hi))
            update(n_done / n_all)


def _write_netcdf(output: Path, field: Field, options: ExportOptions, kind: str) -> None:
    if options.component is not None:
        raise ValueError("--component is not supported for netCDF: the file holds all components; omit it")
    step = None if field.fixed else options.step
    source = source_of_dataset(field.dataset, [field.name], step, options.box, options.level)
    with converting(f"exporting {field.name}", size_of(source)) as on_read:
        convert(source, output, kind, on_read, overwrite=True)


def _write_line(file: IO[bytes], field: Field, selection: Selection, options: ExportOptions) -> None:
    """Writes one row per sample: its coordinates, x first, and its decoded values; missing values are
    empty."""
    dims, box, component = field.grid.dims, options.box, options.component
    counts = selection.shape[: len(dims)]
    if sum(count > 1 for count in counts) > 1:
        raise ValueError(
            f"{field.name}: expected a line of samples for CSV, found {' x '.join(map(str, counts))}; "
            "select a line with --box"
        )
    names = [field.name] if field.components == 1 else [f"{field.name}_{c}" for c in range(field.components)]
    values = decoded(field, field.read(options.step, box, selection.level)).reshape(-1, field.components)
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
