"""The routes of globes: what the page shows as JSON, the values of cells, and where the cells are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from tornado.web import HTTPError

from esker.base.units import with_units
from esker.dataset.field import Field
from esker.dataset.opening import Dataset
from esker.plot.labels import time_text
from esker.viewer.access.reading_handler import ReadingHandler
from esker.viewer.answers.texts import field_label, step_text
from esker.viewer.reading.reader import Reader
from esker.viewer.scenes.colors import PALETTES, palette
from esker.viewer.scenes.session import dataset_names, query_of, written_steps
from esker.viewer.solids import volume_texts as texts
from esker.viewer.solids.answering import Page, failure, packed
from esker.viewer.solids.globe_samples import Cells, Mesh, read_cells, read_mesh
from esker.viewer.solids.globes import GlobeScene, globe_of, globes_of, levels_of, nearest_layer, places_step
from esker.viewer.solids.volume_samples import color_ends, ends_by_hand
from esker.viewer.solids.vtkjs import HOW_TO_INSTALL, version


def routes(datasets: Sequence[Dataset], reader: Reader) -> list[Any]:
    """Patterns of Tornado."""
    options = {"datasets": datasets, "reader": reader}
    return [
        (r"/globe", Page, {"name": "volume.html"}),
        (r"/globe-scene", _Scene, options),
        (r"/globe-samples", _Samples, options),
        (r"/globe-mesh", _Mesh, options),
    ]


class _Scene(ReadingHandler):
    """What the page shows, apart from samples. The parameters are those of the page's link."""

    def get(self) -> None:
        shown, notes = globe_of(self.query, self.datasets)
        self.set_header("Content-Type", "application/json")
        found = description(self.datasets, shown, notes) if shown.name else self._nothing(shown, notes)
        self.finish(json.dumps(found, allow_nan=False))

    def _nothing(self, shown: GlobeScene, notes: list[str]) -> dict[str, Any]:
        path = self.datasets[shown.scene.dataset].path
        why = f"{path} has no globe: it needs ten panels with lon and lat, or a list of cells with both."
        return {"why": why, "planes": "./", "notes": notes, "keys": texts.KEYS}


class _Samples(ReadingHandler):
    """The values of one read of a link: `read` is its number in the plan."""

    async def get(self) -> None:
        shown, dataset, level = chosen(self)
        key = ("globe", shown.scene.but(palette=""), shown.name, shown.layer, level)
        found, reason = await self.read(key, partial(read_cells, dataset, shown, level))
        self.set_header("Content-Type", "application/octet-stream")
        if found:
            await self.send(await asyncio.to_thread(_answer, dataset, shown, found))
        else:
            await self.send(failure("globe", reason))


class _Mesh(ReadingHandler):
    """The places of the same read."""

    async def get(self) -> None:
        shown, dataset, level = chosen(self)
        key = ("mesh", shown.scene.dataset, globes_of(dataset)[shown.name].lon, level, shown.layer)
        key = (*key, places_step(dataset, shown))
        found, reason = await self.read(key, partial(read_mesh, dataset, shown, level))
        self.set_header("Content-Type", "application/octet-stream")
        await self.send(await asyncio.to_thread(_mesh, found) if found else failure("globe", reason))


def _mesh(found: Mesh) -> bytes:
    header = {"cells": len(found.places), "triangles": len(found.triangles), "nbytes": found.nbytes}
    return packed(header, found.places, found.triangles)


def chosen(handler: ReadingHandler) -> tuple[GlobeScene, Dataset, int]:
    """What a request reads. Raises HTTPError for links that the page does not make."""
    query = handler.query
    shown, notes = globe_of(query, handler.datasets)
    if not shown.name or notes:
        raise HTTPError(404)
    dataset = handler.datasets[shown.scene.dataset]
    levels = levels_of(dataset, shown)
    number = query.get("read", "0")
    if number not in map(str, range(len(levels))):
        raise HTTPError(404)
    return shown, dataset, levels[int(number)]


def _answer(dataset: Dataset, shown: GlobeScene, found: Cells) -> bytes:
    header = {
        "level": found.level,
        "shape": [found.codes.size],
        "low": found.low,
        "high": found.high,
        "log": found.log,
        "ends": color_ends(shown.scene, found.low, found.high, found.finite),
        "nbytes": found.nbytes,
        "finite": found.finite,
        "kinds": texts.kinds(found.counts, found.codes.size).replace("transparent", "gray"),
        "notes": texts.sample_notes(found.error, found.finite, found.log, found.low, found.high, found.notes),
        "alternative": f"{field_label(_field(dataset, shown), None)} on a globe of {found.codes.size} cells, "
        f"layer {shown.layer}. {step_text(_field(dataset, shown), shown.scene)}.",
    }
    return packed(header, found.codes)


def _field(dataset: Dataset, shown: GlobeScene) -> Field:
    return dataset.fields[globes_of(dataset)[shown.name].parts[0]]


def globe_query(shown: GlobeScene) -> dict[str, str]:
    """The parameters of a link to a globe."""
    found = {**query_of(shown.scene), "field": shown.name}
    for name in ("normal", "place", "component", "window", "level"):
        found.pop(name, None)
    if shown.layer:
        found["layer"] = str(shown.layer)
    if shown.level is not None:
        found["level"] = str(shown.level)
    return found


def description(datasets: Sequence[Dataset], shown: GlobeScene, notes: list[str]) -> dict[str, Any]:
    """All that the page needs to draw a globe but samples, as values of JSON."""
    scene, dataset = shown.scene, datasets[shown.scene.dataset]
    field, levels = _field(dataset, shown), levels_of(dataset, shown)
    globe = globes_of(dataset)[shown.name]
    used = nearest_layer(field, globe, shown.layer, levels[-1])
    return {
        "kind": "globe",
        "why": "" if version() else f"{HOW_TO_INSTALL}.",
        "title": ", ".join(part for part in (shown.name, time_text(field, scene.step)) if part),
        "step": step_text(field, scene),
        "where": f"layer {used}, nearest of this level to {shown.layer}" if used != shown.layer else "",
        "notes": [*notes, *filter(None, (ends_by_hand(scene)[1],))],
        "keys": texts.KEYS,
        "query": urlencode(globe_query(shown)),
        "planes": f"./?{urlencode({'dataset': scene.dataset, 'field': globe.parts[0], 'step': scene.step})}",
        "label": with_units(field.attrs.get("long_name", shown.name), field.attrs.get("units")),
        "colors": palette(scene.palette, scene.reverse),
        "choices": _choices(datasets, dataset, shown, field),
        "values": _values(shown),
        "reads": levels,
        "samples": repr((scene.dataset, shown.name, scene.step, shown.layer, levels, scene.log, scene.bits)),
        "mesh": repr(
            (scene.dataset, globe.lon, shown.layer if globe.layer_dim else 0, places_step(dataset, shown))
        ),
        "max_level": field.max_level,
        "frame": {"globe": True},
    }


def _choices(
    datasets: Sequence[Dataset], dataset: Dataset, shown: GlobeScene, field: Field
) -> dict[str, Any]:
    """Values and names of all that can be chosen."""
    globes = globes_of(dataset)
    step = 2 if globes[shown.name].has_panels else 1
    return {
        "dataset": dataset_names(datasets),
        "field": [(name, name) for name in globes],
        "layer": [(str(i), str(i)) for i in range(globes[shown.name].layers)],
        "component": [],
        "level": [("", "automatic"), *((str(n), str(n)) for n in range(field.max_level, -1, -step))],
        "palette": [(name, name) for name in PALETTES],
        "mode": [],
        "ramp": [],
        "range": list(texts.RANGES.items()),
        "steps": written_steps(field),
    }


def _values(shown: GlobeScene) -> dict[str, Any]:
    """What is chosen."""
    scene = shown.scene
    return {
        **texts.color_values(scene),
        "field": shown.name,
        "layer": str(shown.layer),
        "component": "",
        "level": "" if shown.level is None else str(shown.level),
        "mode": "",
        "ramp": "",
    }
