"""esker convert: converts datasets from and to other formats."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from esker import _core
from esker.base.boxes import Box
from esker.base.counts import count_of, size_text
from esker.base.names import renamings, schema_names
from esker.base.options import Option
from esker.cli.arguments import box_option, collected_in
from esker.cli.errors import as_exit_status
from esker.cli.progress import converting
from esker.convert.conversion import convert, format_of, size_of
from esker.convert.mesh_source import MeshSource
from esker.convert.meshes import MESH_FORMATS, convert_mesh, open_mesh
from esker.convert.netcdf import smallest_netcdf
from esker.convert.opening import open_source
from esker.convert.source import Source, separate_components, with_setting
from esker.integrations.remote import is_url


class Shape(click.ParamType):
    """Sizes, slowest first."""

    name = "NZ,NY,NX"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        try:
            sizes = tuple(int(size) for size in value.split(","))
        except ValueError:
            sizes = ()
        if sizes and min(sizes) > 0:
            return sizes
        self.fail(f"expected sizes such as 64,128,128, found {value!r}", param, ctx)


class WriterOption(click.ParamType):
    """A writer option; `esker options` lists them."""

    name = "NAME=VALUE"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        name, equals, text = value.partition("=")
        if not (name and equals):
            self.fail(f"expected a name and a value such as bits_per_block=16, found {value!r}", param, ctx)
        if name in ("format", "overwrite"):
            self.fail(f"{name!r} is set with --{name}", param, ctx)
        if name not in {option.name for option in _core.options()}:
            self.fail(f"unknown option {name!r}; `esker options` lists them", param, ctx)
        return name, text


class OfField(click.ParamType):
    """A value for all fields, which have the name "" here, or for one field."""

    def __init__(self, value_name: str, value_type: click.ParamType) -> None:
        self.name = f"[FIELD:]{value_name}"
        self._type = value_type

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Any]:
        field, _, text = value.rpartition(":")
        return field, self._type.convert(text, param, ctx)


@dataclass(frozen=True)
class ConvertOptions:
    """Arguments of `esker convert`."""

    source: str
    destination: str
    kind: str | None
    fields: tuple[str, ...]
    step: int | None
    box: Box | None
    level: int | None
    components: str
    shape: tuple[int, ...] | None
    dtype: str | None
    compression: tuple[tuple[str, str], ...]
    stored_bits: tuple[tuple[str, int], ...]
    writer_options: tuple[tuple[str, str], ...]
    overwrite: bool
    threads: int | None
    as_json: bool


@click.command(
    epilog="""\b
    Examples:
      esker convert run.nc run.idx
      esker convert run.idx part.nc --field thk --box 100:200,50:250
      esker convert density.raw density.idx --shape 256,256,256 --dtype f4 --option bits_per_block=16
      esker convert 'slices/*.png' scan.idx
      esker convert run.nc run.idx --compression zip --compression temp:zfp-accuracy=1e-3
      esker convert run.idx run.zarr --level 18
      esker convert plt00010 plt00010.idx
      esker convert plt00010 run.vtkhdf.series
      esker convert chk.000005.2d.hdf5 chk.idx
      esker convert yt:DD0010/moving7_0010 enzo.idx"""
)
@click.argument("source")
@click.argument("destination")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["idx", "netcdf", "cdf1", "cdf2", "cdf5", "netcdf4", "hdf5", "vtkhdf", "vtkhdf+idx", "zarr"]),
    help="Format of the destination; netcdf: the oldest of CDF-1, CDF-2 and NetCDF-4 that can hold the data.  "
    "vtkhdf, vtkhdf+idx: of adaptive meshes only.  [default: by the suffix, .idx, .nc (netcdf), .nc4, .h5, .hdf5 "
    "(netcdf4), .vtkhdf.series (vtkhdf) or .zarr]",
)
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME",
    help="Convert only this field; repeatable.  [default: all]",
)
@click.option(
    "--step", type=int, help="Convert only this step; negative counts from the end.  [default: all]"
)
@box_option
@click.option("--level", type=int, help="Resolution level.  [default: the finest]")
@click.option(
    "--components",
    type=click.Choice(["together", "separate"]),
    default="together",
    help="Store a field of several components as one variable with a component dimension (together), or as "
    "one variable "
    "per component (separate), for programs such as CDO. Esker reads either as one field.  [default: "
    "together]",
)
@click.option("--shape", type=Shape(), help="Shape of raw samples, slowest dimension first.")
@click.option("--dtype", help="NumPy type of raw samples: f4, <i2, >f8.")
@click.option(
    "--compression",
    type=OfField("CODEC", click.STRING),
    multiple=True,
    help="How to store the fields of IDX: none, zip, lz4, zfp-reversible, zfp-accuracy=X or zfp-precision=N; of Zarr: "
    "none, zip, zstd, blosc or bitround=N; after FIELD: only that field. Repeatable.",
)
@click.option(
    "--stored-bits",
    type=OfField("BITS", click.INT),
    multiple=True,
    help="Store only so many bits per sample, 1, 2, 4 ... 64, in an IDX that only Esker reads; after FIELD: "
    "only of that field. Repeatable.",
)
@click.option(
    "--option", "writer_options", type=WriterOption(), multiple=True, help="Writer option; repeatable."
)
@click.option("--overwrite", is_flag=True, help="Replace an existing destination.")
@click.option("--threads", type=int, help="Number of reading threads.  [default: one per processor]")
@click.option("--json", "as_json", is_flag=True, help="Print a summary as one JSON object.")
@collected_in(ConvertOptions)
def convert_command(options: ConvertOptions) -> None:
    """Convert SOURCE to DESTINATION, in another format.

    SOURCE is a dataset (IDX, netCDF, HDF5), an .npy file, raw samples, a directory or a pattern of .png files
    (one layer each, ordered by name), a Zarr store, or an adaptive mesh (to IDX or VTKHDF): a plotfile of AMReX, a plot file or
    checkpoint of Chombo, or yt:PATH for what the package yt opens as patches, such as Enzo's. Steps, coordinates and attributes are kept. The data need not fit in memory.
    """
    kind = _destination_format(options)
    begin = time.perf_counter()
    with as_exit_status():
        mesh = open_mesh(options.source, options.destination)
        made = _convert_mesh(mesh, options, kind) if mesh else []
    if mesh:
        warnings = renamings(schema_names(mesh.fields))
        for warning in warnings:
            click.echo(f"warning: {options.source}: {warning}", err=True)
        facts = _Facts(kind, mesh.fields, 1, mesh.nbytes, warnings)
        return _print_summary(facts, options, made, time.perf_counter() - begin)
    with as_exit_status():
        source = _open(options)
        if kind == "netcdf":
            kind = smallest_netcdf(source)
        made = _convert(source, options, kind)
    for warning in source.warnings:
        click.echo(f"warning: {options.source}: {warning}", err=True)
    fields = [one.name for one in source.fields]
    facts = _Facts(kind, fields, len(source.times), size_of(source), source.warnings)
    _print_summary(facts, options, made, time.perf_counter() - begin)


def _destination_format(options: ConvertOptions) -> str:
    destination = options.destination
    if is_url(destination):
        raise click.UsageError(
            f"{destination}: expected a local path, found a URL; convert to a file and upload it"
        )
    kind = options.kind or format_of(destination)
    if kind is None:
        raise click.UsageError(
            f"{destination}: unknown suffix {Path(destination).suffix!r}; expected one of "
            f"{', '.join(_core.dataset_suffixes())}, or give --format"
        )
    return kind


def _open(options: ConvertOptions) -> Source:
    source = open_source(
        options.source,
        shape=options.shape,
        dtype=options.dtype,
        fields=options.fields,
        step=options.step,
        box=options.box,
        level=options.level,
        threads=options.threads,
    )
    if options.components == "separate":
        source = separate_components(source)
    source = with_setting(
        source, "compression", {field: codec for field, codec in options.compression if field}
    )
    all_bits = {one.name: bits for field, bits in options.stored_bits if not field for one in source.fields}
    return with_setting(
        source, "stored_bits", all_bits | {field: bits for field, bits in options.stored_bits if field}
    )


def _options_of_writer(options: ConvertOptions) -> dict[str, Option]:
    how: dict[str, Option] = dict(options.writer_options)
    how |= {"compression": codec for field, codec in options.compression if not field}
    if options.overwrite:
        how["overwrite"] = True
    return how


def _convert(source: Source, options: ConvertOptions, kind: str) -> list[Path]:
    """Converts with a progress bar and returns the files and directories that were created."""
    with converting(f"converting to {Path(options.destination).name}", size_of(source)) as on_read:
        return convert(source, options.destination, kind, on_read, **_options_of_writer(options))


def _convert_mesh(mesh: MeshSource[Any], options: ConvertOptions, kind: str) -> list[Path]:
    """Converts all of an adaptive mesh in the same way."""
    if kind not in MESH_FORMATS:
        raise click.UsageError(
            f"{options.source}: an adaptive mesh is converted to IDX or VTKHDF, not to {kind}"
        )
    given = {
        "--field": options.fields,
        "--step": options.step is not None,
        "--box": options.box,
        "--level": options.level is not None,
        "--shape": options.shape,
        "--dtype": options.dtype,
        "--stored-bits": options.stored_bits,
        "--components separate": options.components == "separate",
    }
    if refused := [name for name, value in given.items() if value]:
        raise click.UsageError(f"{refused[0]}: not supported for adaptive meshes; omit it")
    with converting(f"converting to {Path(options.destination).name}", mesh.nbytes) as on_read:
        return convert_mesh(mesh, options.destination, on_read, kind, **_options_of_writer(options))


@dataclass(frozen=True)
class _Facts:
    """What the summary says of the source."""

    kind: str
    fields: Sequence[str]
    num_steps: int
    n_bytes: int
    warnings: Sequence[str]


def _print_summary(source: _Facts, options: ConvertOptions, made: list[Path], seconds: float) -> None:
    if options.as_json:
        facts = {
            "destination": options.destination,
            "files": [str(path) for path in made],
            "format": source.kind,
            "fields": list(source.fields),
            "steps": source.num_steps,
            "warnings": list(source.warnings),
            "bytes": source.n_bytes,
            "seconds": round(seconds, 3),
        }
        click.echo(json.dumps(facts, indent=2))
        return
    main = made[-1] if made else options.destination  # blocks and schema come before it
    fields, steps = count_of(len(source.fields), "field"), count_of(source.num_steps, "step")
    contents = f"{fields}, {steps}, {size_text(source.n_bytes)}"
    click.echo(f"{main}: {contents} in {seconds:.1f} s")
