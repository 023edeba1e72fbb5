"""The step that a plan or a simulation is about: the arguments that `esker plan` and `esker simulate` share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from esker import _core
from esker.planning import planner, rank_boxes
from esker.planning.fine_patches import Patch, around_surfaces


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
class StepOptions:
    """The step and the options with which it is written."""

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
    max_fan_in: int | None
    partitions: str | None
    partition_index: str | None
    memory_budget: str | None
    keep: tuple[float, ...] | None
    keep_order: tuple[str, ...] | None
    keep_level: int | None

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

    def _check_mesh(self) -> None:
        if self.patches_path and self.fine_patches is not None:
            raise click.UsageError("--patches and --fine-patches: expected one of them")
        if self.fine_patches is not None and not (self.block and len(self.block) == 3):
            raise click.UsageError("--fine-patches: expected --block X,Y,Z, the coarse patch of each rank")
        if self.is_mesh() and (self.keep or self.keep_level is not None or self.stored_bits):
            raise click.UsageError(
                "--keep, --keep-level and --stored-bits do not apply to meshes (--patches, --fine-patches)"
            )
        if self.is_mesh() and (self.dataset or self.boxes_path):
            raise click.UsageError("--patches, --fine-patches: --dataset and --boxes do not apply to meshes")
        if (self.ratios or self.fine_patch) and not self.is_mesh():
            raise click.UsageError("--ratios, --fine-patch: expected --patches or --fine-patches")

    def is_mesh(self) -> bool:
        """Whether patches with levels are planned."""
        return self.patches_path is not None or self.fine_patches is not None

    def lists_several(self) -> bool:
        """Whether an argument lists several values, each of which is a plan."""
        return any(len(getattr(self, name) or ()) > 1 for name in _LISTS)

    def shared_arguments(self) -> tuple[int, dict[str, Any]]:
        """The ranks and the arguments of the planner, without those that may be lists."""
        given = {name: getattr(self, name) for name in _AS_GIVEN if getattr(self, name) is not None}
        arguments = {"type": self.dtype, **given}
        ranks = self.ranks
        if self.boxes_path:
            arguments["boxes"] = planner.read_boxes(self.boxes_path)
            ranks = ranks or 1 + max((rank for rank, _ in arguments["boxes"]), default=0)
        if self.is_mesh():
            patches = self._patches()
            ranks = ranks or 1 + max((rank for rank, _, _ in patches), default=0)
            finest = max((level for _, level, _ in patches), default=0)
            arguments |= {"patches": patches, "ratios": self.ratios or (2,) * finest}
            arguments["extent"] = self.extent or self._coarse_extent()
            arguments.pop("block", None)
        assert ranks is not None
        return ranks, arguments

    def arguments(self) -> tuple[int, dict[str, Any]]:
        """The ranks and all arguments of the planner; of lists the first value."""
        ranks, arguments = self.shared_arguments()
        return ranks, arguments | {name: values[0] for name in _LISTS if (values := getattr(self, name))}

    def planner(self) -> Callable[..., dict[str, Any]]:
        """What takes arguments()."""
        return planner.plan_mesh if self.is_mesh() else planner.plan

    def settings(self) -> dict[str, Any]:
        """The options of a writer that are given; of lists the first value."""
        arguments = self.arguments()[1]
        return {option.name: arguments[option.name] for option in _core.options() if option.name in arguments}

    def _patches(self) -> list[Patch]:
        if self.patches_path:
            return planner.read_patches(self.patches_path)
        assert self.ranks is not None and self.block is not None and self.fine_patches is not None
        ratio = (self.ratios or (2,))[0]
        if not isinstance(ratio, int):
            raise click.UsageError("--fine-patches: expected one ratio for all axes")
        return around_surfaces(
            self.ranks, self.block, self.fine_patch or (12, 12, 12), self.fine_patches, ratio
        )

    def _coarse_extent(self) -> tuple[int, ...] | None:
        """With --fine-patches the cells of all ranks; None: the patches define it."""
        if self.block is None or self.ranks is None:
            return None
        parts = _core.cube_of_ranks(len(self.block), self.ranks)
        return tuple(n * size for n, size in zip(parts, self.block))


_LISTS = ("keep", "keep_order", "bits_per_block")
_ELSEWHERE = ("ranks", "boxes_path", "patches_path", "fine_patches", "fine_patch", "ratios", "dtype", *_LISTS)
_AS_GIVEN = tuple(name for name in StepOptions.__dataclass_fields__ if name not in _ELSEWHERE)

_OPTIONS = (
    click.option(
        "--ranks",
        type=click.IntRange(min=1, max=2**31 - 1),
        help="Number of ranks that write.  [default: the ranks listed in --boxes]",
    ),
    click.option("--block", type=Extents(), help="Samples per rank."),
    click.option("--global", "extent", type=Extents(), help="Samples of the grid, split near-cubically."),
    click.option(
        "--dataset",
        type=click.Path(),
        help="Plan the grids and fields of this dataset, split near-cubically.",
    ),
    click.option(
        "--boxes",
        "boxes_path",
        type=click.Path(exists=True, dir_okay=False),
        help="File with the boxes of the ranks, as lines 'rank x0 y0 z0 x1 y1 z1'. Without another option for the "
        "grid they also define it.",
    ),
    click.option(
        "--patches",
        "patches_path",
        type=click.Path(exists=True, dir_okay=False),
        help="File with the patches of a mesh (AMR), as lines 'rank level x0 y0 z0 x1 y1 z1' in indices of the "
        "level. --global is the extent of level 0.  [default: that of its patches]",
    ),
    click.option(
        "--fine-patches",
        type=click.IntRange(min=0),
        help="A mesh of two levels: a coarse patch of --block cells per rank, and this many fine ones around a blob "
        "and a ring.",
    ),
    click.option("--fine-patch", type=Extents(), help="Cells of a fine patch.  [default: 12,12,12]"),
    click.option(
        "--ratios",
        type=Ratios(),
        help="Refinement ratio of each finer level, e.g. 2,4 or 2x2x1.  [default: 2 for each]",
    ),
    click.option(
        "--fields", type=click.IntRange(min=1), default=1, show_default=True, help="Number of fields."
    ),
    click.option("--type", "dtype", default="f8", show_default=True, help="NumPy type of the samples."),
    click.option(
        "--stored-bits", type=int, help="Bits per sample that are stored: 1, 2, 4 ... 64.  [default: samples]"
    ),
    click.option("--restructure", help="off, default, expanded or X,Y,Z."),
    click.option("--format", help="idx, cdf5, netcdf4, vtkhdf, cdf5+idx ...  [default: idx]"),
    click.option("--chunks", help="NetCDF-4: X,Y,Z, decomposition or auto."),
    click.option("--pattern", help="Access pattern of a shared file: contiguous, stripes or slabs."),
    click.option("--stripe-size", help="Stripe size of the file system, e.g. 1M."),
    click.option("--stripe-count", type=int, help="Number of storage targets that a file is striped over."),
    click.option(
        "--bits-per-block",
        type=Listed("N[,N...]", "numbers such as 14,15,16", int),
        help="A block holds 2^N samples. Several: a plan for each.",
    ),
    click.option("--blocks-per-file", type=int, help="Number of blocks in a file."),
    click.option("--aggregators", type=int, help="Number of ranks that collect and write."),
    click.option(
        "--max-fan-in", type=int, help="Maximum number of ranks that send to an aggregator in a round."
    ),
    click.option(
        "--partitions",
        help="Divide the ranks: a number of partitions, or size:K for K ranks in each. Without --blocks-per-file "
        "each of more than 512 MiB has 8 files.",
    ),
    click.option(
        "--partition-index",
        type=click.Choice(["global", "hybrid", "local"]),
        help="hybrid: partitions store their coarse samples, until `esker merge`; local: separate files.",
    ),
    click.option("--memory-budget", help="Memory per rank, e.g. 64M."),
    click.option(
        "--keep",
        type=Listed("SHARE[,SHARE...]", "shares from 0 to 1 such as 0.05,0.2", _share),
        help="Store a part of the step only: this share of the boxes of the ranks. Several: a plan for each.",
    ),
    click.option(
        "--keep-order",
        type=Listed("ORDER[,ORDER...]", " or ".join(rank_boxes.ORDERS), _order),
        help="Which boxes are kept: the first along the Z curve (z), which are close together, or the first by "
        "their bit-reversed places on it (bit-reversed), which are scattered.  [default: z]",
    ),
    click.option(
        "--keep-level",
        type=click.IntRange(max=0),
        help="Level at which everything else is stored, e.g. -9.  [default: not stored]",
    ),
)


def step_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options of a step to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
