"""esker verify: checks a dataset for damage."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

import esker
from esker.base.counts import count_of
from esker.cli.errors import as_exit_status
from esker.cli.progress import progress


@click.command(
    epilog="""\b
    Examples:
      esker verify run.idx
      esker verify run.idx --json | jq .num_errors
      esker verify run.idx --against original.nc"""
)
@click.argument("path")
@click.option(
    "--against",
    metavar="ORIGINAL",
    help="Compare each block with the dataset or .npy file that it was made from: an error beyond the recorded "
    "one is damage.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON object.")
def verify_command(path: str, against: str | None, as_json: bool) -> None:
    """Read and check every block of the dataset at PATH.

    Checks headers, block tables, sizes, checksums and compressed blocks of all committed steps, and looks for
    leftovers of killed runs. netCDF and HDF5 files and uncompressed Zarr have no checksums: all values are read, but
    changed values are not detected. The last line says in one word what could be checked: checksums, some (blocks have one), or
    readable (no block has one). Exit status: 0 good (possibly with warnings), 1 damaged, or unreadable: the system
    refused to read a file, for example for lack of permission.
    """
    try:
        with as_exit_status():
            found = _verify_with_progress(path, against)
    except click.UsageError:
        raise
    except click.ClickException as error:  # the dataset cannot be opened
        if not as_json:
            raise
        click.echo(json.dumps({"path": path, "good": False, "error": error.format_message()}, indent=2))
        sys.exit(1)
    if as_json:
        click.echo(json.dumps(facts(path, found), indent=2))
    else:
        _print(path, found)
    sys.exit(0 if found.good else 1)


def facts(path: str, found: esker.Verification) -> dict[str, Any]:
    """The output of --json."""
    return {"path": path, "good": found.good, "checked": found.checked, **dataclasses.asdict(found)}


def _verify_with_progress(path: str, against: str | None) -> esker.Verification:
    with progress("verifying") as update:
        return esker.verify(path, update, against=against)


def _print(path: str, found: esker.Verification) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for finding in found.findings:
        style = "red" if finding.is_error else "yellow"
        kind = "error" if finding.is_error else "warning"
        console.print(f"[{style}]{kind}[/]: {escape(finding.path)}: {escape(finding.text)}")
    hidden = found.num_errors + found.num_warnings - len(found.findings)
    if hidden > 0:
        console.print(f"... and {hidden} more")
    console.print(f"{escape(path)}: {_verdict(found)}: {_extent_text(found)}; checked: {found.checked}")


def _verdict(found: esker.Verification) -> str:
    errors = count_of(found.num_errors, "error")
    if found.good:
        return "good"
    if found.num_unreadable == found.num_errors:
        return f"UNREADABLE ({errors}; what could be read is good)"
    return f"DAMAGED ({errors}{f', {found.num_unreadable} of reading' if found.num_unreadable else ''})"


def _extent_text(found: esker.Verification) -> str:
    read = f"{found.bytes / 1e6:.1f} MB"
    steps, files = count_of(found.steps, "step"), count_of(found.files, "file")
    if found.files > 0 and found.blocks == 0:  # netCDF, HDF5
        return f"{steps}, {files}, {read}; no checksums, so changed values are not detected"
    unchecked = found.blocks - found.blocks_with_checksum
    without = f", {unchecked} of them without checksum (changed values are not detected)" if unchecked else ""
    left_out = f", {found.blocks_left_out} left out" if found.blocks_left_out else ""
    compared = f", {found.blocks_compared} of them compared" if found.blocks_compared else ""
    return f"{steps}, {files}, {count_of(found.blocks, 'block')}{without}{left_out}{compared}, {read}"
