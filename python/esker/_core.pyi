from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Dimension:
    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int: ...

    @property
    def implicit(self) -> bool: ...

    @property
    def attributes(self) -> dict[str, str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]]: ...

class Grid:
    @property
    def name(self) -> str: ...

    @property
    def dims(self) -> list[int]: ...

    @property
    def mesh(self) -> tuple[list[int], list[list[int]], bool, list[float], list[float], bool] | None:
        """
        Extent, ratios, whether at nodes, origin, spacing, nested; x first. Or None.
        """

    @property
    def coords(self) -> dict[str, tuple[str, bytes]]: ...

    @property
    def attributes(self) -> dict[str, str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]]: ...

class Scalar:
    @property
    def name(self) -> str: ...

    @property
    def value(self) -> str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]: ...

    @property
    def attributes(self) -> dict[str, str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]]: ...

class Field:
    @property
    def name(self) -> str: ...

    @property
    def grid(self) -> int: ...

    @property
    def type(self) -> str: ...

    @property
    def components(self) -> int: ...

    @property
    def fixed(self) -> bool: ...

    @property
    def every(self) -> int: ...

    @property
    def compression(self) -> str: ...

    @property
    def stored_bits(self) -> int: ...

    @property
    def attributes(self) -> dict[str, str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]]: ...

class Part:
    @property
    def name(self) -> str: ...

    @property
    def path(self) -> str: ...

    @property
    def fields(self) -> list[str]: ...

    @property
    def box(self) -> tuple[list[int], list[int]]: ...

    @property
    def bitmask(self) -> str: ...

    @property
    def bits_per_block(self) -> int: ...

    @property
    def blocks_per_file(self) -> int: ...

    @property
    def num_blocks(self) -> int: ...

    @property
    def num_steps(self) -> int: ...

    @property
    def local_partitions(self) -> int: ...

    @property
    def hybrid_bricks(self) -> int: ...

    @property
    def has_checksums(self) -> bool: ...

class Storage:
    @property
    def files(self) -> int: ...

    @property
    def bytes(self) -> int: ...

class FieldErrors:
    @property
    def largest(self) -> float: ...

    @property
    def rms(self) -> float: ...

class StoredSamples:
    @property
    def primary(self) -> int: ...

    @property
    def secondary(self) -> int: ...

    @property
    def padding(self) -> int: ...

    @property
    def blocks(self) -> int: ...

class Dataset:
    @property
    def dims(self) -> list[Dimension]: ...

    @property
    def grids(self) -> list[Grid]: ...

    @property
    def fields(self) -> list[Field]: ...

    @property
    def scalars(self) -> list[Scalar]: ...

    @property
    def attributes(self) -> dict[str, str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]]: ...

    @property
    def time_attributes(self) -> dict[str, str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]]: ...

    @property
    def time_name(self) -> str: ...

    @property
    def time_type(self) -> str: ...

    @property
    def steps(self) -> list[float]: ...

    @property
    def parts(self) -> list[Part]: ...

    @property
    def warnings(self) -> list[str]: ...

    def storage(self) -> Storage: ...

    def has(self, field: str, step: int) -> bool: ...

    def errors(self, field: str, step: int) -> FieldErrors | None: ...

    def stored_samples(self, field: str, step: int) -> StoredSamples | None: ...

    def patches(self, field: str, step: int) -> list[tuple[int, list[int], list[int]]]: ...

    def level_covers(self, field: str, step: int) -> list[tuple[int, int, int]]: ...

    def largest_errors(self, field: str) -> list[float]: ...

    def has_whole_levels(self, field: str) -> bool: ...

    def max_level(self, field: str) -> int: ...

    def box(self, field: str) -> tuple[list[int], list[int]]: ...

    def select(self, field: str, step: int, box: tuple[Sequence[int], Sequence[int]] | None = None, level: int | None = None, stride: Sequence[int] | None = None, mesh_level: int | None = None) -> Selection: ...

    def read_into(self, field: str, out: object, step: int, box: tuple[Sequence[int], Sequence[int]] | None = None, level: int | None = None, stride: Sequence[int] | None = None, bits: int | None = None, start_level: int = 0, missing: str | None = None, is_stored: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')] | None = None, progress: object | None = None, statistics: ReadStatistics | None = None, mesh_level: int | None = None) -> None:
        """
        Fills `out`, a NumPy array or a DeviceArray of exactly the selected samples. Releases the GIL.
        """

    def levels_into(self, field: str, out: Annotated[NDArray[numpy.int8], dict(order='C', device='cpu')], step: int, box: tuple[Sequence[int], Sequence[int]] | None = None, level: int | None = None, stride: Sequence[int] | None = None) -> None:
        """
        Fills `out` with the finest level that is stored at the place of each selected sample.
        """

class ReadStatistics:
    """
    The cost of a read; `field.read(..., statistics=esker.ReadStatistics())` sets it.
    """

    def __init__(self) -> None: ...

    @property
    def blocks(self) -> int:
        """Blocks that were read; 0 for files without blocks."""

    @property
    def cached_blocks(self) -> int:
        """Blocks that were already in memory."""

    @property
    def missing_blocks(self) -> int:
        """Blocks that the dataset does not store."""

    @property
    def reads(self) -> int:
        """Calls to the file system, or to the HDF5 library."""

    @property
    def bytes(self) -> int:
        """Bytes read by these calls."""

    @property
    def seconds(self) -> float:
        """Elapsed time."""

    def __repr__(self) -> str: ...

class Selection:
    @property
    def origin(self) -> list[int]: ...

    @property
    def stride(self) -> list[int]: ...

    @property
    def count(self) -> list[int]: ...

    @property
    def level(self) -> int: ...

def version() -> str: ...

def build_facts() -> str:
    """How the library was built: lines for people."""

def open(path: str, verify: bool = False, threads: int = 0, cache_bytes: int = 67108864, files: object | None = None) -> Dataset:
    """`files`: an esker.integrations.remote.Files; None: local files."""

class Option:
    @property
    def name(self) -> str: ...

    @property
    def value(self) -> str: ...

    @property
    def source(self) -> str: ...

    @property
    def help(self) -> str: ...

    @property
    def group(self) -> str: ...

def options() -> list[Option]:
    """All options, as set by the configuration file and the environment."""

class Communicator:
    """A group of ranks; `_mpi` converts an MPI communicator to one."""

    @property
    def rank(self) -> int: ...

    @property
    def size(self) -> int: ...

class Writer:
    """Arrays are kept until the step ends."""

    def def_dim(self, arg0: str, arg1: int, /) -> int: ...

    def def_grid(self, name: str, dims: Sequence[int]) -> int: ...

    def def_mesh(self, name: str, axes: Sequence[str], extent: Sequence[int], ratios: Sequence[Sequence[int]], at_nodes: bool, origin: Sequence[float], spacing: Sequence[float], nested: bool) -> int:
        """All x first; `extent`: cells of the coarsest level."""

    def def_coords(self, grid: int, dim: str, values: tuple[str, bytes]) -> None: ...

    def def_time(self, name: str, type: str) -> None: ...

    def def_scalar(self, name: str, value: str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]) -> int: ...

    def def_field(self, grid: int, name: str, type: str, components: int = 1, fixed: bool = False, every: int = 1, compression: str = '', stored_bits: int = 0) -> int: ...

    def put_att(self, name: str, value: str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]) -> None: ...

    def put_time_att(self, name: str, value: str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]) -> None: ...

    def put_dim_att(self, dim: int, name: str, value: str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]) -> None: ...

    def put_field_att(self, field: int, name: str, value: str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]) -> None: ...

    def put_scalar_att(self, scalar: int, name: str, value: str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]) -> None: ...

    def field(self, arg: str, /) -> int: ...

    @property
    def time_name(self) -> str: ...

    @property
    def dims(self) -> list[Dimension]: ...

    @property
    def grids(self) -> list[Grid]: ...

    @property
    def fields(self) -> list[Field]: ...

    def begin_step(self, arg: float, /) -> None: ...

    def put(self, field: int, array: object, offset: Sequence[int], buffered: bool = False, level: int | None = None) -> None:
        """
        Keeps the array, (z, y, x[, component]), or a copy until the step ends; `offset` is x first.
        """

    def put_on_device(self, field: int, array: object, type: str, offset: Sequence[int], buffered: bool = False, level: int | None = None) -> None:
        """The same for a DeviceArray; keeps its owner."""

    def keep(self, grid: int, field: int, level: int, boxes: Sequence[tuple[Sequence[int], Sequence[int]]] | None = None, values: tuple[int, float, float] | None = None, levels: object | None = None, offset: Sequence[int] = [], dilate: int = 0, drop_nan: bool = False) -> None:
        """Adds a rule for one field, or for all of the grid (field -1)."""

    def fail(self, exception: object) -> None:
        """
        Makes the next collective call fail on all ranks with the exception's message.
        """

    def end_step(self, wait: bool = True) -> None: ...

    def flush(self) -> None: ...

    def rewind(self, arg: float, /) -> None: ...

    def close(self) -> None: ...

    def abandon(self, exception: object) -> None:
        """Ends the writer, whichever call the other ranks are in."""

    def report_text(self) -> str: ...

    def report_json(self) -> str: ...

    @property
    def num_steps(self) -> int: ...

def create(path: str, options: Mapping[str, str] = {}, communicator: Communicator | None = None) -> Writer:
    """Collective."""

def append(path: str, options: Mapping[str, str] = {}, communicator: Communicator | None = None) -> Writer:
    """Collective."""

class DlpackArray:
    """The array of a DLPack capsule, for as long as this object exists."""

    def __init__(self, capsule: object) -> None: ...

    @property
    def is_writeable(self) -> bool:
        """Unless the capsule says that it is not."""

    @property
    def address(self) -> int: ...

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""

    @property
    def type(self) -> tuple[int, int, int]:
        """Code, bits and lanes."""

class ReadReport:
    @property
    def data_bytes(self) -> int: ...

    @property
    def loaded_bytes(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def aggregated(self) -> bool: ...

    @property
    def readers(self) -> int: ...

    @property
    def most_loaded_bytes(self) -> int: ...

    @property
    def least_loaded_bytes(self) -> int: ...

    @property
    def buffer_bytes(self) -> int: ...

    def __str__(self) -> str: ...

class Reader:
    """The caller must keep requested arrays alive until read() returns."""

    @property
    def dataset(self) -> Dataset: ...

    def request(self, field: str, out: object, step: int, box: tuple[Sequence[int], Sequence[int]] | None = None, level: int | None = None, bits: int | None = None, mesh_level: int | None = None) -> None:
        """`out`: a NumPy array or a DeviceArray of exactly the selected samples."""

    def fail(self, exception: object) -> None:
        """Makes the next read() fail on all ranks with the exception's message."""

    def read(self) -> None: ...

    @property
    def last_read(self) -> ReadReport: ...

    def tuning_json(self) -> str:
        """Collective."""

def open_parallel(path: str, options: Mapping[str, str] = {}, communicator: Communicator | None = None, verify: bool = False) -> Reader:
    """Collective."""

class DatasetName:
    @property
    def stem(self) -> str: ...

    @property
    def suffix(self) -> str: ...

    @property
    def format(self) -> str: ...

class FoundDataset:
    @property
    def path(self) -> str: ...

    @property
    def format(self) -> str: ...

def split_name(path: str) -> DatasetName: ...

def dataset_suffixes() -> list[str]: ...

def find_dataset(path: str) -> FoundDataset: ...

class Finding:
    @property
    def is_error(self) -> bool: ...

    @property
    def path(self) -> str: ...

    @property
    def text(self) -> str: ...

class VerifyReport:
    @property
    def findings(self) -> list[Finding]: ...

    @property
    def num_errors(self) -> int: ...

    @property
    def num_warnings(self) -> int: ...

    @property
    def num_unreadable(self) -> int: ...

    @property
    def steps(self) -> int: ...

    @property
    def files(self) -> int: ...

    @property
    def blocks(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def blocks_with_checksum(self) -> int: ...

    @property
    def blocks_left_out(self) -> int: ...

    @property
    def blocks_compared(self) -> int: ...

def verify(path: str, progress: Callable[[float], None] | None, files: object | None = None) -> VerifyReport: ...

@overload
def verify_against(path: str, original: Dataset, progress: Callable[[float], None] | None, files: object | None = None) -> VerifyReport: ...

@overload
def verify_against(path: str, original: Callable, progress: Callable[[float], None] | None, files: object | None = None) -> VerifyReport:
    """
    `original(field, step, origin, stride, count, out)`: stores samples in the memory `out`; False if there are none.
    """

class MergeReport:
    @property
    def steps(self) -> int: ...

    @property
    def blocks(self) -> int: ...

    @property
    def bytes(self) -> int: ...

def merge(path: str) -> MergeReport: ...

def repair(path: str, to_time: float | None = None) -> None: ...

def renamed_idx(path: str, name: str) -> str: ...

def renamed_series(path: str, name: str) -> str: ...

class RebuildReport:
    @property
    def path(self) -> str: ...

    @property
    def source(self) -> str: ...

    @property
    def deduced(self) -> list[str]: ...

    @property
    def given_up(self) -> list[str]: ...

    @property
    def text(self) -> str: ...

    @property
    def steps(self) -> int: ...

    @property
    def written(self) -> bool: ...

    @property
    def old_file(self) -> str: ...

def rebuild(path: str, like: str, times: Sequence[float], bits_per_block: int, blocks_per_file: int, write: bool) -> RebuildReport: ...

class OverRanks:
    @property
    def min(self) -> int: ...

    @property
    def mean(self) -> float: ...

    @property
    def max(self) -> int: ...

class MessageBin:
    @property
    def least_bytes(self) -> int: ...

    @property
    def to_relays(self) -> int: ...

    @property
    def to_aggregators(self) -> int: ...

class PartitionTraffic:
    @property
    def partitions(self) -> int: ...

    @property
    def messages(self) -> OverRanks: ...

    @property
    def senders(self) -> OverRanks: ...

    @property
    def sent_bytes(self) -> OverRanks: ...

    @property
    def buffer_bytes(self) -> OverRanks: ...

    @property
    def crossing_messages(self) -> int: ...

    @property
    def crossing_bytes(self) -> int: ...

    @property
    def coarse_messages(self) -> int: ...

    @property
    def coarse_bytes(self) -> int: ...

class PlanReport:
    @property
    def ranks(self) -> int: ...

    @property
    def writers(self) -> int: ...

    @property
    def aggregators(self) -> int: ...

    @property
    def files(self) -> int: ...

    @property
    def blocks(self) -> int: ...

    @property
    def bits_per_block(self) -> int: ...

    @property
    def blocks_per_file(self) -> int: ...

    @property
    def data_bytes(self) -> int: ...

    @property
    def stored_bytes(self) -> int: ...

    @property
    def rounds(self) -> int: ...

    @property
    def messages(self) -> OverRanks: ...

    @property
    def senders(self) -> OverRanks: ...

    @property
    def sent_bytes(self) -> OverRanks: ...

    @property
    def written_bytes(self) -> OverRanks: ...

    @property
    def buffer_bytes(self) -> OverRanks: ...

    @property
    def burst_bytes(self) -> int: ...

    @property
    def message_sizes(self) -> list[MessageBin]: ...

    @property
    def boxes(self) -> int: ...

    @property
    def volume_ratio(self) -> float: ...

    @property
    def receivers(self) -> int: ...

    @property
    def in_partitions(self) -> PartitionTraffic: ...

    @property
    def samples(self) -> StoredSamples: ...

    @property
    def write_imbalance(self) -> float: ...

    @property
    def levels(self) -> list[tuple[int, int, int]]: ...

    @property
    def node_loads(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None), writable=False)]: ...

    @property
    def extents(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None), writable=False)]: ...

    def to_string(self) -> str: ...

class TunableOption:
    @property
    def option(self) -> str: ...

    @property
    def value(self) -> str: ...

    @property
    def cost(self) -> str: ...

    @property
    def values(self) -> list[str]: ...

    @property
    def constraint(self) -> str: ...

    @property
    def is_set(self) -> bool: ...

def tuning_space(n_ranks: int, n_aggregators: int, buffer_bytes: int, bits_per_block: int, blocks_per_file: int, options: Mapping[str, str]) -> list[TunableOption]: ...

def machine_kind() -> str: ...

def tune_model_path() -> str: ...

def cube_of_ranks(n_axes: int, n_ranks: int) -> list[int]: ...

def split_boxes(extent: Sequence[int], n_ranks: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None, None))]: ...

def plan_grid(n_ranks: int, extent: Sequence[int], n_fields: int, type: str, stored_bits: int = 0, boxes: Sequence[tuple[int, Sequence[int], Sequence[int]]] = [], options: Mapping[str, str] = {}, keep: Mapping[str, Sequence[tuple[int, Sequence[int], Sequence[int]]]] = {}, keep_level: int | None = None, ranks_per_node: int = 0) -> PlanReport: ...

def plan_mesh(n_ranks: int, extent: Sequence[int], ratios: Sequence[Sequence[int]], n_fields: int, type: str, patches: Sequence[tuple[int, int, Sequence[int], Sequence[int]]], options: Mapping[str, str] = {}, ranks_per_node: int = 0) -> PlanReport: ...

def plan_dataset(n_ranks: int, path: str, boxes: Sequence[tuple[int, Sequence[int], Sequence[int]]] = [], options: Mapping[str, str] = {}, keep: Mapping[str, Sequence[tuple[int, Sequence[int], Sequence[int]]]] = {}, keep_level: int | None = None, ranks_per_node: int = 0) -> PlanReport: ...

class Camera:
    def __init__(self, matrix: Sequence[float], width: int, height: int) -> None: ...

    @staticmethod
    def perspective(arg0: Sequence[float], arg1: Sequence[float], arg2: Sequence[float], arg3: float, arg4: float, arg5: float, arg6: int, arg7: int, /) -> Camera: ...

    @staticmethod
    def orthographic(arg0: Sequence[float], arg1: Sequence[float], arg2: Sequence[float], arg3: float, arg4: float, arg5: float, arg6: int, arg7: int, /) -> Camera: ...

    @property
    def matrix(self) -> list[float]: ...

    @property
    def width(self) -> int: ...

    @property
    def height(self) -> int: ...

class GridPlacement:
    def __init__(self, origin: Sequence[float], step: Sequence[Sequence[float]]) -> None: ...

    @staticmethod
    def of(arg0: Dataset, arg1: str, /) -> GridPlacement: ...

    @property
    def origin(self) -> list[float]: ...

    @property
    def step(self) -> list[list[float]]: ...

class View:
    @property
    def visible(self) -> bool: ...

    @property
    def box(self) -> tuple[list[int], list[int]]: ...

    @property
    def level(self) -> int: ...

    @property
    def pixels(self) -> float: ...

def view(dataset: Dataset, field: str, camera: Camera, placement: GridPlacement | None = None, pixels_per_sample: float = 1.0, previous_level: int | None = None) -> View: ...
