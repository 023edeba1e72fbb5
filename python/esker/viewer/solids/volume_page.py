"""The routes of the page of volumes: the page, what it shows as JSON, and the samples of its reads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

import numpy as np
from tornado.web import HTTPError

from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.viewer.access.reading_handler import ReadingHandler
from esker.viewer.answers.texts import field_label, step_text
from esker.viewer.reading.reader import Reader
from esker.viewer.scenes.colors import PALETTES, palette
from esker.viewer.scenes.session import (
    Scene,
    dataset_names,
    query_of,
    why_nothing_is_shown,
    written_steps,
)
from esker.viewer.solids import volume_texts as texts
from esker.viewer.solids.answering import Page, failure, packed
from esker.viewer.solids.volume_samples import Codes, color_ends, ends_by_hand, placed, read_codes
from esker.viewer.solids.volumes import (
    MAX_EXTENT,
    MODES,
    RAMPS,
    Plan,
    Volume,
    frame_of,
    plan_of,
    volume_fields,
    volume_of,
    why_no_volume,
)
from esker.viewer.solids.vtkjs import HOW_TO_INSTALL, version


def routes(datasets: Sequence[Dataset], reader: Reader) -> list[Any]:
    """Patterns of Tornado."""
    options = {"datasets": datasets, "reader": reader}
    return [
        (r"/volume", Page, {"name": "volume.html"}),
        (r"/volume-scene", _Scene, options),
        (r"/volume-samples", _Samples, options),
    ]


class _Scene(ReadingHandler):
    """What the page shows, apart from samples. The parameters are those of the page's link."""

    def get(self) -> None:
        query = self.query
        extent = _extent(query)
        volume, notes = volume_of(query, self.datasets)
        self.set_header("Content-Type", "application/json")
        dataset = self.datasets[volume.scene.dataset]
        if not volume.scene.field:
            self.finish(json.dumps(_nothing(dataset, notes)))
            return
        field = dataset.fields[volume.scene.field]
        self.finish(json.dumps(description(self.datasets, field, volume, extent, notes), allow_nan=False))


class _Samples(ReadingHandler):
    """The samples of one read of a link: `read` is its number in the plan."""

    async def get(self) -> None:
        query = self.query
        volume, notes = volume_of(query, self.datasets)
        if not volume.scene.field or notes:
            raise HTTPError(404)
        field = self.datasets[volume.scene.dataset].fields[volume.scene.field]
        requests = plan_of(field, volume, _extent(query)).requests
        number = query.get("read", "0")
        if not number.isascii() or not number.isdigit() or int(number) >= len(requests):
            raise HTTPError(404)
        request, log = requests[int(number)], volume.scene.log
        found, reason = await self.read(("volume", request, log), partial(read_codes, field, request, log))
        self.set_header("Content-Type", "application/octet-stream")
        if found:
            await self.send(await asyncio.to_thread(_answer, field, volume, found))
        else:
            await self.send(failure("volume", reason))


def _extent(query: Mapping[str, str]) -> int:
    """The greatest texture of the page; what is not a number is taken as none given."""
    text = query.get("texture", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else MAX_EXTENT


def _answer(field: Field, volume: Volume, found: Codes) -> bytes:
    frame = frame_of(field, volume.box)
    codes, origin, spacing = placed(found, frame)
    is_finite = found.least is not None
    header = {
        "level": found.request.level,
        "shape": codes.shape[::-1],
        "origin": origin,
        "spacing": spacing,
        "low": found.low,
        "high": found.high,
        "log": found.log,
        "ends": color_ends(volume.scene, found.low, found.high, is_finite),
        "without": int(codes.size - np.count_nonzero(codes)),
        "nbytes": found.nbytes,
        "finite": is_finite,
        "kinds": texts.kinds(found.counts, found.codes.size),
        "notes": texts.sample_notes(found.error, is_finite, found.log, found.low, found.high, found.notes),
        "alternative": texts.alternative(field, volume, frame, found),
    }
    return packed(header, codes)


def _nothing(dataset: Dataset, notes: list[str]) -> dict[str, Any]:
    """For datasets without volumes."""
    reasons = [why_no_volume(field) for field in dataset.fields.values() if why_no_volume(field)]
    why = (
        f"{dataset.path} has no volume: {'; '.join(reasons[:5])}."
        if reasons
        else why_nothing_is_shown(dataset)
    )
    return {"why": why, "planes": "./", "notes": notes, "keys": texts.KEYS}


def description(
    datasets: Sequence[Dataset], field: Field, volume: Volume, extent: int, notes: list[str]
) -> dict[str, Any]:
    """All that the page needs to draw a volume but samples, as values of JSON."""
    scene = volume.scene
    plan, frame = plan_of(field, volume, extent), frame_of(field, volume.box)
    return {
        "kind": "volume",
        "why": "" if version() else f"{HOW_TO_INSTALL}.",
        "title": texts.title(field, volume),
        "step": step_text(field, scene),
        "where": texts.where(volume, frame),
        "notes": [*notes, *filter(None, (plan.note, ends_by_hand(scene)[1]))],
        "keys": texts.KEYS,
        "query": urlencode(volume_query(volume)),
        "planes": f"./?{urlencode(query_of(scene))}",
        "label": field_label(field, scene.component),
        "colors": palette(scene.palette, scene.reverse),
        "choices": _choices(datasets, field, scene),
        "values": _values(field, volume),
        "reads": [request.level for request in plan.requests],
        "samples": _samples_key(plan, scene),
        "max_level": field.max_level,
        "frame": {
            "sizes": frame.sizes,
            "ends": frame.ends,
            "down": [axis.step < 0 for axis in frame.axes],
            "labels": texts.labels(field, frame),
        },
    }


def volume_query(volume: Volume) -> dict[str, str]:
    """The parameters of a link to a volume: what differs from the defaults, and always field and step."""
    found = query_of(volume.scene)
    plain = Volume(volume.scene)
    for name in ("mode", "ramp", "opacity", "value"):
        if (given := getattr(volume, name)) != getattr(plain, name):
            found[name] = f"{given:.9g}" if isinstance(given, float) else str(given)
    if volume.box is not None:
        found["box"] = ",".join(str(end) for ends in zip(*volume.box) for end in ends)
    return found


def _samples_key(plan: Plan, scene: Scene) -> str:
    """Differs where other samples are needed."""
    return repr((plan.requests, scene.log))


def _choices(datasets: Sequence[Dataset], field: Field, scene: Scene) -> dict[str, Any]:
    """Values and names of all that can be chosen."""
    names = dataset_names(datasets)
    components = [("", "length"), *((str(i), str(i)) for i in range(field.components))]
    levels = [("", "automatic"), *((str(n), str(n)) for n in range(field.max_level, -1, -1))]
    return {
        "dataset": names,
        "field": [(name, name) for name in volume_fields(datasets[scene.dataset])],
        "layer": [],
        "component": components if field.components > 1 else [],
        "level": levels,
        "palette": [(name, name) for name in PALETTES],
        "mode": list(MODES.items()),
        "ramp": list(RAMPS.items()),
        "range": list(texts.RANGES.items()),
        "steps": written_steps(field),
        "bounds": [*zip(*field.box)],
        "axes": list(reversed(list(field.grid.dims))),
    }


def _values(field: Field, volume: Volume) -> dict[str, Any]:
    """What is chosen."""
    scene = volume.scene
    box = volume.box or field.box
    return {
        **texts.color_values(scene),
        "field": scene.field,
        "component": "" if scene.component is None else str(scene.component),
        "layer": "",
        "level": "" if scene.level is None else str(scene.level),
        "mode": volume.mode,
        "ramp": volume.ramp,
        "opacity": volume.opacity,
        "value": volume.value,
        "box": [end for ends in zip(*box) for end in ends],
    }
