"""What a dataset says of itself: grids, scalars, parts, and what a step stores of a field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from numpy.typing import NDArray

from esker import _core
from esker.base.boxes import Box
from esker.base.values import AttributeValue, attributes_of, numbers_of
from esker.dataset.mesh import Mesh, mesh_of
from esker.dataset.selection import slowest_first


@dataclass(frozen=True)
class Grid:
    """Named dimensions with sizes, and coordinates where the dataset has them."""

    name: str
    dims: Mapping[str, int]
    """Name to size, slowest first."""
    coords: Mapping[str, NDArray[Any]]
    """Dimension name to one value per index, with the dataset's type."""
    attrs: Mapping[str, AttributeValue]
    has_no_axes: bool = False
    """The fields are time series with one sample per step; their dimension of size 1 does not exist in netCDF
    files."""
    mesh: Mesh | None = None
    """The levels of the mesh whose finest level this grid is."""

    def __repr__(self) -> str:
        sizes = ", ".join(f"{dim}: {size}" for dim, size in self.dims.items())
        with_coords = f", coordinates of {', '.join(self.coords)}" if self.coords else ""
        return f"<esker.Grid {self.name} ({sizes}){with_coords}>"


@dataclass(frozen=True)
class Scalar:
    """A constant value without axes, for example a grid mapping."""

    name: str
    value: AttributeValue
    """A NumPy scalar, or a text."""
    attrs: Mapping[str, AttributeValue]


@dataclass(frozen=True)
class Part:
    """The time-dependent or the fixed fields of a grid. In an IDX dataset each part is one `.idx` file, or some
    for each partition of the grid."""

    name: str
    path: str
    """Path of the part's `.idx` file, of the single file of all parts, or of the `.midx` file of partitions."""
    fields: tuple[str, ...]
    box: Box
    bitmask: str
    bits_per_block: int
    """0 (and so are the numbers of blocks) if the format has no blocks."""
    blocks_per_file: int
    num_blocks: int
    """Number of stored blocks per field and step."""
    num_steps: int
    local_partitions: int = 0
    """Partitions that are stored separately, with partition_index="local"; 0: none."""
    hybrid_bricks: int = 0
    """Partitions whose coarse blocks are separate, with partition_index="hybrid", until a merge; 0: none."""
    has_checksums: bool = False
    """Its blocks, or patches, have checksums: esker.verify() finds changed values."""


@dataclass(frozen=True)
class Storage:
    """Number and total size of the files with samples of committed steps."""

    files: int
    bytes: int


class StoredSamples(NamedTuple):
    """What a step stores of a field, in samples of the grid: Field.stored()."""

    primary: int
    """Of levels that are kept at their place."""
    secondary: int
    """Other samples in stored blocks."""
    padding: int
    """Samples of stored blocks outside the grid."""
    blocks: int

    @property
    def efficiency(self) -> float:
        """Primary samples over all samples of the grid that are stored."""
        stored = self.primary + self.secondary
        return self.primary / stored if stored else 1.0


class FieldErrors(NamedTuple):
    """What lossy compression changed in a field at a step. Both numbers are bounds: no true error is larger."""

    largest: float
    """Largest absolute difference between a sample and its stored value."""
    rms: float
    """Root of the mean square of the differences."""


def grid_of(grid: _core.Grid, dims: Sequence[_core.Dimension]) -> Grid:
    """A grid of the extension, whose dimensions are numbers in `dims`."""
    sizes = {dims[i].name: dims[i].size for i in slowest_first(grid.dims)}
    coords = {name: numbers_of(values) for name, values in grid.coords.items()}
    return Grid(
        grid.name,
        MappingProxyType(sizes),
        MappingProxyType(coords),
        attributes_of(grid.attributes),
        any(dims[i].implicit for i in grid.dims),
        mesh_of(grid.mesh),
    )


def part_of(part: _core.Part) -> Part:
    """A part of the extension."""
    lo, hi = part.box
    return Part(
        name=part.name,
        path=part.path,
        fields=tuple(part.fields),
        box=(tuple(lo), tuple(hi)),
        bitmask=part.bitmask,
        bits_per_block=part.bits_per_block,
        blocks_per_file=part.blocks_per_file,
        num_blocks=part.num_blocks,
        num_steps=part.num_steps,
        local_partitions=part.local_partitions,
        hybrid_bricks=part.hybrid_bricks,
        has_checksums=part.has_checksums,
    )
