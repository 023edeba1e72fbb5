"""esker diff: compares two datasets."""

from __future__ import annotations

from dataclasses import dataclass

import click

import esker
from esker.base.counts import count_of
from esker.cli.arguments import collected_in
from esker.cli.errors import as_exit_status
from esker.cli.json_text import json_text
from esker.cli.progress import progress
from esker.cli.tables import console, table
from esker.files.comparison import Comparison, compare
from esker.integrations.remote import is_url


@dataclass(frozen=True)
class DiffOptions:
    """Arguments of `esker diff`."""

    a: str
    b: str
    rtol: float
    atol: float
    no_attributes: bool
    most: int
    as_json: bool


@click.command(
    epilog="""\b
    Examples:
      esker diff run.idx run.nc
      esker diff old.idx new.idx --rtol 1e-6 --no-attributes
      esker diff a.idx b.idx --json | jq .same"""
)
@click.argument("a")
@click.argument("b")
@click.option(
    "--rtol",
    type=float,
    default=0.0,
    show_default=True,
    help="Relative tolerance, as a fraction of B's value.",
)
@click.option("--atol", type=float, default=0.0, show_default=True, help="Absolute tolerance.")
@click.option("--no-attributes", is_flag=True, help="Do not compare attributes.")
@click.option(
    "--most",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="Maximum number of differing values to show per field.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the differences as one JSON object.")
@collected_in(DiffOptions)
def diff_command(options: DiffOptions) -> None:
    """Compare the datasets A and B: fields, steps, attributes and all values.

    The formats may differ, and NaN equals NaN. Exit status: 0 if the datasets are the same, 1 if they differ.
    """
    with as_exit_status():
        ours, theirs = (esker.open(path, verify=not is_url(path)) for path in (options.a, options.b))
        with progress("comparing") as update:
            found = compare(
                ours,
                theirs,
                rtol=options.rtol,
                atol=options.atol,
                attributes=not options.no_attributes,
                most=options.most,
                progress=update,
            )
    for dataset in (ours, theirs):
        for warning in dataset.warnings:
            click.echo(f"warning: {dataset.path}: {warning}", err=True)
    if options.as_json:
        click.echo(json_text(found.as_dict()))
    else:
        _print(found)
    raise SystemExit(0 if found.same else 1)


def _print(found: Comparison) -> None:
    for line in found.structure:
        click.echo(line)
    differing = [one for one in found.fields if one.different]
    if differing:
        summary = table(
            "field",
            "values",
            "different",
            "largest",
            "relative",
            right=("values", "different", "largest", "relative"),
        )
        for one in differing:
            summary.add_row(
                "",
                one.field,
                str(one.compared),
                str(one.different),
                f"{one.max_abs:.6g}",
                f"{one.max_rel:.3g}",
            )
        console().print(summary)
    for one in differing:
        for at in one.first:
            place = ", ".join(map(str, at.index))
            when = "" if at.step < 0 else f"step {at.step}, "
            click.echo(f"  {one.field}: {when}({place}): {at.a!r} and {at.b!r}")
    if found.same:
        click.echo(
            f"the same: {count_of(len(found.fields), 'field')}, {sum(one.compared for one in found.fields)} values"
        )
