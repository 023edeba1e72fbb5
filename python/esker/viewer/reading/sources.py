"""What a view shows: samples of a field at a step or, in a difference, those minus the samples of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.viewer.reading.reads import Plan, Request, Subtrahend, box_request, nearest_place, plan_of
from esker.viewer.reading.samples import Kind, Picture, read_picture
from esker.viewer.scenes.axes import Axis, Plane, axis_of, plane_of
from esker.viewer.scenes.session import Scene, Window, field_of, fitted
from esker.viewer.scenes.views import Views

Wanted = Callable[[], bool]


@dataclass(frozen=True)
class Source:
    """A field, what is shown of it, and what is subtracted."""

    field: Field
    scene: Scene
    plane: Plane
    minus: Source | None = None

    @property
    def parts(self) -> tuple[Source, ...]:
        """This one, and what is subtracted from it."""
        return (self,) if self.minus is None else (self, self.minus)

    @property
    def step(self) -> int:
        """As reads take it."""
        return 0 if self.field.fixed else self.scene.step

    @property
    def units(self) -> str:
        """Of the values; "" if they are unknown."""
        return str(self.field.attrs.get("units", ""))

    def but(self, **changes: object) -> Source:
        """Another window, step or level of the same."""
        return replace(self, scene=self.scene.but(**changes))

    def is_same(self, other: Source | None) -> bool:
        """Whether both show the same samples in the same window."""
        if other is None or len(self.parts) != len(other.parts):
            return False
        pairs = zip(self.parts, other.parts)
        return all(mine.field is its.field and mine.scene == its.scene for mine, its in pairs)

    def plan(self, pixels: tuple[int, int]) -> Plan:
        """Its reads on a plot of `pixels`."""
        plan = plan_of(self.field, self.scene, self.plane, pixels)
        detail = None if plan.detail is None else self._whole(plan.detail)
        return replace(plan, overview=self._whole(plan.overview), detail=detail)

    def box_request(self, box: Window) -> Request:
        """A box of the plane, at the finest level that an answer may have."""
        return self._whole(box_request(self.field, self.scene.but(window=box), self.plane))

    def read(self, request: Request, is_wanted: Wanted) -> Picture:
        """Reads one of these requests. Raises Stale, OSError, ValueError."""
        first = read_picture(self.field, replace(request, minus=None), self.plane, is_wanted)
        if self.minus is None:
            return first
        other = self.minus
        second = read_picture(other.field, _other(self, other, request), other.plane, is_wanted)
        return replace(subtracted(first, second), request=request)

    def _whole(self, request: Request) -> Request:
        if self.minus is None:
            return request
        scene = self.minus.scene
        other = Subtrahend(scene.dataset, scene.field, self.minus.step, scene.component, scene.place)
        return replace(request, minus=other)


def source_of(views: Views, number: int, datasets: Sequence[Dataset]) -> tuple[Source | None, str]:
    """What a view shows; None, and a sentence if it is a difference that cannot be."""
    scenes = [fitted(scene, datasets) for scene in views.parts(number) if scene is not None]
    parts = [_plain(scene, datasets) for scene in scenes]
    first, second = parts[0], parts[-1]
    if first is None or second is None:
        return None, "" if len(parts) == 1 else "A difference needs two views that show something."
    if len(parts) == 1:
        return first, ""
    why = why_no_difference(first, second)
    return (None, why) if why else (replace(first, minus=second), "")


def _plain(scene: Scene, datasets: Sequence[Dataset]) -> Source | None:
    field = field_of(scene, datasets)
    return None if field is None else Source(field, scene, plane_of(field, scene))


def why_no_difference(first: Source, second: Source) -> str:
    """A sentence if samples cannot be subtracted one by one, or ""."""
    one, other = first.field, second.field
    begin = f"No difference of {one.name} and {other.name}: "
    if list(one.grid.dims) != list(other.grid.dims):
        return f"{begin}the axes are {', '.join(one.grid.dims)} and {', '.join(other.grid.dims)}."
    if first.scene.normal != second.scene.normal:
        return f"{begin}the planes are across {first.scene.normal} and across {second.scene.normal}."
    if one.box != other.box:
        shapes = (
            " x ".join(map(str, reversed(field.shape[: len(field.grid.dims)]))) for field in (one, other)
        )
        return f"{begin}the grids have {' and '.join(shapes)} samples."
    for dim in one.grid.dims:
        if not _is_same_axis(axis_of(one, dim), axis_of(other, dim)):
            return f"{begin}the coordinates along {dim} differ."
    if first.units != second.units and first.units and second.units:
        return f"{begin}the units are {first.units} and {second.units}."
    return ""


def _is_same_axis(one: Axis, other: Axis) -> bool:
    if (one.lo, one.hi, one.units) != (other.lo, other.hi, other.units):
        return False
    count = one.hi - one.lo
    mine, its = ([axis.coordinate(i) for i in (axis.lo, axis.hi - 1)] for axis in (one, other))
    size = abs(one.at(one.hi - 1) - one.at(one.lo)) / max(count - 1, 1) or 1.0
    if not np.allclose(mine, its, rtol=0, atol=1e-3 * size):
        return False
    if one.uneven is None or other.uneven is None:
        return one.uneven is other.uneven
    return bool(np.allclose(one.uneven, other.uneven, rtol=1e-6, atol=0))


def _other(first: Source, other: Source, request: Request) -> Request:
    """The read of what is subtracted: the same samples, whatever levels its file has."""
    stride = first.field.select(request.step, request.box, request.level).stride
    lo, hi = map(list, request.box)
    if other.plane.normal is not None:
        number = other.plane.normal.number
        lo[number] = nearest_place(other.plane.normal, other.scene.place, stride[number])
        hi[number] = lo[number] + 1
    scene, stored = other.scene, other.field.stored_bits
    bits = min(request.bits, stored) if request.bits is not None and stored is not None else None
    return Request(
        scene.dataset, scene.field, other.step, scene.component, (tuple(lo), tuple(hi)),
        other.field.max_level, bits, scene.normal, scene.place, stride,
    )  # fmt: skip


def subtracted(first: Picture, second: Picture) -> Picture:
    """The values of one picture minus those of another; computed in double precision."""
    if first.values.shape != second.values.shape:
        raise ValueError("the two views have different samples at this level")
    with np.errstate(invalid="ignore", over="ignore"):
        values = first.values.astype(np.float64) - second.values
        if first.values.dtype == second.values.dtype == np.float32:
            values = values.astype(np.float32)
    empty = np.isin(first.kinds, (Kind.FILL, Kind.NAN, Kind.MISSING))
    kinds = np.where(empty, first.kinds, np.maximum(first.kinds, second.kinds))
    kinds = np.where(~empty & np.isin(second.kinds, (Kind.FILL, Kind.NAN, Kind.MISSING)), second.kinds, kinds)
    kinds = np.where((kinds == Kind.VALUE) & np.isnan(values), np.uint8(Kind.NAN), kinds).astype(np.uint8)
    return replace(
        first,
        values=values,
        kinds=kinds,
        nbytes=first.nbytes + second.nbytes,
        error=" ".join(filter(None, (first.error, second.error))),
        notes=tuple(dict.fromkeys(first.notes + second.notes)),
    )
