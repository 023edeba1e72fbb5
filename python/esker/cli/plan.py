"""esker plan: predicts messages, files and memory of a step on N ranks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from esker import _core, fine_patches, keep_plans, planning, rank_boxes
from esker.cli.arguments import collected_in, kind_of_picture
from esker.cli.errors import as_exit_status
from esker.cli.tables import console, show, size_text, table


class Extents(click.ParamType):
    """Numbers of samples, x first."""

    name = "X,Y,Z"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        words = value.split(",")
        if not all(word.isdigit() and int(word) > 0 for word in words):
            self.fail(f"expected extents such as 30,30,30, found {value!r}", param, ctx)
        return tuple(map(int, words))


class Listed(click.ParamType):
    """Several values with commas in between: a plan is made for each."""

    def __init__(self, name: str, example: str, convert: Callable[[str], Any]) -> None:
        self.name = name
        self._example = example
        self._convert = convert

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Any, ...]:
        try:
            return tuple(self._convert(word) for word in value.split(","))
        except ValueError:
            self.fail(f"expected {self._example}, found {value!r}", param, ctx)


class Ratios(click.ParamType):
    """Refinement ratios, one per level: a number, or one per axis with x in between."""

    name = "R[,R...]"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int | tuple[int, ...], ...]:
        try:
            levels = [tuple(map(int, word.split("x"))) for word in value.split(",")]
        except ValueError:
            self.fail(f"expected ratios such as 2,4 or 2x2x1, found {value!r}", param, ctx)
        return tuple(level[0] if len(level) == 1 else level for level in levels)


def _share(word: str) -> float:
    if not 0 <= float(word) <= 1:
        raise ValueError(word)
    return float(word)


def _order(word: str) -> str:
    return rank_boxes.ORDERS[rank_boxes.ORDERS.index(word)]


@dataclass(frozen=True)
class PlanOptions:
    """Arguments of `esker plan`."""

    ranks: int | None
    block: tuple[int, ...] | None
    extent: tuple[int, ...] | None
    dataset: str | None
    boxes_path: str | None
    patches_path: str | None
    fine_patches: int | None
    fine_patch: tuple[int, ...] | None
    ratios: tuple[int | tuple[int, ...], ...] | None
    fields: int
    dtype: str
    stored_bits: int | None
    restructure: str | None
    format: str | None
    chunks: str | None
    pattern: str | None
    stripe_size: str | None
    stripe_count: int | None
    bits_per_block: tuple[int, ...] | None
    blocks_per_file: int | None
    aggregators: int | None
    aggregation_factor: int | None
    max_fan_in: int | None
    memory_budget: str | None
    keep: tuple[float, ...] | None
    keep_order: tuple[str, ...] | None
    keep_level: int | None
    compare: bool
    plot: Path | None
    as_json: bool

    def check(self) -> None:
        """Raises UsageError unless ranks and grid are given exactly once, and the others go together."""
        n_grids = sum(value is not None for value in (self.block, self.extent, self.dataset))
        listed = self.boxes_path or self.patches_path
        if n_grids > 1 or (n_grids == 0 and not listed):
            raise click.UsageError(
                "expected one of --block, --global and --dataset, or only --boxes or --patches"
            )
        if self.ranks is None and not listed:
            raise click.UsageError("expected --ranks, --boxes or --patches")
        self._check_mesh()
        if self.keep_order and not self.keep:
            raise click.UsageError("--keep-order orders the boxes of --keep: expected both")
        if self.compare and self.sweeps():
            raise click.UsageError("--compare compares ways to write one step: expected single values")

    def _check_mesh(self) -> None:
        if self.patches_path and self.fine_patches is not None:
            raise click.UsageError("--patches and --fine-patches: expected one of them")
        if self.fine_patches is not None and not (self.block and len(self.block) == 3):
            raise click.UsageError("--fine-patches: expected --block X,Y,Z, the coarse patch of each rank")
        if self.is_mesh() and (self.keep or self.keep_level is not None or self.stored_bits or self.compare):
            raise click.UsageError(
                "--keep, --keep-level, --stored-bits and --compare do not apply to meshes (--patches, --fine-patches)"
            )
        if self.is_mesh() and (self.dataset or self.boxes_path):
            raise click.UsageError("--patches, --fine-patches: --dataset and --boxes do not apply to meshes")
        if (self.ratios or self.fine_patch) and not self.is_mesh():
            raise click.UsageError("--ratios, --fine-patch: expected --patches or --fine-patches")

    def is_mesh(self) -> bool:
        """Whether patches with levels are planned."""
        return self.patches_path is not None or self.fine_patches is not None

    def sweeps(self) -> bool:
        """Whether several plans are made."""
        return any(len(values or ()) > 1 for values in (self.keep, self.keep_order, self.bits_per_block))

    def given(self) -> dict[str, Any]:
        """The arguments of the planner that are given as they are, without ranks."""
        others = ("ranks", "boxes_path", "dtype", "compare", "plot", "as_json", *_MESH, *_LISTS)
        return {name: value for name, value in vars(self).items() if name not in others and value is not None}


_MESH = ("patches_path", "fine_patches", "fine_patch", "ratios")
_LISTS = ("keep", "keep_order", "bits_per_block")


@click.command(
    epilog="""\b
    Examples:
      esker plan --ranks 4096 --block 30,30,30 --fields 16 --restructure default
      esker plan --ranks 64 --dataset run.idx --json | jq .max_fan_in
      esker plan --ranks 512 --global 600,600,300 --compare --plot messages.png
      esker plan --ranks 512 --global 600,600,300 --format cdf5 --stripe-size 1M --stripe-count 16
      esker plan --ranks 1024 --block 25,25,25 --fine-patches 1412 --bits-per-block 15 --blocks-per-file 128
      esker plan --patches patches.txt --ratios 2,4 --fields 4
      esker plan --ranks 4096 --block 64,64,64 --keep 0.05,0.2 --bits-per-block 14,16,18 --plot keep.png"""
)
@click.option(
    "--ranks",
    type=click.IntRange(min=1, max=2**31 - 1),
    help="Number of ranks that write.  [default: the ranks listed in --boxes]",
)
@click.option("--block", type=Extents(), help="Samples per rank.")
@click.option("--global", "extent", type=Extents(), help="Samples of the grid, split near-cubically.")
@click.option(
    "--dataset", type=click.Path(), help="Plan the grids and fields of this dataset, split near-cubically."
)
@click.option(
    "--boxes",
    "boxes_path",
    type=click.Path(exists=True, dir_okay=False),
    help="File with the boxes of the ranks, as lines 'rank x0 y0 z0 x1 y1 z1'. Without another option for the "
    "grid they also define it.",
)
@click.option(
    "--patches",
    "patches_path",
    type=click.Path(exists=True, dir_okay=False),
    help="File with the patches of a mesh (AMR), as lines 'rank level x0 y0 z0 x1 y1 z1' in indices of the "
    "level. --global is the extent of level 0.  [default: that of its patches]",
)
@click.option(
    "--fine-patches",
    type=click.IntRange(min=0),
    help="A mesh of two levels: a coarse patch of --block cells per rank, and this many fine ones around a blob "
    "and a ring.",
)
@click.option("--fine-patch", type=Extents(), help="Cells of a fine patch.  [default: 12,12,12]")
@click.option(
    "--ratios",
    type=Ratios(),
    help="Refinement ratio of each finer level, e.g. 2,4 or 2x2x1.  [default: 2 for each]",
)
@click.option("--fields", type=click.IntRange(min=1), default=1, show_default=True, help="Number of fields.")
@click.option("--type", "dtype", default="f8", show_default=True, help="NumPy type of the samples.")
@click.option(
    "--stored-bits", type=int, help="Bits per sample that are stored: 1, 2, 4 ... 64.  [default: samples]"
)
@click.option("--restructure", help="off, default, expanded or X,Y,Z.")
@click.option("--format", help="idx, cdf5, netcdf4, vtkhdf, cdf5+idx ...  [default: idx]")
@click.option("--chunks", help="NetCDF-4: X,Y,Z, decomposition or auto.")
@click.option("--pattern", help="Access pattern of a shared file: contiguous, stripes or slabs.")
@click.option("--stripe-size", help="Stripe size of the file system, e.g. 1M.")
@click.option("--stripe-count", type=int, help="Number of storage targets that a file is striped over.")
@click.option(
    "--bits-per-block",
    type=Listed("N[,N...]", "numbers such as 14,15,16", int),
    help="A block holds 2^N samples. Several: a plan for each.",
)
@click.option("--blocks-per-file", type=int, help="Number of blocks in a file.")
@click.option("--aggregators", type=int, help="Number of ranks that collect and write.")
@click.option("--aggregation-factor", type=int, help="Number of ranks per aggregator.")
@click.option("--max-fan-in", type=int, help="Maximum number of ranks that send to an aggregator in a round.")
@click.option("--memory-budget", help="Memory per rank, e.g. 64M.")
@click.option(
    "--keep",
    type=Listed("SHARE[,SHARE...]", "shares from 0 to 1 such as 0.05,0.2", _share),
    help="Store a part of the step only: this share of the boxes of the ranks. Several: a plan for each.",
)
@click.option(
    "--keep-order",
    type=Listed("ORDER[,ORDER...]", " or ".join(rank_boxes.ORDERS), _order),
    help="Which boxes are kept: the first along the Z curve (z), which are close together, or the first by "
    "their bit-reversed places on it (bit-reversed), which are scattered.  [default: z]",
)
@click.option(
    "--keep-level",
    type=click.IntRange(max=0),
    help="Level at which everything else is stored, e.g. -9.  [default: not stored]",
)
@click.option("--compare", is_flag=True, help="Compare one-, two- and three-phase writing.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    help="Draw the histogram of message sizes; of several plans what they store.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
@collected_in(PlanOptions)
def plan_command(options: PlanOptions) -> None:
    """Predict what writing a step on N ranks costs: messages, files, memory.

    With --keep, of a step that stores a part of the grid: how many of the stored samples are those that are
    kept (efficiency), and how even the bytes of the aggregators are. Several shares, orders and block sizes
    are planned one after the other, and printed as a table or a JSON list.

    With --patches or --fine-patches, of a step of a mesh with several levels (AMR), whose coarse samples are not
    stored where finer patches cover them. A dataset with a mesh is planned with the patches of its last step.

    Needs neither MPI nor data; a million ranks take about a minute. Options default to those of the
    configuration file and the environment.
    """
    options.check()
    kind = kind_of_picture(options.plot) if options.plot else None
    if options.sweeps():
        _print_sweep(options, kind)
        return
    with as_exit_status():
        plans = _plans(options)
        if options.plot:
            planning.histogram_figure(plans).savefig(options.plot, format=kind)
    texts = {name: facts.pop("text") for name, facts in plans.items()}
    if options.as_json:
        click.echo(json.dumps(plans if options.compare else plans["plan"], indent=2))
        return
    for name, text in texts.items():
        click.echo(f"{name}: {text}" if options.compare else text)


def _print_sweep(options: PlanOptions, kind: str | None) -> None:
    """A table, or a JSON list with a line for each plan."""
    with as_exit_status():
        ranks, arguments = _arguments(options)
        single: tuple[None] = (None,)
        plans = keep_plans.sweep(
            ranks,
            options.keep or single,
            options.keep_order or rank_boxes.ORDERS[:1],
            options.bits_per_block or single,
            _planner(options),
            **arguments,
        )
        if options.plot:
            keep_plans.figure(plans).savefig(options.plot, format=kind)
    if options.as_json:
        left_out = ("text", "message_sizes")
        lines = [json.dumps({k: v for k, v in plan.items() if k not in left_out}) for plan in plans]
        click.echo("[\n" + ",\n".join(lines) + "\n]")
        return
    columns = ("keep", "order", "bits", "efficiency", "blocks", "files", "stored", "imbalance")
    made = table(*columns, right=tuple(name for name in columns if name != "order"))
    for plan in plans:
        made.add_row(
            "",
            "all" if plan["keep"] is None else f"{plan['keep']:g}",
            plan["keep_order"],
            "" if plan["bits_per_block"] is None else str(plan["bits_per_block"]),
            f"{plan['efficiency']:.4f}",
            str(plan["blocks"]),
            str(plan["files"]),
            size_text(plan["stored_bytes"]),
            f"{plan['write_imbalance']:.3f}",
        )
    show(console(), made)


def _arguments(options: PlanOptions) -> tuple[int, dict[str, Any]]:
    """The ranks and the other arguments of the planner, without those that may be lists."""
    arguments = {"type": options.dtype, **options.given()}
    ranks = options.ranks
    if options.boxes_path:
        arguments["boxes"] = planning.read_boxes(options.boxes_path)
        ranks = ranks or 1 + max((rank for rank, _ in arguments["boxes"]), default=0)
    if options.is_mesh():
        patches = _patches(options)
        ranks = ranks or 1 + max((rank for rank, _, _ in patches), default=0)
        finest = max((level for _, level, _ in patches), default=0)
        arguments |= {"patches": patches, "ratios": options.ratios or (2,) * finest}
        arguments["extent"] = options.extent or _coarse_extent(options)
        arguments.pop("block", None)
    assert ranks is not None
    return ranks, arguments


def _patches(options: PlanOptions) -> list[fine_patches.Patch]:
    if options.patches_path:
        return planning.read_patches(options.patches_path)
    assert options.ranks is not None and options.block is not None and options.fine_patches is not None
    ratio = (options.ratios or (2,))[0]
    if not isinstance(ratio, int):
        raise click.UsageError("--fine-patches: expected one ratio for all axes")
    return fine_patches.around_surfaces(
        options.ranks, options.block, options.fine_patch or (12, 12, 12), options.fine_patches, ratio
    )


def _coarse_extent(options: PlanOptions) -> tuple[int, ...] | None:
    """With --fine-patches the cells of all ranks; None: the patches define it."""
    if options.block is None or options.ranks is None:
        return None
    parts = _core.cube_of_ranks(len(options.block), options.ranks)
    return tuple(n * size for n, size in zip(parts, options.block))


def _plans(options: PlanOptions) -> dict[str, dict[str, Any]]:
    """Facts by phase with --compare, otherwise one plan with the name "plan"."""
    ranks, arguments = _arguments(options)
    arguments |= {name: values[0] for name in _LISTS if (values := getattr(options, name))}
    if options.compare:
        return planning.compare_phases(ranks, **arguments)
    return {"plan": _planner(options)(ranks, **arguments)}


def _planner(options: PlanOptions) -> Callable[..., dict[str, Any]]:
    return planning.plan_mesh if options.is_mesh() else planning.plan_step
