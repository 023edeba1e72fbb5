"""esker info: describes a dataset."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import click
import numpy as np
from rich.table import Table
from rich.text import Text

import esker
from esker.base.characters import has_characters
from esker.base.counts import count_of, size_text
from esker.base.units import with_units
from esker.base.values import plain
from esker.cli.config import print_config
from esker.cli.errors import as_exit_status
from esker.cli.json_text import json_text
from esker.cli.tables import console, show, table
from esker.dataset.description import Grid, Part
from esker.dataset.field import Field
from esker.dataset.opening import Dataset

_CHECKED = {
    "checksums": "with checksums",
    "some": "some blocks have no checksum, so their changed values are not detected",
    "readable": "no checksums, so changed values are not detected",
}
_MAP_LEVEL = 16  # at which the shares of levels are measured
_MAX_STEPS_SHOWN = 8


@click.command(
    epilog="""\b
    Examples:
      esker info run.idx
      esker info run.idx --json | jq '.fields[].name'
      esker info --config                       # the writer's options, and where each one is set"""
)
@click.argument("path", required=False)
@click.option(
    "--config", is_flag=True, help="Show the current options and where each one is set; without PATH."
)
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
def info_command(path: str | None, config: bool, as_json: bool) -> None:
    """Show grids, fields, steps, levels, blocks and files of the dataset at PATH.

    PATH is an .idx file, the directory of a dataset with several grids, a Zarr group, a CDF or an HDF5 file (NetCDF-4).

    The line "storage" ends with whether the dataset has checksums. Without them `esker verify` reads everything, but
    does not detect changed values. With --json this is "checked", one word as in `esker verify --json`: checksums,
    some, or readable (no checksums).
    """
    if config == (path is not None):
        raise click.UsageError("expected PATH, or --config without PATH")
    with as_exit_status():
        if config:
            return print_config(as_json)
        assert path is not None
        facts = describe(esker.open(path))
    if as_json:
        click.echo(json_text(facts))
    else:
        _print(facts)


def describe(dataset: Dataset) -> dict[str, Any]:
    """The output of --json. Sizes in bytes; boxes and dimensions x first; shapes slowest first."""
    try:
        storage = dataset.storage()
    except NotImplementedError:  # files on a web server cannot be listed
        storage = None
    fields = [_field_facts(field) for field in dataset.fields.values()]
    return {
        "path": dataset.path,
        "attributes": plain(dataset.attrs),
        "time_attributes": plain(dataset.time_attrs),
        "dimension_attributes": {name: plain(attrs) for name, attrs in dataset.dim_attrs.items() if attrs},
        "steps": list(dataset.steps),
        "time_dim": dataset.time_dim,
        "time_dtype": dataset.time_dtype.name,
        "scalars": [
            {"name": one.name, "value": plain(one.value), "attributes": plain(one.attrs)}
            for one in dataset.scalars.values()
        ],
        "grids": [_grid_facts(grid, dataset) for grid in dataset.grids.values()],
        "fields": fields,
        "parts": [_part_facts(part) for part in dataset.parts],
        "checked": _checked([part.has_checksums for part in dataset.parts]),
        "warnings": dataset.warnings,
        "storage": {
            "files": storage.files if storage else None,
            "bytes": storage.bytes if storage else None,
            "data_bytes": sum(field["data_bytes"] for field in fields),
        },
    }


def _checked(have_checksums: list[bool]) -> str:
    """What `esker verify` can check, in its words (Verification.checked)."""
    if not any(have_checksums):
        return "readable"
    return "checksums" if all(have_checksums) else "some"


def _grid_facts(grid: Grid, dataset: Dataset) -> dict[str, Any]:
    return {
        "name": grid.name,
        "dims": [{"name": name, "size": size} for name, size in reversed(list(grid.dims.items()))],
        "coords": {
            dim: {"first": float(values[0]), "last": float(values[-1])} for dim, values in grid.coords.items()
        },
        "attributes": plain(grid.attrs),
        "mesh": grid.mesh and {**grid.mesh._asdict(), "levels": _level_facts(grid, dataset)},
    }


def _level_facts(grid: Grid, dataset: Dataset) -> list[dict[str, int]]:
    """Patches, cells and covered cells of each level, at the last step that has a field of the mesh."""
    for step in reversed(range(len(dataset.steps))):
        for field in dataset.fields.values():
            if field.grid.name == grid.name and field.has(step):
                with suppress(NotImplementedError):  # too many cells to count
                    return [cover._asdict() for cover in field.level_covers(step)]
    return []


def _field_facts(field: Field) -> dict[str, Any]:
    written = [step for step in range(len(field.dataset.steps)) if field.has(step)]
    steps = [] if field.fixed else written
    copies = 1 if field.fixed else len(steps)
    return {
        "name": field.name,
        "dtype": field.dtype.name,
        "text_length": field.shape[-1] if has_characters(field.dtype, field.attrs) else None,
        "components": field.components,
        "grid": field.grid.name,
        "dims": list(field.dims),
        "shape": list(field.shape),
        "box": [list(corner) for corner in field.box],
        "fixed": field.fixed,
        "steps": steps,
        "max_level": field.max_level,
        "compression": field.compression,
        "stored_bits": field.stored_bits,
        "largest_error": _largest_error(field.largest_errors),
        "stored": _stored_facts(field, written),
        "data_bytes": math.prod(field.shape) * field.dtype.itemsize * copies,
        "attributes": plain(field.attrs),
    }


def _largest_error(of_steps: list[float]) -> float | str | None:
    """None without loss; "unknown" if there was one that no program recorded."""
    if any(map(math.isnan, of_steps)):
        return "unknown"
    return max(of_steps, default=None)


def _stored_facts(field: Field, written: list[int]) -> dict[str, Any] | None:
    """What the last step stores of the field, if that is not everything; from files of block sets only."""
    if not written:
        return None
    step = written[-1]
    if not field.is_sparse(step):
        return None
    stored = field.stored(step)
    level = max(0, min(field.max_level, _MAP_LEVEL))
    levels, counts = np.unique(field.levels(step, level=level), return_counts=True)
    shares = (counts / counts.sum()).tolist()
    return {
        **stored._asdict(),
        "efficiency": stored.efficiency,
        "share_of_levels": {str(at): share for at, share in zip(levels.tolist(), shares, strict=True)},
    }


def _stored_text(stored: Mapping[str, Any]) -> str:
    """The efficiency, and the share of the grid with each finest level: "0.370; 18: 21 %, 12: 79 %"."""
    shares = sorted(((int(at), share) for at, share in stored["share_of_levels"].items()), reverse=True)
    levels = (f"{'none' if at < 0 else at}: {100 * share:.3g} %" for at, share in shares)
    return f"{stored['efficiency']:.3f}; " + ", ".join(levels)


def _part_facts(part: Part) -> dict[str, Any]:
    return {
        "name": part.name,
        "path": part.path,
        "fields": list(part.fields),
        "box": [list(corner) for corner in part.box],
        "bitmask": part.bitmask,
        "bits_per_block": part.bits_per_block,
        "blocks_per_file": part.blocks_per_file,
        "blocks": part.num_blocks,
        "steps": part.num_steps,
        "local_partitions": part.local_partitions,
        "hybrid_bricks": part.hybrid_bricks,
        "has_checksums": part.has_checksums,
    }


def _print(facts: Mapping[str, Any]) -> None:
    out = console()
    out.print(Text(facts["path"], style="bold"), soft_wrap=True)
    storage = f"{_storage_text(facts['storage'])}; {_CHECKED[facts['checked']]}"
    out.print(_summary_table(facts, storage))
    tables = {
        "Grids": _grids_table(facts["grids"], facts["dimension_attributes"]),
        "Fields": _fields_table(facts["fields"], len(facts["steps"])),
    }
    if any(part["bits_per_block"] for part in facts["parts"]):
        tables["Parts"] = _parts_table(facts["parts"])
    for title, shown in tables.items():
        out.print()
        out.print(Text(title, style="bold"))
        show(out, shown)
    for warning in facts["warnings"]:
        out.print(Text(f"warning: {warning}", style="yellow"), soft_wrap=True)


def _storage_text(storage: Mapping[str, Any]) -> str:
    if storage["files"] is None:
        return "files cannot be listed"
    ratio = f", {storage['bytes'] / storage['data_bytes']:.2f} × the samples" if storage["data_bytes"] else ""
    return f"{count_of(storage['files'], 'file')}, {size_text(storage['bytes'])}{ratio}"


def _summary_table(facts: Mapping[str, Any], storage: str) -> Table:
    shown = Table.grid(padding=(0, 2))
    shown.add_row("  storage", storage)
    units = facts["time_attributes"].get("units")
    shown.add_row("  steps", Text(with_units(_steps_text(facts["steps"]), units)))
    for name, value in facts["attributes"].items():
        shown.add_row(f"  {name}", Text(str(value)))
    return shown


def _grids_table(grids: list[dict[str, Any]], attributes: Mapping[str, Mapping[str, Any]]) -> Table:
    shown = table("name", "size (x first)", "coordinates")
    for grid in grids:
        sizes = " × ".join(f"{dim['name']} {dim['size']}" for dim in grid["dims"])
        coords = ", ".join(
            f"{dim} {ends['first']:.9g} to {ends['last']:.9g}" + _in_units(attributes.get(dim, {}))
            for dim, ends in grid["coords"].items()
        )
        if units := grid["attributes"].get("coordinate_units"):
            coords += f" [{units}]"
        if grid["mesh"]:
            coords = ", ".join(filter(None, (_mesh_text(grid["mesh"]), coords)))
        shown.add_row("", grid["name"], sizes, Text(coords))
    return shown


def _mesh_text(mesh: Mapping[str, Any]) -> str:
    """ "mesh of 3 levels: 32 × 24 cells, ratios 4, 2"."""
    ratios = [str(r[0]) if len(set(r)) == 1 else " × ".join(map(str, r)) for r in mesh["ratios"]]
    cells = " × ".join(map(str, mesh["extent"]))
    where, unit = (", at nodes", "nodes") if mesh["nodes"] else ("", "cells")
    text = f"mesh of {len(ratios) + 1} levels: {cells} cells, ratios {', '.join(ratios) or 'none'}{where}"
    for number, level in enumerate(mesh["levels"]):
        text += f"\nlevel {number}: patches {level['patches']}, {unit} {level['samples']}"
        text += f", covered {level['covered']}"
    return text


def _in_units(attributes: Mapping[str, Any]) -> str:
    return f" {units}" if (units := attributes.get("units")) else ""


def _fields_table(fields: list[dict[str, Any]], n_steps: int) -> Table:
    are_compressed = any(_coding_text(field) != "none" for field in fields)
    are_sparse = any(field["stored"] for field in fields)
    shown = table(
        *("name", "type", "grid", "shape", "steps", "levels"),
        *(("compression", "largest error") if are_compressed else ()),
        *(("efficiency; levels of the last step",) if are_sparse else ()),
        *("units", "description"),
        right=("shape", "steps", "largest error"),
    )
    for field in fields:
        kind, shape = _type_and_shape(field)
        n_written = len(field["steps"])
        steps = (
            "fixed"
            if field["fixed"]
            else str(n_written)
            if n_written == n_steps
            else f"{n_written}/{n_steps}"
        )
        attributes = field["attributes"]
        description = Text(str(attributes.get("long_name", "")))
        levels, units = f"0-{field['max_level']}", Text(str(attributes.get("units", "")))
        compression = (_coding_text(field), _error_text(field["largest_error"])) if are_compressed else ()
        shown.add_row(
            "",
            Text(field["name"]),
            kind,
            field["grid"],
            shape,
            steps,
            levels,
            *compression,
            *((_stored_text(field["stored"]) if field["stored"] else "all",) if are_sparse else ()),
            units,
            description,
        )
    return shown


def _type_and_shape(field: Mapping[str, Any]) -> tuple[str, str]:
    """ "float32[3]", "12 × 10"; of texts their greatest length, "text[19]", and the shape without their characters."""
    shape, length = field["shape"], field["text_length"]
    if length is not None:
        return f"text[{length}]", " × ".join(map(str, shape[:-1])) or "1"
    components = f"[{field['components']}]" if field["components"] > 1 else ""
    return field["dtype"] + components, " × ".join(map(str, shape))


def _coding_text(field: dict[str, Any]) -> str:
    return f"{field['stored_bits']} bits" if field["stored_bits"] else field["compression"]


def _error_text(largest: float | str | None) -> str:
    return f"{largest:.3g}" if isinstance(largest, float) else largest or ""


def _parts_table(parts: list[dict[str, Any]]) -> Table:
    numbers = ("samples/block", "blocks", "blocks/file", "steps")
    are_divided = any(_partitions_text(part) for part in parts)
    shown = table("name", "bitmask", *numbers, *(("partitions",) if are_divided else ()), right=numbers)
    for part in parts:
        values = (1 << part["bits_per_block"], part["blocks"], part["blocks_per_file"], part["steps"])
        divided = (_partitions_text(part),) if are_divided else ()
        shown.add_row("", part["name"], part["bitmask"], *(f"{value}" for value in values), *divided)
    return shown


def _partitions_text(part: dict[str, Any]) -> str:
    """ "4 local", "8 hybrid", or nothing for a part that is not divided."""
    if part["local_partitions"]:
        return f"{part['local_partitions']} local"
    return f"{part['hybrid_bricks']} hybrid" if part["hybrid_bricks"] else ""


def _steps_text(steps: list[float]) -> str:
    shown = [f"{time:.9g}" for time in steps]
    if len(shown) > _MAX_STEPS_SHOWN:
        shown = [*shown[: _MAX_STEPS_SHOWN - 2], "…", shown[-1]]
    return f"{len(steps)}" + (f", at {', '.join(shown)}" if steps else "")
