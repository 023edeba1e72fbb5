"""Names of dimensions: those of arrays without names, and those that Esker adds to grids."""

from __future__ import annotations

from collections.abc import Container, Iterable

AXES = ("x", "y", "z", "u", "v")
"""Default names of the dimensions of a grid, x first."""

TIME_DIM = "time"
"""Default name of the dimension of steps."""

COMPONENT_DIM = "component"
"""Name of the last dimension of fields with more than one component."""


def component_dims(counts: Iterable[int], taken: Container[str] = ()) -> dict[int, str]:
    """Names of component dimensions by size, for xarray and Zarr, where a dimension has a single size.

    The name is "component" if all fields have the same number of components, else "component_2",
    "component_3" and so on. A name in `taken` gets underscores appended.

    >>> component_dims([1, 3, 1, 3]), component_dims([3, 2])
    ({3: 'component'}, {2: 'component_2', 3: 'component_3'})
    """
    several = sorted({count for count in counts if count > 1})
    names = {}
    for count in several:
        name = f"{COMPONENT_DIM}_{count}" if len(several) > 1 else COMPONENT_DIM
        while name in taken:
            name += "_"
        names[count] = name
    return names
