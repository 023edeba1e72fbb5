"""esker tune fit: learns from a table of measurements how long a step takes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from esker.cli.arguments import collected_in, kind_of_picture
from esker.cli.errors import as_exit_status
from esker.cli.tables import console, show, table
from esker.tune.characterize import design
from esker.tune.characterize import table as tables
from esker.tune.extras import needed
from esker.tune.fit import evaluation, extrapolation, figures, stored, trees

_MOST_PLOTTED_SPLITS = 3


@dataclass(frozen=True)
class FitOptions:
    """Arguments of `esker tune fit`."""

    path: Path
    mode: str
    models: Path | None
    export: Path | None
    install: bool
    kind: str | None
    plot: Path | None
    as_json: bool


@click.command(
    "fit",
    short_help="Learn from measurements how long a step takes.",
    epilog="""\b
    Examples:
      esker tune fit here.parquet --plot fit.png
      esker tune fit here.parquet --install
      esker tune fit here.parquet --models models/ --json > fit.json""",
)
@click.argument("path", metavar="TABLE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--mode", default="both", show_default=True, type=click.Choice(design.MODES), help="Rows.")
@click.option(
    "--models",
    type=click.Path(file_okay=False, path_type=Path),
    help="Store the trained models in this directory.",
)
@click.option(
    "--export",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the model that predicts ratios to the default, as JSON, for the option tune_model of a writer.",
)
@click.option("--install", is_flag=True, help="The same, to where writers look for it.")
@click.option(
    "--kind",
    type=click.Choice(trees.KINDS),
    help="Of that model.  [default: the one with the smallest error]",
)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw errors, predictions and observations.")
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
@collected_in(FitOptions)
def fit_command(options: FitOptions) -> None:
    """Train models on TABLE, which `esker tune characterize` wrote, and compare their errors.

    Errors are those of predicted seconds, in % of what was measured, by cross-validation. All rows of a workload of
    one size are in the same fold. The models are those of the literature; the table has the mean errors that it
    reports. "cost model" is that of esker simulate, which is not trained. "hybrid" predicts what the cost model misses.

    Then models are trained on few ranks and predict many, and on the microbenchmark and predict applications, without
    and with updates: an updated prediction is corrected by what the predictions before it missed, also
    those of the same run.

    Last, tree models are trained to predict the ratio of a setting to the default. A writer can use them
    (--install).
    """
    kind = kind_of_picture(options.plot) if options.plot else None
    if (options.install or options.export) and options.mode != "both":
        raise click.UsageError("--install and --export: expected --mode both, whose rows are of writers")
    with as_exit_status():
        if options.models:
            needed("skops.io")  # before minutes of training
        measured = tables.read(options.path)
        if options.install:
            _check_is_of_this_storage(measured)
        chosen = measured.where(measured["mode"] == options.mode)
        if not len(chosen):
            found = ", ".join(sorted(set(measured["mode"]))) or "no rows"
            raise ValueError(f"{options.path}: no rows of --mode {options.mode}, found {found}")
        facts = _facts(chosen)
    if options.as_json:
        click.echo(json.dumps(facts, indent=2))
    else:
        _print(facts)
    with as_exit_status():
        if options.plot:
            figures.figure(chosen, facts["models"], _plotted(chosen, facts)).savefig(
                options.plot, format=kind
            )
        for path in _written(options, chosen, facts["ratios"]):
            click.echo(f"wrote {path}", err=options.as_json)


def _check_is_of_this_storage(measured: tables.Table) -> None:
    """Raises ValueError for seconds of a machine or of storage that no writer here has."""
    about = measured.about
    if about["kind"] != "measured":
        raise ValueError(f"--install: expected a table that was measured, found {about['kind']!r}; use --export")
    if about.get("store_rate"):
        raise ValueError(
            "--install: expected a table without --store-rate, found storage of "
            f"{about['store_rate']:g} bytes per second and rank; use --export"
        )


def _facts(chosen: tables.Table) -> dict[str, Any]:
    noise = evaluation.noise(chosen)
    return {
        "about": chosen.about,
        "rows": len(chosen),
        "groups": len(set(chosen["group"])),
        "data": chosen.fingerprint(),
        "noise": asdict(noise) if noise else None,
        "spread": evaluation.spread(chosen),
        "models": list(evaluation.table_of_models(chosen)),
        "ablation": list(evaluation.ablation(chosen)),
        "extrapolation": [extrapolation.compare(chosen, split) for split in extrapolation.splits(chosen)],
        "ratios": trees.cross_validated(chosen),
    }


def _plotted(chosen: tables.Table, facts: dict[str, Any]) -> list[tuple[extrapolation.Split, str]]:
    splits = extrapolation.splits(chosen)[:_MOST_PLOTTED_SPLITS]
    return [(split, found["best_pure"]) for split, found in zip(splits, facts["extrapolation"])]


def _written(options: FitOptions, chosen: tables.Table, ratios: dict[str, float]) -> Iterator[Path]:
    """Stores what was asked for; yields a path when it is written."""
    if options.models:
        options.models.mkdir(parents=True, exist_ok=True)
        for model in stored.trained_on(chosen):
            path = options.models / f"{model.name.replace(' ', '_')}.skops"
            stored.write(model, path)
            yield path
    kind = options.kind or min(trees.KINDS, key=lambda name: ratios[name])
    paths = [options.export] if options.export else []
    if options.install and trees.has_learned(ratios, kind):
        paths.append(trees.installed_path())
    elif options.install:
        click.echo(
            "esker: warning: not installed: on other workloads the model is no better than predicting that nothing "
            "changes; measure longer, or on a quieter machine (--export writes it anyway)",
            err=True,
        )
    if paths:
        model = trees.fitted(chosen, kind)
        for path in paths:
            trees.write(model, path)
            yield path


def _print(facts: dict[str, Any]) -> None:
    about, out = facts["about"], console()
    out.print(
        f"{about['kind']}: {about['machine_kind']}, {facts['rows']} rows of {facts['groups']} workloads"
    )
    if noise := facts["noise"]:
        out.print(
            f"noise: the default against itself differs by {noise['percent']:.1f} % (root mean square of "
            f"{noise['rows']} rows of {noise['groups']} workloads)"
        )
    if facts["spread"] is not None:
        out.print(
            f"repetitions: the largest ratio is {facts['spread']:.1f} times the smallest (median of the rows)"
        )
    made = table("model", "mean %", "median %", "literature %", right=("mean %", "median %", "literature %"))
    for row in facts["models"]:
        literature = "" if row["literature"] is None else f"{row['literature']:g}"
        made.add_row("", row["model"], f"{row['mean']:.1f}", f"{row['median']:.1f}", literature)
    show(out, made)
    _print_ablation(facts["ablation"])
    for split in facts["extrapolation"]:
        _print_split(split)
    made = table("ratio to the default", "error of log2", right=("error of log2",))
    for name, error in facts["ratios"].items():
        made.add_row("", "no change" if name == "default" else name.replace("_", " "), f"{error:.3f}")
    show(out, made)


def _print_ablation(rows: Sequence[dict[str, Any]]) -> None:
    models = list(dict.fromkeys(row["model"] for row in rows))
    made = table("attributes, mean %", *models, right=tuple(models))
    for which in dict.fromkeys(row["attributes"] for row in rows):
        made.add_row("", which, *(f"{row['mean']:.1f}" for row in rows if row["attributes"] == which))
    show(console(), made)


def _print_split(split: dict[str, Any]) -> None:
    chosen = (split["best_pure"], evaluation.COST_MODEL, evaluation.SCALED, evaluation.HYBRID)
    numbers = ("mean %", "with updates %")
    made = table(f"{split['split']} ({split['test_rows']} rows)", *numbers, right=numbers)
    for row in split["models"]:
        if row["model"] in chosen:
            best = " (best pure model)" if row["model"] == split["best_pure"] else ""
            made.add_row("", row["model"] + best, f"{row['mean']:.1f}", f"{row['updated_mean']:.1f}")
    show(console(), made)
